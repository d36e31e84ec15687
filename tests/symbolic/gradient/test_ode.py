"""The reduced equations: descent of the loss, in factor coordinates and in several libraries."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import diff, simplify, sqrt, symbols

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.integrals import conserved, drift, first_integral, phi, psi
from attnproof.symbolic.gradient.ode import (
    attention,
    error,
    gains,
    in_quadrant,
    lambdified,
    loss,
    margin,
    velocity,
)
from attnproof.symbolic.gradient.symbols import variables

KINDS = tuple(Parametrisation)
ALPHA, BETA, _ = variables()
LAMBDA_Q, LAMBDA_V = symbols("lambda_Q lambda_V", positive=True)


def uneven(kind: Parametrisation, data: Data) -> Circuits:
    """Both products unbalanced."""
    return Circuits(
        kind,
        data,
        imbalance_qk=LAMBDA_Q if kind.factorised_attention else 0,
        imbalance_ov=LAMBDA_V if kind.factorised_value else 0,
    )


def test_single_matrices_descend_the_loss() -> None:
    """α' = -η_OV/(r(K-1)) ∂L/∂α and β' = -η_QK ω² ∂L/∂β for all sizes, scales and rates."""
    scale, eta_qk, eta_ov = symbols("varsigma eta_QK eta_OV", positive=True)
    flow = Circuits(Parametrisation.CACO, Data(), scale, eta_qk, eta_ov)
    rates = velocity(flow)
    assert simplify(rates[0] + flow.mu_ov * diff(loss(flow), ALPHA)) == 0
    assert simplify(rates[1] + flow.mu_qk * diff(loss(flow), BETA)) == 0


def test_products_descend_the_loss_in_their_factors() -> None:
    """With √r α = xy and β = ω uv, descent in x, y, u, v moves α and β by the stated gains."""
    x, y, u, v = symbols("x y u v", positive=True)
    data = Data(3, 2, 4, 3)
    flow = Circuits(
        Parametrisation.FAFO, data, 1, 2, 1, imbalance_qk=u**2 - v**2, imbalance_ov=x**2 - y**2
    )
    here = {ALPHA: x * y / sqrt(2), BETA: flow.omega * u * v}
    level = loss(flow).subs(here)
    xd, yd = (-diff(level, one) / 2 for one in (x, y))
    ud, vd = (-2 * diff(level, one) for one in (u, v))
    whole = {sqrt(4 * a**2 * b**2 + (a**2 - b**2) ** 2): a**2 + b**2 for a, b in ((x, y), (u, v))}
    rates = [rate.subs(here).subs(whole) for rate in velocity(flow)]
    assert simplify((xd * y + x * yd) / sqrt(2) - rates[0]) == 0
    assert simplify(flow.omega * (ud * v + u * vd) - rates[1]) == 0


def test_the_gain_of_a_balanced_product_is_twice_its_singular_value() -> None:
    """P_OV = 2 √r |α| and P_QK = 2 |β|/ω, with r = 3 so that no factor is 1."""
    data = Data(5, 3, 4, 2)
    flow = Circuits(Parametrisation.FAFO, data, scale=2)
    assert gains(flow)[0].subs(ALPHA, -2) == 4 * sqrt(3)
    assert simplify(gains(flow)[1].subs(BETA, -1) - 2 / flow.omega) == 0


def test_error_and_loss_are_those_of_the_margin() -> None:
    """e = 1 - 1/(1 + (K-1) e^-z) and dL/dz = -e."""
    flow = Circuits(Parametrisation.CACO, Data(4, 1, 2, 1))
    z = margin(flow)
    assert simplify(error(flow) - 1 + 1 / (1 + 3 * sympy.exp(-z))) == 0
    assert simplify(diff(loss(flow), ALPHA) + error(flow) * attention(flow)) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_integral_is_conserved(kind: Parametrisation) -> None:
    """SymPy finds dI/dt = 0 for all sizes, in all quadrants, balanced and unbalanced."""
    assert conserved(Circuits(kind, Data()))
    assert drift(uneven(kind, Data())) == (0,)


def test_a_wrong_first_integral_drifts() -> None:
    """Half the slope, or one matrix taken for a product, is not conserved."""
    data = Data(3, 2, 4, 1)
    flow, other = Circuits(Parametrisation.FACO, data), Circuits(Parametrisation.FAFO, data)
    rates = [in_quadrant(rate) for rate in velocity(flow)]
    for wrong in (phi(flow) - flow.slope / 2 * psi(flow), first_integral(other)):
        found = in_quadrant(wrong)
        moved = found.diff(ALPHA) * rates[0] + found.diff(BETA) * rates[1]
        assert abs(sympy.N(moved.subs({ALPHA: 1, BETA: 1}))) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_balanced_is_the_limit_of_unbalanced(kind: Parametrisation) -> None:
    """Ψ, and differences of Φ, with an imbalance of 1/256 are close to those without."""
    data, small = Data(3, 2, 4, 2), {LAMBDA_Q: sympy.Rational(1, 256), LAMBDA_V: 0.001}
    flow, near = Circuits(kind, data), uneven(kind, data)
    left = [lambdified(phi(one).subs(small), "mpmath") for one in (flow, near)]
    for low, high in ((1.0, 2.0), (-2.0, -1.0)):
        rises = [float(one(0.0, high) - one(0.0, low)) for one in left]
        assert rises[0] == pytest.approx(rises[1], rel=1e-4)
    right = [float(psi(one).subs(small).subs(ALPHA, -2)) for one in (flow, near)]
    assert right[0] == pytest.approx(right[1], rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_libraries_compute_the_same(kind: Parametrisation) -> None:
    """numpy, math, mpmath and SymPy agree on velocities."""
    flow = Circuits(kind, Data(3, 2, 4, 2), scale=0.75)
    rates = velocity(flow)
    at: dict[Any, float] = {ALPHA: -0.75, BETA: 0.5}
    exact = [float(rate.subs(at)) for rate in rates]
    assert lambdified(rates, "math")(-0.75, 0.5) == pytest.approx(exact, rel=1e-14)
    assert [float(one) for one in lambdified(rates, "mpmath")(-0.75, 0.5)] == pytest.approx(exact)
    arrays = lambdified(rates)(np.array([-0.75, 1.0]), np.array([0.5, 1.0]))
    assert [one[0] for one in arrays] == pytest.approx(exact, rel=1e-14)


def test_torch_tensors_pass_and_differentiate() -> None:
    """The velocity of torch tensors is minus the rate times the gradient that torch computes."""
    torch = pytest.importorskip("torch")
    flow = Circuits(Parametrisation.CACO, Data(3, 2, 4, 2))
    point = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (0.5, 0.25)]
    level: Any = lambdified(loss(flow), "torch")(*point)
    level.backward()
    slopes = [one.grad for one in point]
    rates = lambdified(velocity(flow), "torch")(*point)
    for rate, slope, mu in zip(rates, slopes, (flow.mu_ov, flow.mu_qk), strict=True):
        assert rate.item() == pytest.approx(-float(mu) * slope.item(), rel=1e-12)


def test_what_cannot_be_lambdified_is_said() -> None:
    """Unknown libraries, symbols and functions are named, with the way out."""
    flow = Circuits(Parametrisation.FACO, Data())
    small = Circuits(Parametrisation.FACO, Data(3, 1, 4, 1))
    cases: list[tuple[Callable[[], object], str]] = [
        (
            lambda: lambdified(loss(small), "jax"),
            "backend is 'jax'; give one of numpy, torch, math, mpmath",
        ),
        (lambda: lambdified(loss(flow)), "the expression depends on K, M, r; give numbers"),
        (
            lambda: lambdified(phi(small)),
            "numpy has no exponential integral and no Lambert W; say backend = 'mpmath'",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ParameterError) as caught:
            call()
        assert str(caught.value) == message
