"""How often tokens must occur for two scalars to suffice, found from the flow itself.

Let each role of token occur any number of times. With W_OV = α U and zero scores, the scores set
out in one direction N; they keep to it only if their velocity at γ N is along N again, for all γ.
To first order in γ that is a set of polynomial equations in the numbers of occurrences. Whether a
solution suffices to all orders is seen by following the flow, as a closure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.invariant import Space, at, closure, grown
from attnproof.symbolic.gradient.reduce_loss import Population, population

if TYPE_CHECKING:
    from sympy import Expr, Symbol


@dataclass(frozen=True, slots=True)
class Conditions:
    """Polynomials in the occurrences that vanish where two scalars suffice.

    ``occurrences`` names the symbol of each role: distinct tokens, the query, the other tokens that
    can be queries, the other common tokens. No equation speaks of the distinct tokens.
    """

    occurrences: "tuple[tuple[tuple[str, bool], Symbol], ...]"
    equations: "tuple[Expr, ...]"


def dimensions(data: Data, times: "Mapping[tuple[str, bool], Expr]") -> tuple[int, int]:
    """How many scalars W_OV and W_QK need from zero, where roles occur so many times.

    >>> twice = {("distinct", True): 1, ("query", True): 2, ("other", False): 1}
    >>> dimensions(Data(classes=2, distinct=1, common=3, queries=1), twice)
    (1, 2)
    """
    return closure(population(data, times)).dimensions


def conditions(data: Data) -> Conditions:
    """The equations for some data, one for each pair of roles of common tokens.

    >>> conditions(Data(classes=3, distinct=1, common=4, queries=1)).equations
    (mu_c*mu_q*(mu_c - mu_q),)

    So the common tokens that occur must occur equally often, the query included. Source: ours.
    """
    from sympy import Symbol

    symbols = {
        ("distinct", True): Symbol("mu_d", positive=True),
        ("query", True): Symbol("mu_q", nonnegative=True),
        ("query", False): Symbol("mu_q'", nonnegative=True),
        ("other", False): Symbol("mu_c", nonnegative=True),
    }
    general = population(data, symbols)
    met = {role.times for role in general.roles()}
    kept = tuple((role, symbol) for role, symbol in symbols.items() if symbol in met)
    return Conditions(kept, _equations(general, [symbol for _, symbol in kept]))


def _equations(general: Population, symbols: "list[Symbol]") -> "tuple[Expr, ...]":
    """The minors of direction and velocity to first order, without factors that never vanish."""
    from sympy import Integer, Mul

    length = sum(role.mass for role in general.roles())
    found = []
    for minor in _minors(general):
        bases = [
            base
            for base in minor
            if base.free_symbols & set(symbols)
            and not base.is_positive
            and Integer(0) not in ((base - length).expand(), (base + length).expand())
        ]
        found.append(Mul(*bases))
    return tuple(sorted(found, key=str))


def _minors(general: Population) -> "list[list[Expr]]":
    """The factors of each minor of N and of the change of its velocity along N.

    Rows of distinct tokens are left out: both vectors are orthogonal to a shift of all scores, so
    they are parallel as soon as their parts on common tokens are.
    """
    from sympy import QQ, Dummy, Integer, default_sort_key, diff
    from sympy.polys.fields import FracField

    first = grown(general, Space((), ()))
    (direction,) = grown(general, Space(first.value, ())).score
    gamma = Dummy("gamma")
    moved, coordinates = at(general, Space(first.value, (direction,)))
    masses = {one.symbol: one.explicit for one in moved.attention}
    speeds = [
        diff(derivative.xreplace(masses).xreplace({coordinates.score[0]: gamma}), gamma).xreplace(
            {gamma: Integer(0)}
        )
        / orbit.size
        for orbit, derivative in moved.score.items()
    ]
    places = [
        i
        for i, orbit in enumerate(moved.score)
        if direction[i] != 0 and orbit.points[0].kind.name != "distinct"
    ]
    if len(places) < 2:
        return []
    free = set().union(*(speeds[i].free_symbols | direction[i].free_symbols for i in places))
    field = FracField(sorted(free, key=default_sort_key), QQ)
    along = {i: field.from_expr(direction[i]) for i in places}
    speed = {i: field.from_expr(speeds[i]) for i in places}
    minors = (along[i] * speed[j] - along[j] * speed[i] for i, j in combinations(places, 2))
    return [
        [base.as_expr() for base, _ in minor.numer.factor_list()[1]] for minor in minors if minor
    ]
