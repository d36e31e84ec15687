"""A measured figure beside its bound."""

from dataclasses import dataclass
from typing import Literal

from tests.benchmarks.timing import short


@dataclass(frozen=True)
class Figure:
    """``value`` is None where a library is not installed; the bound is an upper one, or a lower.

    The unit "N" is that of an exponent of growth.

    >>> figure = Figure(700, 500, "x", at_least=True)
    >>> figure.measured, figure.wanted, figure.met
    ('700x', '>= 500x', True)
    """

    value: float | None
    bound: float
    unit: Literal["s", "x", "MB", "N"] = "s"
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Is the bound kept?"""
        if self.value is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    @property
    def wanted(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self._text(self.bound)}"

    @property
    def measured(self) -> str:
        return "not installed" if self.value is None else self._text(self.value)

    def _text(self, value: float) -> str:
        if self.unit == "s":
            return short(value)
        if self.unit == "N":
            return f"N^{value:.2f}"
        places = 0 if value >= 10 or value == int(value) else 2
        return f"{value:,.{places}f}{' MB' if self.unit == 'MB' else 'x'}"
