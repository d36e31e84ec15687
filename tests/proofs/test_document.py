"""Rows are kept as runs as soon as they are read, and written in pieces."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement, check_text, limits
from attnproof.proofs.checker.document import load
from attnproof.proofs.checker.runs import Runs
from attnproof.proofs.emit import emit, state
from attnproof.proofs.statement import canonical_json, dumps, iter_json, loads
from attnproof.symbolic.evidence import Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs as MaskRuns
from attnproof.symbolic.order.properties import NextToken
from attnproof.symbolic.progress import listening
from attnproof.symbolic.setting import Setting
from tests.mutation.cases import CASES
from tests.mutation.mutants import mutants
from tests.proofs.forms import held_as
from tests.symbolic.forms import FORMS as MASK_FORMS

SETTING = Setting((Mask.from_rows(["1..", "11.", ".11"]),))
SAFE = Safe(SETTING, NextToken(3), (0b001, 0b011, 0b111))


def test_rows_are_kept_as_runs() -> None:
    """Rows and relations, and nothing else."""
    with held_as("runs"):
        (statement,) = load(canonical_json(emit(SAFE)))
    predicate: Any = statement
    predicate = predicate["predicate"]
    assert predicate["layers"][0]["rows"] == Runs.of([[(0, 1)], [(0, 2)], [(1, 3)]])
    assert predicate["relation"] == Runs.of([[(0, 1)], [(0, 2)], [(0, 3)]])
    assert isinstance(predicate["layers"], list)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[[0, 1]], [[0, 2]], [[0, 3], [3, 4]]], "not maximal"),
        ([[[0, 1]], [[0, 2]], [[0, 4]]], "in range"),
        ([[[0, 1]], [[-1, 2]], [[0, 3]]], "not maximal"),
        ([[[0, 1]], [[2, 2]], [[0, 3]]], "not maximal"),
        ([[[0, 1]], [[2, 3], [0, 1]], [[0, 3]]], "not maximal"),
        ([[[0, 1]], [[0, 1 << 40]], [[0, 3]]], "out of range"),
        ([[[0, 1]], [[0, True]], [[0, 3]]], "no pair of integers"),
        ([[[0, 1]], [[0, "2"]], [[0, 3]]], "no pair of integers"),
        ([[[0, 1]], [[0, 1, 2]], [[0, 3]]], "no pair"),
        ([[[0, 1]], [0, 1], [[0, 3]]], "no pair"),
        ([[[0, 1]], None, [[0, 3]]], "not a list"),
        ([[[0, 1]], "", [[0, 3]]], "not a list"),
        ([[[0, 1]], [[0, 2]]], "does not hold 3 rows"),
        ({"0": [[0, 1]]}, "not a list"),
        (None, "not a list"),
    ],
    ids=str,
)
@pytest.mark.parametrize("key", ["rows", "relation"])
def test_rows_that_are_none_are_refused_alike(key: str, rows: object, reason: str) -> None:
    """Read from text or from values, in a mask or in a relation, the reason is the same."""
    statement: Any = emit(SAFE)
    if key == "rows":
        statement["predicate"]["layers"][0]["rows"] = rows
    else:
        statement["predicate"]["relation"] = rows
    with held_as("runs"):
        result = check_statement(statement)
        if not (key == "relation" and rows is None):
            assert reason in result.reason
        assert check_text(json.dumps(statement)) == [result]
    assert not result.valid


@pytest.mark.parametrize("name", ["flow of window", "flow of rectangular", "property schedule"])
def test_text_and_values_are_judged_alike(name: str) -> None:
    """Of every edited certificate the checker says the same, however it is handed over."""
    with held_as("runs"):
        for mutant in filter(_is_object, mutants(emit(CASES[name]))):
            assert check_text(json.dumps(mutant)) == [check_statement(mutant)]


def _is_object(statement: object) -> bool:
    return isinstance(statement, dict)


@pytest.mark.parametrize("name", CASES)
def test_round_trip_of_runs(name: str) -> None:
    """A statement that was read with rows as runs is the statement that was written."""
    with held_as("runs"):
        statement = state(CASES[name])
        (read,) = loads(dumps([statement]))
        assert read == statement
        assert read.to_json() == emit(CASES[name])
        assert check_text(read.canonical_json())[0].reason == ""


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
    ),
)


@given(values)
def test_pieces_are_the_canonical_text(value: object) -> None:
    """Of any value without floats: what the standard library writes with sorted keys."""
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert "".join(iter_json(value)) == expected


def test_no_piece_holds_many_rows() -> None:
    """20000 rows are written in pieces of some kilobytes."""
    rows = MaskRuns.from_rows((((0, q + 1),) for q in range(20_000)), keys=20_000)
    statement = state(Safe(Setting((Mask.of(rows),)), NextToken(20_000), rows))
    pieces = list(statement.iter_json())
    assert max(map(len, pieces)) < 1 << 16
    assert json.loads("".join(pieces))["predicate"]["relation"][-1] == [[0, 20_000]]


@pytest.mark.parametrize("sets", [(1, 3, 7, 15, 31), (31, 3, 0, 21, 16)], ids=["causal", "any"])
def test_however_a_mask_is_held_its_certificate_is_the_same(sets: tuple[int, ...]) -> None:
    """Bits, runs, sparse rows and tiles of a block mask: one text."""
    relation = (31,) * 5
    texts = {
        state(Safe(Setting((Mask.of(form(sets, 5)),)), NextToken(5), relation)).canonical_json()
        for form in MASK_FORMS.values()
    }
    assert len(texts) == 1


def test_writing_tells_how_far_it_is() -> None:
    """Rows written, of how many."""
    heard: list[tuple[int, int]] = []
    rows = MaskRuns.from_rows((((0, q + 1),) for q in range(3000)), keys=3000)
    with listening(lambda done, total: heard.append((done, total))):
        "".join(iter_json(rows))
    assert heard == [(1024, 3000), (2048, 3000), (3000, 3000)]


def test_statements_are_equal_by_their_text() -> None:
    """Whatever holds their rows; another relation is another statement."""
    rows = MaskRuns.from_rows([[(0, 1)], [(0, 2)], [(0, 3)]], keys=3)
    assert state(SAFE) == state(Safe(SETTING, NextToken(3), rows))
    assert state(SAFE) != state(Safe(SETTING, NextToken(3), (0b001, 0b011, 0b011)))
    assert state(SAFE) != state(Safe(replace(SETTING, depth=2), NextToken(3), rows))
    assert len({state(SAFE), state(SAFE)}) == 1


def test_fragmented_rows_are_refused_beyond_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a row are counted on average, and only where positions are very many."""
    with held_as("runs"):
        monkeypatch.setattr(limits, "MOST_RUNS", 1)
        rows = ["1.1", "1.1", "1.1"]
        evidence = Safe(Setting((Mask.from_rows(rows),)), NextToken(3), (0b101, 0b111, 0b101))
        assert "runs a row" not in check_statement(emit(evidence)).reason
        monkeypatch.setattr(limits, "MOST_FRAGMENTED", 2)
        assert "runs a row" in check_statement(emit(evidence)).reason
