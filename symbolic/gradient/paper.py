"""What the paper says on the training dynamics, and what holds in the data model of this package.

Of the paper only the abstract and a summary were at hand: its exact data model and constants are
not known here, and none of the formulas of this package is ascribed to it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One matter: what the paper says, what is found here, and how both agree."""

    matter: str
    paper: str
    ours: str
    agreement: str


def paper_and_ours() -> tuple[Claim, ...]:
    """The claims side by side.

    >>> for claim in paper_and_ours()[:2]:
    ...     print(claim.matter, "|", claim.paper, "|", claim.agreement)
    OV scalar | grows as O(log t) | confirmed, and sharp
    QK scalar | grows as O(log² t) | inside the bound, which is not attained as t → ∞
    """
    return (
        Claim(
            "OV scalar",
            "grows as O(log t)",
            "alpha ~ log t in all four parametrisations: the leading coefficient is 1 and knows "
            "neither rho nor K nor r",
            "confirmed, and sharp",
        ),
        Claim(
            "QK scalar",
            "grows as O(log² t)",
            "beta is of order log log t in all four; for CACO from 0, "
            "beta <= R alpha²/(2 (1+kappa)), and the attention odds kappa e^beta ~ (R/2) log² t",
            "inside the bound, which is not attained as t → ∞",
        ),
        Claim(
            "QK scalar while QK is slow",
            "grows as O(log² t)",
            "while attention is still near its start, CACO has beta ~ R (1-s0)/(2 s0²) log² t, "
            "until log t is of order s0/sqrt(R)",
            "perhaps the regime of the statement; it cannot be told from the abstract",
        ),
        Claim(
            "lines",
            "effective parameters move along a line",
            "each effective matrix moves on a fixed ray; (Psi(alpha), Phi(beta)) moves on a line "
            "of slope R, exactly; (alpha, beta) moves on a curve",
            "true in both of these senses",
        ),
        Claim(
            "learning rates",
            "a faster QK circuit compensates for a weaker parametrisation",
            "from alpha0 >= 0, at equal loss, attention is strictly increasing in rho = "
            "eta_QK/eta_OV, for all parametrisations and imbalances (T1), and 1 - s is of order "
            "1/rho (T1', T4)",
            "made exact",
        ),
        Claim(
            "sharpness of the parametrisations",
            "factorised attention can be sharper",
            "one matrix W_OV, from 0, is sharper than a product at equal loss with z >= 1/sqrt(r) "
            "(T2); "
            "factorised attention is sharper exactly beyond the score b* (T3)",
            "conditional",
        ),
    )
