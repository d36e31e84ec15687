"""Examples of a classification in which the tokens that decide are known.

Convention: the last token is the query, a sign that stands for no word; it is attended like any
other, and it is never relevant.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Self

from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The query, as a token.
QUERY = "[query]"


class Score(Enum):
    """By what predictions are judged."""

    ACCURACY = "accuracy"
    MACRO_F1 = "macro F1"


@dataclass(frozen=True, slots=True)
class Example:
    """Words before the query, a label, and the positions of the words that decide it.

    ``part`` is the part of the data that its file puts it in, or empty; examples of one ``group``
    are never divided between training and test.

    >>> Example.of(["the", "dogs"], label=1, relevant=[1])
    Example(tokens=('the', 'dogs', '[query]'), label=1, relevant=frozenset({1}), part='', group='')
    """

    tokens: tuple[str, ...]
    label: int
    relevant: frozenset[int]
    part: str = ""
    group: str = ""

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        label: int,
        relevant: Sequence[int] | frozenset[int],
        part: str = "",
        group: str = "",
    ) -> Self:
        """An example from words alone; the query is put after them."""
        return cls((*words, QUERY), label, frozenset(relevant), part, group)

    def __post_init__(self) -> None:
        beyond = [p for p in sorted(self.relevant) if not 0 <= p < len(self.tokens) - 1]
        if not self.tokens or self.tokens[-1] != QUERY or beyond:
            raise InputError(
                f"an example has the tokens {self.tokens!r} and the relevant positions "
                f"{sorted(self.relevant)}; end the tokens with {QUERY!r}, and give positions before"
            )


@dataclass(frozen=True, slots=True, repr=False)
class Dataset:
    """Examples, what their labels are called, how predictions are judged, and what was left out.

    ``dropped`` counts, by reason, what the file holds and the task cannot use.
    """

    name: str
    labels: tuple[str, ...]
    score: Score
    examples: tuple[Example, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        examples = counted(len(self.examples), "example")
        return f"Dataset({self.name}: {examples}, {counted(len(self.labels), 'label')})"

    def split(self, seed: int, share: float = 0.2) -> tuple["Dataset", "Dataset"]:
        """Training and test: the parts that the file names, else a share of the groups by chance.

        Raises :class:`InputError` where one of them would be empty.
        """
        if not 0 < share < 1:
            raise ParameterError(f"share is {share}; give a number between 0 and 1", share=share)
        if any(example.part for example in self.examples):
            test = {place for place, one in enumerate(self.examples) if one.part == "test"}
            train = {place for place, one in enumerate(self.examples) if one.part == "train"}
        else:
            groups = [example.group or str(place) for place, example in enumerate(self.examples)]
            names = sorted(set(groups))
            random.Random(seed).shuffle(names)
            apart = set(names[: max(1, round(share * len(names)))])
            test = {place for place, group in enumerate(groups) if group in apart}
            train = set(range(len(groups))) - test
        if not train or not test:
            raise InputError(
                f"{self.name} gives {len(train)} examples to train on and {len(test)} to test; "
                "give a file with more of them"
            )
        return self._only(train), self._only(test)

    def at_most(self, tokens: int, examples: int, seed: int) -> "Dataset":
        """Without examples of more than so many tokens, and of the rest so many by chance.

        Those that are too long are counted in ``dropped``; a sample keeps its order.
        """
        short = [place for place, one in enumerate(self.examples) if len(one.tokens) <= tokens]
        dropped = dict(self.dropped)
        if len(short) < len(self.examples):
            dropped[f"more than {tokens} tokens"] = len(self.examples) - len(short)
        if len(short) > examples:
            dropped["beyond the sample"] = len(short) - examples
            short = random.Random(seed).sample(short, examples)
        return Dataset(
            self.name,
            self.labels,
            self.score,
            tuple(self.examples[place] for place in sorted(short)),
            dropped,
        )

    def _only(self, places: set[int]) -> "Dataset":
        chosen = tuple(self.examples[place] for place in sorted(places))
        return Dataset(self.name, self.labels, self.score, chosen, self.dropped)

    def judged(self, predicted: "NDArray[np.int64]") -> float:
        """The score of predicted labels, one an example.

        >>> two = [Example.of(["a"], label, [0]) for label in (0, 1)]
        >>> Dataset("two", ("x", "y"), Score.ACCURACY, tuple(two)).judged([0, 0])
        0.5
        """
        pairs = list(zip((e.label for e in self.examples), map(int, predicted), strict=True))
        if self.score is Score.ACCURACY:
            return sum(label == found for label, found in pairs) / len(pairs)
        return macro_f1(pairs, len(self.labels))


def macro_f1(pairs: Sequence[tuple[int, int]], classes: int) -> float:
    """The mean of F1 over the classes that are a label or a prediction, from (label, predicted).

    >>> macro_f1([(0, 0), (1, 0)], 2) == (2 / 3 + 0) / 2
    True
    """
    labels = Counter(label for label, _ in pairs)
    found = Counter(predicted for _, predicted in pairs)
    right = Counter(label for label, predicted in pairs if label == predicted)
    scores = [
        2 * right[one] / (labels[one] + found[one])
        for one in range(classes)
        if labels[one] + found[one]
    ]
    return sum(scores) / len(scores)
