"""The scoreboard of every length is made from its kept records, and these repeat."""

import json
from typing import Any

from attnproof.numeric.studies.all_lengths import STUDY
from tests.docs.kept import kept
from tests.docs.pictures import DOCS

PAGE = (DOCS / "scoreboard.md").read_text()
RECORDS = kept(STUDY)


def without_seconds(value: Any) -> Any:
    """A record without what is measured in seconds."""
    if isinstance(value, dict):
        return {key: without_seconds(x) for key, x in value.items() if key != "seconds"}
    return [without_seconds(x) for x in value] if isinstance(value, list) else value


def test_every_table_stands_on_the_page() -> None:
    """The page shows the tables of the full study, seed 0."""
    for table in STUDY.tables(RECORDS):
        assert table.markdown() in PAGE, table.title


def test_a_mask_a_fault_and_a_formula_repeat() -> None:
    """Verdicts, steps and invariants of a point of each kind are those that are kept."""
    points = STUDY.points(0, False)
    for kind in ("mask", "fault", "formula"):
        number = next(i for i, point in enumerate(points) if point.kind == kind)
        again = json.loads(json.dumps(STUDY.run(points[number])))
        assert without_seconds(again) == without_seconds(RECORDS[number])
