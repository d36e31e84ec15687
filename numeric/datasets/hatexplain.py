"""HateXplain: whether a post is normal, offensive or hate speech, by majority.

Files: ``dataset.json``, ``{post_id: {"post_id", "annotators": [{"label", "annotator_id",
"target"}], "rationales": [[0 or 1, ...], ...], "post_tokens": [...]}}``, and
``post_id_divisions.json``, ``{"train": [...], "val": [...], "test": [...]}``. A repackaged form,
with a ``rationale`` inside each annotator or with lists in place of the annotators, is refused.

Task: the tokens are those of the post. Predicted is the label that most annotators gave; posts
without such a label are left out and counted. Relevant are the tokens that more than half of the
rationales mark; there may be fewer rationales than annotators, since who finds a post normal marks
nothing, and none at all. The score is macro F1.
"""

from collections import Counter
from typing import Any, Literal

import msgspec

from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.numeric.datasets.files import decoded, document, malformed

LABELS = ("normal", "offensive", "hatespeech")
_PARTS = {"train": "train", "val": "validation", "test": "test"}


class Annotator(msgspec.Struct, frozen=True):
    """What one of the annotators says."""

    label: Literal["normal", "offensive", "hatespeech"]
    annotator_id: int | None = None
    target: list[str] | None = None
    rationale: Any = msgspec.UNSET


class Post(msgspec.Struct, frozen=True):
    """A post and what is said of it."""

    annotators: list[Annotator]
    rationales: list[list[Literal[0, 1]]]
    post_tokens: list[str]
    post_id: str = ""


class Divisions(msgspec.Struct, frozen=True):
    """Which posts are in which part."""

    train: list[str]
    val: list[str]
    test: list[str]


def load(path: str, divisions: str | None = None) -> Dataset:
    """The posts of a file; without divisions a split is drawn by chance.

    Raises :class:`FileError` with the id of the post, the field and what was needed: also for a
    rationale of another length than the post, for a post that is divided twice, and for one of the
    divisions that is not in the file. Posts that are not divided are left out and counted.
    """
    posts = document(path, dict[str, msgspec.Raw])
    parts = None if divisions is None else _parts(divisions, path, posts)
    examples: list[Example] = []
    dropped: Counter[str] = Counter()
    for name, raw in posts.items():
        post = _post(path, name, raw)
        label = majority([annotator.label for annotator in post.annotators])
        if label is None:
            dropped["no label with a majority"] += 1
        elif parts is not None and name not in parts:
            dropped["in no division"] += 1
        else:
            part = "" if parts is None else parts[name]
            relevant = marked(post.rationales)
            examples.append(Example.of(post.post_tokens, LABELS.index(label), relevant, part, name))
    return Dataset("HateXplain", LABELS, Score.MACRO_F1, tuple(examples), dict(dropped))


def majority(labels: list[str]) -> str | None:
    """The label that more annotators gave than any other, None where there is none.

    >>> majority(["normal", "offensive", "normal"]), majority(["normal", "offensive"])
    ('normal', None)
    """
    first, *others = Counter(labels).most_common(2)
    return None if others and others[0][1] == first[1] else first[0]


def marked(rationales: list[list[Literal[0, 1]]]) -> frozenset[int]:
    """The positions that more than half of the rationales mark.

    >>> sorted(marked([[1, 1, 0], [0, 1, 0]]))
    [1]
    """
    columns = enumerate(zip(*rationales, strict=True))
    return frozenset(place for place, marks in columns if 2 * sum(marks) > len(marks))


def _post(path: str, name: str, raw: msgspec.Raw) -> Post:
    entry = f"post {name}"
    post = decoded(path, raw, Post, entry)
    if post.post_id not in ("", name):
        raise malformed(path, entry, f"post_id is {post.post_id!r}; give {name!r}, its key")
    if not post.annotators:
        raise malformed(path, entry, "annotators is []; give one or more")
    if any(annotator.rationale is not msgspec.UNSET for annotator in post.annotators):
        raise malformed(
            path,
            entry,
            "annotators hold a rationale: this is a repackaged form; give the file in which "
            "rationales stand beside annotators",
        )
    if not post.post_tokens:
        raise malformed(path, entry, "post_tokens is []; give one or more")
    for place, rationale in enumerate(post.rationales):
        if len(rationale) != len(post.post_tokens):
            raise malformed(
                path,
                entry,
                f"rationales[{place}] has {len(rationale)} marks for {len(post.post_tokens)} "
                "post_tokens; give a mark for each",
            )
    return post


def _parts(divisions: str, path: str, posts: dict[str, msgspec.Raw]) -> dict[str, str]:
    found: dict[str, str] = {}
    divided = document(divisions, Divisions)
    for field, part in _PARTS.items():
        for name in getattr(divided, field):
            if name in found:
                raise malformed(
                    divisions, f"post {name}", f"is in {field} and before; name it once"
                )
            if name not in posts:
                raise malformed(
                    divisions, f"post {name}", f"is in {field} and not in {path}; give its file"
                )
            found[name] = part
    return found
