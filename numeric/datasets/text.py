"""Text as tokens that know where they stand, and tokens as numbers.

Convention: offsets count Unicode code points, and a span is half open, [start, end).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from attnproof.symbolic.errors import ParameterError

_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?][\"”’')\]]*\s+(?=[\"“‘'(\[]?[A-Z0-9])")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign, and where it stands in its text."""

    text: str
    start: int
    end: int


def tokens(text: str) -> tuple[Token, ...]:
    """Words, with the hyphens and apostrophes inside them, and single signs.

    >>> [(token.text, token.start) for token in tokens("It's 3 km.")]
    [("It's", 0), ('3', 5), ('km', 7), ('.', 9)]
    """
    return tuple(Token(found[0], *found.span()) for found in _TOKEN.finditer(text))


def overlapping(some: Sequence[Token], spans: Iterable[Span]) -> frozenset[int]:
    """The positions of tokens that share a code point with one of the spans: their union.

    >>> sorted(overlapping(tokens("one two three"), [(2, 5), (4, 7)]))
    [0, 1]

    Law: an empty span shares nothing.
    """
    spans = list(spans)
    return frozenset(
        position
        for position, token in enumerate(some)
        if any(max(token.start, start) < min(token.end, end) for start, end in spans)
    )


def sentences(text: str) -> tuple[Span, ...]:
    """Where sentences stand: they end at a full stop, ? or ! before a capital or a digit.

    >>> text = "One. Two is i.e. it? Yes"
    >>> [text[start:end] for start, end in sentences(text)]
    ['One. ', 'Two is i.e. it? ', 'Yes']

    Law: they cover the text, in order, without overlap.
    """
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    cuts = [0, *(end for end in ends if end < len(text)), len(text)]
    return tuple(pairwise(cuts))


#: What stands for words that are not known, by how they look.
UNKNOWN = ("[unknown]", "[four digits]", "[digit in it]", "[capital first]")


@dataclass(frozen=True, slots=True, repr=False)
class Vocabulary:
    """Words by number; the first numbers are those of :data:`UNKNOWN`.

    >>> known = Vocabulary.of([["a", "b"], ["b"]], least=2)
    >>> [known.words[known[word]] for word in ("b", "a", "Paris", "1998", "3rd")]
    ['b', '[unknown]', '[capital first]', '[four digits]', '[digit in it]']
    """

    words: tuple[str, ...]
    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]], *, least: int = 1, most: int | None = None) -> Self:
        """The ``most`` frequent words that occur ``least`` times, of equal ones the first seen."""
        if least < 1 or (most is not None and most < 1):
            raise ParameterError(f"least is {least} and most is {most}; give 1 or more")
        counts = Counter(word for text in texts for word in text)
        words = (*UNKNOWN, *(w for w, count in counts.most_common(most) if count >= least))
        return cls(words, {word: number for number, word in enumerate(words)})

    def __getitem__(self, word: str) -> int:
        return self.numbers.get(word, _looks(word))

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"


def _looks(word: str) -> int:
    if any(map(str.isdigit, word)):
        return 1 if len(word) == 4 and word.isdigit() else 2
    return 3 if word[:1].isupper() else 0
