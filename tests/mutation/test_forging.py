"""Every certificate that could be forged about a few tokens: none shows what is not so."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import by_distance, emit
from attnproof.symbolic.evidence import Equal, Leak, Safe, Structure
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.setting import Setting
from tests.laws.strategies import Rows, rows
from tests.mutation.claims import is_true
from tests.reference import closed, pairs_of_sets

THREE = rows(3)
RELATIONS = tuple(product(range(8), repeat=3))


def setting(*layers: Rows, depth: int | None = None, residual: bool = True) -> Setting:
    """Square layers of three positions."""
    return Setting(tuple(Mask.of(Bits(tuple(x), 3)) for x in layers), depth, residual)


def accepted(statement: Any) -> bool:
    """Does the checker accept it, as it would be read from a file?"""
    return check_statement(json.loads(json.dumps(statement))).valid


def forged(statement: Any, **fields: Any) -> Any:
    """The statement with other fields in its predicate."""
    return statement | {"predicate": statement["predicate"] | fields}


def runs(relation: Rows) -> list[list[list[int]]]:
    """Three rows as runs, from a table of the eight sets."""
    table = [[], [[0, 1]], [[1, 2]], [[0, 2]], [[2, 3]], [[0, 1], [2, 3]], [[1, 3]], [[0, 3]]]
    return [table[row] for row in relation]


@given(THREE, st.integers(0, 2), st.integers(0, 2))
@settings(max_examples=16)
def test_no_relation_shows_that_an_unsafe_mask_is_safe(
    mask: Rows, reader: int, source: int
) -> None:
    """All 512 relations are tried; some is accepted exactly when the pair is never reached."""
    wanted = Forbidden.from_pairs([(reader, source)], 3)
    statement = emit(Safe(setting(mask), wanted, (0, 0, 0)))
    some = any(accepted(forged(statement, relation=runs(one))) for one in RELATIONS)
    assert some == ((reader, source) not in closed(pairs_of_sets(mask), 3))


@given(THREE, st.sampled_from([Causal(3), NextToken(3), Documents((0, 1, 0))]))
@settings(max_examples=40)
def test_allowed_pairs_show_only_what_they_are_closed_for(mask: Rows, wanted: Property) -> None:
    """Of causal and documents they show safety, exactly when it is there; of nothing else."""
    statement = emit(Safe(setting(mask), wanted, "allowed"))
    assert accepted(statement) == (is_true(statement) and not isinstance(wanted, NextToken))


@given(THREE, THREE)
@settings(max_examples=12)
def test_no_relation_shows_that_two_flows_are_equal(a: Rows, b: Rows) -> None:
    """All 512 relations are tried; one is accepted, and only one, exactly when the flows agree."""
    statement = emit(Equal(setting(a), setting(b), "flow", (0, 0, 0)))
    fitting = [one for one in RELATIONS if accepted(forged(statement, relation=runs(one)))]
    flows = [closed(pairs_of_sets(mask), 3) for mask in (a, b)]
    assert [pairs_of_sets(one) for one in fitting] == ([flows[0]] if flows[0] == flows[1] else [])


@given(THREE)
@settings(max_examples=8)
def test_the_flow_has_one_description(mask: Rows) -> None:
    """Of all relations, sets of covers, heights and depths only the true ones are accepted."""
    flow = Flow(setting(mask))
    statement = emit(flow.facts())
    assert accepted(statement)
    for one in RELATIONS:
        known = pairs_of_sets(one) == closed(pairs_of_sets(mask), 3)
        assert accepted(forged(statement, relation=runs(one))) == known
    covers = statement["predicate"]["covers"]  # type: ignore[index]
    for some in subsets(list(product(range(len(flow.classes)), repeat=2))):
        pairs = sorted(map(list, some))
        written: object = pairs if isinstance(covers, list) else by_distance(pairs)
        assert accepted(forged(statement, covers=written)) == (written == covers)
    for number in range(5):
        assert accepted(forged(statement, height=number)) == (number == flow.height)
        assert accepted(forged(statement, convergence=number)) == (number == flow.depth)


@given(THREE)
@settings(max_examples=8)
def test_the_width_has_no_false_witness(mask: Rows) -> None:
    """Every antichain with every partition into chains: those that are wrong are refused."""
    flow = Flow(setting(mask))
    statement = emit(flow.facts())
    classes = list(range(len(flow.classes)))
    for antichain in subsets(classes):
        for chains in partitions(classes):
            fields = {"width": len(antichain), "antichain": list(antichain), "chains": chains}
            edited = forged(statement, **fields)
            assert accepted(edited) <= is_true(edited)
            assert not accepted(edited) or len(antichain) == flow.width()


def subsets(items: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Every subset, smallest first."""
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """Every partition, with blocks in ascending order."""
    if not items:
        yield []
        return
    first, *others = items
    for partition in partitions(others):
        yield [[first], *partition]
        for i, block in enumerate(partition):
            yield [*partition[:i], [first, *block], *partition[i + 1 :]]


@pytest.mark.parametrize("residual", [True, False])
@given(st.lists(THREE, min_size=1, max_size=2), st.sampled_from([None, 0, 1, 2, 3]))
@settings(max_examples=5)
def test_no_path_shows_a_leak_that_is_none(
    residual: bool, layers: list[Rows], depth: int | None
) -> None:
    """Every path of up to three moves, at every depth, is accepted only for what is so."""
    given_setting = setting(*layers, depth=depth, residual=residual)
    wanted = Forbidden.from_pairs([(q, k) for q in range(3) for k in range(3)], 3)
    claim = Leak(given_setting, wanted, 0, 0, 0, (0,))
    for moves in range(4):
        for tokens in product(range(3), repeat=moves + 1):
            for last in range(4):
                path = (*enumerate_path(tokens), (tokens[-1], last)) if moves else ((tokens[0], 0),)
                leak = replace(
                    claim, source=tokens[0], reader=tokens[-1], depth=path[-1][1], path=path
                )
                statement = json.loads(json.dumps(emit(leak)))
                assert accepted(statement) <= is_true(statement)


def enumerate_path(tokens: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """All tokens but the last, one after each layer."""
    return ((token, level) for level, token in enumerate(tokens[:-1]))


@given(THREE, st.sampled_from(["reflexive", "transitive", "antisymmetric", "no-empty-rows"]))
@settings(max_examples=30)
def test_no_witness_refutes_what_holds(mask: Rows, name: str) -> None:
    """Every witness of up to three tokens: one refutes exactly when the property fails."""
    claim = Structure(setting(mask), name, False)
    holds = accepted(emit(replace(claim, holds=True)))
    refuted = False
    for size in (1, 2, 3):
        for witness in product(range(3), repeat=size):
            statement = json.loads(json.dumps(emit(replace(claim, witness=witness))))
            assert accepted(statement) == is_true(statement)
            refuted |= accepted(statement)
    assert refuted != holds
