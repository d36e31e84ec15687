"""What may be given to a gradient flow: a parametrisation by name, and numbers that may be text."""

import re
from fractions import Fraction
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Parametrisation

#: An exponent of ten that would take long to write out.
_HUGE = re.compile(r"e[+-]?[\d_]{4,}", re.IGNORECASE)


def read_parametrisation(given: object) -> Parametrisation:
    """One of the four, or its name in any case."""
    if isinstance(given, Parametrisation):
        return given
    name = given.upper() if isinstance(given, str) else given
    for each in Parametrisation:
        if name == each.value:
            return each
    names = ", ".join(each.value for each in Parametrisation)
    raise ParameterError(f"parametrisation is {given!r}; give one of {names}", given=given)


def read(name: str, given: Any) -> Any:
    """A number that may be text, exactly."""
    if not isinstance(given, str):
        return given
    try:
        if _HUGE.search(given):
            raise ValueError
        return Fraction(given)
    except (ValueError, ZeroDivisionError):
        raise ParameterError(
            f"{name} is {given!r}; give a number, as 0.15 or 3/20", **{name: given}
        ) from None
