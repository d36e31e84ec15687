"""The study of attention at equal loss: its points, what a run records, its tables and figure."""

import json

import pytest

from attnproof.numeric.studies.flow_attention import STUDY, Point, figures, points, run, tables


def test_points() -> None:
    """Four parametrisations in three ways with three seeds, and FAFO at six ratios."""
    every = points(0, quick=False)
    assert len({*every}) == len(every) == 9 + 5 * 2 * 3
    assert {p.ratio for p in every if p.kind == "FAFO" and p.way == "aligned"} == {
        0.0375, 0.15, 0.3, 0.6, 1.2, 2.4,
    }  # fmt: skip
    assert {p.seed for p in points(7, quick=False)} == {7, 8, 9}


def test_the_study_runs() -> None:
    """Descent from the manifold ends on the orbit; records are JSON and repeat."""
    records = [run(point) for point in points(0, quick=True)]
    for record in records:
        assert record["reached"]
        assert record["loss"] <= 0.2
        assert record["accuracy"] == 1
        if record["way"] == "aligned":
            assert record["off_manifold"] < 1e-10
            assert record["attention"] == pytest.approx(record["orbits"][record["kind"]], abs=0.02)
    again = run(points(0, quick=True)[5])
    assert {**records[5], "seconds": 0} == {**json.loads(json.dumps(again)), "seconds": 0}
    by_kind, by_ratio = tables(records)
    assert [row[0] for row in by_kind.rows] == ["CACO", "FACO", "CAFO", "FAFO"]
    assert by_kind.rows[0][3] is not None
    assert by_kind.rows[1][3] is None
    assert [row[0] for row in by_ratio.rows] == [0.15, 2.4]
    assert list(figures(records)) == [STUDY.name]


def test_values_computed_independently() -> None:
    """FAFO at K = 5, r = 1, M = 15 and ratio 2.4, to loss 1e-3: attention .9951, flow .9950."""
    record = run(Point("FAFO", 2.4, "aligned", 0))
    assert record["attention"] == pytest.approx(0.9951, abs=1e-4)
    assert record["orbits"]["FAFO"] == pytest.approx(0.9950, abs=1e-4)
