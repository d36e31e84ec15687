"""Verdict and Finding: three values, one order, and JSON without what does not apply."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.verdict import Finding, Verdict

RANK = {Verdict.FAILS: 0, Verdict.UNKNOWN: 1, Verdict.HOLDS: 2}


@given(st.lists(st.sampled_from(Verdict)))
def test_worst_is_fails_then_unknown_then_holds(verdicts: list[Verdict]) -> None:
    """The worst of several, in any order; None of nothing."""
    assert Verdict.worst(verdicts) == min(verdicts, key=RANK.__getitem__, default=None)
    assert Verdict.worst(iter(verdicts[::-1])) == Verdict.worst(verdicts)


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_no_boolean(verdict: Verdict) -> None:
    """Nobody writes ``if verdict``: unknown would pass for one of the others."""
    with pytest.raises(TypeError, match="a verdict has three values: compare it"):
        bool(verdict)


def test_names_of_verdicts() -> None:
    """The words that reports and files use."""
    assert [verdict.value for verdict in Verdict] == ["holds", "fails", "unknown"]


def test_findings_sort_by_severity_depth_reader_source() -> None:
    """Errors first: those without a depth, which are about the mask itself, then the shallowest."""
    ordered = [
        Finding("structure", "e", reader=0),
        Finding("structure", "f"),
        Finding("leak", "a", depth=0, reader=9, source=9),
        Finding("leak", "b", depth=1, reader=0, source=3),
        Finding("leak", "c", depth=1, reader=2, source=0),
        Finding("leak", "d", depth=1, reader=2, source=1),
        Finding("empty_row", "g", severity="note", reader=0),
    ]
    for shuffled in list(permutations(ordered))[::97]:
        assert sorted(shuffled, key=Finding.rank) == ordered


def test_json_of_a_finding() -> None:
    """What is given stands there, in lists; what does not apply is left out."""
    schedule = Finding(
        "leak",
        "told",
        property="causal",
        reader=2,
        source=5,
        depth=2,
        path=((5, 0), (2, 2)),
        details={"atom": "x3", "head": None},
    )
    assert schedule.to_json() == {
        "kind": "leak",
        "severity": "error",
        "property": "causal",
        "reader": 2,
        "source": 5,
        "depth": 2,
        "path": [[5, 0], [2, 2]],
        "atom": "x3",
        "message": "told",
    }
    note = Finding("empty_row", "query 3 reads nothing", severity="note", reader=3)
    assert note.to_json() == {
        "kind": "empty_row",
        "severity": "note",
        "reader": 3,
        "message": "query 3 reads nothing",
    }


def test_reader_and_depth_zero_are_kept() -> None:
    """Zero is a position and a depth, not an absence."""
    assert Finding("leak", "own", reader=0, source=0, depth=0, path=(0,)).to_json() == {
        "kind": "leak",
        "severity": "error",
        "reader": 0,
        "source": 0,
        "depth": 0,
        "path": [0],
        "message": "own",
    }


def test_a_finding_reads_as_its_message() -> None:
    """In text the message; in a list also whether it is a finding or a note."""
    assert str(Finding("leak", "told")) == "told"
    assert repr(Finding("leak", "told")) == "Finding: told"
    assert repr(Finding("empty_row", "told", severity="note")) == "Note: told"
