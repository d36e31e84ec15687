"""The variables of the reduced system, as SymPy symbols.

``alpha`` is the OV scalar, ``beta`` the score of a distinct token less that of a common one, and
``time`` the time of the flow.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sympy import Symbol


class Variables(NamedTuple):
    """The symbols α, β and t."""

    alpha: "Symbol"
    beta: "Symbol"
    time: "Symbol"


def variables() -> Variables:
    """α and β are real, t is positive; always the same symbols.

    >>> variables()
    Variables(alpha=alpha, beta=beta, time=t)
    """
    from sympy import Symbol

    return Variables(
        Symbol("alpha", real=True), Symbol("beta", real=True), Symbol("t", positive=True)
    )
