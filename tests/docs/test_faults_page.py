"""The page about faults, against the records that it is made from."""

import json
from typing import Any

import pytest

from attnproof.numeric.studies.faults import METHODS
from tests.benchmarks.faults_page import DOCS, page


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """The records as they are kept."""
    found: dict[str, Any] = json.loads((DOCS / "faults.json").read_text())
    return found


def test_the_page_is_made_from_the_records(data: dict[str, Any]) -> None:
    """Each number on the page is that of the records."""
    assert (DOCS / "faults.md").read_text() == page(data)


def test_the_records_are_those_of_a_full_run(data: dict[str, Any]) -> None:
    """200 faults or more over eight architectures or more, and as many clean models."""
    records = data["records"]
    faulty = [each for each in records if each["leaks"]]
    assert not data["quick"]
    assert len(faulty) >= 200
    assert len(records) >= 2 * len(faulty)
    assert len({each["architecture"] for each in faulty}) >= 8


def test_each_record_has_every_answer(data: dict[str, Any]) -> None:
    """A record tells its model, the answer of each method and what it took."""
    assert {"study", "seed", "quick", "versions", "records"} == set(data)
    assert {"attnproof", "python", "torch", "transformers"} <= set(data["versions"])
    for each in data["records"]:
        keys = {"architecture", "kind", "layer", "seed", "leaks", "answers", "seconds"}
        assert set(each) == keys
        assert set(each["answers"]) == set(METHODS)
        assert set(each["seconds"]) == {"plain", *METHODS}
        for found in each["answers"].values():
            assert found["answer"] in ("leak", "none", "unknown", "not applicable")


def test_no_clean_model_is_called_faulty_by_its_masks(data: dict[str, Any]) -> None:
    """The promise and the masks of a clean model agree: inspection raises no false alarm."""
    clean = [each for each in data["records"] if not each["leaks"]]
    assert not [each for each in clean if each["answers"]["mask inspection"]["answer"] == "leak"]


def test_structure_misses_no_leak_silently(data: dict[str, Any]) -> None:
    """The structural relation holds every leaking pair, or says on what it rests."""
    for each in data["records"]:
        found = each["answers"]["structural probe"]
        assert found["seen"] == each["leaks"] or found["answer"] == "unknown"
