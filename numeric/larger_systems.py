"""The rates of the scalars where two are too few: labels that never occur, tokens that repeat.

They are written out here, and a derivation by machine can be taken in their place.
"""

import math
from collections.abc import Callable

from attnproof.numeric.circuit_data import sizes
from attnproof.numeric.circuits import number
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.ode import gains, lambdified
from attnproof.symbolic.gradient.reduce_steps import Derivation

Values = dict[str, float]
#: The rates of the scalars, given the scalars.
System = Callable[[Values], Values]


def outputs_system(circuits: Circuits, outputs: int) -> System:
    """The rates of the four scalars of ``check_outputs``. Source: ours.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> outputs_system(two, 4)({"alpha": 0, "a_d": 0, "a_c": 0, "beta": 0})
    {'alpha': 0.25, 'a_d': 0.125, 'a_c': 0.25, 'beta': 0.0}
    """
    classes, distinct, common, _ = sizes(circuits.data)
    first, unused = classes * distinct, outputs - classes
    eta_ov, mu_qk = number("eta_ov", circuits.eta_ov), number("eta_qk", circuits.mu_qk)
    length = 1 / classes + 1 / unused
    gain = lambdified(gains(circuits), "math")

    def system(now: Values) -> Values:
        s = 1 / (1 + math.exp(-now["beta"]) * common / distinct)
        lead, shared = s * now["alpha"], s * now["a_d"] + (1 - s) * now["a_c"]
        label, rest = math.exp(lead), math.exp(lead / classes - length * shared)
        total = label + (classes - 1) + unused * rest
        own, wasted = (total - label + 1) / total, unused * rest / total
        pull = own * now["alpha"] * (1 - 1 / classes) + wasted * (now["a_d"] - now["a_c"]) * length
        return {
            "alpha": eta_ov * own * s / first,
            "a_d": eta_ov * wasted * s / first,
            "a_c": eta_ov * wasted * (1 - s) / common,
            "beta": mu_qk * gain(now["alpha"], now["beta"])[1] * s * (1 - s) * pull,
        }

    return system


def repeats_system(circuits: Circuits, draws: int) -> System:
    """The rates of the four scalars of ``check_repeats``. Source: ours.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=3, queries=1))
    >>> repeats_system(two, 2)({"alpha": 0, "b_d": 0, "b_c": 0, "b_q": 0})["alpha"]
    0.125
    """
    classes, distinct, common, _ = sizes(circuits.data)
    first, others, scale = classes * distinct, common - 1, number("scale", circuits.scale)
    mu_ov, eta = number("eta_ov", circuits.mu_ov), number("eta_qk", circuits.eta_qk) * scale**2
    gain = lambdified(gains(circuits), "math")

    def system(now: Values) -> Values:
        kinds = {"b_d": distinct, "b_c": draws, "b_q": 1}
        weights = {name: count * math.exp(now[name]) for name, count in kinds.items()}
        total = sum(weights.values())
        s, drawn, asked = (weights[name] / total for name in kinds)
        wrong = (classes - 1) * math.exp(-s * now["alpha"])
        error = wrong / (1 + wrong)
        pull = eta * s * now["alpha"] * error
        return {
            "alpha": mu_ov * gain(now["alpha"], 0.0)[0] * s * error,
            "b_d": pull * (1 - s) / first,
            "b_c": -pull * drawn / others,
            "b_q": -pull * asked,
        }

    return system


def derived_system(derivation: Derivation) -> System:
    """The rates of a derivation by machine, as a function of its scalars by name.

    Law: the checks of :mod:`~attnproof.numeric.larger_check` take it for ``system``, and it agrees.
    """
    from sympy import lambdify

    names = [each.name for each in derivation.coordinates]
    rates = lambdify(derivation.coordinates, derivation.velocity, modules="math")

    def system(now: Values) -> Values:
        found = rates(*(now[name] for name in names))
        return dict(zip(names, map(float, found), strict=True))

    return system
