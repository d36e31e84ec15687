"""The study of all lengths: its points, a record of each kind, and its tables."""

import pytest

from attnproof.numeric.studies.all_lengths import STUDY
from attnproof.numeric.studies.length_checks import agrees, breaks, compose, flow
from attnproof.symbolic.formula import k, q
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, causal, transitive
from attnproof.symbolic.verdict import Verdict

pytest.importorskip("cvc5")


def test_a_record_of_each_kind_and_their_tables() -> None:
    """Points of a short study give records without contradictions, and every table has its rows."""
    points = {point.kind: point for point in STUDY.points(0, True)}
    records = [STUDY.run(points[kind]) for kind in ("mask", "fault", "formula")]
    assert all(answer["agrees"] for record in records for answer in record["answers"])
    by_property, of_formulas, promises, closures = STUDY.tables(records)
    assert len(promises.rows) == len(closures.rows) == 2
    assert [row[0] for row in of_formulas.rows] == [
        "causal",
        "reflexive",
        "transitive",
        "antisymmetric",
    ]
    assert sum(int(row[1] or 0) for row in by_property.rows) == 14


def test_the_long_study_has_every_mask() -> None:
    """The long study asks of 50 masks, 15 faults and 1000 formulas at least."""
    kinds = [point.kind for point in STUDY.points(0, False)]
    assert kinds.count("mask") >= 50
    assert kinds.count("fault") >= 15
    assert kinds.count("formula") >= 1000


def test_the_check_contradicts_a_wrong_answer() -> None:
    """A verdict that says that a leaking mask is causal is contradicted."""
    leaking = Problem.of(k <= q + 1)
    assert not agrees(leaking, causal, Answer(causal, Verdict.HOLDS))
    assert agrees(leaking, causal, Answer(causal, Verdict.UNKNOWN))
    assert breaks(leaking, transitive, {"n": 3})
    assert not breaks(leaking, Depth(2), {"n": 3})


def test_layers_in_turn_as_sets_of_pairs() -> None:
    """Two layers that only move tokens on reach one and two places, and one more each turn."""
    one = {(1, 0), (2, 1), (3, 2)}
    assert compose(one, one) == {(2, 0), (3, 1)}
    assert flow([one, set()], 4) == {(x, x) for x in range(4)} | one
