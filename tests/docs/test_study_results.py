"""What a page says of a study is what its kept records say."""

from attnproof.numeric.studies.merged_training import STUDY
from tests.docs.kept import kept
from tests.docs.pictures import DOCS


def test_the_training_study_is_told_as_it_was_recorded() -> None:
    """The page shows the table of docs/merged-training.json; losses differ by rounding alone."""
    records = kept(STUDY)
    table, _ = STUDY.tables(records)
    assert table.markdown() in (DOCS / "from-tasks-to-a-mask.md").read_text()
    for record in records:
        assert len(record["differences"]) == 100
        assert max(record["differences"]) < 1e-12
        merged = record["losses"]["merged"]
        assert merged[-1] < (merged[0] + record["least_loss"]) / 2
