"""Laws of the diagnosis of regularised training."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation.tikhonov import Diagnosis, Finding, Run, diagnose

EPSILONS = [10.0**-k for k in range(1, 8)]
SEEDS = st.integers(0, 10**6)


def ridge(epsilon: float) -> Run:
    """The global minimiser of ``(x + y - 1)^2 + e (x^2 + y^2)``, in closed form."""
    x = 1 / (2 + epsilon)
    return Run(epsilon, (2 * x - 1) ** 2, 2 * x * x)


def double_well(epsilon: float) -> Run:
    """The local minimiser near -0.8 of ``(t^2 - 1)^2 + 0.15 (t - 1)^2 + e t^2``, by Newton."""
    t = -1.0
    for _ in range(50):
        first = 4 * t * (t * t - 1) + 0.3 * (t - 1) + 2 * epsilon * t
        t -= first / (12 * t * t - 4 + 0.3 + 2 * epsilon)
    return Run(epsilon, (t * t - 1) ** 2 + 0.15 * (t - 1) ** 2, t * t)


def chosen(seed: int) -> list[Run]:
    """The best of some points for each epsilon: global minimisers of a problem on finitely many."""
    rng = random.Random(seed)
    points = [(rng.choice((0.0, rng.random())), 10 * rng.random()) for _ in range(8)]
    return [
        Run(epsilon, *min(points, key=lambda point: point[0] + epsilon * point[1]))
        for epsilon in EPSILONS
    ]


@given(SEEDS)
def test_global_minimisers_are_never_accused(seed: int) -> None:
    """Of points that are global by definition, no test says that they are not."""
    found = diagnose(chosen(seed))
    assert (found.witness, found.crossed, found.rising, found.falling) == ((), (), (), ())
    assert found.finding is not Finding.NOT_GLOBAL


@given(SEEDS)
def test_a_table_that_is_not_monotone_is_crossed(seed: int) -> None:
    """Neighbours with a rising loss or a falling norm: one of the two is not global."""
    rng = random.Random(seed)
    found = diagnose([(epsilon, rng.random(), rng.random()) for epsilon in EPSILONS[:4]])
    for a, b in {*found.rising, *found.falling}:
        assert (a, b) in found.crossed or (b, a) in found.crossed


@given(SEEDS)
def test_what_is_crossed_is_no_minimum(seed: int) -> None:
    """Each pair names a point of the table whose objective is lower."""
    rng = random.Random(seed)
    runs = {epsilon: Run(epsilon, rng.random(), rng.random()) for epsilon in EPSILONS[:4]}
    for a, b in diagnose(runs.values()).crossed:
        assert runs[b].loss + a * runs[b].norm < runs[a].loss + a * runs[a].norm


def test_ridge_regression_is_consistent() -> None:
    """The closed form has slope 2: "linear" bounds the loss from above."""
    found = diagnose(map(ridge, EPSILONS), interpolant=0.5)
    assert found.finding is Finding.CONSISTENT
    assert found.slope == pytest.approx(1.98, abs=0.02)


def test_a_stuck_run_is_shown_by_the_interpolant_alone() -> None:
    """Every point of the wrong well is a minimum of its own; only t = 1, of loss 0, tells."""
    stuck = list(map(double_well, EPSILONS))
    assert diagnose(stuck).finding is Finding.SUSPICIOUS
    found = diagnose(stuck, interpolant=1.0)
    assert found.finding is Finding.NOT_GLOBAL
    assert found.witness == tuple(sorted(EPSILONS))
    assert abs(found.slope or 0) < 0.01


def test_the_cross_test_sees_what_the_slope_does_not() -> None:
    """Slope 1, and yet the point found at 0.001 is better at 0.01."""
    runs = [(0.1, 0.05, 1.0), (0.01, 0.005, 2.0), (0.001, 0.0005, 2.1)]
    found = diagnose(runs)
    assert found.slope is not None
    assert found.slope > 0.85
    assert found.crossed == ((0.01, 0.001),)
    assert found.finding is Finding.NOT_GLOBAL


def test_an_exact_penalty_has_no_slope() -> None:
    """Loss 0 from some epsilon on: nothing to fit, nothing to say against it."""
    found = diagnose([(epsilon, 0.0, 1.0) for epsilon in EPSILONS], interpolant=1.0)
    assert found == Diagnosis(Finding.CONSISTENT, None, (), (), (), ())
    assert repr(found) == "Diagnosis: consistent, no slope, 0 points not global"


def test_equality_up_to_rounding_accuses_nobody() -> None:
    """The interpolant itself, with the last digit of its loss wrong, is not accused."""
    assert diagnose([(0.1, 1e-17, 1.0)], interpolant=1.0).witness == ()
    assert diagnose([(0.1, 1e-5, 1.0)], interpolant=1.0).witness == (0.1,)
    assert diagnose([(0.1, 1e-5, 1.0)], interpolant=1.0, tolerance=1e-3).witness == ()


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([], "there is no run; give at least one"),
        ([(0.0, 1.0, 1.0)], "an epsilon of 0 was given; epsilons are above 0"),
        ([(0.1, -1.0, 1.0)], "-1.0 was given"),
        ([(0.1, float("nan"), 1.0)], "nan was given"),
        ([(0.1, 1.0)], "is no run; give epsilon, loss and the sum"),
        ([(0.1, 1.0, 1.0), (0.1, 1.0, 2.0)], "epsilon 0.1 stands twice; give one run for each"),
    ],
)
def test_bad_tables_say_what_is_wrong(runs: list[tuple[float, ...]], said: str) -> None:
    """Each message names what was given and what is needed."""
    with pytest.raises(InputError, match=said):
        diagnose(runs)
