"""The space that the flow stays in: what the invariances of the loss leave of the fixed space.

A gradient is orthogonal to every direction along which the loss is constant. Adding one row to all
rows of W_OV moves no probability, adding one number to all scores of a query moves no attention,
and a column of W_QK that is no query is never read. The rest is computed as a null space, and the
flow from zero is followed inside it until no new direction appears.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.reduce_loss import Population, Slope, slope
from attnproof.symbolic.gradient.reduce_polynomials import coefficients, reduced
from attnproof.symbolic.gradient.symmetry import Orbit

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    #: Values on the orbits, in their order.
    Vector = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Invariance:
    """The loss is constant along these directions, each given by its values on the orbits."""

    name: str
    directions: "tuple[Vector, ...]"


@dataclass(frozen=True, slots=True)
class Space:
    """Directions in W_OV and in W_QK, by their values on the orbits of the population."""

    value: "tuple[Vector, ...]"
    score: "tuple[Vector, ...]"

    @property
    def dimensions(self) -> tuple[int, int]:
        """How many of each."""
        return len(self.value), len(self.score)


def value_invariances(population: Population) -> Invariance:
    """W_OV + 1 wᵀ, for every w that the group fixes: one direction for each kind of token."""
    orbits = population.value_orbits
    return Invariance(
        "W_OV + 1 wᵀ", tuple(_column(orbits, kind.name) for kind in population.tokens)
    )


def score_invariances(population: Population) -> tuple[Invariance, Invariance]:
    """The scores of a query plus a constant; and all entries of a column that is no query."""
    orbits = population.score_orbits
    query = population.given[1]
    unread = [one for one in orbits if one.points[1].kind != query]
    return (
        Invariance("scores of a query + constant", (_column(orbits, query.name),)),
        Invariance("columns that are no query", tuple(_unit(orbits, one) for one in unread)),
    )


def invariant(population: Population) -> Space:
    """What is orthogonal to all invariances inside the fixed space, with sizes as weights.

    Law: the gradients over the whole fixed space span exactly this, so there are no further
    invariances; :func:`gradient_span` computes that span by itself.
    """
    value = value_invariances(population).directions
    score = [one for kind in score_invariances(population) for one in kind.directions]
    return Space(
        orthogonal(population.value_orbits, value), orthogonal(population.score_orbits, score)
    )


def gradient_span(population: Population) -> Space:
    """The span of the gradients at all points of the fixed space."""
    from sympy import Dummy

    value = {orbit: Dummy() for orbit in population.value_orbits}
    score = {orbit: Dummy() for orbit in population.score_orbits}
    found = slope(population, value, score)
    symbols = (*value.values(), *score.values(), *found.generators)
    return Space(span(_entries(found.value), symbols), span(_entries(found.score), symbols))


@lru_cache(maxsize=32)
def closure(population: Population) -> Space:
    """A space that holds zero and every velocity of the flow at its own points, grown from zero.

    The velocity is a polynomial in coordinates, attentions and probabilities, so its values lie in
    the span of its coefficients. Law: the flow from any point of the space stays in it.
    """
    space = Space((), ())
    while True:
        wider = grown(population, space)
        if wider.dimensions == space.dimensions:
            return space
        space = wider


def grown(population: Population, space: Space) -> Space:
    """A space with all velocities at its points."""
    found, coordinates = at(population, space)
    symbols = (*coordinates.value, *coordinates.score, *found.generators)
    return Space(
        _reduced([*space.value, *span(_entries(found.value), symbols)]),
        _reduced([*space.score, *span(_entries(found.score), symbols)]),
    )


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Symbols for the coefficients of the directions of a space."""

    value: "tuple[Symbol, ...]"
    score: "tuple[Symbol, ...]"


def at(
    population: Population, space: Space, coordinates: Coordinates | None = None
) -> tuple[Slope, Coordinates]:
    """The gradient at a general point of a space."""
    from sympy import Dummy

    symbols = coordinates or Coordinates(
        tuple(Dummy() for _ in space.value), tuple(Dummy() for _ in space.score)
    )
    value = combination(population.value_orbits, space.value, symbols.value)
    score = combination(population.score_orbits, space.score, symbols.score)
    return slope(population, value, score), symbols


def combination(
    orbits: Sequence[Orbit], vectors: "Sequence[Vector]", parts: "Sequence[Expr]"
) -> "dict[Orbit, Expr]":
    """The sum of some directions, each times its part, by orbit."""
    return {
        orbit: sum(c * v[i] for c, v in zip(parts, vectors, strict=True))
        for i, orbit in enumerate(orbits)
    }


def orthogonal(orbits: Sequence[Orbit], directions: "Sequence[Vector]") -> "tuple[Vector, ...]":
    """A basis of what is orthogonal to some directions, in the product of matrices."""
    from sympy.polys.matrices import DomainMatrix

    if not directions:
        return tuple(_unit(orbits, one) for one in orbits)
    sizes = [one.size for one in orbits]
    entries = [w * v for one in directions for w, v in zip(sizes, one, strict=True)]
    (flat,), field = coefficients(entries, ())
    rows = [flat[i : i + len(orbits)] for i in range(0, len(flat), len(orbits))]
    null = DomainMatrix(rows, (len(rows), len(orbits)), field).to_dense().nullspace()
    return reduced(null.to_list(), field)


def span(vector: "Sequence[Expr]", symbols: "Sequence[Symbol]") -> "tuple[Vector, ...]":
    """The space that a vector of polynomials takes its values in, as a reduced basis.

    >>> from sympy.abc import x, y
    >>> span([x, 2 * x, x + y], [x, y])
    ((1, 2, 0), (0, 0, 1))
    """
    return reduced(*coefficients(vector, symbols))


def contains(space: "Sequence[Vector]", vectors: "Sequence[Vector]") -> bool:
    """Whether some vectors lie in the span of others."""
    return len(_reduced([*space, *vectors])) == len(_reduced(space))


def _reduced(rows: "Sequence[Sequence[Expr]]") -> "tuple[Vector, ...]":
    """A basis of the span of some constant rows."""
    if not rows:
        return ()
    flat, field = coefficients([value for row in rows for value in row], ())
    width = len(rows[0])
    values = flat[0] if flat else [field.zero] * (width * len(rows))
    return reduced([values[i : i + width] for i in range(0, len(values), width)], field)


def _entries(derivatives: "dict[Orbit, Expr]") -> "list[Expr]":
    """The gradient entry by entry: a derivative by an orbit is shared by its entries."""
    return [one / orbit.size for orbit, one in derivatives.items()]


def _column(orbits: Sequence[Orbit], name: str) -> "Vector":
    from sympy import Integer

    return tuple(Integer(one.points[1].kind.name == name) for one in orbits)


def _unit(orbits: Sequence[Orbit], at: Orbit) -> "Vector":
    from sympy import Integer

    return tuple(Integer(one == at) for one in orbits)
