"""HateXplain: majorities of labels and of rationales, divisions, and a message for every field."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attnproof.numeric.datasets import hatexplain
from attnproof.symbolic.errors import FileError
from tests.numeric.datasets.files import DIVISIONS, HATEXPLAIN, changed, write_json


def test_examples(tmp_path: Path) -> None:
    """Labels by majority; relevant is what more than half of the rationales mark; ties are out."""
    found = hatexplain.load(write_json(tmp_path / "dataset.json", HATEXPLAIN))
    assert [found.labels[one.label] for one in found.examples] == [
        "hatespeech",
        "normal",
        "offensive",
    ]
    assert [sorted(one.relevant) for one in found.examples] == [[1, 2], [], [0]]
    assert found.examples[0].tokens[:-1] == ("these", "awful", "people")
    assert found.dropped == {"no label with a majority": 1}


def test_divisions(tmp_path: Path) -> None:
    """The file says what is trained on and tested; a post that it does not name is counted."""
    posts = {**HATEXPLAIN, "p5": {**HATEXPLAIN["p2"], "post_id": "p5"}}
    found = hatexplain.load(
        write_json(tmp_path / "dataset.json", posts),
        write_json(tmp_path / "post_id_divisions.json", DIVISIONS),
    )
    assert [one.part for one in found.examples] == ["train", "validation", "test"]
    train, test = found.split(seed=0)
    assert ([one.group for one in train.examples], [one.group for one in test.examples]) == (
        ["p1"],
        ["p4"],
    )
    assert found.dropped == {"no label with a majority": 1, "in no division": 1}


@pytest.mark.parametrize(
    ("place", "new", "says"),
    [
        (("p1",), 3, "post p1: expected `object`, got `int`"),
        (("p1", "post_id"), 3, "post p1: expected `str`, got `int` - at `$.post_id`"),
        (("p1", "post_id"), "p2", "post p1: post_id is 'p2'; give 'p1', its key"),
        (("p1", "post_tokens"), ..., "post p1: object missing required field `post_tokens`"),
        (("p1", "post_tokens"), "x", "post p1: expected `array`, got `str` - at `$.post_tokens`"),
        (("p1", "post_tokens"), [], "post p1: post_tokens is []; give one or more"),
        (("p1", "post_tokens", 1), 1, "post p1: expected `str`, got `int` - at `$.post_tokens[1]`"),
        (("p1", "rationales"), ..., "post p1: object missing required field `rationales`"),
        (("p1", "rationales"), 1, "post p1: expected `array`, got `int` - at `$.rationales`"),
        (("p1", "rationales", 1), [0, 1], "post p1: rationales[1] has 2 marks for 3 post_tokens; "
         "give a mark for each"),
        (("p1", "rationales", 1, 0), 2, "post p1: invalid enum value 2 - at `$.rationales[1][0]`"),
        (("p1", "annotators"), ..., "post p1: object missing required field `annotators`"),
        (("p1", "annotators"), [], "post p1: annotators is []; give one or more"),
        (("p1", "annotators"), {"label": [0, 1, 2]}, "post p1: expected `array`, got `object` -"),
        (("p1", "annotators", 0, "label"), ..., "missing required field `label` - at `$.annotat"),
        (("p1", "annotators", 0, "label"), "nice", "post p1: invalid enum value 'nice' - at"),
        (("p1", "annotators", 0, "annotator_id"), "x", "got `str` - at `$.annotators[0].annotator"),
        (("p1", "annotators", 0, "target"), "x", "post p1: expected `array | null`, got `str` -"),
        (("p1", "annotators", 0, "rationale"), [0, 1, 1], "post p1: annotators hold a rationale: "
         "this is a repackaged form; give the file in which rationales stand beside annotators"),
    ],
)  # fmt: skip
def test_messages(tmp_path: Path, place: Sequence[str | int], new: Any, says: str) -> None:
    """Each field that is missing or of another type: the file, the post, and what was needed."""
    path = write_json(tmp_path / "dataset.json", changed(HATEXPLAIN, place, new))
    with pytest.raises(FileError) as caught:
        hatexplain.load(path)
    assert str(caught.value).startswith(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("place", "new", "says"),
    [
        (("train",), ..., "object missing required field `train`"),
        (("val",), ..., "object missing required field `val`"),
        (("test",), 1, "expected `array`, got `int` - at `$.test`"),
        (("test", 0), "p1", "post p1: is in test and before; name it once"),
        (("test", 0), "p9", "post p9: is in test and not in "),
    ],
)
def test_messages_of_divisions(
    tmp_path: Path, place: Sequence[str | int], new: Any, says: str
) -> None:
    """Parts that are missing, posts that are named twice or are not there."""
    path = write_json(tmp_path / "divisions.json", changed(DIVISIONS, place, new))
    with pytest.raises(FileError) as caught:
        hatexplain.load(write_json(tmp_path / "dataset.json", HATEXPLAIN), path)
    assert str(caught.value).startswith(path)
    assert says in str(caught.value)
