"""Examples, splits and scores; tokens and their offsets; the text that needs no file."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.numeric.datasets import english, templates
from attnproof.numeric.datasets.dataset import Dataset, Example, Score, macro_f1
from attnproof.numeric.datasets.text import UNKNOWN, Vocabulary, overlapping, sentences, tokens
from attnproof.symbolic.errors import InputError, ParameterError

TEXTS = st.text("ab1 .!?\"'-é😀\nTX", max_size=40)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=3))
def test_tokens_and_spans(text: str, spans: list[tuple[int, int]]) -> None:
    """Tokens are the text at their offsets, between them are spaces; spans take what they share."""
    found = tokens(text)
    assert all(text[token.start : token.end] == token.text for token in found)
    inside = {place for token in found for place in range(token.start, token.end)}
    assert all(text[place].isspace() for place in set(range(len(text))) - inside)
    points = {place for start, end in spans for place in range(start, end)}
    assert overlapping(found, spans) == {
        place for place, token in enumerate(found) if points & set(range(token.start, token.end))
    }


@given(TEXTS)
def test_sentences_cover_the_text(text: str) -> None:
    """Sentences one after the other are the text."""
    assert "".join(text[start:end] for start, end in sentences(text)) == text


def some(*labels: int, groups: bool = False, score: Score = Score.ACCURACY) -> Dataset:
    """Examples with these labels; groups of two."""
    return Dataset(
        "some",
        ("x", "y", "z"),
        score,
        tuple(
            Example.of(["w"] * (1 + place), label, [0], group=str(place // 2) if groups else "")
            for place, label in enumerate(labels)
        ),
    )


@given(st.integers(0, 1000), st.integers(2, 30))
def test_a_split_keeps_groups_together(seed: int, n: int) -> None:
    """Every example is in one part, no group is in both, and the seed decides."""
    whole = some(*[0] * (2 * n), groups=True)
    train, test = whole.split(seed)
    assert Counter(train.examples + test.examples) == Counter(whole.examples)
    assert not {one.group for one in train.examples} & {one.group for one in test.examples}
    assert len({one.group for one in test.examples}) == max(1, round(0.2 * n))
    assert whole.split(seed) == (train, test)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_macro_f1(pairs: list[tuple[int, int]]) -> None:
    """The harmonic mean of precision and recall, averaged over classes that occur."""
    scores = []
    for one in range(3):
        labels = [label == one for label, _ in pairs]
        found = [predicted == one for _, predicted in pairs]
        right = sum(a and b for a, b in zip(labels, found, strict=True))
        if any(labels) or any(found):
            precision = right / sum(found) if any(found) else 0
            recall = right / sum(labels) if any(labels) else 0
            total = precision + recall
            scores.append(2 * precision * recall / total if total else 0)
    assert macro_f1(pairs, 3) == pytest.approx(sum(scores) / len(scores))


def test_a_sample() -> None:
    """Long examples and what is beyond the sample are counted; the order stays."""
    short = some(*[0] * 10).at_most(tokens=7, examples=4, seed=1)
    assert len(short.examples) == 4
    assert short.dropped == {"more than 7 tokens": 4, "beyond the sample": 2}
    lengths = [len(one.tokens) for one in short.examples]
    assert lengths == sorted(lengths)


def test_scores() -> None:
    """Accuracy and macro F1 of the same predictions."""
    assert some(0, 0, 0, 1).judged([0, 0, 0, 0]) == 0.75  # type: ignore[arg-type]
    judged = some(0, 0, 0, 1, score=Score.MACRO_F1).judged([0] * 4)  # type: ignore[arg-type]
    assert judged == pytest.approx(6 / 7 / 2)


def test_messages() -> None:
    """Examples end in the query, which is not relevant; a split has two parts."""
    with pytest.raises(InputError, match=r"end the tokens with '\[query\]'"):
        Example(("a", "b"), 0, frozenset())
    with pytest.raises(InputError, match=r"the relevant positions \[1\]"):
        Example.of(["a"], 0, [1])
    with pytest.raises(InputError, match="some gives 0 examples to train on and 1 to test; give"):
        some(0).split(0)
    with pytest.raises(ParameterError, match="share is 1; give a number between 0 and 1"):
        some(0, 1).split(0, share=1)
    with pytest.raises(ParameterError, match="least is 0 and most is None; give 1 or more"):
        Vocabulary.of([], least=0)
    with pytest.raises(ParameterError, match="examples is 0; give 1 or more"):
        templates.load(0)


def test_a_vocabulary_numbers_every_word() -> None:
    """Known words have a number each, others share one by how they look."""
    known = Vocabulary.of([["b", "a", "b"], ["c", "b", "c"]], most=2)
    assert known.words == (*UNKNOWN, "b", "c")
    looks = [known[word] for word in ("b", "a", "2024", "x2", "20245", "Zoë")]
    assert looks == [4, 0, 1, 2, 2, 3]


def test_english() -> None:
    """The reference of this Python: hundreds of subjects next to their verb, of both numbers."""
    found = english.load()
    counts = Counter(one.label for one in found.examples)
    assert counts[0] > 200
    assert counts[1] > 50
    for one in found.examples:
        assert one.relevant == {len(one.tokens) - 2}
        assert len(one.tokens) <= english.WORDS + 1


def test_templates() -> None:
    """Subject and attractor are drawn apart, every noun has two forms, the seed decides."""
    found = templates.load(2000, seed=5)
    number = {word: place for pair in templates.NOUNS for place, word in enumerate(pair)}
    assert len(number) == 40
    assert all(number[one.tokens[1]] == one.label for one in found.examples)
    agreeing = Counter((number[one.tokens[1]], number[one.tokens[4]]) for one in found.examples)
    assert min(agreeing.values()) > 400
    assert templates.load(2000, seed=5) == found
    assert templates.load(2000, seed=6) != found
