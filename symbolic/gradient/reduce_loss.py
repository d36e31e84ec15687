"""The population loss where both circuits are constant on orbits, and its gradient there.

On the fixed space of the group every sequence has the same loss, so one of them stands for all. The
gradient is taken stage by stage, from the loss to the logits, to the attention and to the scores,
and is a polynomial in the weights, in the attention that each group of equal scores receives, and
in the probability that each group of equal logits receives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.reduce_polynomials import vanishes
from attnproof.symbolic.gradient.symmetry import Kind, Orbit, Point, matrix_orbits

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from attnproof.symbolic.gradient.symmetry import Constant

#: A role is told by the kind of a token and whether it belongs to the class or is the query.
Occurrences = Mapping[tuple[str, bool], "Expr"]


@dataclass(frozen=True, slots=True)
class Role:
    """What an output or a token is to a sequence of class k with query q.

    ``orbit`` is that of (k, q, it), ``number`` counts those of the role, ``times`` says how often
    each occurs in a sequence in the mean.
    """

    orbit: Orbit
    number: "Expr"
    times: "Expr"

    @property
    def point(self) -> Point:
        """The output or token itself."""
        return self.orbit.points[-1]

    @property
    def mass(self) -> "Expr":
        """The number of positions of a sequence that the role fills."""
        return self.number * self.times

    def __repr__(self) -> str:
        return repr(self.point)


@dataclass(frozen=True, slots=True)
class Population:
    """Sequences that are told, up to the order of tokens, by a class and a query.

    Roles that ``times`` leaves out do not occur. Law: the loss is invariant under the group, which
    acts on outputs and tokens together.
    """

    given: tuple[Kind, Kind]
    outputs: tuple[Kind, ...]
    tokens: tuple[Kind, ...]
    times: "tuple[tuple[tuple[str, bool], Expr], ...]"

    @property
    def value_orbits(self) -> tuple[Orbit, ...]:
        """The orbits of the entries of W_OV: (output, token)."""
        return matrix_orbits(self.outputs, self.tokens)

    @property
    def score_orbits(self) -> tuple[Orbit, ...]:
        """The orbits of the entries of W_QK: (key, query)."""
        return matrix_orbits(self.tokens, self.tokens)

    @property
    def sequence(self) -> Orbit:
        """The class and the query of a sequence."""
        start = Orbit(())
        for kind in self.given:
            start = next(longer for longer, _ in start.extensions(kind))
        return start

    def labels(self) -> tuple[Role, ...]:
        """The roles of outputs; the label is the first."""
        from sympy import Integer

        return tuple(
            Role(orbit, number, Integer(1))
            for kind in self.outputs
            for orbit, number in self.sequence.extensions(kind)
        )

    def roles(self) -> tuple[Role, ...]:
        """The roles of the tokens that occur."""
        times = dict(self.times)
        base = self.sequence
        shared = {one.kind.tree: one.path for one in base.points}
        found = []
        for kind in self.tokens:
            for orbit, number in base.extensions(kind):
                path = shared.get(kind.tree)
                own = path is not None and orbit.points[-1].path[: len(path)] == path
                if times.get((kind.name, own), 0) != 0:
                    found.append(Role(orbit, number, times[kind.name, own]))
        return tuple(found)


def population(data: Data, occurrences: "Occurrences | None" = None) -> Population:
    """The sequences of some data: a token of the class and a common token each occur once.

    ``occurrences`` says otherwise, by kind (``distinct``, ``query``, ``other``) and whether the
    token belongs to the class, or is the query.
    """
    from sympy import Integer

    once = Integer(1)
    times = occurrences or {
        ("distinct", True): once,
        ("query", True): once,
        ("query", False): once,
        ("other", False): once,
    }
    letters = ("k", "l", "m")
    classes = Kind("class", "class", (data.classes,), letters=(letters,))
    distinct = Kind(
        "distinct", "class", (data.classes, data.distinct), "d", (letters, ("i", "j", "h"))
    )
    query = Kind("query", "query", (data.queries,), "", (("q", "q'", "q''"),))
    other = Kind("other", "other", (data.common - data.queries,), "c", (("j", "j'", "j''"),))
    tokens = (distinct, query, other) if data.common != data.queries else (distinct, query)
    return Population((classes, query), (classes,), tokens, tuple(times.items()))


@dataclass(frozen=True, slots=True)
class Mass:
    """The attention on a group of equal scores, or the probability of a group of equal logits.

    ``weight`` is what it is proportional to, and ``explicit`` its value, by the scores or logits,
    which for a logit hold attention masses.
    """

    symbol: "Symbol"
    weight: "Expr"
    explicit: "Expr"
    members: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Slope:
    """The loss and its derivatives by the value on each orbit, at a point of the fixed space.

    A derivative is the sum of the derivatives by the entries of the orbit. ``attention`` and
    ``probability`` are the masses that the polynomials speak of; one of each is eliminated, since
    they add up to 1, and stands last, in ``rest``.
    """

    loss: "Expr"
    value: "dict[Orbit, Expr]"
    score: "dict[Orbit, Expr]"
    attention: tuple[Mass, ...]
    probability: tuple[Mass, ...]
    rest: "tuple[tuple[Symbol, Expr], ...]"

    @property
    def generators(self) -> "tuple[Symbol, ...]":
        """The masses that are left."""
        gone = {symbol for symbol, _ in self.rest}
        return tuple(
            one.symbol for one in (*self.attention, *self.probability) if one.symbol not in gone
        )

    def told(self, expression: "Expr") -> "Expr":
        """An expression in factors, where what is left of a total of 1 is written as such."""
        from sympy import factor

        found = factor(expression)
        shorter = {1 - one: 1 - one for one in self.generators}
        for symbol, complement in self.rest:
            shorter.setdefault(complement, symbol)
        for complement, short in shorter.items():
            for sign in (1, -1):
                base = (sign * complement).expand()
                if found.is_Mul and base in found.args:
                    found = sign * (found / base) * short
        return found

    def explicit(self, expression: "Expr") -> "Expr":
        """An expression with every mass replaced by its value."""
        inner = {one.symbol: one.explicit for one in self.attention}
        outer = {one.symbol: one.explicit.xreplace(inner) for one in self.probability}
        return expression.xreplace({**inner, **outer})


def slope(population: Population, value: "Constant", score: "Constant") -> Slope:
    """The gradient of the population loss at weights that are constant on orbits.

    ``value`` gives W_OV, ``score`` the scores ς·W_QK, on each orbit; what is left out is 0.
    """
    from sympy import Add, Dummy, cancel, diff, exp, log

    labels, roles = population.labels(), population.roles()
    logits = [Dummy() for _ in labels]
    scores = [Dummy() for _ in roles]
    weights = [Dummy() for _ in roles]
    keyed = [one.orbit.restrict(2, 1) for one in roles]
    given_scores = [_value(score, orbit) for orbit in keyed]
    attention, on_token = _masses(roles, given_scores, _attention_names(roles), len(roles) - 1)
    logit = [_logit(population, y, roles, weights, value) for y in labels]
    at_token = dict(zip(weights, on_token, strict=True))
    given_logits = [one.xreplace(at_token) for one in logit]
    probability, on_label = _masses(labels, given_logits, _label_names(labels), 0)

    mass = sum(y.number * exp(z) for y, z in zip(labels, logits, strict=True))
    loss = log(mass) - logits[0]
    by_logit = [_at_shares(diff(loss, z), logits, on_label, mass) for z in logits]
    by_weight = [
        sum(g * diff(z, weight) for g, z in zip(by_logit, logit, strict=True)) for weight in weights
    ]
    total = sum(t.mass * exp(z) for t, z in zip(roles, scores, strict=True))
    by_score = [
        sum(
            g * _at_shares(diff(exp(own) / total, z), scores, on_token, total)
            for g, own in zip(by_weight, scores, strict=True)
        )
        for z in scores
    ]
    entry = {orbit: Dummy() for orbit in population.value_orbits}
    by_value = {
        orbit: Add(
            *(
                g * diff(_logit(population, one, roles, weights, entry), symbol)
                for g, one in zip(by_logit, labels, strict=True)
            )
        ).xreplace(at_token)
        for orbit, symbol in entry.items()
    }
    by_key = {
        orbit: Add(*(g for g, key in zip(by_score, keyed, strict=True) if key == orbit)).xreplace(
            at_token
        )
        for orbit in population.score_orbits
    }
    rest = tuple((one[-1].symbol, _complement(one)) for one in (attention, probability))
    explicit = log(
        sum(
            y.number * exp(cancel(z - given_logits[0]))
            for y, z in zip(labels, given_logits, strict=True)
        )
    )
    return Slope(explicit, by_value, by_key, attention, probability, rest)


def _value(values: "Constant", orbit: Orbit) -> "Expr":
    from sympy import sympify

    return sympify(values.get(orbit, 0))


def _logit(
    population: Population,
    label: Role,
    roles: Sequence[Role],
    weights: "Sequence[Symbol]",
    value: "Constant",
) -> "Expr":
    """Over the tokens of a sequence, the attention on the token times its entry of W_OV."""
    found = _value({}, label.orbit)
    for role, weight in zip(roles, weights, strict=True):
        for orbit, number in label.orbit.extensions(role.point.kind):
            if orbit.restrict(0, 1, 3) == role.orbit:
                found += number * role.times * weight * _value(value, orbit.restrict(2, 3))
    return found


def _at_shares(
    derivative: "Expr", symbols: "Sequence[Symbol]", shares: "Sequence[Expr]", total: "Expr"
) -> "Expr":
    """A derivative by some exponentials, where they are scaled so that their total is 1."""
    from sympy import Dummy, Integer, log

    bases = [Dummy(positive=True) for _ in symbols]
    as_powers = {z: log(base) for z, base in zip(symbols, bases, strict=True)}
    scaled = derivative.xreplace(as_powers).xreplace({total.xreplace(as_powers): Integer(1)})
    return scaled.xreplace(dict(zip(bases, shares, strict=True)))


def _masses(
    roles: Sequence[Role], given: "Sequence[Expr]", names: Sequence[str], last: int
) -> "tuple[tuple[Mass, ...], list[Expr]]":
    """Groups of equal scores, that of ``last`` at the end, and what each one index receives."""
    from sympy import Integer, Symbol, cancel, exp

    groups: list[list[int]] = []
    for at, one in enumerate(given):
        home = next((g for g in groups if vanishes(given[g[0]] - one)), None)
        if home is None:
            groups.append([at])
        else:
            home.append(at)
    groups.sort(key=lambda group: last in group)
    sizes = [sum(roles[at].mass for at in group) for group in groups]
    masses = []
    for group in groups:
        mine = given[group[0]]
        over = sum(
            size * exp(cancel(given[one[0]] - mine))
            for one, size in zip(groups, sizes, strict=True)
        )
        symbol = Symbol(names[group[0]], positive=True)
        size = sizes[groups.index(group)]
        masses.append(Mass(symbol, size * exp(mine), size / over, tuple(roles[at] for at in group)))
    shares: list[Expr] = [Integer(0)] * len(given)
    for mass, group, size in zip(masses, groups, sizes, strict=True):
        part = mass.symbol if mass is not masses[-1] else _complement(masses)
        for at in group:
            shares[at] = part / size
    return tuple(masses), shares


def _complement(masses: Sequence[Mass]) -> "Expr":
    from sympy import sympify

    return sympify(1) - sum(one.symbol for one in masses[:-1])


def _attention_names(roles: Sequence[Role]) -> list[str]:
    letters = {"distinct": "s", "other": "pi_c"}
    return [letters.get(one.point.kind.name, f"pi_{one}") for one in roles]


def _label_names(labels: Sequence[Role]) -> list[str]:
    return ["p", "e", "f"][: len(labels)]
