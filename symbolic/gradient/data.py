"""The data that a one-layer attention learns: K classes, each told by its own tokens.

A sequence of class k holds the r tokens of that class and all M common tokens, each once; its last
token, the query, is one of the first Q common tokens. Classes and queries are uniform, the label is
k, and there are K·Q sequences in all: a full batch is the population.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError

if TYPE_CHECKING:
    from sympy import Expr

_NAMES = {"classes": "K", "distinct": "r", "common": "M", "queries": "Q"}


@dataclass(frozen=True, slots=True, repr=False)
class Data:
    """Numbers of classes, of distinct tokens of a class, of common tokens and of queries.

    Each is an integer or a SymPy expression; one that is left out is the symbol that the
    literature of this package uses, K, r, M or Q.

    >>> Data(classes=5, distinct=1, common=15, queries=1).uniform
    1/16
    >>> Data().odds
    r/M
    >>> Data(classes=2)
    Data(K=2, r, M, Q)

    Raises :class:`ParameterError` for fewer than 2 classes, no distinct token, and for queries
    outside 1..M. Source: ours.
    """

    classes: Any = None
    distinct: Any = None
    common: Any = None
    queries: Any = None

    def __post_init__(self) -> None:
        from sympy import Symbol

        for name, letter in _NAMES.items():
            given = getattr(self, name)
            symbol = Symbol(letter, integer=True, positive=True)
            object.__setattr__(self, name, symbol if given is None else _whole(name, given))
        for name, least in (("classes", 2), ("distinct", 1), ("common", 1), ("queries", 1)):
            _at_least(name, getattr(self, name), least)
        if (self.queries > self.common) == True:  # noqa: E712 - a relation of SymPy
            raise ParameterError(
                f"queries is {self.queries}, and the queries are common tokens, of which there are "
                f"{self.common}; give 1 to {self.common}",
                queries=self.queries,
            )

    @property
    def length(self) -> "Expr":
        """T = r + M, the tokens of a sequence."""
        return self.distinct + self.common

    @property
    def odds(self) -> "Expr":
        """κ = r/M, the odds of the distinct tokens under uniform attention."""
        return self.distinct / self.common

    @property
    def uniform(self) -> "Expr":
        """s₀ = r/T, the attention on distinct tokens under uniform attention."""
        return self.distinct / self.length

    @property
    def contrast(self) -> "Expr":
        """ν = 1/(K r) + 1/M, the square of the length of the direction between mean tokens."""
        return 1 / (self.classes * self.distinct) + 1 / self.common

    def __repr__(self) -> str:
        """Symbols that stand for themselves are not repeated."""
        values = ((letter, getattr(self, name)) for name, letter in _NAMES.items())
        shown = (
            letter if str(value) == letter else f"{letter}={value}" for letter, value in values
        )
        return f"Data({', '.join(shown)})"


def _whole(name: str, given: Any) -> "Expr":
    from sympy import Expr, Float, Rational, SympifyError, sympify

    found: Any
    try:
        found = None if isinstance(given, bool | str) else sympify(given)
    except SympifyError:
        found = None
    if isinstance(found, Float) and found.is_finite:
        found = Rational(found)
    known = isinstance(found, Expr) and (found.is_integer or not found.is_number)
    if not known or found.is_integer is False:
        raise ParameterError(f"{name} is {given!r}; give an integer", **{name: given})
    size: Expr = found
    return size


def _at_least(name: str, value: "Expr", least: int) -> None:
    if (value < least) == True:  # noqa: E712 - a relation of SymPy
        raise ParameterError(f"{name} is {value}; give {least} or more", **{name: value})
