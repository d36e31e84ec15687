"""The classifier and the studies of attention: equal loss, padding, removal, and quick runs."""

from pathlib import Path

import pytest
import torch

from attnproof.numeric.classifier import Classifier, Embedding, Encoded, Hyperparameters, train
from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.numeric.datasets.text import Vocabulary
from attnproof.numeric.studies import agreement, dtap, real_data
from attnproof.numeric.studies.flow_figures import KINDS
from attnproof.symbolic.errors import FileError, InputError, ParameterError
from attnproof.symbolic.gradient.circuits import Parametrisation
from tests.numeric.datasets.files import DIVISIONS, HATEXPLAIN, SQUAD, write_json

TWO = Dataset(
    "two",
    ("x", "y"),
    Score.ACCURACY,
    (Example.of(["a", "c", "d"], 0, [0]), Example.of(["b", "c"], 1, [0])),
)
KNOWN = Vocabulary.of(example.tokens for example in TWO.examples)


def made(kind: Parametrisation, embedding: Embedding = Embedding.LEARNED) -> Classifier:
    """A small model."""
    return Classifier(kind, len(KNOWN), 4, 2, embedding=embedding, width=6, inner=3, start=0.5)


@pytest.mark.parametrize("kind", Parametrisation)
@pytest.mark.parametrize("embedding", Embedding)
def test_attention_written_out(kind: Parametrisation, embedding: Embedding) -> None:
    """Attention and logits of each example alone, without padding, are those in the batch."""
    model, batch = made(kind, embedding), Encoded.of(TWO, KNOWN)
    qk, ov = model.circuits()
    with torch.no_grad():
        logits, attention = model(batch)
        for row, example in enumerate(TWO.examples):
            n = len(example.tokens)
            x = torch.stack(
                [
                    model.token_vectors[KNOWN[word]] + model.position_vectors[n - 1 - place]
                    for place, word in enumerate(example.tokens)
                ]
            )
            weights = torch.softmax(x @ qk @ x[-1], 0)
            assert torch.allclose(attention[row, :n], weights, atol=1e-14)
            assert torch.allclose(logits[row], ov @ x.T @ weights, atol=1e-14)
            assert not attention[row, n:].any()


def test_removal() -> None:
    """Masked keys attend nothing and weights are renormalised; zeroed ones keep their weight."""
    model, batch = made(Parametrisation.CACO), Encoded.of(TWO, KNOWN)
    keep = torch.tensor([[True, False, False, False], [False] * 4])
    with torch.no_grad():
        logits, attention = model(batch, keep)
        assert attention.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
        assert not logits[1].any()
        zeroed, kept = model(batch, keep, zeroed=True)
    assert 0 < kept[0, 0] < 1
    assert not zeroed[1].any()


def test_training_ends_at_its_loss_and_runs_again() -> None:
    """The loss where it stops is at most the one asked for; the same seed gives the same losses."""
    batch = Encoded.of(TWO, KNOWN)
    settings = Hyperparameters(rate=0.05, steps=400, size=1, stop=0.1, look=5)
    runs = [train(made(Parametrisation.FAFO), batch, settings, seed=3) for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0].losses[-1] <= 0.1 < runs[0].losses[-2]
    assert runs[0].steps < 400
    assert train(made(Parametrisation.FAFO), batch, Hyperparameters(steps=7)).steps == 7


def test_messages(tmp_path: Path) -> None:
    """Widths, schedules, divisions without their data, and data that do not fit."""
    with pytest.raises(ParameterError, match="inner is 1 for 3 classes; give 2 or more"):
        Classifier(Parametrisation.CAFO, 5, 4, 3, inner=1)
    with pytest.raises(ParameterError, match="ratio is 0; give a positive number"):
        Hyperparameters(ratio=0)
    divisions = write_json(tmp_path / "divisions.json", DIVISIONS)
    with pytest.raises(InputError, match="hatexplain-divisions goes with hatexplain; give that"):
        real_data.points_of(0, True, {"hatexplain-divisions": divisions})
    with pytest.raises(FileError, match="missing required field `data`"):
        real_data.points_of(0, True, {"squad": divisions})


def test_files_of_real_data(tmp_path: Path) -> None:
    """Points name the files of a format, divisions with theirs; a record counts its parts."""
    paths = {
        "hatexplain": write_json(tmp_path / "dataset.json", HATEXPLAIN),
        "hatexplain-divisions": write_json(tmp_path / "divisions.json", DIVISIONS),
    }
    first, *others = real_data.points_of(4, True, paths)
    assert first.paths == tuple(paths.values())
    assert [each.parametrisation for each in (first, *others)] == list(KINDS)
    record = real_data.run(first)
    assert (record["trained_on"], record["tested_on"], record["built_in"]) == (1, 1, False)
    assert record["dropped"] == {"no label with a majority": 1}
    assert "no files given" not in real_data.tables([record])[0].title
    few = write_json(tmp_path / "dev.json", SQUAD)
    with pytest.raises(InputError, match="SQuAD gives 0 examples to train on and 2 to test"):
        real_data.points_of(0, True, {"squad": few})


def test_real_data_without_files() -> None:
    """Each title says where the text is from; the metrics obey their law; figures are drawn."""
    chosen = [p for p in real_data.points(0, True) if p.parametrisation == "CAFO"]
    records = [real_data.run(point) for point in chosen]
    assert [record["data"] for record in records] == list(real_data.BUILT_IN)
    for record in records:
        focus = record["focus"]
        assert 0 <= focus["acmc"] <= min(focus["ac"], focus["mc"])
        assert record["score"] >= record["guessed"] - 0.1
    assert all("no files given" in table.title for table in real_data.tables(records))
    assert set(real_data.figures(records)) == {"real-data"}


def test_agreement_by_class() -> None:
    """Right on every sentence, and sharp at most for some: AC is the mean of AC by class."""
    record = agreement.run(agreement.points(0, True)[1])
    assert record["score"] == 1
    parts = record["classes"]
    total = sum(one["ac"] * one["instances"] for one in parts)
    assert total / record["focus"]["instances"] == pytest.approx(record["focus"]["ac"])
    (table,) = agreement.tables([record])
    assert table.rows[0][0] == "FAFO"


def test_dtap() -> None:
    """The distinct token of the label is in every test sequence once; DTAP counts all of them."""
    point = dtap.points(0, True)[0]
    record = dtap.run(point)
    assert record["reached"]
    assert sum(map(sum, record["dtap"])) == point.sequences
    tokens, labels = dtap.sequences(point)
    for some, label in zip(tokens, labels, strict=True):
        assert (some[0], some[-1], len(set(some))) == (label, point.classes, len(some))
    assert record["gold_comprehensiveness"] > 0.4
    assert set(dtap.figures([record])) == {"dtap"}
    assert dtap.tables([record])[0].rows[0][0] == "CACO"
