"""Interpolation data: pairs of finite sets of tokens over the rationals, written as sequences.

A token is a tuple of ``d`` rationals. A map interpolates a pair when the set of the tokens that it
makes of the input is the set of the output.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from attnproof.symbolic.errors import FileError
from attnproof.symbolic.interpolation import rationals
from attnproof.symbolic.interpolation.errors import (
    ConflictingTargets,
    DataError,
    DimensionMismatch,
    DuplicateInputToken,
    DuplicateOutputToken,
    EmptyData,
    NonFinite,
    OutputLongerThanInput,
)
from attnproof.symbolic.words import counted

Token = tuple[Fraction, ...]

_FORM = 'give {"pairs": [{"input": [["1/2", "3"]], "output": [["7", "-1/3"]]}]}'


@dataclass(frozen=True, slots=True)
class Pair:
    """An input sequence and the tokens that are wanted of it, each without repetition."""

    input: tuple[Token, ...]
    output: tuple[Token, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Data:
    """Pairs that can be interpolated together.

    >>> read([([(0, 1), (2, 3)], [(5, 5)])])
    Data: 1 pair in dimension 2, 2 tokens to 1
    """

    pairs: tuple[Pair, ...]

    @property
    def dimension(self) -> int:
        """How many coordinates a token has."""
        return len(self.pairs[0].input[0])

    @property
    def outputs(self) -> int:
        """M, the number of output tokens of all pairs."""
        return sum(len(pair.output) for pair in self.pairs)

    @property
    def collapsing(self) -> int:
        """C, how many pairs have an output that is shorter than the input."""
        return sum(len(pair.output) < len(pair.input) for pair in self.pairs)

    def to_json(self) -> dict[str, object]:
        """The pairs with numbers as text; reading it gives the same data."""
        return {
            "pairs": [
                {"input": _written(pair.input), "output": _written(pair.output)}
                for pair in self.pairs
            ]
        }

    def __repr__(self) -> str:
        given = counted(sum(len(pair.input) for pair in self.pairs), "token")
        pairs = counted(len(self.pairs), "pair")
        return f"Data: {pairs} in dimension {self.dimension}, {given} to {self.outputs}"


def read(source: object) -> Data:
    """The data in a JSON object or in a list of pairs ``(input, output)``, each ``(n, d)``.

    Numbers are integers, rationals, floats (their exact binary value) or text such as ``"1/3"``.
    A pair that stands twice is kept once.

    >>> read({"pairs": [{"input": [["1/2"], [3]], "output": [[0.5]]}]}).pairs[0].output
    ((Fraction(1, 2),),)

    Raises a :class:`DataError` for what is no data, :class:`OutputLongerThanInput` and
    :class:`ConflictingTargets` for what no transformer without positions can do.
    """
    if isinstance(source, Data):
        return source
    if isinstance(source, Mapping):
        if set(source) != {"pairs"}:
            raise DataError(f"the keys are {', '.join(map(str, source)) or 'none'}; {_FORM}")
        source = source["pairs"]
    listed = _items(source)
    if listed is None:
        raise DataError(f"the pairs are of type {type(source).__name__}; {_FORM}")
    if not listed:
        raise EmptyData(f"there is no pair; {_FORM}")
    pairs = [_pair(value, j) for j, value in enumerate(listed)]
    _check_dimension(pairs)
    return _feasible(pairs)


def read_tokens(value: object) -> tuple[Token, ...]:
    """Tokens ``(n, d)`` that a net is applied to, numbers as in :func:`read`.

    >>> read_tokens([["1/2", 3]])
    ((Fraction(1, 2), Fraction(3, 1)),)
    """
    return _tokens(value, "the tokens")


def loaded(path: str | PathLike[str]) -> object:
    """What a JSON file holds; :class:`FileError` where there is none."""
    try:
        value: object = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error.strerror}); {_FORM}") from None
    except (ValueError, RecursionError):
        raise FileError(f"{path} is not JSON; {_FORM}") from None
    return value


def _items(value: object) -> Sequence[Any] | None:
    """The elements of a list, a tuple or an array; None of anything else."""
    plain = getattr(value, "tolist", None)
    value = value if plain is None else plain()
    return value if isinstance(value, list | tuple) else None


def _pair(value: object, j: int) -> Pair:
    if isinstance(value, Mapping):
        if set(value) != {"input", "output"}:
            raise DataError(
                f"pair {j} has the keys {', '.join(map(str, value)) or 'none'}; "
                "it needs input and output",
                pair=j,
            )
        value = (value["input"], value["output"])
    if isinstance(value, Pair):
        value = (value.input, value.output)
    sides = _items(value)
    if sides is None or len(sides) != 2:
        raise DataError(f"pair {j} is not an input with an output; {_FORM}", pair=j)
    places = f"the input of pair {j}", f"the output of pair {j}"
    found = Pair(_tokens(sides[0], places[0], j), _tokens(sides[1], places[1], j))
    for tokens, where, error in (
        (found.input, places[0], DuplicateInputToken),
        (found.output, places[1], DuplicateOutputToken),
    ):
        twice = _repeated(tokens)
        if twice is not None:
            raise error(
                f"{where} holds the token {_shown(twice)} twice; equal tokens "
                "move alike and an output is a set, so give each token once",
                pair=j,
            )
    return found


def _tokens(value: object, where: str, j: int | None = None) -> tuple[Token, ...]:
    listed = _items(value)
    if listed is None:
        raise DataError(f"{where} is not a list of tokens; {_FORM}", pair=j)
    if not listed:
        raise EmptyData(
            f"{where} is empty; a sequence has at least one token, so drop it or fill it", pair=j
        )
    return tuple(_token(one, where, j) for one in listed)


def _token(value: object, where: str, j: int | None) -> Token:
    listed = _items(value)
    if listed is None:
        raise DataError(
            f"{where} holds {value!r:.40} where a token belongs; a token is a list "
            "of numbers, also in dimension 1",
            pair=j,
        )
    found = []
    for number in listed:
        try:
            found.append(rationals.read(number))
        except OverflowError:
            raise NonFinite(
                f"{where} holds {number!s:.40}; every coordinate must be finite",
                pair=j,
            ) from None
        except ValueError:
            raise DataError(
                f"{where} holds {number!r:.40}, which is no number; give integers, "
                'floats or text such as "1/3"',
                pair=j,
            ) from None
    return tuple(found)


def _check_dimension(pairs: Iterable[Pair]) -> None:
    first: int | None = None
    for j, pair in enumerate(pairs):
        for where, tokens in (("input", pair.input), ("output", pair.output)):
            for token in tokens:
                first = len(token) if first is None else first
                if len(token) != first or first == 0:
                    raise DimensionMismatch(
                        f"the {where} of pair {j} has a token with "
                        f"{counted(len(token), 'coordinate')}; all tokens need the same number, "
                        f"{first or 'at least 1'} here",
                        pair=j,
                    )


def _feasible(pairs: list[Pair]) -> Data:
    given = Data(tuple(pairs))
    kept: dict[frozenset[Token], int] = {}
    for j, pair in enumerate(pairs):
        if len(pair.output) > len(pair.input):
            raise OutputLongerThanInput(
                f"pair {j} wants {counted(len(pair.output), 'token')} of {len(pair.input)}: every "
                "token of the input becomes one token, so no output is longer than its input",
                given,
                (j,),
            )
        i = kept.setdefault(frozenset(pair.input), j)
        if set(pairs[i].output) != set(pair.output):
            raise ConflictingTargets(
                f"pairs {i} and {j} have the same input set and different outputs: a transformer "
                "without positions gives both the same; add positions to the tokens, or drop one",
                given,
                (i, j),
            )
    return Data(tuple(pairs[j] for j in kept.values()))


def _repeated(tokens: Sequence[Token]) -> Token | None:
    seen: set[Token] = set()
    for token in tokens:
        if token in seen:
            return token
        seen.add(token)
    return None


def _shown(token: Token) -> str:
    text = ", ".join(map(str, token[:4]))
    return f"({text}{', ...' if len(token) > 4 else ''})"


def _written(tokens: Iterable[Token]) -> list[list[str]]:
    return [[str(number) for number in token] for token in tokens]
