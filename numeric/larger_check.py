"""Data for which two scalars are too few: the flow of whole models against the larger systems.

With labels that never occur W_OV needs three scalars and is one matrix here; with common tokens
that repeat W_QK needs three and is one matrix. The other circuit may be a product.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnproof.numeric.circuit_data import Population, sizes
from attnproof.numeric.circuits import AttentionCircuits, number
from attnproof.numeric.cross_validation import TOLERANCE
from attnproof.numeric.integrate import integrate
from attnproof.numeric.larger_systems import System, Values, outputs_system, repeats_system
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits


@dataclass(frozen=True, slots=True, repr=False)
class LargerReport:
    """The scalars of a full and of a reduced flow at some times, by name.

    ``residual`` is the greatest distance of the full flow from the span of their directions, and
    ``drifts`` are those of what is conserved, along the full flow.
    """

    times: tuple[float, ...]
    full: tuple[Values, ...]
    reduced: tuple[Values, ...]
    residual: float
    drifts: Values
    tolerance: float = TOLERANCE

    @property
    def difference(self) -> float:
        """The greatest difference in a scalar."""
        pairs = zip(self.full, self.reduced, strict=True)
        return max(abs(a[name] - b[name]) for a, b in pairs for name in a)

    @property
    def agrees(self) -> bool:
        """Both flows are the same within the tolerance, and what is conserved is."""
        return max(self.difference, self.residual, *self.drifts.values()) <= self.tolerance

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value:.6g}" for name, value in self.full[-1].items())
        drifts = "".join(f"; {name} drifts {drift:.1e}" for name, drift in self.drifts.items())
        return (
            f"full and reduced flow {'agree' if self.agrees else 'differ'} up to time "
            f"{self.times[-1]:.6g}: {values}\n"
            f"  greatest difference {self.difference:.1e}, off the span {self.residual:.1e}{drifts}"
        )


def check_outputs(
    circuits: Circuits,
    outputs: int,
    start: Mapping[str, float],
    times: Sequence[float],
    *,
    system: System | None = None,
) -> LargerReport:
    """A model with more logits than classes: W_OV = α U + a_d w D̄ᵀ + a_c w C̄ᵀ.

    w is 1/K on the K labels that occur and -1/(V-K) on the others; D̄ and C̄ are the sums of all
    distinct and all common tokens. Scalars are ``alpha``, ``a_d``, ``a_c`` and ``beta``.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> zero = {"alpha": 0, "a_d": 0, "a_c": 0, "beta": 0}
    >>> report = check_outputs(two, 3, zero, [5.0])
    >>> report.agrees, report.full[-1]["a_c"] > 0.5
    (True, True)

    Raises :class:`ParameterError` where W_OV is a product, and for V = K. Source: ours.
    """
    classes, distinct, common, _ = sizes(circuits.data)
    _one_matrix(circuits, circuits.parametrisation.factorised_value, "W_OV", "CACO or FACO")
    population = Population.of(circuits.data, seed=1, outputs=outputs)
    if outputs == classes:
        raise ParameterError(
            f"outputs is {outputs}, one for each class, where two scalars are enough; give "
            f"{classes + 1} or more",
            outputs=outputs,
        )
    model = AttentionCircuits(circuits, population=population)
    rays, omega = model.directions, number("omega", circuits.omega)
    unused, first = outputs - classes, classes * distinct
    contrast = torch.tensor([1 / classes] * classes + [-1 / unused] * unused, dtype=torch.float64)
    padded = torch.zeros(outputs, population.embeddings.shape[1], dtype=torch.float64)
    padded[:classes] = rays.value
    frame = Frame(
        {
            "alpha": padded,
            "a_d": torch.outer(contrast, population.embeddings[:first].sum(0)),
            "a_c": torch.outer(contrast, population.embeddings[first : first + common].sum(0)),
        },
        {"beta": torch.outer(rays.key, rays.query) / omega},
    )
    frame.check(start)
    value = {"ov": frame.made(start, frame.value)}
    model.put({**value, **model.attention_at(start["beta"])})
    rates = system or outputs_system(circuits, outputs)
    return _follow(model, frame, rates, start, times, {})


def check_repeats(
    circuits: Circuits,
    draws: int,
    start: Mapping[str, float],
    times: Sequence[float],
    *,
    system: System | None = None,
) -> LargerReport:
    """n common tokens drawn with repetition, and one query that is attended: three scores.

    Scalars are ``alpha`` and the scores ``b_d``, ``b_c`` and ``b_q`` of distinct, drawn and query
    tokens. Conserved are K r b_d + (M-1) b_c + b_q, and (M-1)/n e^(-b_c) - e^(-b_q).

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=3, queries=1))
    >>> report = check_repeats(two, 2, {"alpha": 0, "b_d": 0, "b_c": 0, "b_q": 0}, [5.0])
    >>> report.agrees, report.full[-1]["b_q"] < report.full[-1]["b_c"]
    (True, True)

    Raises :class:`ParameterError` where W_QK is a product. Source: ours.
    """
    classes, distinct, common, _ = sizes(circuits.data)
    _one_matrix(circuits, circuits.parametrisation.factorised_attention, "W_QK", "CACO or CAFO")
    model = AttentionCircuits(
        circuits, population=Population.with_repeats(circuits.data, draws, seed=1)
    )
    first, rows = classes * distinct, model.population.embeddings
    query, others = rows[first], common - 1
    sums = {"b_d": rows[:first].sum(0), "b_c": rows[first + 1 :].sum(0), "b_q": query}
    frame = Frame(
        {"alpha": model.directions.value},
        {name: torch.outer(each, query) / model.score_scale for name, each in sums.items()},
    )
    conserved: dict[str, Callable[[Values], float]] = {
        "K r b_d + (M-1) b_c + b_q": lambda now: (
            first * now["b_d"] + others * now["b_c"] + now["b_q"]
        ),
        "(M-1)/n exp(-b_c) - exp(-b_q)": lambda now: (
            others / draws * math.exp(-now["b_c"]) - math.exp(-now["b_q"])
        ),
    }
    frame.check(start)
    attention = {"qk": frame.made(start, frame.attention)}
    model.put({**model.value_at(start["alpha"]), **attention})
    rates = system or repeats_system(circuits, draws)
    return _follow(model, frame, rates, start, times, conserved)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Orthogonal directions in W_OV and in W_QK, by the names of their scalars."""

    value: dict[str, Tensor]
    attention: dict[str, Tensor]

    @property
    def names(self) -> list[str]:
        """The scalars."""
        return [*self.value, *self.attention]

    def check(self, start: Mapping[str, float]) -> None:
        """Raises :class:`ParameterError` unless each scalar has a value, and nothing else has."""
        if set(start) != set(self.names):
            raise ParameterError(
                f"the start gives {', '.join(start) or 'nothing'}; give {', '.join(self.names)}",
                start=dict(start),
            )

    def made(self, values: Mapping[str, float], directions: Mapping[str, Tensor]) -> Tensor:
        """The sum of directions, each times its scalar."""
        return sum(
            (values[name] * each for name, each in directions.items()), start=torch.zeros(())
        )

    @torch.no_grad()
    def read(self, model: AttentionCircuits) -> tuple[Values, float]:
        """The scalars of a model, and how far it is from the span."""
        found, residual = {}, 0.0
        for matrix, some in ((model.w_ov, self.value), (model.w_qk, self.attention)):
            for name, direction in some.items():
                found[name] = ((matrix * direction).sum() / direction.square().sum()).item()
            residual = max(residual, (matrix - self.made(found, some)).norm().item())
        return found, residual


def _follow(
    model: AttentionCircuits,
    frame: Frame,
    system: System,
    start: Mapping[str, float],
    times: Sequence[float],
    conserved: Mapping[str, Callable[[Values], float]],
) -> LargerReport:
    names = frame.names

    def field(_time: float, state: Tensor) -> Tensor:
        rates = system(dict(zip(names, state.tolist(), strict=True)))
        return torch.tensor([rates[name] for name in names], dtype=torch.float64)

    at = (0.0, *times)
    full, residual = [], 0.0
    for vector in integrate(model.velocity(), model.vector(), at):
        found, left = frame.read(model.set_vector(vector))
        full.append(found)
        residual = max(residual, left)
    first = torch.tensor([start[name] for name in names], dtype=torch.float64)
    reduced = [
        dict(zip(names, state.tolist(), strict=True)) for state in integrate(field, first, at)
    ]
    drifts = {
        name: max(abs(value(now) - value(full[0])) for now in full)
        for name, value in conserved.items()
    }
    return LargerReport(at, tuple(full), tuple(reduced), residual, drifts)


def _one_matrix(circuits: Circuits, product: bool, matrix: str, ways: str) -> None:
    if product:
        raise ParameterError(
            f"the circuits are {circuits.parametrisation.value}, and {matrix} moves along several "
            f"directions here, which are followed for one matrix; give {ways}",
            parametrisation=circuits.parametrisation,
        )
