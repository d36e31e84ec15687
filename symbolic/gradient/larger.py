"""Two systems where two scalars do not suffice, by the same machine.

Common tokens drawn with repetition, and a query that is attended: the scores of the query and of
the other common tokens separate. More outputs than classes: the unused outputs move, and W_OV needs
contrasts of used with unused outputs on distinct and on common tokens.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, exact
from attnproof.symbolic.gradient.invariant import (
    Coordinates,
    Space,
    at,
    closure,
    contains,
    invariant,
)
from attnproof.symbolic.gradient.larger_integrals import exponential, linear
from attnproof.symbolic.gradient.reduce import along, contrast, definitions, margin, scaled
from attnproof.symbolic.gradient.reduce_loss import Population, population
from attnproof.symbolic.gradient.reduce_ray import Ray, ray, rescaling
from attnproof.symbolic.gradient.reduce_steps import (
    Derivation,
    of_gradient,
    of_integrals,
    of_loss,
    of_orbits,
    of_space,
    of_velocity,
)
from attnproof.symbolic.gradient.symbols import variables
from attnproof.symbolic.gradient.symmetry import Kind, Orbit, inner

if TYPE_CHECKING:
    from sympy import Expr

    from attnproof.symbolic.gradient.invariant import Vector


def derive_iid(circuits: Circuits, draws: Any = None) -> Derivation:
    """Common tokens are drawn with repetition, and the one query is attended: three scores.

    A sequence of class k holds the r tokens of the class, ``draws`` independent uniform draws from
    the M - 1 common tokens other than the query, and the query. The coordinates are α and the
    scores b_d, b_c, b_q of distinct, drawn and query tokens. On the fixed space the loss does not
    depend on the draws, so its mean over them is exact; a drawn token occurs draws/(M - 1) times in
    the mean.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> five = Data(classes=2, distinct=1, common=6, queries=1)
    >>> found = derive_iid(Circuits(Parametrisation.CACO, five), draws=3)
    >>> found.rates[1:]
    (alpha*e*s*(1 - s)/2, -alpha*e*pi_c*s/5, -alpha*e*pi_q*s)
    >>> found.integrals
    (5*b_c + 2*b_d + b_q, 3*exp(-b_q) - 5*exp(-b_c))

    Raises :class:`ParameterError` for several queries, for no common token beside the query, for no
    draw, and for factorised attention, whose scores move along no fixed directions. Source: ours.
    """
    from sympy import Integer, Symbol

    data, kind = circuits.data, circuits.parametrisation
    if data.queries != 1:
        raise ParameterError(
            f"queries is {data.queries}; one common token is always the query here: give 1",
            queries=data.queries,
        )
    if data.common == 1:
        raise ParameterError(
            "common is 1, and that is the query; give 2 or more, to draw from", common=1
        )
    if kind.factorised_attention:
        raise ParameterError(
            f"the parametrisation is {kind.value}; the three scores are those of one matrix W_QK: "
            "give CACO or CAFO",
            parametrisation=kind.value,
        )
    number = Symbol("n", integer=True, positive=True) if draws is None else exact("draws", draws)
    if number.is_integer is False or number.is_positive is False:
        raise ParameterError(f"draws is {draws}; give an integer of 1 or more", draws=draws)
    people = population(
        data,
        {
            ("distinct", True): Integer(1),
            ("query", True): Integer(1),
            ("other", False): number / (data.common - 1),
        },
    )
    alpha = variables().alpha
    scores = tuple(Symbol(f"b_{name}", real=True) for name in "dcq")
    found = closure(people)
    (value,) = found.value
    order = {"distinct": 0, "other": 1, "query": 2}
    read = sorted(
        (one for one in people.score_orbits if one.points[1].kind.name == "query"),
        key=lambda one: order[one.points[0].kind.name],
    )
    units = tuple(tuple(Integer(one == orbit) for one in people.score_orbits) for orbit in read)
    space = Space((scaled(people.value_orbits, value, margin),), units)
    return _derived(
        f"{kind.value} on {data!r}, {number} draws with repetition",
        circuits,
        people,
        space,
        Coordinates((alpha,), scores),
    )


def derive_outputs(circuits: Circuits, outputs: Any = None) -> Derivation:
    """More outputs than classes, as for a vocabulary: three scalars for W_OV, one for the scores.

    W_OV = α U + a_d w Dᵀ + a_c w Cᵀ with w = 1/K on the classes and -1/(V - K) on the V - K outputs
    that are never a label; D and C are the sums of distinct and of common tokens.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> three = Data(classes=3, distinct=1, common=4, queries=1)
    >>> found = derive_outputs(Circuits(Parametrisation.CACO, three), outputs=5)
    >>> found.rates[:3]
    (s*(3*e + 2*f)/6, f*s/3, f*(1 - s)/4)

    Raises :class:`ParameterError` for no more outputs than classes, and for a factorised W_OV, of
    which the three directions have different singular values. Source: ours.
    """
    from sympy import Integer, Symbol

    data, kind = circuits.data, circuits.parametrisation
    if kind.factorised_value:
        raise ParameterError(
            f"the parametrisation is {kind.value}; the three scalars are those of one matrix W_OV: "
            "give CACO or FACO",
            parametrisation=kind.value,
        )
    number = Symbol("V", integer=True, positive=True) if outputs is None else exact("V", outputs)
    unused = number - data.classes
    if number.is_integer is False or unused.is_positive is False:
        raise ParameterError(
            f"outputs is {outputs}, and there are {data.classes} classes; give more outputs",
            outputs=outputs,
        )
    plain = population(data)
    rest = Kind("unused", "unused", (unused,), "u", (("i", "j"),))
    people = replace(plain, outputs=(*plain.outputs, rest))
    found = closure(people)
    alpha, beta, _ = variables()
    units = {"class": 1 / data.classes, "unused": -1 / unused}

    def contrasted(distinct: bool) -> "Vector":
        return tuple(
            units[one.points[0].kind.name]
            if (one.points[1].kind.name == "distinct") is distinct
            else Integer(0)
            for one in people.value_orbits
        )

    own = tuple(
        Integer(margin(one) == 1) - 1 / data.classes if margin(one) else Integer(0)
        for one in people.value_orbits
    )
    (score,) = found.score
    space = Space(
        (own, contrasted(True), contrasted(False)),
        (scaled(people.score_orbits, score, contrast),),
    )
    names = (alpha, Symbol("a_d", real=True), Symbol("a_c", real=True))
    return _derived(
        f"{kind.value} on {data!r}, {number} outputs",
        circuits,
        people,
        space,
        Coordinates(names, (beta,)),
    )


def _derived(
    name: str,
    circuits: Circuits,
    people: Population,
    space: Space,
    coordinates: Coordinates,
) -> Derivation:
    """The velocity along given directions, which must hold what the flow needs."""
    from sympy import cancel

    left, needed = invariant(people), closure(people)
    if not (contains(space.value, needed.value) and contains(space.score, needed.score)):
        raise ValueError("the flow leaves the directions")
    slope, _ = at(people, space, coordinates)
    symbols = (*coordinates.value, *coordinates.score)
    value = [dict(zip(people.value_orbits, one, strict=True)) for one in space.value]
    score = [dict(zip(people.score_orbits, one, strict=True)) for one in space.score]
    gradient = tuple(
        along(slope, derivatives, direction)
        for derivatives, directions in ((slope.value, value), (slope.score, score))
        for direction in directions
    )
    norms = (*_norms(value), *_norms(score))
    steep = [-circuits.eta_ov] * len(value) + [-circuits.eta_qk * circuits.scale**2] * len(score)
    rays = _rays(people, value, score)
    kind = circuits.parametrisation
    factors = [cancel(1)] * len(symbols)
    if kind.factorised_value:
        factors[0] = rescaling(rays[0], symbols[0], circuits.imbalance_ov, product=True)
    if kind.factorised_attention:
        scores = rays[1].scaled(1 / circuits.scale)
        factors[-1] = rescaling(scores, symbols[-1], circuits.imbalance_qk, product=True)
    rates = tuple(
        factor * slope.told(eta / norm * one)
        for factor, eta, norm, one in zip(factors, steep, norms, gradient, strict=True)
    )
    masses = definitions(slope, (*gradient, *rates))
    weights = {one.symbol: one.weight for one in slope.attention}
    integrals = (
        *linear([one.xreplace(dict(slope.rest)) for one in rates], symbols, slope.generators),
        *exponential(rates, symbols, weights),
    )
    steps = (
        of_orbits(people),
        of_loss(people),
        of_space(people, left, space, rays),
        of_gradient(symbols, slope.loss, gradient, masses),
        of_velocity(symbols, rates, masses),
        *([of_integrals(integrals)] if integrals else []),
    )
    return Derivation(
        name,
        circuits,
        people,
        left,
        space,
        symbols,
        slope.explicit(slope.loss),
        gradient,
        rates,
        tuple(slope.explicit(one) for one in rates),
        masses,
        integrals,
        steps,
    )


def _norms(directions: "Sequence[dict[Orbit, Expr]]") -> "list[Expr]":
    """The squares of the lengths of directions that are orthogonal in pairs."""
    for i, one in enumerate(directions):
        if any(inner(one, other) != 0 for other in directions[:i]):
            raise ValueError("the directions are not orthogonal")
    return [inner(one, one) for one in directions]


def _rays(
    people: Population,
    value: "Sequence[dict[Orbit, Expr]]",
    score: "Sequence[dict[Orbit, Expr]]",
) -> tuple[Ray, ...]:
    """U, and the direction of the scores where there is only one."""
    found = [ray(value[0], people.outputs, people.tokens)]
    if len(score) == 1:
        found.append(ray(score[0], people.tokens, people.tokens))
    return tuple(found)
