"""What the page on interpolation says of its studies is what their kept records say."""

from typing import Any

import pytest

from attnproof.numeric.studies import few_blocks, interpolation, tikhonov
from attnproof.numeric.studies.study import Study
from attnproof.symbolic.interpolation.tikhonov import diagnose
from tests.docs.kept import kept
from tests.docs.pictures import DOCS

PAGE = (DOCS / "interpolation.md").read_text()


@pytest.mark.parametrize(
    ("study", "shown"),
    [(tikhonov.STUDY, (0,)), (few_blocks.STUDY, (0, 1)), (interpolation.STUDY, (0, 1, 2, 5))],
    ids=lambda one: getattr(one, "name", ""),
)
def test_the_page_shows_the_tables_of_the_kept_records(study: Study, shown: Any) -> None:
    """Every table that is shown stands on the page as the records give it."""
    tables = study.tables(kept(study))
    for number in shown:
        assert tables[number].markdown() in PAGE, tables[number].title


def test_what_is_shown_not_to_be_global_follows_from_the_points() -> None:
    """Each kept diagnosis is that of the kept points; three slopes pass and their points do not."""
    passed = 0
    for record in kept(tikhonov.STUDY):
        runs = [tuple(each[:3]) for each in record["runs"]]
        found = diagnose(runs, interpolant=record["interpolant"])
        assert (found.slope, list(found.witness)) == (record["slope"], record["witness"])
        assert [list(pair) for pair in found.crossed] == record["crossed"]
        shown = {a for a, _ in found.crossed}
        passed += "transformer" in record["start"] and record["slope"] > 0.85 and len(shown) >= 8
    assert passed == 3
    assert "passes three of the five trainings" in PAGE


def test_no_net_of_the_sweep_is_inexact() -> None:
    """Every kept net is exact, within its bounds, the same for permuted inputs, by both
    verifiers."""
    checks = ("exact", "within_bound", "permuted", "agree")
    for record in kept(interpolation.STUDY):
        if record["part"] in ("hard", "random"):
            for net in record["nets"].values():
                assert [int(net[check]) for check in checks] == [net.get("nets", 1)] * 4
        if record["part"] in ("length", "depth"):
            assert all(net["exact"] for net in record["nets"].values())
