"""SQuAD: spans, union of gold answers, what is left out, and a message for every field."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attnproof.numeric.datasets import squad
from attnproof.numeric.datasets.dataset import QUERY, Score
from attnproof.symbolic.errors import FileError
from tests.numeric.datasets.files import CONTEXT, SQUAD, changed, write_json

PARAGRAPH = ("data", 0, "paragraphs", 0)
QUESTION = (*PARAGRAPH, "qas", 0)
ANSWER = (*QUESTION, "answers", 0)


@pytest.mark.parametrize("name", ["dev.json", "dev.json.gz"])
def test_examples(tmp_path: Path, name: str) -> None:
    """The sentence of the answers, code points counted, and the union of several gold answers."""
    found = squad.load(write_json(tmp_path / name, SQUAD))
    who, when = found.examples
    assert who.tokens == ("Ann", "Lee", ",", "a", "baker", ",", "ran", "it", ".", QUERY)
    assert sorted(who.relevant) == [0, 1, 2, 3, 4]
    assert found.labels[who.label] == "who"
    assert when.tokens == ("It", "stood", "in", "Paris", "😀", "until", "1950", ".", QUERY)
    assert [when.tokens[place] for place in when.relevant] == ["1950"]
    assert (found.labels[when.label], when.group) == ("when", "Café")
    assert found.dropped == {"no answer in the context": 1, "question word: what": 1}
    assert found.score is Score.MACRO_F1


def test_version_1(tmp_path: Path) -> None:
    """v1.1 has no is_impossible; answers that lie apart take all sentences between them."""
    question = {
        "id": "x",
        "question": "when?",
        "answers": [
            {"text": "1897", "answer_start": CONTEXT.index("1897")},
            {"text": "1950", "answer_start": CONTEXT.index("1950")},
        ],
    }
    document = {
        "version": "1.1",
        "data": [{"title": "t", "paragraphs": [{"context": CONTEXT, "qas": [question]}]}],
    }
    (one,) = squad.load(write_json(tmp_path / "v1.json", document)).examples
    assert [one.tokens[place] for place in sorted(one.relevant)] == ["1897", "1950"]
    assert one.tokens[0] == "The"


@pytest.mark.parametrize(
    ("place", "new", "says"),
    [
        (("data",), ..., "object missing required field `data`"),
        (("data",), {}, "expected `array`, got `object` - at `$.data`"),
        (("version",), 2, "expected `str`, got `int` - at `$.version`"),
        (("data", 0, "title"), ..., "missing required field `title` - at `$.data[0]`"),
        (("data", 0, "title"), 7, "expected `str`, got `int` - at `$.data[0].title`"),
        (("data", 0, "paragraphs"), ..., "missing required field `paragraphs` - at `$.data[0]`"),
        (("data", 0, "paragraphs"), "x", "expected `array`, got `str` - at `$.data[0].paragraphs`"),
        ((*PARAGRAPH, "context"), ..., "field `context` - at `$.data[0].paragraphs[0]`"),
        ((*PARAGRAPH, "context"), None, "expected `str`, got `null` - at `$.data[0].paragraphs[0]"),
        ((*PARAGRAPH, "qas"), ..., "field `qas` - at `$.data[0].paragraphs[0]`"),
        ((*PARAGRAPH, "qas"), 1, "expected `array`, got `int` - at `$.data[0].paragraphs[0].qas`"),
        ((*QUESTION, "id"), ..., "field `id` - at `$.data[0].paragraphs[0].qas[0]`"),
        ((*QUESTION, "id"), 1, "expected `str`, got `int` - at `$.data[0].paragraphs[0].qas[0]."),
        ((*QUESTION, "question"), ..., "field `question` - at"),
        ((*QUESTION, "question"), [], "expected `str`, got `array` - at"),
        ((*QUESTION, "answers"), ..., "field `answers` - at"),
        ((*QUESTION, "answers"), {}, "expected `array`, got `object` - at"),
        ((*QUESTION, "answers"), [], "question a: answers is []; give one or more, or is_impossib"),
        ((*QUESTION, "is_impossible"), "no", "expected `bool`, got `str` - at"),
        ((*ANSWER, "text"), ..., "field `text` - at `$.data[0].paragraphs[0].qas[0].answers[0]`"),
        ((*ANSWER, "text"), 1, "expected `str`, got `int` - at"),
        ((*ANSWER, "text"), "", "question a: answer_start is 28, and there the context has ''"),
        ((*ANSWER, "answer_start"), ..., "field `answer_start` - at"),
        ((*ANSWER, "answer_start"), "28", "expected `int`, got `str` - at"),
        ((*ANSWER, "answer_start"), 29, "question a: answer_start is 29, and there the context has "
         "'nn Lee,', not the text 'Ann Lee'; count code points from 0"),
        ((*ANSWER, "answer_start"), -1, "question a: answer_start is -1, and there"),
        ((*ANSWER, "answer_start"), 999, "question a: answer_start is 999, and there"),
    ],
)  # fmt: skip
def test_messages(tmp_path: Path, place: Sequence[str | int], new: Any, says: str) -> None:
    """Each field that is missing or of another type: the file, the place, and what was needed."""
    path = write_json(tmp_path / "dev.json", changed(SQUAD, place, new))
    with pytest.raises(FileError) as caught:
        squad.load(path)
    assert str(caught.value).startswith(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cut.json", b'{"data": [', "cut.json: is no JSON (input data was truncated"),
        ("empty.json", b"", "empty.json: is no JSON"),
        ("latin.json", b'{"data": "\xe9"}', "latin.json: "),
        ("cut.json.gz", b"\x1f\x8b\x08\x00", "cut.json.gz is no whole gzip file"),
        ("plain.json.gz", b"{}", "plain.json.gz is no whole gzip file"),
    ],
)
def test_damaged_files(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    """A file that is cut, empty, in another encoding or not compressed is named."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as caught:
        squad.load(str(tmp_path / name))
    assert says in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there, and a folder."""
    with pytest.raises(FileError, match="none does not exist; name a file that is there"):
        squad.load(str(tmp_path / "none"))
    with pytest.raises(FileError, match="is a folder; name a file in it"):
        squad.load(str(tmp_path))
