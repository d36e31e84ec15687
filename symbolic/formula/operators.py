"""The operators of the formula language: what each takes and gives.

Integers are unbounded; ``//`` and ``%`` round down, so that ``a == (a // b) * b + a % b`` and
``0 <= a % b < b`` for a positive divisor ``b``, as in Python and in torch.
"""

from dataclasses import dataclass
from enum import Enum


class Sort(Enum):
    """What a formula denotes."""

    INT = "integer"
    BOOL = "Boolean"


@dataclass(frozen=True, slots=True)
class Operator:
    """``arity`` terms of sort ``takes`` give one of sort ``gives``; arity None is two or more."""

    takes: Sort
    gives: Sort
    arity: int | None


def _table(takes: Sort, gives: Sort, arity: int | None, names: str) -> dict[str, Operator]:
    return dict.fromkeys(names.split(), Operator(takes, gives, arity))


#: Every operator by its name in JSON. ``ite``, ``at``, ``holds``, variables and constants stand
#: outside: their sorts depend on more than their name.
OPERATORS: dict[str, Operator] = {
    **_table(Sort.INT, Sort.INT, None, "+ * min max & | ^"),
    **_table(Sort.INT, Sort.INT, 2, "- // % << >>"),
    **_table(Sort.INT, Sort.INT, 1, "neg abs ~"),
    **_table(Sort.INT, Sort.BOOL, 2, "== != < <= > >="),
    **_table(Sort.BOOL, Sort.BOOL, None, "and or"),
    **_table(Sort.BOOL, Sort.BOOL, 2, "xor iff implies"),
    **_table(Sort.BOOL, Sort.BOOL, 1, "not"),
}

#: An element of a captured tensor: integer, or Boolean.
TENSORS = {"at": Sort.INT, "holds": Sort.BOOL}

#: Shifts are by 0 to 62 places, where Python integers and 64-bit tensors agree.
MAX_SHIFT = 62
