"""Balancedness under gradient descent: for W = A B and gradient G, Δ(AᵀA - BBᵀ) is exactly
h²η² (B GᵀG Bᵀ - Aᵀ G Gᵀ A).

The flow conserves it, since the terms in h cancel; a step does not.
"""

from dataclasses import dataclass

import torch

from attnproof.numeric.circuits import AttentionCircuits
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation


@dataclass(frozen=True, slots=True, repr=False)
class BalanceReport:
    """One step of gradient descent on a model that is anywhere, and what it does to balancedness.

    ``changes`` are the norms of Δ(W_Oᵀ W_O - W_V W_Vᵀ) and Δ(W_K W_Kᵀ - W_Q W_Qᵀ) by circuit, and
    ``errors`` their distance from h² η² (W_V Gᵀ G W_Vᵀ - W_Oᵀ G Gᵀ W_O) and its like.
    """

    circuits: Circuits
    changes: dict[str, float]
    errors: dict[str, float]

    @property
    def agrees(self) -> bool:
        """The identity holds within rounding, for every product."""
        return all(error <= 1e-12 * (1 + self.changes[key]) for key, error in self.errors.items())

    def __repr__(self) -> str:
        parts = [
            f"{key}: balance changed by {change:.3e}, {self.errors[key]:.1e} from the identity"
            for key, change in self.changes.items()
        ]
        return "; ".join([self.circuits.parametrisation.value, *parts])


@torch.no_grad()
def check_balance(
    circuits: Circuits, *, step: float = 0.5, deviation: float = 0.5, seed: int = 0
) -> BalanceReport:
    """Take one step from a random start, and compare with the exact identity.

    Law: balancedness changes by h² times a matrix that the gradient G in the product gives, with
    nothing of higher or lower order. Source: ours.
    """
    model = AttentionCircuits(circuits, seed=seed).at_random(deviation)
    one = AttentionCircuits(_collapsed(circuits), population=model.population)
    one.qk.copy_(model.w_qk)
    one.ov.copy_(model.w_ov)
    with torch.enable_grad():
        _, whole = one.gradients()
        _, found = model.gradients()
    before = {name: each.clone() for name, each in model.named_parameters()}
    after = {name: each - step * model.rates[name] * found[name] for name, each in before.items()}
    changes, errors = {}, {}
    kind = circuits.parametrisation
    for circuit, product, left, right in (
        ("QK", kind.factorised_attention, "key", "query"),
        ("OV", kind.factorised_value, "output", "value"),
    ):
        if not product:
            continue
        rate, g = step * model.rates[left], whole[circuit.lower()]
        tall = [before[left], after[left]]
        if circuit == "QK":
            tall = [each.T for each in tall]
        wide = [before[right], after[right]]
        balances = [a.T @ a - b @ b.T for a, b in zip(tall, wide, strict=True)]
        change = balances[1] - balances[0]
        identity = wide[0] @ g.T @ g @ wide[0].T - tall[0].T @ g @ g.T @ tall[0]
        changes[circuit] = change.norm().item()
        errors[circuit] = (change - rate**2 * identity).norm().item()
    return BalanceReport(circuits, changes, errors)


def _collapsed(circuits: Circuits) -> Circuits:
    """The same data and rates, each circuit one matrix."""
    kind = Parametrisation.CACO
    return Circuits(kind, circuits.data, circuits.scale, circuits.eta_qk, circuits.eta_ov)
