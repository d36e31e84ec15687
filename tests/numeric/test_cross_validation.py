"""Whole models against the two equations: flow, descent, schedules, balancedness, training."""

import math
from dataclasses import replace

import pytest

from attnproof.numeric.balance_check import check_balance
from attnproof.numeric.circuit_training import TrainReport, train_like
from attnproof.numeric.cross_validation import check_flow, reduced_flow
from attnproof.numeric.schedule_check import check_schedules
from attnproof.numeric.step_error import check_steps, orders
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from tests.numeric.circuit_cases import KINDS, SETTINGS, circuits, start


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("kind", "uneven"),
    [*((kind, False) for kind in KINDS), *((kind, True) for kind in KINDS[1:])],
)
def test_the_full_flow_is_the_reduced_flow(
    kind: Parametrisation, setting: str, uneven: bool
) -> None:
    """To 1e-10, on the manifold, along the line; against both equations and the closed form."""
    report = check_flow(circuits(kind, setting, uneven=uneven), *start(kind), [3.0, 10.0], seed=1)
    assert report.agrees
    assert report.difference < 1e-10
    assert report.closed_difference is not None
    assert report.closed_difference < 1e-10
    assert report.residual < 1e-12
    assert report.line < 1e-10
    assert report.rows[-1].alpha > report.rows[0].alpha + 0.1
    assert repr(report).startswith(f"{kind.value} on Data(K=")
    assert "full and reduced flow agree" in repr(report)


def test_a_wrong_equation_is_seen() -> None:
    """A score scale forgotten, or imbalance left out: the report does not agree."""
    asked = circuits(Parametrisation.FAFO, "queries", uneven=True)
    report = check_flow(asked, 0.2, 0.2, [5.0])
    for wrong in (replace(asked, scale=1), replace(asked, imbalance_ov=0)):
        [pair] = reduced_flow(wrong, 0.2, 0.2, [5.0])
        false = replace(report, rows=(report.rows[0], replace(report.rows[1], reduced=pair)))
        assert not false.agrees
        assert "differ" in repr(false)
    off = replace(report, rows=(report.rows[0], replace(report.rows[1], residual=1e-6)))
    assert not off.agrees


@pytest.mark.parametrize(
    ("kind", "begin", "still"),
    [
        (Parametrisation.FACO, (0.0, 0.0), "beta"),
        (Parametrisation.CAFO, (0.0, 0.4), "alpha"),
    ],
)
def test_a_product_at_zero_rests(
    kind: Parametrisation, begin: tuple[float, float], still: str
) -> None:
    """Balanced factors at zero are a saddle, in the model and in the equations."""
    report = check_flow(circuits(kind, "distinct"), *begin, [20.0])
    assert report.agrees
    assert {getattr(row, still) for row in report.rows} == {0.0}
    assert math.isnan(report.line) == (kind is Parametrisation.FACO)


def test_descent_rests_where_the_flow_rests() -> None:
    """FAFO from zero: no step moves it, and training says so."""
    asked = circuits(Parametrisation.FAFO)
    assert check_steps(asked, 0.0, 0.0, 4.0, [2, 4]).agrees
    assert train_like(asked, 0.0, 0.0, time=4.0, steps=2).agrees


@pytest.mark.parametrize("kind", KINDS)
def test_beta_falls_and_comes_back_from_a_negative_alpha(kind: Parametrisation) -> None:
    """The flow from α < 0, where a formula with |α| has another branch."""
    report = check_flow(circuits(kind, uneven=kind.factorised_value), -0.4, 0.3, [4.0, 8.0])
    assert report.agrees
    assert report.rows[1].beta < 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_descent_errs_as_it_should(kind: Parametrisation) -> None:
    """Order 1, an estimate that holds, Richardson of order 2, and the manifold kept exactly."""
    report = check_steps(circuits(kind, uneven=True), *start(kind), 6.0, [30, 60, 120])
    assert report.agrees
    assert orders(report.extrapolated)[0] == pytest.approx(2, abs=0.15)
    assert report.errors[0] > 1e-4
    assert report.residual < 1e-13
    for false in (
        replace(report, flow=(report.flow[0] + 2 * report.errors[-1], report.flow[1])),
        replace(report, residual=1e-3),
        replace(report, values=(*report.values[:2], report.values[1])),
    ):
        assert not false.agrees
    assert repr(report).splitlines()[1].split() == ["h", "error", "estimate", "Richardson"]
    assert len(repr(report).splitlines()) == 6


@pytest.mark.parametrize("kind", KINDS)
def test_schedules(kind: Parametrisation) -> None:
    """One for both rates is another clock, one for η_QK bends the line."""
    report = check_schedules(circuits(kind, "distinct"), *start(kind), 6.0, parts=2)
    assert report.agrees
    assert max(report.clock, report.common_line, report.ratio_difference) < 1e-10
    assert report.ratio_line > 1e-2
    assert not replace(report, ratio_line=0.0).agrees
    assert not replace(report, clock=1e-3).agrees


@pytest.mark.parametrize("kind", KINDS[1:])
def test_balancedness_changes_by_the_square_of_the_step(kind: Parametrisation) -> None:
    """By the exact identity, anywhere; twice the step, four times the change."""
    asked = circuits(kind, "queries")
    report, twice = (check_balance(asked, step=step, seed=5) for step in (0.5, 1.0))
    assert report.agrees
    assert list(report.changes) == [
        name
        for name, product in (("QK", kind.factorised_attention), ("OV", kind.factorised_value))
        if product
    ]
    for name, change in report.changes.items():
        assert change > 1e-5
        assert twice.changes[name] == pytest.approx(4 * change, rel=1e-9)
    assert not replace(report, errors=report.changes).agrees


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("loss", "time"), [(0.6, None), (None, 12.0)], ids=["loss", "time"])
def test_training_ends_on_the_orbit(
    kind: Parametrisation, loss: float | None, time: float | None
) -> None:
    """Up to the error of the step, which the trainings tell without the orbit."""
    asked = circuits(kind, "distinct", uneven=True)
    report = train_like(asked, *start(kind), loss=loss, time=time, steps=30)
    assert report.agrees
    assert report.estimate > 1e-5
    if loss is not None:
        assert report.runs[2].last.loss == pytest.approx(0.6, abs=1e-12)
    shifted = replace(report.orbit, alpha=report.orbit.alpha + 2 * report.estimate)
    assert not replace(report, orbit=shifted).agrees
    assert "does not agree" in repr(replace(report, orbit=shifted))


def test_the_step_is_halved_until_both_ends_are_near() -> None:
    """From a step that is far too long, up to the accuracy or to the most steps."""
    asked = circuits(Parametrisation.CAFO, "distinct")
    report = train_like(asked, loss=0.05, steps=4, accuracy=1e-3)
    assert report.agrees
    assert [run.how.step for run in report.runs] == [
        factor * report.runs[2].how.step for factor in (4, 2, 1)
    ]
    _, (near, _), (end, _) = report.ends
    assert abs(near - end) <= 1e-3 * (1 + end)
    assert report.order == pytest.approx(1, abs=0.2)
    short = train_like(asked, loss=0.05, steps=4, most_steps=16, accuracy=1e-6)
    assert not short.agrees
    assert "took too long a step to tell" in repr(short)


def test_a_report_of_training() -> None:
    """Goal, both steps, the extrapolated end, the orbit and the estimate."""
    five = Circuits(Parametrisation.CACO, Data(5, 1, 15, 1), eta_qk=0.15)
    report = train_like(five, time=100.0, steps=50)
    assert isinstance(report, TrainReport)
    lines = repr(report).splitlines()
    assert lines[0] == (
        "CACO on Data(K=5, r=1, M=15, Q=1) trained to time 100: agrees with the orbit"
    )
    assert [line.split()[0] for line in lines[2:6]] == ["h", "h", "h", "extrapolated"]
    assert lines[6].split()[:2] == ["orbit", f"{report.orbit.alpha:.8f}"]
    assert "; estimated error of h = 1: " in lines[7]


def test_messages() -> None:
    """What was given, what is needed."""
    asked = circuits(Parametrisation.CACO)
    with pytest.raises(ParameterError, match="loss is None and time is None; give one of them"):
        train_like(asked)
    with pytest.raises(ParameterError, match=r"loss is 0.5 and time is 1.0; give one of them"):
        train_like(asked, loss=0.5, time=1.0)
    with pytest.raises(ParameterError, match="steps is 0 and most_steps 10; give 1 or more steps"):
        train_like(asked, loss=0.5, steps=0, most_steps=10)
    with pytest.raises(ParameterError, match="the orbit takes time 0, and training takes"):
        train_like(asked, time=0.0)
    with pytest.raises(
        ParameterError, match=r"the numbers of steps are \[10, 30\]; give two or mor"
    ):
        check_steps(asked, 0.0, 0.0, 1.0, [10, 30])
    fast = Circuits(Parametrisation.FAFO, Data(3, 1, 4, 1), eta_ov=1e90, eta_qk=1e90)
    with pytest.raises(
        InputError, match=r"descent diverges with 1 steps to time 1e\+90; give a gr"
    ):
        train_like(fast, 0.5, 0.5, time=1e90, steps=1, most_steps=4)


def test_a_model_that_cannot_be_made_is_told() -> None:
    """What is wrong with a width or a size is said, and not taken for a step that is too long."""
    asked = circuits(Parametrisation.CAFO, "distinct")
    with pytest.raises(ParameterError, match=r"^value_width is 1, and U has rank"):
        train_like(asked, loss=0.5, value_width=1)
    many = Circuits(Parametrisation.CACO, Data(10**5, 1, 4, 1))
    with pytest.raises(ParameterError, match=r"100000 sequences of 5 tokens .* give fewer classes"):
        train_like(many, loss=1.0)
