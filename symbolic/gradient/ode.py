"""The gradient flow on the invariant manifold: two coupled equations for α and β.

α' = μ_OV P_OV s e and β' = μ_QK P_QK α s(1-s) e, with attention s, error e = 1-p, and gains P that
are 1 for one matrix and √(λ² + 4σ²) for a product of two with singular value σ and imbalance λ.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from sympy import Expr

#: The libraries that :func:`lambdified` writes for.
BACKENDS = ("numpy", "torch", "math", "mpmath")


def attention(circuits: Circuits) -> "Expr":
    """s = 1/(1 + e^(-β)/κ), the attention on the distinct tokens.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> attention(Circuits(Parametrisation.CACO, Data()))
    1/(M*exp(-beta)/r + 1)
    """
    from sympy import exp

    return 1 / (1 + exp(-variables().beta) / circuits.data.odds)


def margin(circuits: Circuits) -> "Expr":
    """z = s α, the logit of the label less that of any other class."""
    return attention(circuits) * variables().alpha


def error(circuits: Circuits) -> "Expr":
    """e = 1 - p = (K-1) e^(-z)/(1 + (K-1) e^(-z)), the probability of all wrong classes."""
    from sympy import exp

    wrong = (circuits.data.classes - 1) * exp(-margin(circuits))
    return wrong / (1 + wrong)


def loss(circuits: Circuits) -> "Expr":
    """L = log(1 + (K-1) e^(-z)), the cross-entropy of the population."""
    from sympy import exp, log

    return log(1 + (circuits.data.classes - 1) * exp(-margin(circuits)))


def gains(circuits: Circuits) -> tuple["Expr", "Expr"]:
    """P_OV in α and P_QK in β: how much faster a product of two matrices moves than one matrix.

    >>> from sympy import Symbol
    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> gains(Circuits(Parametrisation.CAFO, Data()))
    (2*sqrt(r)*Abs(alpha), 1)
    >>> uneven = Symbol("lambda", positive=True)
    >>> gains(Circuits(Parametrisation.CAFO, Data(), imbalance_ov=uneven))[0]
    sqrt(4*alpha**2*r + lambda**2)

    Source: ours; the gain 2σ of a balanced product is implicit rescaling.
    """
    from sympy import Integer, sqrt

    alpha, beta, _ = variables()
    kind, one = circuits.parametrisation, Integer(1)
    sigma = sqrt(circuits.data.distinct) * alpha
    gamma = beta / circuits.omega
    return (
        _gain(sigma, circuits.imbalance_ov) if kind.factorised_value else one,
        _gain(gamma, circuits.imbalance_qk) if kind.factorised_attention else one,
    )


def velocity(circuits: Circuits) -> tuple["Expr", "Expr"]:
    """(α', β') as expressions in :func:`variables`.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> alpha, beta, _ = variables()
    >>> [rate.subs({alpha: 0, beta: 0}) for rate in velocity(two)]
    [1/4, 0]

    Law: α' = -η_OV/(r(K-1)) ∂L/∂α and β' = -η_QK ω² ∂L/∂β, each times its gain. Source: ours.
    """
    s, e = attention(circuits), error(circuits)
    gain_ov, gain_qk = gains(circuits)
    return (
        circuits.mu_ov * gain_ov * s * e,
        circuits.mu_qk * gain_qk * variables().alpha * s * (1 - s) * e,
    )


def in_quadrant(expression: "Expr", alpha_sign: int = 1, beta_sign: int = 1) -> "Expr":
    """The expression where α and β have these signs: no absolute value is left.

    >>> from sympy import Abs
    >>> in_quadrant(Abs(variables().alpha), alpha_sign=-1)
    -alpha
    """
    from sympy import Abs, Integer, sign

    known: dict[Expr, Expr] = {}
    for symbol, positive in zip(variables(), (alpha_sign, beta_sign), strict=False):
        known[Abs(symbol)] = positive * symbol
        known[sign(symbol)] = Integer(positive)
    return expression.xreplace(known)


def lambdified(
    expressions: "Expr | Iterable[Expr]", backend: str = "numpy"
) -> Callable[[Any, Any], Any]:
    """A function of (α, β) for numpy arrays, torch tensors, floats of ``math``, or mpmath numbers.

    Takes one expression or several; several give a tuple. Constants are double precision, except
    for mpmath, which computes them in its own. For arguments where an exponential overflows, use
    :class:`~attnproof.symbolic.gradient.orbit.Orbit`.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> two = Circuits(Parametrisation.CACO, Data(classes=2, distinct=1, common=1, queries=1))
    >>> lambdified(velocity(two), "math")(0.0, 0.0)
    (0.25, 0.0)

    Raises :class:`ParameterError` for an unknown backend, for symbols other than α and β, and for
    functions that the backend lacks.
    """
    from sympy import Ei, Expr, Integral, LambertW, lambdify

    if backend not in BACKENDS:
        raise ParameterError(
            f"backend is {backend!r}; give one of {', '.join(BACKENDS)}", backend=backend
        )
    alpha, beta, _ = variables()
    single = isinstance(expressions, Expr)
    given: tuple[Any, ...] = (expressions,) if single else tuple(expressions)
    for one in given:
        if free := one.free_symbols - {alpha, beta}:
            names = ", ".join(sorted(map(str, free)))
            raise ParameterError(f"the expression depends on {names}; give numbers", symbols=names)
        if backend != "mpmath" and one.has(Ei, Integral, LambertW):
            raise ParameterError(
                f"{backend} has no exponential integral and no Lambert W; say backend = 'mpmath'",
                backend=backend,
            )

    def rounded(one: Any) -> Any:
        if one.is_number:
            return one if one.is_Integer else one.evalf(17)
        if not one.args:
            return one
        return one.func(*(rounded(part) for part in one.args))

    if backend != "mpmath":
        given = tuple(map(rounded, given))
    found: Callable[[Any, Any], Any] = lambdify(
        (alpha, beta), given[0] if single else given, modules=backend
    )
    return found


def _gain(singular: "Expr", imbalance: "Expr") -> "Expr":
    from sympy import Abs, sqrt

    return 2 * Abs(singular) if imbalance == 0 else sqrt(imbalance**2 + 4 * singular**2)
