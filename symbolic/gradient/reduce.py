"""From the population loss to α' and β', for symbolic K, r, M, Q, with no step quoted.

Orbits of the data's group, the loss on their fixed space, what its invariances leave, the space
that the flow from zero needs, its metric and singular values, the gradient on it, and last the
chain rule for matrices that are products. Lengths and multiplicities are counts of index tuples, so
K - 1, √r, ω and Q are results.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.invariant import (
    Coordinates,
    Space,
    at,
    closure,
    invariant,
)
from attnproof.symbolic.gradient.invariant_conditions import conditions
from attnproof.symbolic.gradient.reduce_loss import Population, Slope, population
from attnproof.symbolic.gradient.reduce_ray import Ray, ray, rescaling
from attnproof.symbolic.gradient.reduce_steps import (
    Derivation,
    Step,
    of_conditions,
    of_factors,
    of_gradient,
    of_loss,
    of_orbits,
    of_space,
    of_velocity,
)
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr

    from attnproof.symbolic.gradient.symmetry import Constant, Orbit


def derive(circuits: Circuits) -> Derivation:
    """The derivation of the two scalar equations, step by step.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> five = Data(classes=5, distinct=3, common=4, queries=2)
    >>> found = derive(Circuits(Parametrisation.CAFO, five))
    >>> found.rates
    (sqrt(3)*e*s*Abs(alpha)/6, 19*alpha*e*s*(1 - s)/120)
    >>> found.masses
    ((s, 3/(3 + 4*exp(-beta))), (e, 4/(exp(alpha*s) + 4)))

    Law: ``velocity`` is the gradient flow of the full population loss, on every start that the
    space of the derivation holds. Source: ours.
    """
    found = structure(circuits.data)
    alpha, beta, _ = variables()
    score = found.score.scaled(1 / circuits.scale)
    kind = circuits.parametrisation
    factors = (
        rescaling(found.value, alpha, circuits.imbalance_ov, product=kind.factorised_value),
        rescaling(score, beta, circuits.imbalance_qk, product=kind.factorised_attention),
    )
    steep = (
        -circuits.eta_ov / found.value.norm * found.gradient[0],
        -circuits.eta_qk / score.norm * found.gradient[1],
    )
    rates = tuple(p * found.slope.told(one) for p, one in zip(factors, steep, strict=True))
    steps = (
        *found.steps,
        of_factors(circuits, found.value, score, factors),
        of_velocity((alpha, beta), rates, found.masses),
    )
    return Derivation(
        f"{kind.value} on {circuits.data!r}",
        circuits,
        found.population,
        found.invariant,
        found.space,
        (alpha, beta),
        found.slope.explicit(found.slope.loss),
        found.gradient,
        rates,
        tuple(found.slope.explicit(one) for one in rates),
        found.masses,
        (),
        steps,
    )


@dataclass(frozen=True, slots=True)
class Structure:
    """What does not depend on rates and parametrisation: the space, its metric, the gradient.

    ``value`` and ``score`` are the directions U and N; ``score`` is in scores ς W_QK.
    """

    population: Population
    invariant: Space
    space: Space
    value: Ray
    score: Ray
    slope: Slope
    gradient: "tuple[Expr, ...]"
    masses: "tuple[tuple[Expr, Expr], ...]"
    steps: tuple[Step, ...]


@lru_cache(maxsize=32)
def structure(data: Data) -> Structure:
    """The derivation for some data up to the gradient by α and β."""
    people = population(data)
    left, found = invariant(people), closure(people)
    alpha, beta, _ = variables()
    (value,), (score,) = found.value, found.score
    space = Space(
        (scaled(people.value_orbits, value, margin),),
        (scaled(people.score_orbits, score, contrast),),
    )
    by_value = dict(zip(people.value_orbits, space.value[0], strict=True))
    by_score = dict(zip(people.score_orbits, space.score[0], strict=True))
    rays = (
        ray(by_value, people.outputs, people.tokens),
        ray(by_score, people.tokens, people.tokens),
    )
    slope, _ = at(people, space, Coordinates((alpha,), (beta,)))
    gradient = (along(slope, slope.value, by_value), along(slope, slope.score, by_score))
    masses = definitions(slope, gradient)
    steps = (
        of_orbits(people),
        of_loss(people),
        of_space(people, left, space, rays),
        of_conditions(conditions(data)),
        of_gradient((alpha, beta), slope.loss, gradient, masses),
    )
    return Structure(people, left, space, *rays, slope, gradient, masses, steps)


def definitions(slope: Slope, spoken: "Sequence[Expr]") -> "tuple[tuple[Expr, Expr], ...]":
    """The attentions and probabilities that some expressions speak of, with their values."""
    free = set().union(*(one.free_symbols for one in spoken))
    masses = (*slope.attention, *slope.probability)
    inner = set().union(*(one.explicit.free_symbols for one in masses if one.symbol in free))
    return tuple((one.symbol, one.explicit) for one in masses if one.symbol in free | inner)


def along(slope: Slope, derivatives: "dict[Orbit, Expr]", direction: "Constant") -> "Expr":
    """The derivative of the loss along a direction, in factors."""
    return slope.told(sum(one * direction[orbit] for orbit, one in derivatives.items()))


def margin(orbit: "Orbit") -> int:
    """1 where output and token are of one class, -1 where not: their difference is the margin."""
    output, token = orbit.points
    if output.kind.name != "class" or token.kind.name != "distinct":
        return 0
    return 1 if output.path == token.path[:1] else -1


def contrast(orbit: "Orbit") -> int:
    """1 for the score of a distinct token, -1 for that of the query itself."""
    key, query = orbit.points
    if query.kind.name != "query":
        return 0
    if key.kind.name == "distinct":
        return 1
    return -1 if (key.kind.name, key.path) == ("query", query.path) else 0


def scaled(
    orbits: "Sequence[Orbit]", vector: "Sequence[Expr]", unit: "Callable[[Orbit], int]"
) -> "tuple[Expr, ...]":
    """A direction scaled so that a difference of two of its entries is 1."""
    from sympy import factor

    size = sum(unit(orbit) * value for orbit, value in zip(orbits, vector, strict=True))
    return tuple(factor(value / size) for value in vector)
