"""Metrics of attention: how much of it lies on relevant tokens, and how sure the model is.

For instance i, S_i are its relevant positions, V_i its valid ones, A_i the attention of its query,
p_i its class probabilities and y_i its label. The two numbers of an instance are the mass
A_i^S = Σ_{t ∈ S_i ∩ V_i} A_it and the confidence P_i = p_i(y_i). Thresholds are parameters, and
both are met at equality. Instances without a relevant valid position say nothing of attention:
they are left out of every number here, and counted. Definitions: ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attnproof.numeric.attended import Attended
from attnproof.symbolic.errors import InputError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Booleans = NDArray[np.bool_]


def ac(instances: Attended, tau: float = 0.5) -> float:
    """AC(τ), the share of instances with A_i^S ≥ τ.

    >>> weights, here, sure = [[1.0, 0.0], [0.2, 0.8]], [[1, 0]] * 2, [[1.0, 0.0]] * 2
    >>> two = Attended(weights, [[1, 1]] * 2, here, sure, labels=[0, 1])
    >>> ac(two), mc(two), acmc(two)
    (0.5, 0.5, 0.5)

    Law: it falls as τ grows, and is 1 at τ = 0.
    """
    return float(np.mean(_attended(instances, tau)))


def mc(instances: Attended, pi: float = 0.9) -> float:
    """MC(π), the share of instances with P_i ≥ π, among those that AC counts."""
    return float(np.mean(_confident(instances, pi)))


def acmc(instances: Attended, tau: float = 0.5, pi: float = 0.9) -> float:
    """ACMC(τ, π), the share of instances with both.

    Law: max(0, AC + MC - 1) ≤ ACMC ≤ min(AC, MC).
    """
    return float(np.mean(_attended(instances, tau) & _confident(instances, pi)))


def sweep(
    instances: Attended, taus: Iterable[float], pi: float = 0.9
) -> tuple[tuple[float, float, float], ...]:
    """(τ, AC(τ), ACMC(τ, π)) for each τ."""
    return tuple((tau, ac(instances, tau), acmc(instances, tau, pi)) for tau in taus)


def dtap(instances: Attended, bins: int = 10) -> "NDArray[np.int64]":
    """How many instances have their mass in one bin (row) and their confidence in one (column).

    Bins are [b/N, (b+1)/N), and 1 is in the last one. *Sharp* attention is in the last row, *weak
    but right* in the first rows of the last column.

    >>> dtap(Attended([[1.0]], [[1]], [[1]], [[0.4, 0.6]], [0]), bins=2).tolist()
    [[0, 0], [1, 0]]

    Law: the entries sum to the number of instances that AC counts.
    """
    if bins < 1:
        raise ParameterError(f"bins is {bins}; give 1 or more", bins=bins)
    counted = _counted(instances)
    found = np.zeros((bins, bins), np.int64)
    places = (_bin(values[counted], bins) for values in (instances.masses, instances.confidences))
    np.add.at(found, tuple(places), 1)
    return found


@dataclass(frozen=True, slots=True)
class Focus:
    """AC, MC and ACMC of ``instances``; ``excluded`` have nothing relevant, in ``whole`` all is."""

    instances: int
    excluded: int
    whole: int
    mass: float
    ac: float
    mc: float
    acmc: float


def focus(instances: Attended, tau: float = 0.5, pi: float = 0.9) -> Focus | None:
    """All of it for some instances, None where none has a relevant position."""
    counted = instances.counted
    if not counted.any():
        return None
    return Focus(
        instances=int(counted.sum()),
        excluded=int((~counted).sum()),
        whole=int(instances.whole.sum()),
        mass=float(instances.masses[counted].mean()),
        ac=ac(instances, tau),
        mc=mc(instances, pi),
        acmc=acmc(instances, tau, pi),
    )


def by_class(instances: Attended, tau: float = 0.5, pi: float = 0.9) -> tuple[Focus | None, ...]:
    """:func:`focus` for each class, None for one without an instance that is counted.

    With two classes a model may attend in one and take the other by default: then AC is the share
    of one class, and only this shows it.
    """
    parts = (instances.of_class(label) for label in range(instances.probabilities.shape[1]))
    return tuple(None if part is None else focus(part, tau, pi) for part in parts)


def _attended(instances: Attended, tau: float) -> "Booleans":
    _threshold("tau", tau)
    return np.asarray(instances.masses[_counted(instances)] >= tau)


def _confident(instances: Attended, pi: float) -> "Booleans":
    _threshold("pi", pi)
    return np.asarray(instances.confidences[_counted(instances)] >= pi)


def _counted(instances: Attended) -> "Booleans":
    counted = instances.counted
    if not counted.any():
        raise InputError(
            f"none of {len(instances)} instances has a relevant position; give one that has"
        )
    return counted


def _bin(values: "Floats", bins: int) -> "NDArray[np.int64]":
    return np.minimum(np.floor(values * bins), bins - 1).astype(np.int64)


def _threshold(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ParameterError(f"{name} is {value}; give a number from 0 to 1", **{name: value})
