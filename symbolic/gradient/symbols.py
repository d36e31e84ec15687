"""The variables of the reduced system, as SymPy symbols.

``alpha`` is the OV scalar, ``beta`` the score of a distinct token less that of a common one, and
``time`` the time of the flow.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sympy import Expr, Symbol


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


def in_time(expression: "Expr") -> "Expr":
    """The expression with every symbol of the name t as that of :func:`variables`.

    >>> from sympy import Symbol
    >>> in_time(1 / (1 + Symbol("t"))).free_symbols == {variables().time}
    True
    """
    time = variables().time
    return expression.xreplace({one: time for one in expression.free_symbols if one.name == "t"})


def written(expression: "Expr") -> str:
    """LaTeX in which e is the error of the model: exponentials are written exp.

    >>> from sympy import Symbol, exp
    >>> print(written(Symbol("e") * exp(variables().beta)))
    e \\exp{\\left(\\beta \\right)}
    """
    from sympy import Function, exp, latex

    return str(latex(expression.replace(exp, Function("\\exp"))))
