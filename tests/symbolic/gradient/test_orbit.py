"""Orbits in floats against tables, against 50 digits, against small steps, and their laws."""

import json
from math import exp, inf, log
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation, exact
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.ode import lambdified, velocity
from attnproof.symbolic.gradient.orbit import Orbit
from tests.symbolic.gradient.reference_orbit import DIGITS, Reference, marched

VALUES: dict[str, Any] = json.loads(Path(__file__).with_name("flow_values.json").read_text())
KINDS = [one.value for one in Parametrisation]
SMALL = Data(3, 1, 4, 1)


def flow(kind: str, data: Data = SMALL, *, qk: float = 0, ov: float = 0, **rates: Any) -> Circuits:
    """Circuits with an imbalance only where there is a product."""
    one = Parametrisation(kind)
    uneven = {
        "imbalance_qk": qk if one.factorised_attention else 0,
        "imbalance_ov": ov if one.factorised_value else 0,
    }
    return Circuits(one, data, **uneven, **rates)


@pytest.mark.parametrize("row", VALUES["at_loss"], ids=lambda row: f"{row['kind']}-{row['rho']}")
def test_attention_at_a_loss_is_the_tabulated_one(row: dict[str, Any]) -> None:
    """From the default starts, attention and scalars at loss 1e-3 are those of the table."""
    circuits = flow(row["kind"], Data(*row["data"]), eta_qk=row["rho"], scale=row["scale"])
    at = Orbit(circuits, beta0=row["beta0"]).at_loss(row["loss"])
    assert at.attention == pytest.approx(row["attention"], abs=1e-12)
    assert at.loss == pytest.approx(row["loss"], rel=1e-12)
    if "alpha" in row:
        assert (at.alpha, at.beta) == pytest.approx((row["alpha"], row["beta"]), rel=1e-11)


@pytest.mark.parametrize(
    "row", VALUES["at_time"], ids=lambda row: f"{row['kind']}-{row['data'][0]}"
)
def test_the_state_at_a_time_is_the_tabulated_one(row: dict[str, Any]) -> None:
    """At times 1, 10, 100, 1000 the scalars are those of an integration of the equations."""
    kind = Parametrisation(row["kind"])
    orbit = Orbit(
        flow(row["kind"], Data(*row["data"]), eta_qk=row["eta_qk"]),
        row["start"] * kind.factorised_value,
        row["start"] * kind.factorised_attention,
    )
    for time, alpha, beta in zip(row["times"], row["alpha"], row["beta"], strict=True):
        at = orbit.at_time(time)
        assert (at.alpha, at.beta) == pytest.approx((alpha, beta), rel=1e-10, abs=1e-11)
        assert orbit.at_alpha(at.alpha).time == pytest.approx(time, rel=1e-12)


@pytest.mark.parametrize("row", VALUES["late"], ids=lambda row: f"{row['kind']}-{row['log_time']}")
def test_times_far_beyond_floats_are_ordinary(row: dict[str, Any]) -> None:
    """At log t = 1000 and 3000 the odds are those of the table."""
    kind = Parametrisation(row["kind"])
    orbit = Orbit(
        flow(row["kind"], Data(*row["data"])),
        row["start"] * kind.factorised_value,
        row["start"] * kind.factorised_attention,
    )
    at = orbit.at_log_time(row["log_time"])
    assert at.odds == pytest.approx(row["odds"], rel=1e-10)
    assert at.beta == pytest.approx(row["beta"], rel=1e-10)
    assert at.time == inf
    assert at.log_loss == pytest.approx(log(2) - at.margin, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_odds_grow_with_the_ratio_as_tabulated(kind: str) -> None:
    """For ratios 1e3 to 1e6 the odds at loss 1e-3 are those of the table, and y/R levels off."""
    one = Parametrisation(kind)
    start = 0.01 * one.factorised_value, 0.01 * one.factorised_attention
    rows = VALUES["large_ratio"][kind]
    states = [
        Orbit(flow(kind, eta_qk=ratio), *start).at_loss(1e-3) for ratio in (1e3, 1e4, 1e5, 1e6)
    ]
    for at, row in zip(states, rows, strict=True):
        assert at.odds == pytest.approx(row["odds"], rel=1e-9)
    at = states[-1]
    limit = {"CACO": at.margin**2 / 2, "CAFO": (at.margin - 0.01) / 2}
    if kind in limit:
        assert at.odds / rows[-1]["slope"] == pytest.approx(limit[kind], rel=1e-5)


FINE: list[tuple[str, tuple[int, int, int, int], Any, Any, tuple[Any, Any]]] = [
    ("CACO", (5, 1, 15, 1), 0, 0, (0, 0)),
    ("FACO", (3, 2, 4, 3), "0.125", "0.0625", (0, 0)),
    ("CAFO", (4, 2, 5, 5), "0.03125", 0, (0, 0)),
    ("FAFO", (3, 1, 4, 1), "0.0625", "0.0625", (0, 0)),
    ("FAFO", (3, 1, 4, 2), "0.0625", "0.015625", ("0.25", "-0.125")),
    ("FACO", (3, 1, 4, 2), 0, "0.015625", (2, 0)),
]


@pytest.mark.parametrize("case", FINE, ids=lambda case: f"{case[0]}-{case[4][0]}")
def test_fifty_digits_agree(case: tuple[str, Any, Any, Any, tuple[Any, Any]]) -> None:
    """At loss 0.01, β and the time are those of a computation along β with 50 digits."""
    kind, data, alpha0, beta0, uneven = case
    circuits = flow(kind, Data(*data), qk=float(uneven[0]), ov=float(uneven[1]), eta_qk=0.5)
    at = Orbit(circuits, float(alpha0), float(beta0)).at_loss(0.01)
    with mpmath.workdps(DIGITS):
        fine = Reference(kind, data, alpha0=alpha0, beta0=beta0, eta_qk="0.5", imbalances=uneven)
        beta = fine.beta_at_loss(mpmath.mpf(0.01), at.beta)
        assert float(beta - at.beta) == pytest.approx(0, abs=1e-13)
        assert float(fine.alpha(beta) - at.alpha) == pytest.approx(0, abs=1e-12)
        if uneven == (0, 0):
            assert float(fine.time(beta) / at.time) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "alpha0", "beta0", "qk", "ov"),
    [
        ("CACO", -0.3, 0.1, 0, 0),
        ("CACO", 0.2, -3, 0, 0),
        ("FACO", -0.3, 0.1, 0, 0),
        ("FACO", -0.3, -0.1, 0, 0),
        ("FACO", 0.3, -3, 0, 0),
        ("CAFO", -0.3, 0.1, 0, 0),
        ("CAFO", -0.3, 0.1, 0, 0.5),
        ("CAFO", -0.3, 0.1, 0, -0.5),
        ("FAFO", -0.5, 0.3, 0, 0),
        ("FAFO", -0.5, -0.3, 0, 0),
        ("FAFO", 0.5, -0.3, 0, 0),
        ("FAFO", 0.1, 0.0, 0, 0),
        ("FACO", -0.5, -0.1, 0.2, 0),
        ("FAFO", -0.1, -0.1, 30, 0.3),
        ("FAFO", 0.1, 0.1, -1, -0.3),
    ],
)
def test_every_sign_of_the_start(
    kind: str, alpha0: float, beta0: float, qk: float, ov: float
) -> None:
    """For α, β, λ of all signs the state at t = 6 is that of many small steps."""
    circuits = flow(kind, Data(3, 2, 4, 2), qk=qk, ov=ov, scale=0.75, eta_qk=0.5)
    expected = marched(lambdified(velocity(circuits), "math"), alpha0, beta0, 6.0, 1500)
    at = Orbit(circuits, alpha0, beta0).at_time(6.0)
    assert (at.alpha, at.beta) == pytest.approx(expected, abs=1e-9)


def test_beta_dips_and_returns() -> None:
    """From α < 0, β is least at α = 0 and back at its start at -α; log β may fall below 1e-308."""
    orbit = Orbit(flow("CACO"), -0.3, 0.25)
    assert orbit.at_alpha(0).beta < orbit.at_alpha(-0.1).beta < 0.25
    assert orbit.at_alpha(0.3).beta == pytest.approx(0.25, abs=1e-15)
    deep = Orbit(flow("FACO"), -50, 0.125)
    assert deep.at_alpha(0).beta == 0
    assert deep.at_alpha(50).beta == pytest.approx(0.125, rel=1e-11)


@pytest.mark.parametrize("kind", ["CAFO", "FAFO"])
def test_a_balanced_product_below_zero_tends_to_zero(kind: str) -> None:
    """α rises to 0 from below and never crosses, however late; the loss tends to log K."""
    orbit = Orbit(flow(kind), -0.5, 0.25)
    late = [orbit.at_time(time).alpha for time in (1, 10, 100)]
    assert -0.5 < late[0] < late[1] < late[2] < 0
    assert orbit.at_time(1e300).alpha == 0
    assert orbit.at_time(1e300).loss == pytest.approx(log(3), abs=1e-15)
    assert orbit.at_loss(log(3) + 1e-3).alpha < 0


def test_products_rest_at_zero() -> None:
    """α = 0 rests for ever where W_OV is a balanced product, and β = 0 where W_QK is one."""
    still = Orbit(flow("FAFO"), 0, 0.5)
    assert still.rests
    assert (still.at_time(1e9).alpha, still.at_time(1e9).beta) == (0, 0.5)
    uniform = Orbit(flow("FACO"), beta0=0).at_loss(1e-6)
    assert uniform.beta == 0
    assert uniform.attention == pytest.approx(0.2)
    assert uniform.margin == pytest.approx(0.2 * uniform.alpha)


def test_an_unbalanced_product_crosses_zero() -> None:
    """With an imbalance, however small, α crosses 0 and every loss is reached."""
    assert Orbit(flow("CAFO", ov=1e-6), -0.3).at_loss(1e-3).alpha > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_way(kind: str) -> None:
    """Losses down to the least float, margins of 1e5 and log t = 1e12 have states."""
    orbit = Orbit(flow(kind))
    least = orbit.at_loss(5e-324)
    assert least.margin == pytest.approx(log(2) + 744.4400719213812, rel=1e-12)
    assert orbit.at_margin(1e5).log_loss == pytest.approx(log(2) - 1e5, rel=1e-14)
    assert orbit.at_log_time(1e12).alpha == pytest.approx(1e12, rel=1e-9)
    assert orbit.at_loss(orbit.start.loss) == orbit.start


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.floats(1e-3, 1e3),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.floats(1e-6, 0.5),
)
def test_the_three_questions_agree(
    kind: str, ratio: float, alpha0: float, beta0: float, loss: float
) -> None:
    """The state at a loss is the state at its time and at its α."""
    orbit = Orbit(flow(kind, eta_qk=ratio), alpha0, beta0)
    at = orbit.at_loss(loss)
    assert at.loss == pytest.approx(loss, rel=1e-11)
    assert orbit.at_alpha(at.alpha).loss == pytest.approx(loss, rel=1e-11)
    assert orbit.at_log_time(at.log_time).alpha == pytest.approx(at.alpha, rel=1e-9)
    assert at.attention == pytest.approx(at.odds / (1 + at.odds), rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(KINDS), st.floats(-3, 3), st.floats(1.1, 10), st.floats(0.1, 0.9))
def test_attention_at_a_loss_increases_with_the_ratio(
    kind: str, log_ratio: float, factor: float, level: float
) -> None:
    """At one loss, more QK rate means more attention and less α."""
    loss = exp(-8 * level)
    low = Orbit(flow(kind, eta_qk=10**log_ratio)).at_loss(loss)
    high = Orbit(flow(kind, eta_qk=factor * 10**log_ratio)).at_loss(loss)
    assert high.log_odds > low.log_odds
    assert high.alpha < low.alpha


@pytest.mark.parametrize("kind", ["CACO", "FAFO"])
def test_rates_only_set_the_clock(kind: str) -> None:
    """Both rates times 4: the same states, at a quarter of the times."""
    slow = Orbit(flow(kind)).at_loss(0.01)
    fast = Orbit(flow(kind, eta_qk=4, eta_ov=4)).at_loss(0.01)
    assert (fast.alpha, fast.beta) == pytest.approx((slow.alpha, slow.beta), rel=1e-13)
    assert fast.time == pytest.approx(slow.time / 4, rel=1e-12)


def said(call: Any) -> str:
    """The message of the error that a call raises."""
    with pytest.raises(ParameterError) as caught:
        call()
    return str(caught.value)


def test_what_is_never_reached_is_said() -> None:
    """Losses and scalars that an orbit never has, with the reason and the way out."""
    orbit = Orbit(flow("CACO"))
    below, zero = Orbit(flow("CAFO"), -0.3), Orbit(flow("CAFO"), 0)
    assert said(lambda: orbit.at_loss(2)) == (
        "loss is 2, and the orbit starts at loss 1.09861 and margin 0; the flow only lowers the "
        "loss, so ask for a lower loss"
    )
    assert said(lambda: orbit.at_loss(0)) == (
        "loss is 0.0; the cross-entropy is above 0 at all times, so give a positive number"
    )
    assert said(lambda: orbit.at_alpha(-1)) == (
        "alpha is -1.0, and the orbit starts at 0.0; the flow only raises alpha, so give more"
    )
    never = (
        "it is never reached: W_O W_V is balanced and alpha0 is -0.3, so alpha tends to 0 from "
        "below and the loss to log 3; give a positive alpha0 or an imbalance_ov"
    )
    assert said(lambda: below.at_loss(1e-3)) == f"loss is 0.001; {never}"
    assert said(lambda: below.at_alpha(0.5)) == f"alpha is 0.5; {never}"
    assert said(lambda: zero.at_loss(1e-3)) == (
        "loss is 0.001, which is never reached: alpha0 is 0 and W_O W_V is balanced, so nothing "
        "moves; give another alpha0 or an imbalance_ov"
    )


@pytest.mark.parametrize("bad", [float("nan"), inf, "1", True, None, [1], 10**400])
def test_what_is_no_finite_number_is_said(bad: Any) -> None:
    """No method takes what is not a finite number."""
    orbit = Orbit(flow("CACO"))
    for call in (orbit.at_loss, orbit.at_time, orbit.at_alpha, orbit.at_log_time, orbit.at_margin):
        assert said(lambda call=call: call(bad)).endswith("give a finite number")


@pytest.mark.parametrize("bad", [float("nan"), inf, -inf, sympy.nan, sympy.oo])
def test_constants_are_finite(bad: Any) -> None:
    """No constant, size or enclosed start is taken for 0 where it is no finite number."""
    for name in ("scale", "eta_qk", "eta_ov"):
        rates: dict[str, Any] = {name: bad}
        assert said(lambda rates=rates: flow("CACO", SMALL, **rates)) == (
            f"{name} is {bad}; give a finite number"
        )
    assert said(lambda: exact("alpha0", bad)) == f"alpha0 is {bad}; give a finite number"
    assert said(lambda: Data(classes=bad)) == f"classes is {bad}; give an integer"


def test_numbers_of_other_libraries_are_exact() -> None:
    """Floats of NumPy and SymPy are the rationals that they are, and whole ones are sizes."""
    for tenth in (0.1, np.float32(0.1), np.float64(0.1), sympy.Float(0.1)):
        assert exact("x", tenth) == sympy.Rational(float(tenth))
    data = Data(3.0, np.int64(1), np.float64(4))
    assert [size.is_Integer for size in (data.classes, data.distinct, data.common)] == [True] * 3


def test_bad_starts_and_circuits_are_said() -> None:
    """Symbols, extreme starts and negative times are errors that name them."""
    word: Any = "0"
    assert said(lambda: Orbit(flow("CACO", Data()))) == (
        "K - 1 depends on K; an orbit in floats needs numbers, as in classes=3, distinct=1, "
        "common=4, queries=1"
    )
    assert said(lambda: Orbit(flow("CACO"), 0, 1e4)) == (
        "beta0 is 10000.0; give at most 700 in size"
    )
    assert said(lambda: Orbit(flow("CACO"), word)) == "alpha0 is '0'; give a finite number"
    assert said(lambda: Orbit(flow("CACO"), 1e80)).startswith("alpha0 is 1e+80; give at most 1e+")
    assert said(lambda: Orbit(flow("CACO")).at_time(-1)) == "time is -1.0; give 0 or more"
    assert said(lambda: Orbit(flow("CACO")).at_log_time(1e200)).startswith("so far along the orbit")
