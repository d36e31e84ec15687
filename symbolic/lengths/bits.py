"""Masks with bit operations: every position fits 31 bits, so that a proof over bit vectors that no
value overflows is one for every length that a tensor can have.

How wide the vectors must be is read off the formula, operator by operator.
"""

from attnproof.symbolic.formula import Term, constant, fold
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.lengths.obligation import Obligation

#: Positions, parameters and elements are below ``2**POSITION``.
POSITION = 31
#: The widest vectors that are tried.
WIDEST = 128
#: What a proof over bit vectors is about.
SCOPE = f"every n with positions, parameters and elements below 2**{POSITION}"


def bitwise(term: Term) -> bool:
    """Whether a formula has bit operations that are no arithmetic.

    >>> from attnproof.symbolic.formula import k, q
    >>> bitwise((q & k).eq(k)), bitwise((q >> 2).eq(k >> 2))
    (True, False)
    """

    def combine(node: Term, parts: list[bool]) -> bool:
        if node.op in ("|", "^"):
            return True
        if node.op in ("&", "<<", ">>"):
            last = node.children[-1].value
            low = last is not None and last > 0 and not last & (last + 1)
            if not (low if node.op == "&" else last is not None and last >= 0):
                return True
        return any(parts)

    return fold(term, combine)


def width(term: Term) -> int | None:
    """How many bits signed vectors need so that no value of the formula overflows; None where that
    is more than ``WIDEST``.

    >>> from attnproof.symbolic.formula import k, q
    >>> width((q + 1).eq(k & -k))
    34
    """
    widest = 1

    def combine(node: Term, parts: list[int]) -> int:
        nonlocal widest
        bits = _bits(node, parts)
        widest = max(widest, bits)
        return bits

    fold(term, combine)
    return widest + 1 if widest < WIDEST else None


def _bits(node: Term, parts: list[int]) -> int:
    """Values are of absolute value at most ``2**bits``."""
    op = node.op
    if op == "int":
        return max(1, int(node.value or 0).bit_length())
    if op == "var" or op in TENSORS:
        return POSITION
    if op in ("+", "-"):
        return max(parts) + len(parts) - 1
    if op == "*":
        return sum(parts)
    if op == "<<":
        last = node.children[1].value
        return WIDEST if last is None else parts[0] + int(last)
    if op in ("neg", "abs", "~", "&", "|", "^", "//", "%"):
        return max(parts) + 1
    if op == ">>":
        return parts[0]
    return max(parts, default=1)


def bounded(each: Obligation) -> Obligation:
    """The obligation for positions, parameters and elements below ``2**POSITION``.

    >>> from attnproof.symbolic.formula import q
    >>> bounded(Obligation("reflexive", (), (q & q).eq(q))).assumptions
    (q < 2147483648, q >= -2147483648)
    """
    terms: dict[Term, None] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op == "var" or (node.op == "at" and node.children):
            terms[node] = None

    for term in (*each.assumptions, each.goal):
        fold(term, combine)
    limit = constant(1 << POSITION)
    small = [part for x in terms for part in (x < limit, x >= -(1 << POSITION))]
    return Obligation(each.name, (*small, *each.assumptions), each.goal)


def width_of(each: Obligation) -> int | None:
    """The width for all formulas of an obligation; None where that is more than ``WIDEST``.

    >>> from attnproof.symbolic.formula import q
    >>> width_of(bounded(Obligation("reflexive", (), (q & q).eq(q))))
    33
    """
    widths = [width(term) for term in (*each.assumptions, each.goal)]
    return None if None in widths else max(x for x in widths if x is not None)
