"""Whole models against the two equations: flow, descent, schedules, balancedness, training."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from attnproof.numeric.circuit_training import TrainReport, train_like
from attnproof.numeric.circuits import AttentionCircuits
from attnproof.numeric.descent import Descent, descend
from attnproof.numeric.step_error import ALLOWED, apart, orders, richardson
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.orbit import Orbit
from tests.numeric.circuit_cases import KINDS, SETTINGS, circuits, start
from tests.numeric.flows import full_flow, most_apart, off_the_line, pairs, reduced_flow


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("kind", "uneven"),
    [*((kind, False) for kind in KINDS), *((kind, True) for kind in KINDS[1:])],
)
def test_the_full_flow_is_the_reduced_flow(
    kind: Parametrisation, setting: str, uneven: bool
) -> None:
    """To 1e-10, on the manifold, along the line; against both equations and the closed form."""
    asked, begin, times = circuits(kind, setting, uneven=uneven), start(kind), [3.0, 10.0]
    full = full_flow(asked, begin, times, seed=1)
    assert most_apart(full, reduced_flow(asked, begin, times)) < 1e-10
    assert most_apart(full, pairs(map(Orbit(asked, *begin).at_time, times))) < 1e-10
    assert max(each.residual for each in full) < 1e-12
    assert off_the_line(asked, begin, full) < 1e-10
    assert full[-1].alpha > begin[0] + 0.1


def test_a_wrong_equation_is_seen() -> None:
    """A score scale forgotten, or imbalance left out, is another flow."""
    asked = circuits(Parametrisation.FAFO, "queries", uneven=True)
    full = full_flow(asked, (0.2, 0.2), [5.0])
    for wrong in (replace(asked, scale=1), replace(asked, imbalance_ov=0)):
        assert most_apart(full, reduced_flow(wrong, (0.2, 0.2), [5.0])) > 1e-4


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
    asked = circuits(kind, "distinct")
    full = full_flow(asked, begin, [20.0])
    assert most_apart(full, reduced_flow(asked, begin, [20.0])) < 1e-10
    assert most_apart(full, pairs([Orbit(asked, *begin).at_time(20.0)])) < 1e-10
    assert {getattr(each, still) for each in full} == {0.0}
    assert math.isnan(off_the_line(asked, begin, full)) == (kind is Parametrisation.FACO)


def test_descent_rests_where_the_flow_rests() -> None:
    """FAFO from zero: no step moves it, and training says so."""
    asked = circuits(Parametrisation.FAFO)
    end = descend(AttentionCircuits(asked).on_manifold(0.0, 0.0), Descent(1.0), steps=4).last
    assert (end.alpha, end.beta, end.residual) == (0.0, 0.0, 0.0)
    assert train_like(asked, 0.0, 0.0, time=4.0, steps=2).agrees


@pytest.mark.parametrize("kind", KINDS)
def test_beta_falls_and_comes_back_from_a_negative_alpha(kind: Parametrisation) -> None:
    """The flow from α < 0, where a formula with |α| has another branch."""
    asked, begin, times = circuits(kind, uneven=kind.factorised_value), (-0.4, 0.3), [4.0, 8.0]
    full = full_flow(asked, begin, times)
    assert most_apart(full, reduced_flow(asked, begin, times)) < 1e-10
    assert most_apart(full, pairs(map(Orbit(asked, *begin).at_time, times))) < 1e-10
    assert full[0].beta < 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_descent_errs_as_it_should(kind: Parametrisation) -> None:
    """Order 1, an estimate that holds, Richardson of order 2, and the manifold kept exactly."""
    asked, time = circuits(kind, uneven=True), 6.0
    runs = [
        descend(
            AttentionCircuits(asked).on_manifold(*start(kind)), Descent(time / count), steps=count
        ).last
        for count in (30, 60, 120)
    ]
    ends = [(run.alpha, run.beta) for run in runs]
    [flow] = reduced_flow(asked, start(kind), [time])
    errors = [apart(end, flow) for end in ends]
    extrapolated = [apart(richardson(a, b), flow) for a, b in pairwise(ends)]
    assert errors[0] > 1e-4
    assert errors[1] <= ALLOWED * 2 * apart(*ends[1:])
    assert orders(errors)[-1] == pytest.approx(1, abs=0.1)
    assert orders(extrapolated)[0] == pytest.approx(2, abs=0.15)
    assert extrapolated[-1] <= 0.2 * errors[-1]
    assert max(run.residual for run in runs) < 1e-13


@pytest.mark.parametrize("kind", KINDS)
def test_schedules(kind: Parametrisation) -> None:
    """One for both rates is another clock, one for η_QK bends the line."""
    asked, begin, times = circuits(kind, "distinct"), start(kind), [3.0, 6.0]
    clocked = full_flow(asked, begin, [math.log1p(time) for time in times])
    common = full_flow(asked, begin, times, factors=lambda t: (1 / (1 + t), 1 / (1 + t)))
    assert most_apart(common, pairs(clocked)) < 1e-10
    assert off_the_line(asked, begin, common) < 1e-10
    bent = full_flow(asked, begin, times, factors=lambda t: (1 / (1 + t), 1.0))
    reduced = reduced_flow(asked, begin, times, factors=lambda t: (1 / (1 + t), 1.0))
    assert most_apart(bent, reduced) < 1e-10
    assert off_the_line(asked, begin, bent) > 1e-2


@pytest.mark.parametrize("kind", KINDS[1:])
@torch.no_grad()
def test_balancedness_changes_by_the_square_of_the_step(kind: Parametrisation) -> None:
    """From anywhere, for W = A B and gradient G in W, a step changes AᵀA - BBᵀ by exactly
    h² η² (B GᵀG Bᵀ - Aᵀ G Gᵀ A)."""
    asked = circuits(kind, "queries")
    model = AttentionCircuits(asked, seed=5).at_random(0.5)
    one = AttentionCircuits(
        replace(asked, parametrisation=Parametrisation.CACO), population=model.population
    ).put({"qk": model.w_qk, "ov": model.w_ov})
    with torch.enable_grad():
        _, whole = one.gradients()
        _, found = model.gradients()
    parameters = dict(model.named_parameters())
    for name, left, right in (("qk", "key", "query"), ("ov", "output", "value")):
        if left not in parameters:
            continue
        for step in (0.5, 1.0):
            rate = step * model.rates[left]
            a, b = parameters[left].detach(), parameters[right].detach()
            a1, b1 = a - rate * found[left], b - rate * found[right]
            if name == "qk":
                a, a1 = a.T, a1.T
            change = a1.T @ a1 - b1 @ b1.T - (a.T @ a - b @ b.T)
            g = whole[name]
            identity = rate**2 * (b @ g.T @ g @ b.T - a.T @ g @ g.T @ a)
            assert change.norm() > 1e-5
            assert (change - identity).norm() <= 1e-12 * (1 + change.norm())


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
    fast = Circuits(Parametrisation.FAFO, Data(3, 1, 4, 1), eta_ov=1e90, eta_qk=1e90)
    with pytest.raises(InputError, match=r"descent diverges with 1 step to time 1e\+90; give a gr"):
        train_like(fast, 0.5, 0.5, time=1e90, steps=1, most_steps=4)


@pytest.mark.parametrize("kind", [Parametrisation.CACO, Parametrisation.FAFO])
def test_what_is_foreseen_is_what_happens(kind: Parametrisation) -> None:
    """The two scalars alone tell whether a model would settle: a long time is refused at once, and
    a short one is trained for."""
    asked = Circuits(kind, Data(3, 1, 4, 1))
    with pytest.raises(ParameterError, match="1000 steps are too long to tell; ask for less time"):
        train_like(asked, time=1e5, steps=50, most_steps=1000)
    assert train_like(asked, loss=0.1, steps=2, most_steps=2000).settled


def test_one_long_step_tells_nothing() -> None:
    """A step that jumps to a loss ends at one place whatever its length: that is no limit in h, and
    no disagreement with the orbit."""
    report = train_like(circuits(Parametrisation.CACO), loss=1e-6, steps=250, most_steps=1000)
    assert {run.last.steps for run in report.runs} == {1}
    assert not report.settled
    assert "does not agree" not in repr(report)


def test_a_model_that_cannot_be_made_is_told() -> None:
    """What is wrong with a width or a size is said, and not taken for a step that is too long."""
    asked = circuits(Parametrisation.CAFO, "distinct")
    with pytest.raises(ParameterError, match=r"^value_width is 1, and U has rank"):
        train_like(asked, loss=0.5, value_width=1)
    many = Circuits(Parametrisation.CACO, Data(10**5, 1, 4, 1))
    with pytest.raises(ParameterError, match=r"100000 sequences of 5 tokens .* give fewer classes"):
        train_like(many, loss=1.0)
