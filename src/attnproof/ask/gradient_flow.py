"""gradient_flow: how the QK and OV circuits of a one-layer attention learn, symbolically."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attnproof.ask.flow_arguments import read, read_parametrisation
from attnproof.keywords import keywords
from attnproof.symbolic.errors import MissingExtra, ParameterError
from attnproof.symbolic.gradient import closed_form as forms
from attnproof.symbolic.gradient import integrals, ode
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, positive
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.symbols import variables

if TYPE_CHECKING:
    from collections.abc import Callable

    from sympy import Eq, Expr

    from attnproof.numeric.circuit_training import TrainReport
    from attnproof.symbolic.gradient.closed_form import ClosedForm
    from attnproof.symbolic.gradient.enclosure import Enclosed
    from attnproof.symbolic.gradient.growth import Growth
    from attnproof.symbolic.gradient.lines import Line
    from attnproof.symbolic.gradient.orbit import Orbit, State
    from attnproof.symbolic.gradient.reduce_steps import Derivation
    from attnproof.symbolic.gradient.schedules import Schedule
    from attnproof.symbolic.gradient.theorem import Theorem
    from attnproof.symbolic.gradient.theorems import Conjecture
    from attnproof.symbolic.gradient.windows import Window

#: The loss to which a model is trained where nothing else is said.
TRAINED_TO = 0.1


@dataclass(frozen=True, repr=False)
class GradientFlow:
    """The gradient flow of one parametrisation on some data, from a start.

    Everything symbolic is a SymPy object in ``alpha``, ``beta`` and ``t``, with the symbols K, r,
    M and Q for what was not given; where numbers are asked for, all data must be numbers.

    >>> import attnproof as ap
    >>> flow = ap.gradient_flow("CACO", classes=3, common=4)
    >>> flow.first_integral
    -7*alpha**2/12 + beta + exp(beta)/4
    >>> flow.at_loss(0.01)
    alpha 5.65103, beta 4.08075, attention 0.936699, loss 0.01, log t 5.43702
    """

    circuits: Circuits
    alpha0: Any = None
    beta0: Any = None

    @property
    def parametrisation(self) -> Parametrisation:
        """Which of the two circuits are products of matrices."""
        return self.circuits.parametrisation

    @property
    def numbers(self) -> bool:
        """Is every size, rate and imbalance a number?"""
        given = self.circuits
        return not (given.slope * given.omega * (1 + given.mu_ov)).free_symbols

    @cached_property
    def ode(self) -> "tuple[Eq, Eq]":
        """The two equations, for functions alpha(t) and beta(t)."""
        from sympy import Derivative, Eq, Function

        alpha, beta, time = variables()
        moving = {alpha: Function("alpha")(time), beta: Function("beta")(time)}
        first, second = (
            Eq(Derivative(moving[one], time), rate.xreplace(moving))
            for one, rate in zip((alpha, beta), self.velocity, strict=True)
        )
        return first, second

    @cached_property
    def velocity(self) -> "tuple[Expr, Expr]":
        """The right-hand sides of :attr:`ode`, in the symbols alpha and beta."""
        return ode.velocity(self.circuits)

    @property
    def attention(self) -> "Expr":
        """The attention on the distinct tokens."""
        return ode.attention(self.circuits)

    @property
    def loss(self) -> "Expr":
        """The mean cross-entropy."""
        return ode.loss(self.circuits)

    @cached_property
    def first_integral(self) -> "Expr":
        """What does not change along the flow."""
        return integrals.first_integral(self.circuits)

    @cached_property
    def closed_form(self) -> "ClosedForm":
        """The orbit along one parameter, the odds by Lambert W, the time as one integral; from the
        symbols alpha_0 and beta_0 unless the start is given.

        Raises :class:`ParameterError` for a start below 0 that it does not cover.
        """
        return forms.closed_form(self.circuits, self.alpha0, self.beta0)

    @cached_property
    def asymptotics(self) -> "Growth":
        """How alpha, beta, the odds and the loss grow, with the steps that show it; ``unmet`` are
        the conditions that the start fails."""
        from attnproof.symbolic.gradient.growth import growth

        return growth(self.circuits, self.alpha0, self.beta0)

    @cached_property
    def derivation(self) -> "Derivation":
        """From the loss of the full model to the two equations, step by step."""
        from attnproof.symbolic.gradient.reduce import derive

        return derive(self.circuits)

    def with_repeats(self, draws: int | None = None) -> "Derivation":
        """The larger system where common tokens are drawn with repetition and the query is
        attended: three QK scalars and two more integrals. Needs Q = 1."""
        from attnproof.symbolic.gradient.larger import derive_iid

        return derive_iid(self.circuits, draws)

    def with_outputs(self, outputs: int | None = None) -> "Derivation":
        """The larger system where there are more outputs than classes: three OV scalars."""
        from attnproof.symbolic.gradient.larger import derive_outputs

        return derive_outputs(self.circuits, outputs)

    @cached_property
    def orbit(self) -> "Orbit":
        """The orbit from the start, in floats.

        Raises :class:`ParameterError` where some size is a symbol.
        """
        from attnproof.symbolic.gradient.orbit import Orbit

        return Orbit(self.circuits, self.alpha0, self.beta0)

    def at_loss(self, loss: float) -> "State":
        """Where the loss has this value."""
        return self.orbit.at_loss(loss)

    def at_time(self, time: float) -> "State":
        """Where the flow is at this time."""
        return self.orbit.at_time(time)

    def enclosed(self, loss: float) -> "Enclosed":
        """:meth:`at_loss` by rigorous bounds: exact rationals with the true value between them.

        Raises :class:`MissingExtra` without python-flint.
        """
        from attnproof.symbolic.gradient.enclosure import at_loss

        return at_loss(self.circuits, loss, *self._start)

    @property
    def lines(self) -> "tuple[Line, ...]":
        """Each sense in which the parameters move along a line, with its statement and check."""
        from attnproof.symbolic.gradient.lines import lines

        return lines(self.circuits)

    @property
    def window(self) -> "Window":
        """The time in which attention is still near its start, and how beta grows then: in
        symbols, and from alpha_0 and beta_0 where no start is given, unless every size is a number.
        """
        from attnproof.symbolic.gradient.windows import window

        return window(self.circuits, *self._start)

    def theorem(self, name: str) -> "Theorem":
        """T1 (a faster QK is sharper at equal loss), T1' (its rate), T2 (one matrix W_OV is sharper
        than a product), T3 (where a product W_QK is sharper), T4 (the leading loss does not know
        η_QK).

        Each has a statement, hypotheses, a proof in words, ``check()`` of its lemmas by SymPy, and
        ``instance(...)``.
        """
        from attnproof.symbolic.gradient.theorems import theorems

        known = {each.name: each for each in theorems()}
        plain = name.replace("\N{PRIME}", "'")
        if plain not in known:
            raise ParameterError(
                f"there is no theorem {name!r}; give one of {', '.join(known)}", name=name
            )
        return known[plain]

    @property
    def conjectures(self) -> "tuple[Conjecture, ...]":
        """What seems to hold and is not proved, each with what was seen of it."""
        from attnproof.symbolic.gradient.theorems import conjectures

        return conjectures()

    @cached_property
    def conserved(self) -> "tuple[Expr, ...]":
        """The linear forms in the entries w1, w2, ... of W_OV and b1, b2, ... of W_QK, as in
        :attr:`derivation`, that never move where the circuit is one matrix; a product has none."""
        from attnproof.symbolic.gradient.invariant_integrals import conserved

        kind = self.parametrisation
        letters = "w" * (not kind.factorised_value) + "b" * (not kind.factorised_attention)
        return conserved(self.circuits.data, letters)

    @property
    def late_margin(self) -> "Expr":
        """By how much the logit of the label leads for large t, up to what tends to 0.

        Raises :class:`ParameterError` for a start that does not meet the conditions of the laws.
        """
        if self.asymptotics.unmet:
            raise ParameterError(
                f"the late margin needs {'; '.join(self.asymptotics.unmet)}; give that, or ask "
                "at_time",
                alpha0=self.alpha0,
                beta0=self.beta0,
            )
        return forms.late_margin(self.circuits)

    def common_schedule(self, factor: Any = None) -> "Schedule":
        """Both rates times a factor in t, h(t) unless given: the same orbit by another clock."""
        from attnproof.symbolic.gradient.schedules import common

        return common(self.circuits, read("factor", factor))

    def ratio_schedule(self, ratio: Any = None) -> "Schedule":
        """A ratio of the rates that moves with t, ρ(t) unless given: the orbit bends."""
        from attnproof.symbolic.gradient.schedules import ratio as bent

        return bent(self.circuits, read("ratio", ratio))

    def lambdify(self, backend: str = "numpy") -> "Callable[[Any, Any], Any]":
        """:attr:`velocity` as a function of (alpha, beta), for numpy, torch, math or mpmath."""
        return ode.lambdified(self.velocity, backend)

    def train(self, *, loss: float | None = None, time: float | None = None) -> "TrainReport":
        """Train the full torch model to a loss or for a time, to loss 0.1 where neither is given,
        and compare it with the flow.

        Raises :class:`InputError` where no number of steps that is tried would be enough.
        """
        if loss is None and time is None:
            loss = TRAINED_TO
        try:
            from attnproof.numeric.circuit_training import train_like
            from attnproof.numeric.one_thread import one_thread
        except ModuleNotFoundError:
            raise MissingExtra("training a model", "torch") from None

        start = self.orbit
        with one_thread():
            return train_like(self.circuits, start.alpha0, start.beta0, loss=loss, time=time)

    def latex(self) -> str:
        """The equations, the first integral and the growth laws as one LaTeX block."""
        from attnproof.render.equations import latex

        return latex(self)

    @property
    def laws(self) -> "dict[str, Expr | None]":
        """The growth laws of alpha, beta, the odds and the loss, by these names; None for each
        where the start does not meet their conditions, ``asymptotics.unmet``."""
        found = self.asymptotics
        names = ("alpha", "beta", "odds", "loss")
        return {name: None if found.unmet else getattr(found, name) for name in names}

    @property
    def _start(self) -> tuple[Any, Any]:
        """The start as it was given; else that of an orbit, or symbols where a size is one."""
        from attnproof.symbolic.gradient.orbit import PRODUCT_ALPHA, PRODUCT_BETA

        kind, (alpha, beta) = self.parametrisation, forms.starts()
        if self.numbers:
            alpha = PRODUCT_ALPHA * kind.factorised_value
            beta = PRODUCT_BETA * kind.factorised_attention
        return (
            alpha if self.alpha0 is None else self.alpha0,
            beta if self.beta0 is None else self.beta0,
        )

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __repr__(self) -> str:
        return f"GradientFlow: {self.parametrisation.value} on {self.circuits.data!r}"

    def to_json(self, state: "State | None" = None) -> dict[str, object]:
        """Everything as one JSON object, with the numbers of ``state``; expressions are SymPy text.

        Infinite numbers, of which only the logarithm is known, are null.
        """
        from attnproof.ask.flow_json import flow_json

        return flow_json(self, state)

    def text(self, state: "State | None" = None) -> str:
        """The equations in attention s and error e, what is conserved, the laws, and ``state``."""
        from attnproof.render.equations import text

        return text(self, state)


@keywords(K="classes", r="distinct", M="common", Q="queries", rho="ratio")
def gradient_flow(
    parametrisation: "str | Parametrisation",
    *,
    classes: Any = None,
    distinct: Any = None,
    common: Any = None,
    queries: Any = None,
    scale: Any = 1,
    ratio: Any = 1,
    imbalance_qk: Any = 0,
    imbalance_ov: Any = 0,
    alpha0: Any = None,
    beta0: Any = None,
) -> GradientFlow:
    """The gradient flow of CACO, FACO, CAFO or FAFO: attention first, output and value second, C
    for one matrix and F for a product of two.

    The data has ``classes`` K with ``distinct`` r tokens each, ``common`` M tokens in every
    sequence, and ``queries`` Q of these that are queries. Without any of the four all are symbols;
    once one is given, r and Q are 1 unless given. ``scale`` multiplies scores, ``ratio`` is
    η_QK/η_OV with η_OV = 1. The imbalances are u² - v² and x² - y² of products. All that is no size
    is a number, an expression, or text as "0.15", which is 3/20 and not the nearest binary
    fraction. The start defaults to alpha0 = 0 (CO) or 0.01 (FO) and beta0 = 0 (CA) or 1e-4 (FA).

    >>> import attnproof as ap
    >>> ap.gradient_flow("FAFO", classes=5, common=15)
    GradientFlow: FAFO on Data(K=5, r=1, M=15, Q=1)
    >>> ap.gradient_flow("CACO").attention
    1/(M*exp(-beta)/r + 1)

    Law: :attr:`GradientFlow.first_integral` is constant along :attr:`GradientFlow.ode`. Raises
    :class:`~attnproof.errors.InputError` for another name, sizes that are no data, and rates that
    are not positive. Source: the four parametrisations are those of Vashisht and Ramaswamy, PMLR
    v306; data, derivation and closed forms ours.
    """
    if any(one is not None for one in (classes, distinct, common, queries)):
        distinct = 1 if distinct is None else distinct
        queries = 1 if queries is None else queries
    circuits = Circuits(
        read_parametrisation(parametrisation),
        Data(classes, distinct, common, queries),
        scale=read("scale", scale),
        eta_qk=positive("ratio", read("ratio", ratio)),
        imbalance_qk=read("imbalance_qk", imbalance_qk),
        imbalance_ov=read("imbalance_ov", imbalance_ov),
    )
    return GradientFlow(circuits, read("alpha0", alpha0), read("beta0", beta0))
