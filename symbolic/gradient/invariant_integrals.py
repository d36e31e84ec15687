"""Linear forms in the entries of single matrices that no flow moves.

Where the loss is constant along T, the gradient is orthogonal to T, so the product of the weights
with T is conserved. Entries that the space leaves at zero are conserved too, from its own points.
"""

from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.invariant import gradient_span, orthogonal
from attnproof.symbolic.gradient.reduce_loss import population

if TYPE_CHECKING:
    from sympy import Expr


def conserved(data: Data, letters: str = "wb") -> "tuple[Expr, ...]":
    """The forms on the fixed space: column sums of W_OV, in w, and the sum of the scores of a
    query, in b. ``letters`` are those of the matrices that are no product.

    w and b are numbered as in a derivation; columns of W_QK that are no query are left out.

    >>> conserved(Data(classes=3, distinct=1, common=4, queries=1))
    (w1 + 2*w2, w3, w4, 3*b1 + b2 + 3*b3)

    Here w1 + 2 w2 is the sum of a column of a distinct token, and w3, w4 are those of common ones.
    Source: ours.
    """
    from sympy import Expr, Integer, Symbol

    people = population(data)
    span = gradient_span(people)
    query = people.given[1]
    forms: list[Expr] = []
    for letter, orbits, moved in (
        ("w", people.value_orbits, span.value),
        ("b", people.score_orbits, span.score),
    ):
        if letter not in letters:
            continue
        read = [i for i, one in enumerate(orbits) if letter == "w" or one.points[1].kind == query]
        kept = [orbits[i] for i in read]
        entries = [Symbol(f"{letter}{i}", real=True) for i in range(1, len(kept) + 1)]
        for still in orthogonal(kept, [tuple(one[i] for i in read) for one in moved]):
            parts = [one.size * value for one, value in zip(kept, still, strict=True)]
            forms.append(
                sum(
                    (c * x for c, x in zip(_primitive(parts), entries, strict=True)),
                    start=Integer(0),
                )
            )
    return tuple(forms)


def _primitive(parts: "list[Expr]") -> "list[Expr]":
    """Coefficients in the same proportions, without denominators and common factors."""
    from sympy import cancel, factor, fraction, gcd_list, lcm_list

    common = lcm_list([fraction(cancel(one))[1] for one in parts])
    whole = [cancel(common * one) for one in parts]
    shared = gcd_list(whole)
    return [factor(cancel(one / shared)) for one in whole]
