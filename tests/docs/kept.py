"""The records of a study that the pages are made from."""

import json
from typing import Any

from attnproof.numeric.studies.study import Record, Study
from tests.docs.pictures import DOCS


def kept(study: Study) -> list[Record]:
    """The records of a full run, with its seed and versions."""
    found: dict[str, Any] = json.loads((DOCS / f"{study.name}.json").read_text())
    assert (found["study"], found["seed"], found["quick"]) == (study.name, 0, False)
    assert {"attnproof", "python", "torch"} <= set(found["versions"])
    assert len(found["records"]) == len(study.points(0, False))
    records: list[Record] = found["records"]
    return records
