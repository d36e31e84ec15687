"""Whole models on data for which two scalars are too few, beside the systems that are derived.

With labels that never occur W_OV needs three scalars and is one matrix here; with common tokens
that repeat W_QK needs three and is one matrix. The other circuit may be a product.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import sympy
import torch
from torch import Tensor

from attnproof.numeric.circuit_data import Population, sizes
from attnproof.numeric.circuits import AttentionCircuits, number
from attnproof.numeric.integrate import integrate
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.reduce_steps import Derivation

Values = Mapping[str, float]


@dataclass(frozen=True)
class Framed:
    """A model, and orthogonal directions in its W_OV and W_QK by the names of their scalars."""

    model: AttentionCircuits
    value: dict[str, Tensor]
    attention: dict[str, Tensor]

    def put(self, start: Values) -> None:
        """Start at these scalars; a product has one."""
        model, kind = self.model, self.model.circuits.parametrisation
        ov = {"ov": made(start, self.value)}
        qk = {"qk": made(start, self.attention)}
        if kind.factorised_value:
            ov = model.value_at(start["alpha"])
        if kind.factorised_attention:
            qk = model.attention_at(start["beta"])
        model.put({**ov, **qk})

    @torch.no_grad()
    def read(self) -> tuple[dict[str, float], float]:
        """The scalars, and how far the model is from the span of the directions."""
        found: dict[str, float] = {}
        residual = 0.0
        for matrix, some in (
            (self.model.w_ov, self.value),
            (self.model.w_qk, self.attention),
        ):
            for name, direction in some.items():
                found[name] = ((matrix * direction).sum() / direction.square().sum()).item()
            residual = max(residual, (matrix - made(found, some)).norm().item())
        return found, residual


def made(values: Values, directions: Mapping[str, Tensor]) -> Tensor:
    """The sum of directions, each times its scalar."""
    return torch.stack([values[name] * each for name, each in directions.items()]).sum(0)


def with_outputs(circuits: Circuits, outputs: int) -> Framed:
    """A model with more logits than classes: W_OV = α U + a_d w D̄ᵀ + a_c w C̄ᵀ.

    w is 1/K on the K labels that occur and -1/(V-K) on the others; D̄ and C̄ are the sums of all
    distinct and all common tokens.
    """
    classes, distinct, common, _ = sizes(circuits.data)
    population = replace(Population.of(circuits.data, seed=1), outputs=outputs)
    model = AttentionCircuits(circuits, population=population)
    rays, rows = model.directions, population.embeddings
    unused, first = outputs - classes, classes * distinct
    contrast = torch.tensor([1 / classes] * classes + [-1 / unused] * unused, dtype=torch.float64)
    padded = torch.zeros(outputs, rows.shape[1], dtype=torch.float64)
    padded[:classes] = rays.value
    value = {
        "alpha": padded,
        "a_d": torch.outer(contrast, rows[:first].sum(0)),
        "a_c": torch.outer(contrast, rows[first : first + common].sum(0)),
    }
    ray = torch.outer(rays.key, rays.query) / number("omega", circuits.omega)
    return Framed(model, value, {"beta": ray})


def repeated(data: Data, draws: int, *, rotated: bool = True) -> Population:
    """Common tokens drawn ``draws`` times with repetition, and one query, the first of them, which
    is attended; the draws are uniform over the others, and every outcome is written out."""
    classes, distinct, common, _ = sizes(data)
    query = classes * distinct
    tokens = torch.tensor(
        [
            [*range(label * distinct, (label + 1) * distinct), *drawn, query]
            for label in range(classes)
            for drawn in product(range(query + 1, query + common), repeat=draws)
        ]
    )
    return replace(
        Population.of(data, seed=1, rotated=rotated),
        tokens=tokens,
        queries=tokens[:, -1],
        labels=tokens[:, 0] // distinct,
        distinct=tokens < query,
    )


def with_repeats(circuits: Circuits, draws: int) -> Framed:
    """A model of :func:`repeated` tokens, with the scores b_d, b_c and b_q of distinct, drawn and
    query tokens."""
    classes, distinct, _, _ = sizes(circuits.data)
    model = AttentionCircuits(circuits, population=repeated(circuits.data, draws))
    first, rows = classes * distinct, model.population.embeddings
    sums = {"b_d": rows[:first].sum(0), "b_c": rows[first + 1 :].sum(0), "b_q": rows[first]}
    return Framed(
        model,
        {"alpha": model.directions.value},
        {name: torch.outer(each, rows[first]) / model.score_scale for name, each in sums.items()},
    )


@dataclass(frozen=True)
class Followed:
    """The scalars of both flows, and how far the full one was from the span, at most."""

    full: list[dict[str, float]]
    reduced: list[dict[str, float]]
    residual: float

    @property
    def difference(self) -> float:
        """The greatest difference in a scalar."""
        both = zip(self.full, self.reduced, strict=True)
        return max(abs(a[name] - b[name]) for a, b in both for name in a)


def follow(framed: Framed, derived: Derivation, start: Values, times: Sequence[float]) -> Followed:
    """Follow a model by all its parameters, and the system that is derived, from some scalars."""
    framed.put(start)
    model = framed.model
    read = [
        (model.set_vector(state), framed.read())[1]
        for state in integrate(model.velocity(), model.vector(), times)
    ]
    names = [each.name for each in derived.coordinates]
    rates = sympy.lambdify(derived.coordinates, derived.velocity, modules="math")

    def field(_time: float, state: Tensor) -> Tensor:
        return torch.tensor(rates(*state.tolist()), dtype=torch.float64)

    first = torch.tensor([start[name] for name in names], dtype=torch.float64)
    states = integrate(field, first, times)
    return Followed(
        [found for found, _ in read],
        [dict(zip(names, state.tolist(), strict=True)) for state in states],
        max(residual for _, residual in read),
    )
