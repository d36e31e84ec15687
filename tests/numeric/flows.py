"""Flows of whole models, and of the two equations that they reduce to, by one integrator."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from attnproof.numeric.circuits import AttentionCircuits, Scalars
from attnproof.numeric.integrate import integrate
from attnproof.numeric.step_error import Pair, apart
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.integrals import line_coordinates
from attnproof.symbolic.gradient.ode import lambdified, velocity
from attnproof.symbolic.gradient.orbit import State

#: η_QK and η_OV at a time, as multiples of those of the circuits.
Factors = Callable[[float], tuple[float, float]]


def full_flow(
    circuits: Circuits,
    begin: Pair,
    times: Sequence[float],
    *,
    factors: Factors | None = None,
    seed: int = 0,
) -> list[Scalars]:
    """Where a model that starts on the manifold is at some times, all its parameters moving."""
    model = AttentionCircuits(circuits, seed=seed).on_manifold(*begin)
    field = model.velocity()
    attends = torch.cat(
        [
            torch.full_like(each.detach().flatten(), float(name in model.attention_names))
            for name, each in model.named_parameters()
        ]
    )

    def scheduled(time: float, vector: Tensor) -> Tensor:
        qk, ov = (1.0, 1.0) if factors is None else factors(time)
        return field(time, vector) * (qk * attends + ov * (1 - attends))

    states = integrate(scheduled, model.vector(), times)
    return [model.set_vector(state).scalars() for state in states]


def reduced_flow(
    circuits: Circuits, begin: Pair, times: Sequence[float], *, factors: Factors | None = None
) -> list[Pair]:
    """(α, β) at some times by the two equations."""
    rates = lambdified(velocity(circuits), "math")

    def field(time: float, state: Tensor) -> Tensor:
        qk, ov = (1.0, 1.0) if factors is None else factors(time)
        a, b = rates(*state.tolist())
        return torch.tensor([ov * a, qk * b], dtype=torch.float64)

    states = integrate(field, torch.tensor(begin, dtype=torch.float64), times)
    return [(float(a), float(b)) for a, b in states]


def pairs(states: Iterable[Scalars | State]) -> list[Pair]:
    """(α, β) of each."""
    return [(each.alpha, each.beta) for each in states]


def most_apart(full: Sequence[Scalars], others: Sequence[Pair]) -> float:
    """The greatest difference in α or β."""
    return max(apart(a, b) for a, b in zip(pairs(full), others, strict=True))


def off_the_line(circuits: Circuits, begin: Pair, full: Sequence[Scalars]) -> float:
    """How far (Ψ, Φ) is from the line of slope R through the start, at most."""
    coordinates, slope = line_coordinates(circuits), float(circuits.slope)

    def integral(alpha: float, beta: float) -> float:
        phi, psi = coordinates(alpha, beta)
        return phi - slope * psi

    return max(abs(integral(*pair) - integral(*begin)) for pair in pairs(full))
