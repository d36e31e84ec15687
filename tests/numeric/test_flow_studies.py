"""The studies of starts, of Adam and of reference values: their points, and quick runs."""

import json
from itertools import pairwise
from typing import Any

import pytest

from attnproof.numeric.studies import flow_adam, flow_reference, flow_starts
from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.numeric.studies.flow_values import AT_LOSS, AT_TIME
from attnproof.numeric.studies.study import Record, Study


def quick(study: Study) -> list[Record]:
    """Records of a quick run, as they are read from a file."""
    found: list[Record] = json.loads(
        json.dumps([study.run(point) for point in study.points(0, True)])
    )
    return found


def unhurried(record: Record) -> Record:
    """Without what is measured in seconds."""
    return {key: value for key, value in record.items() if key != "seconds"}


@pytest.fixture(scope="module")
def starts() -> list[Record]:
    """The quick run of flow-starts."""
    return quick(flow_starts.STUDY)


@pytest.fixture(scope="module")
def adam() -> list[Record]:
    """The quick run of flow-adam."""
    return quick(flow_adam.STUDY)


@pytest.mark.parametrize("study", [flow_starts.STUDY, flow_adam.STUDY, flow_reference.STUDY])
def test_points_are_distinct(study: Study) -> None:
    """No point is drawn twice."""
    for few in (False, True):
        every = study.points(3, few)
        assert len({*every}) == len(every)


def test_attention_rises_with_the_ratio(starts: list[Record]) -> None:
    """At one loss each parametrisation attends more, and α is less, at a higher ratio."""
    for record in starts:
        if record["part"] == flow_starts.BY_RATIO:
            for (_, s, alpha, *_), (_, more, less, *_) in pairwise(record["rows"]):
                assert s < more
                assert alpha > less


def test_the_start_matters_to_factorised_attention(starts: list[Record]) -> None:
    """From β₀ = 1e-8 to 1e-4 collapsed attention hardly changes, factorised attention does."""
    for record in starts:
        if record["part"] == flow_starts.BY_START:
            change = record["rows"][2][1] - record["rows"][0][1]
            assert (change > 0.03) == record["kind"].startswith("FA")
            assert change > 0


def test_training_follows_the_orbit(starts: list[Record]) -> None:
    """Training stays on the manifold and, up to the step, on the line of its first integral."""
    along = [record for record in starts if record["part"] == flow_starts.ALONG]
    assert [record["kind"] for record in along] == list(KINDS)
    for record in along:
        assert record["off_manifold"] < 1e-10
        assert record["drift"] < 0.05 * record["trained"][-1][2]
        assert record["attention"] == pytest.approx(record["flow"], abs=0.01)


def test_a_class_by_elimination(adam: list[Record]) -> None:
    """Under Adam the quick run misses a class and is right on all; gradient descent misses none."""
    by_adam, by_gradient = adam[:2]
    assert (by_adam["method"], flow_adam.unattended(by_adam)) == ("Adam", 1)
    assert (by_gradient["method"], flow_adam.unattended(by_gradient)) == ("gradient descent", 0)
    assert by_adam["accuracy"] == by_gradient["accuracy"] == 1


def test_the_line_of_sign_descent(adam: list[Record]) -> None:
    """With one-hot embeddings β = ρ (α - one step) exactly; with rotated ones it is not."""
    for record in adam:
        (alpha, beta), (first, low) = record["path"][-1] if record["path"] else (0, 0), (0.02, 0)
        if record["method"] == flow_adam.SIGN:
            exact = beta == pytest.approx(record["ratio"] * (alpha - first) + low, abs=1e-12)
            assert exact == (record["embeddings"] == flow_adam.ONE_HOT)


def test_records_repeat(adam: list[Record]) -> None:
    """The same point gives the same record, but for the seconds."""
    point = flow_adam.points(0, True)[-1]
    assert unhurried(flow_adam.run(point)) == unhurried(adam[-1])


def test_reference_values_are_found_in_every_way() -> None:
    """Floats and other code agree to their rounding, balls hold the digits, models follow."""
    records = quick(flow_reference.STUDY)
    assert len(records) == 5
    for record in records:
        if record["at"] == "loss":
            assert record["inside"]
            assert max(record["apart"]) < 1e-14
            assert record["ball"][1] < 1e-40
        else:
            assert record["close"] < 1e-20
            assert max(record["apart"]) < 1e-10
    first, second = flow_reference.tables(records)
    assert [row[0] for row in first.rows] == list(KINDS)
    assert second.rows[0][1] == "3, 1, 4, 1"


def test_reference_values_are_those_of_the_tests() -> None:
    """The values of the package are the ones that the formulas are tested with."""
    from tests.symbolic.gradient import test_orbit

    told: dict[str, Any] = test_orbit.VALUES
    known = {(row["kind"], row["rho"], row["beta0"], row["attention"]) for row in told["at_loss"]}
    assert {(one.kind, one.ratio, one.beta0, one.attention) for one in AT_LOSS} == known
    late = {(row["kind"], tuple(row["alpha"]), tuple(row["beta"])) for row in told["at_time"]}
    assert {(one.kind, one.alpha, one.beta) for one in AT_TIME} == late


def test_figures(starts: list[Record], adam: list[Record]) -> None:
    """Tables and figures come from the records alone."""
    assert list(flow_starts.figures(starts)) == ["flow-starts", "flow-orbits"]
    assert list(flow_adam.figures(adam)) == ["flow-adam"]
    equal, by_start = flow_starts.tables(starts)
    assert [row[0] for row in equal.rows] == list(KINDS)
    assert by_start.header == ("beta0", *KINDS)
    missed, stalled, slopes = flow_adam.tables(adam)
    assert (len(missed.rows), len(stalled.rows), len(slopes.rows)) == (2, 0, 6)
