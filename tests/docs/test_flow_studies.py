"""What the page on the experiments says is what their kept records say, and these repeat."""

import json
import math
from statistics import mean
from typing import Any

import pytest

from attnproof.numeric.studies import (
    agreement,
    dtap,
    flow_adam,
    flow_attention,
    flow_reference,
    flow_starts,
    real_data,
)
from attnproof.numeric.studies.study import Study
from tests.docs.kept import kept
from tests.docs.pictures import DOCS

PAGE = "".join((DOCS / name).read_text() for name in ("flow-studies.md", "real-data.md"))
#: Each study with the number of a point that is run again, one that costs little, if there is one.
KEPT = [
    (flow_attention.STUDY, 1),
    (flow_starts.STUDY, 6),
    (flow_adam.STUDY, -1),
    (flow_reference.STUDY, 0),
    (dtap.STUDY, None),
    (agreement.STUDY, None),
    (real_data.STUDY, None),
]


def same(one: Any, other: Any) -> bool:
    """Equal, but that numbers may differ by rounding and seconds by anything."""
    if isinstance(one, dict):
        keys = one.keys() - {"seconds"}
        return keys == other.keys() - {"seconds"} and all(same(one[k], other[k]) for k in keys)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)
    return bool(one == other)


@pytest.mark.parametrize(("study", "number"), KEPT, ids=lambda one: getattr(one, "name", ""))
def test_the_page_shows_the_kept_records(study: Study, number: int | None) -> None:
    """Every table of a study stands on the page, its files are linked; a cheap point repeats."""
    records = kept(study)
    for table in study.tables(records):
        assert table.markdown() in PAGE, table.title
    assert f"]({study.name}.json)" in PAGE
    assert study.figures is None or f"]({study.name}.svg)" in PAGE
    if number is not None:
        again = json.loads(json.dumps(study.run(study.points(0, False)[number])))
        assert same(again, records[number])


def test_attention_at_equal_loss_rises_with_the_ratio() -> None:
    """In the kept curves of all four parametrisations."""
    for record in kept(flow_starts.STUDY):
        if record["part"] == flow_starts.BY_RATIO:
            attention = [row[1] for row in record["rows"]]
            assert attention == sorted(attention)


def test_what_is_said_of_adam() -> None:
    """The counts in the text are those of the records; gradient descent misses no class."""
    records = [each for each in kept(flow_adam.STUDY) if each["embeddings"] is None]
    by_adam = [each for each in records if each["method"] == flow_adam.ADAM]
    missed = [each for each in by_adam if flow_adam.unattended(each)]
    told = [each for each in missed if each["accuracy"] == 1]
    stalled = [each for each in missed if flow_adam.unattended(each) == 2]
    assert len(missed) == len(told) + len(stalled)
    for said in (
        f"in {len(missed)} of {len(by_adam)} runs",
        f"{len(told)} of these are right on every sequence",
        f"{len(stalled)} miss two classes",
    ):
        assert said in PAGE
    assert not any(flow_adam.unattended(each) for each in records if each not in by_adam)
    right = [each for each in [*records, *kept(flow_attention.STUDY)] if each not in stalled]
    assert {each["accuracy"] for each in right} == {1}
    for each in stalled:
        assert each["loss"] > 0.4 * math.log(2)
        assert not each["reached"]
    for kind in ("CAFO", "FAFO"):
        for method, falls in ((flow_adam.ADAM, True), (flow_adam.GRADIENT, False)):
            some = [each for each in records if (each["kind"], each["method"]) == (kind, method)]
            slow, fast = (
                mean(mean(each["attention"]) for each in some if each["ratio"] == ratio)
                for ratio in (1, 10)
            )
            assert (fast < slow) == falls


def test_the_reference_values_agree() -> None:
    """Balls hold the digits, and the differences on the page are rounding."""
    for record in kept(flow_reference.STUDY):
        if record["at"] == "loss":
            assert record["inside"]
        else:
            assert record["close"] < 1e-24
            assert record["whole"] is None or record["whole"] < 1e-11
        assert max(record["apart"]) < 2e-12
