"""The scans of a mask, run as the recurrences that they describe: each output depends on its row.

``found.chains`` lists what each scan writes in turn and after how many writes each token reads;
``found.parents`` says which state each token continues where one recurrence with forks does it.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnproof.ask.scans import scans
from attnproof.numeric.dependency import Method, dependency
from attnproof.numeric.scan import Chain, Group, Scan, Update, linear
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.sparse import scans as symbolic
from tests.laws.strategies import Rows, mask_of, relations
from tests.numeric.networks import normal, pairs_of_mask
from tests.reference import Pairs, after, identity, pairs_of_sets

METHODS = (Method.JACOBIAN, Method.PERTURBATION)
WIDTH = 4


def chain_of(scan: symbolic.Scan) -> Chain:
    """State t follows the write t - 1; who reads it reads then. The empty state is not read."""
    groups = (
        Group((written,), tuple(q for q, count in enumerate(scan.reads) if count == time))
        for time, written in enumerate(scan.writes, 1)
    )
    return Chain(tuple(groups))


def measured(found: symbolic.Scans, n: int, update: Update, method: Method) -> Pairs:
    """The pairs (output, input) of the recurrences, their read-outs summed, with a residual."""
    model = Scan([chain_of(scan) for scan in found.chains], WIDTH, update=update, seed=n)
    return pairs_of_mask(dependency(model, normal(1, n, WIDTH, seed=5), method, points=1).relation)


def flow_of(given_rows: Rows) -> Pairs:
    """What reaches what in any depth, by powers of the relation; the diagonal is free."""
    n = len(given_rows)
    return after([pairs_of_sets(given_rows) | identity(n)], n, n)


@settings(max_examples=25)
@given(relations(6), st.sampled_from(METHODS))
def test_summed_scans_depend_on_the_flow(given_rows: Rows, method: Method) -> None:
    """Linear scans, as many as are found, of any preorder: no pair is missed and none is added."""
    n = len(given_rows)
    found = scans(mask_of(given_rows)).found
    assert measured(found, n, Update.LINEAR, method) == flow_of(given_rows)


@settings(max_examples=25)
@given(relations(6), st.sampled_from([Update.GATED, Update.DELTA]))
def test_gated_scans_depend_on_the_flow(given_rows: Rows, update: Update) -> None:
    """Updates for which the order of writes matters, of any partial order."""
    order = closure(given_rows)
    assume(order.antisymmetric)
    found = scans(mask_of(given_rows), rule="gated").found
    n = len(given_rows)
    assert measured(found, n, update, Method.PERTURBATION) == flow_of(given_rows)


#: Each case with the number of scans that suffice, summed and gated.
NAMED: dict[str, tuple[str, int, dict[str, Any], int, int | None]] = {
    "causal": ("causal", 6, {}, 1, 1),
    "packing": ("documents", 5, {"lengths": [2, 3]}, 2, 2),
    "XLNet": ("two_stream", 4, {"order": [2, 0, 3, 1]}, 1, 1),
    "crown": ("crown", 4, {}, 2, 4),
    "butterfly": ("butterfly", 4, {}, 2, 2),
    "block two-stream": ("block_two_stream", 6, {"b": 2}, 3, None),
    "token two-stream": ("block_two_stream", 6, {"b": 2, "clean": "token"}, 3, None),
    "clique": ("full", 4, {}, 1, None),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", NAMED)
def test_named_masks_as_recurrences(case: str, method: Method) -> None:
    """The masks of models: dense but for the diagonal, so what is measured is the mask."""
    name, length, parameters, count, gated = NAMED[case]
    found = scans(name, n=length, params=parameters)
    (mask,) = found.flow.setting.layers
    n = mask.size
    assert found.scans == count
    expected = pairs_of_mask(mask) | identity(n)
    assert measured(found.found, n, Update.LINEAR, method) == expected
    if gated is not None:
        ordered = scans(name, n=length, params=parameters, rule="gated").found
        assert len(ordered.chains) == gated
        for update in Update:
            assert measured(ordered, n, update, Method.PERTURBATION) == expected


def forked(parents: tuple[int | None, ...], state: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """One recurrence with forks: token q reads its parent's state with the parent written."""
    states: dict[int | None, Tensor] = {None: state.new_zeros(1, WIDTH, WIDTH)}

    def after_writing(p: int | None) -> Tensor:
        if p is not None and p not in states:
            before = after_writing(parents[p])
            states[p] = linear(before, state[:, p] @ key, state[:, p] @ value)
        return states[p]

    read = [state[:, q, None] @ after_writing(p) for q, p in enumerate(parents)]
    return state + torch.cat(read, 1)


@settings(max_examples=25)
@given(relations(6))
def test_forked_states_depend_on_the_flow(given_rows: Rows) -> None:
    """Where the tier says in-place or forked, one recurrence that follows ``parents`` does it."""
    order = closure(given_rows)
    found = symbolic.scans(order)
    assume(order.antisymmetric and found.parents is not None)
    n = len(given_rows)
    key, value = normal(WIDTH, WIDTH, seed=1), normal(WIDTH, WIDTH, seed=2)
    run = dependency(
        lambda state: forked(found.parents or (), state, key, value),
        normal(1, n, WIDTH, seed=3),
        points=1,
    )
    assert pairs_of_mask(run.relation) == flow_of(given_rows)


def test_a_read_one_write_early_is_seen() -> None:
    """The measurement tells a wrong chain from a right one."""
    found = scans("causal", n=5).found
    (chain,) = found.chains
    early = replace(chain, reads=tuple(max(0, count - 1) for count in chain.reads))
    wrong = measured(replace(found, chains=(early,)), 5, Update.LINEAR, Method.JACOBIAN)
    assert wrong == {(q, k) for q in range(5) for k in range(5) if k < q - 1 or k == q}
