"""Circuits that the tests of training and of flows share: small, rates and scales differ."""

from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data

KINDS = list(Parametrisation)
#: K, r, M, Q with score scale, η_QK and η_OV.
SETTINGS = {
    "plain": (Data(3, 1, 4, 1), 1, 1, 1),
    "queries": (Data(4, 2, 5, 4), 0.7, 2, 0.5),
    "distinct": (Data(5, 3, 2, 2), 2, 0.5, 1),
}


def circuits(kind: Parametrisation, setting: str = "plain", *, uneven: bool = False) -> Circuits:
    """Circuits of a setting; ``uneven`` gives products an imbalance, of both signs."""
    data, scale, eta_qk, eta_ov = SETTINGS[setting]
    return Circuits(
        kind,
        data,
        scale,
        eta_qk,
        eta_ov,
        imbalance_qk=0.3 if uneven and kind.factorised_attention else 0,
        imbalance_ov=-0.2 if uneven and kind.factorised_value else 0,
    )


def start(kind: Parametrisation) -> tuple[float, float]:
    """α and β from which something moves."""
    return (0.2 if kind.factorised_value else 0.0), (0.2 if kind.factorised_attention else 0.0)
