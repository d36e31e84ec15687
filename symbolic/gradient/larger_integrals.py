"""Conserved quantities that a velocity shows: linear ones, and those of two scalars alone."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.reduce_polynomials import coefficients, reduced

if TYPE_CHECKING:
    from sympy import Expr, Symbol


def linear(
    rates: "Sequence[Expr]", symbols: "Sequence[Symbol]", masses: "Sequence[Symbol]"
) -> "tuple[Expr, ...]":
    """All combinations of the scalars with constant coefficients that do not move.

    ``rates`` are polynomials in the scalars and the masses; the combinations are a null space.

    >>> from sympy.abc import x, y, s
    >>> linear([2 * s * x, -s * x], [x, y], [s])
    (x + 2*y,)
    """
    from sympy import cancel, fraction, lcm_list
    from sympy.polys.matrices import DomainMatrix

    polynomial = [one if one.is_polynomial(*symbols) else None for one in rates]
    kept = [i for i, one in enumerate(polynomial) if one is not None]
    rows, field = coefficients([rates[i] for i in kept], (*symbols, *masses))
    if not rows:
        return ()
    null = DomainMatrix(rows, (len(rows), len(kept)), field).to_dense().nullspace()
    found = []
    for vector in reduced(null.to_list(), field):
        common = lcm_list([fraction(one)[1] for one in vector])
        whole = (cancel(common * one) for one in vector)
        found.append(sum(one * symbols[i] for one, i in zip(whole, kept, strict=True)))
    return tuple(found)


def exponential(
    rates: "Sequence[Expr]", symbols: "Sequence[Symbol]", weights: "Mapping[Symbol, Expr]"
) -> "tuple[Expr, ...]":
    """For each two scalars whose rates have a ratio f(x) g(y), the integral ∫ dx/f - ∫ g dy.

    ``weights`` gives, for each mass, what it is proportional to. Pairs whose ratio holds other
    masses or scalars are passed over.

    >>> from sympy import exp, symbols
    >>> x, y, z, p, q = symbols("x y z p q", real=True)
    >>> exponential([z * p, -2 * z * q], [x, y], {p: exp(x), q: 3 * exp(y)})
    (-exp(-y) - 6*exp(-x),)
    """
    from sympy import Dummy, cancel, expand, fraction, integrate, separatevars

    scale = Dummy()
    found = []
    for (i, x), (j, y) in combinations(enumerate(symbols), 2):
        if rates[i] == 0 or rates[j] == 0:
            continue
        ratio = cancel(rates[i] / rates[j])
        spoken = {one for one in weights if ratio.has(one)}
        larger = ratio.xreplace({one: scale * one for one in spoken})
        if not spoken or cancel(larger - ratio) != 0:
            continue
        shares = expand(ratio.xreplace({one: weights[one] for one in spoken}))
        parts = separatevars(shares, symbols=[x, y], dict=True)
        if shares.free_symbols & set(symbols) != {x, y} or not parts:
            continue
        top, bottom = fraction(parts["coeff"])
        found.append(bottom * integrate(1 / parts[x], x) - top * integrate(parts[y], y))
    return tuple(found)
