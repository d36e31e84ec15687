"""A derivation as a value, and each of its steps as text and as LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.invariant import Space
from attnproof.symbolic.gradient.invariant_conditions import Conditions
from attnproof.symbolic.gradient.reduce_loss import Population, slope
from attnproof.symbolic.gradient.reduce_ray import Ray, factor_flow
from attnproof.symbolic.gradient.symbols import written
from attnproof.symbolic.gradient.symmetry import Orbit

if TYPE_CHECKING:
    from sympy import Expr

_IN_TEXT = {
    "W_OV + 1 wᵀ": r"$W_{OV} + 1 w^{\mathsf T}$",
    "|xPRᵀ|² = rank·x²": r"$\lVert xPR^{\mathsf T}\rVert^2 = \operatorname{rank} x^2$",
    "x² + y² = √(λ² + 4x²y²)": r"$x^2 + y^2 = \sqrt{\lambda^2 + 4x^2y^2}$",
    "x² - y² = λ": r"$x^2 - y^2 = \lambda$",
    "-η/|B|²": r"$-\eta/\lVert B\rVert^2$",
    "W_OV": "$W_{OV}$",
    "W_QK": "$W_{QK}$",
}


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation: what stands on the left, as text and as LaTeX, and its value."""

    left: str
    latex: str
    right: "Expr"


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """One step of a derivation: a title, a sentence, and equations.

    ``str`` gives text; a notebook shows the LaTeX of ``_repr_latex_``.
    """

    title: str
    sentence: str
    equations: tuple[Equation, ...] = ()

    def __str__(self) -> str:
        width = max((len(one.left) for one in self.equations), default=0)
        told = [f"    {one.left:<{width}} = {one.right}" for one in self.equations]
        return "\n".join([f"{self.title}. {self.sentence}", *told])

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        sentence = self.sentence
        for words, latex in _IN_TEXT.items():
            sentence = sentence.replace(words, latex)
        told = f"{self.title}. {sentence}"
        if not self.equations:
            return told
        rows = " \\\\\n".join(f"{one.latex} &= {written(one.right)}" for one in self.equations)
        return f"{told}\n$$\\begin{{aligned}}\n{rows}\n\\end{{aligned}}$$"


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """From the population loss to the velocity of the scalars that it moves.

    ``invariant`` is what the invariances leave of the fixed space of the group, ``space`` the part
    that the flow from zero needs, along which ``coordinates`` run. ``loss`` and ``velocity`` are in
    these coordinates; ``gradient`` (of the loss by each) and ``rates`` (the velocity) also speak of
    the attentions and probabilities that ``masses`` defines. ``integrals`` are conserved.
    """

    name: str
    circuits: Circuits
    population: Population
    invariant: Space
    space: Space
    coordinates: "tuple[Expr, ...]"
    loss: "Expr"
    gradient: "tuple[Expr, ...]"
    rates: "tuple[Expr, ...]"
    velocity: "tuple[Expr, ...]"
    masses: "tuple[tuple[Expr, Expr], ...]"
    integrals: "tuple[Expr, ...]" = ()
    steps: tuple[Step, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        told = [f"{i}. {step}" for i, step in enumerate(self.steps, 1)]
        return "\n\n".join([self.name, *told])

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        return "\n\n".join(step._repr_latex_() for step in self.steps)


def of_orbits(population: Population) -> Step:
    """The orbits of the entries that the loss reads, with their sizes."""
    query = population.given[1].name
    read = [one for one in population.score_orbits if one.points[1].kind.name == query]
    lines = [_size("w", i, "W_OV", one) for i, one in enumerate(population.value_orbits, 1)]
    lines += [_size("b", i, "W_QK", one) for i, one in enumerate(read, 1)]
    return Step(
        "Orbits",
        "Entries that the symmetries of the data exchange are equal on the fixed space: w and b "
        "are the entries of W_OV and the scores. Each is followed by the number of its entries, "
        "which counts the index pairs that branch like it. Columns of W_QK that are no query are "
        "never read",
        tuple(lines),
    )


def of_loss(population: Population) -> Step:
    """The loss at a general point of the fixed space."""
    from sympy import Symbol

    query = population.given[1].name
    read = [one for one in population.score_orbits if one.points[1].kind.name == query]
    value = {one: Symbol(f"w{i}") for i, one in enumerate(population.value_orbits, 1)}
    score = {one: Symbol(f"b{i}") for i, one in enumerate(read, 1)}
    found = slope(population, value, score)
    masses = tuple(
        _mass(one.symbol, one.explicit)
        for one in found.attention
        if one.symbol in found.loss.free_symbols
    )
    return Step(
        "Loss",
        "All sequences are alike on the fixed space, so the population loss is that of one",
        (Equation("L", "L", found.loss), *masses),
    )


def of_space(population: Population, left: Space, space: Space, rays: "Sequence[Ray]") -> Step:
    """What the invariances leave, what the flow from zero needs, and the metric on it."""
    lines = []
    for letter, orbits, vectors in (
        ("U", population.value_orbits, space.value),
        ("N", population.score_orbits, space.score),
    ):
        for i, vector in enumerate(vectors, 1):
            name, latex = (f"{letter}{i}", f"{letter}_{i}") if len(vectors) > 1 else (letter,) * 2
            lines += [
                Equation(f"{name}{orbit}", f"{latex}({_inner(orbit)})", value)
                for orbit, value in zip(orbits, vector, strict=True)
                if value != 0
            ]
    for letter, vectors, one in zip(("U", "N"), (space.value, space.score), rays, strict=False):
        name = f"{letter}1" if len(vectors) > 1 else letter
        latex = f"{letter}_1" if len(vectors) > 1 else letter
        lines += [
            Equation(f"|{name}|²", rf"\lVert {latex}\rVert^2", one.norm),
            Equation(f"σ({name})²", rf"\sigma({latex})^2", one.square),
            Equation(f"rank {name}", rf"\operatorname{{rank}} {latex}", one.rank),
        ]
    fixed = (len(population.value_orbits), len(population.score_orbits))
    return Step(
        "Space",
        f"The fixed space has dimensions {fixed[0]} and {fixed[1]}. The loss does not change along "
        "W_OV + 1 wᵀ, along scores + constant for a query, and in columns that are no query; "
        f"orthogonal to these are {left.dimensions[0]} and {left.dimensions[1]} dimensions, and "
        f"the flow stays in {space.dimensions[0]} and {space.dimensions[1]} of them",
        tuple(lines),
    )


def of_conditions(found: Conditions) -> Step:
    """When two scalars suffice."""
    told = (
        "Let roles of tokens occur mu times in a sequence. Two scalars suffice only where these "
        "polynomials vanish: the common tokens that occur, occur equally often. Here all mu are 1"
        if found.equations
        else "All common tokens are in one role, so two scalars suffice however often tokens occur"
    )
    return Step("Conditions", told, tuple(Equation("0", "0", one) for one in found.equations))


def of_gradient(
    coordinates: "Sequence[Expr]",
    loss: "Expr",
    gradient: "Sequence[Expr]",
    masses: "Sequence[tuple[Expr, Expr]]",
) -> Step:
    """The loss on the space, and its derivatives by the coordinates."""
    lines = [Equation("L", "L", loss)]
    lines += [_mass(one, value) for one, value in masses]
    lines += [
        Equation(f"dL/d{one}", rf"\frac{{\partial L}}{{\partial {written(one)}}}", value)
        for one, value in zip(coordinates, gradient, strict=True)
    ]
    return Step(
        "Gradient", "On the space, by the chain rule through logits and scores", tuple(lines)
    )


def of_factors(circuits: Circuits, value: Ray, score: Ray, factors: "Sequence[Expr]") -> Step:
    """What being a product does to the speed of each circuit."""
    kind = circuits.parametrisation
    lines: list[Equation] = []
    for product, name, one, eta, factor in (
        (kind.factorised_value, "OV", value, circuits.eta_ov, factors[0]),
        (kind.factorised_attention, "QK", score, circuits.eta_qk, factors[1]),
    ):
        if product:
            flow = factor_flow(one, eta)
            lines += [
                Equation(f"x' ({name})", rf"x'_{{{name}}}", flow.x_velocity),
                Equation(f"y' ({name})", rf"y'_{{{name}}}", flow.y_velocity),
                Equation(f"(x² - y²)' ({name})", rf"(x^2 - y^2)'_{{{name}}}", flow.drift),
                Equation(f"(x y/σ)' ({name})", rf"(x y/\sigma)'_{{{name}}}", flow.speed),
            ]
        lines.append(Equation(f"P_{name}", rf"P_{{{name}}}", factor))
    return Step(
        "Parametrisation",
        "A circuit of one matrix moves by -η/|B|² times the derivative g. A product of x and y "
        "moves by the chain rule with |xPRᵀ|² = rank·x²; x² - y² = λ is conserved, and "
        "x² + y² = √(λ² + 4x²y²) is the rescaling P",
        tuple(lines),
    )


def of_velocity(
    coordinates: "Sequence[Expr]",
    rates: "Sequence[Expr]",
    masses: "Sequence[tuple[Expr, Expr]]",
) -> Step:
    """The result."""
    lines = [
        Equation(f"{one}'", rf"\dot{{{written(one)}}}", rate)
        for one, rate in zip(coordinates, rates, strict=True)
    ]
    return Step(
        "Velocity",
        "The scalars move by",
        (*lines, *(_mass(one, value) for one, value in masses)),
    )


def of_integrals(integrals: "Sequence[Expr]") -> Step:
    """What is conserved besides what the invariances say."""
    return Step(
        "Integrals",
        "Conserved along the flow",
        tuple(Equation(f"I{i}", f"I_{i}", one) for i, one in enumerate(integrals, 1)),
    )


def _mass(one: "Expr", value: "Expr") -> Equation:
    return Equation(str(one), written(one), value)


def _size(letter: str, number: int, name: str, orbit: Orbit) -> Equation:
    left, right = name.split("_")
    return Equation(
        f"{letter}{number} = {name}{orbit}, entries",
        rf"{letter}_{{{number}}} = {left}_{{{right}}}({_inner(orbit)}),\quad \#",
        orbit.size,
    )


def _inner(orbit: Orbit) -> str:
    return ",\\, ".join(map(repr, orbit.points))
