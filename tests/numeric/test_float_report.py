"""The report on a net in floats: what is measured, and what a format can hold."""

import random
import warnings
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnproof as ap
from attnproof.numeric.float_report import most, report
from attnproof.numeric.interpolant import Interpolant
from attnproof.symbolic.interpolation.balance import balanced
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.net import Block, Net, Neuron
from attnproof.symbolic.interpolation.spread import Spread, spread

ONE = Fraction(1)
SEEDS = st.integers(0, 10**6)


def integers(seed: int) -> Data:
    """One to three sequences of integer tokens in the plane."""
    rng = random.Random(seed)
    plane = [(i, i * i % 7) for i in range(-9, 10)]
    pairs = []
    for start in range(rng.randint(1, 3)):
        chosen = [plane[start], *rng.sample(plane[3:], rng.randint(0, 4))]
        pairs.append((chosen, rng.sample(plane, rng.randint(1, len(chosen)))))
    return read(pairs)


@given(SEEDS, st.sampled_from([torch.float32, torch.float64]))
def test_stable_nets_that_fit_have_no_error(seed: int, dtype: torch.dtype) -> None:
    """Integers and moves of one target: what the format holds comes out with no bit wrong."""
    made = build(integers(seed), stable=True, moves=1)
    found = report(
        Interpolant(made.net, dtype=dtype), made.data, spread(made.net, made.data, made.margin)
    )
    assert found.fits
    assert found.error == 0


@given(SEEDS, st.sampled_from([Mode.UNIFORM, Mode.LEADER, Mode.PHASED]), st.booleans())
def test_the_spread_belongs_to_the_function(seed: int, mode: Mode, robust: bool) -> None:
    """Both numbers are positive, no input stands beyond T_max, and balancing changes neither."""
    made = build(integers(seed), mode, robust=robust)
    found = spread(made.net, made.data, made.margin)
    assert found.largest >= max(map(max, made.line.positions))
    assert found.gap > 0
    assert spread(balanced(made.net).net, made.data, made.margin) == found


def test_the_error_is_the_distance_of_sets() -> None:
    """A net that is wrong by 1/4 in one coordinate, and one that misses a target."""
    wrong = Net(1, (Block(Fraction(0), (Neuron((ONE,), Fraction(1, 4), (ONE,)),)),))
    at = Spread(ONE, ONE)
    data = read([([(1,), (3,)], [(1,), (3,)])])
    assert report(Interpolant(wrong), data, at).error == 0.25
    constant = Net(1, (Block(Fraction(0), (Neuron((0 * ONE,), ONE, (ONE,)),)),))
    assert report(Interpolant(constant), data, at).error == 2
    endless = Net(1, (Block(Fraction(10) ** 30),) * 2)
    low = Interpolant(endless, dtype=torch.float32)
    assert report(low, data, at).error == float("inf")


def test_what_formats_hold() -> None:
    """A quarter of 2 to the number of bits, of which one is not stored."""
    assert [most(one) for one in (torch.float64, torch.float32, torch.float16, torch.bfloat16)] == [
        2**51, 2**22, 2**9, 2**6,
    ]  # fmt: skip


def test_a_format_that_is_too_short_is_warned_of() -> None:
    """Tokens far and near: the warning says how much float32 holds and what to do."""
    net = ap.interpolate([([(0, 0), (Fraction(1, 10**7), 0), (1, 0)], [(1, 1), (2, 2)])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.to_torch()
    with pytest.warns(
        UserWarning, match=r"float32 holds T_max / gap up to 4\.19e\+06 and it is .*use a longer"
    ):
        net.to_torch(dtype=torch.float32)
    found = net.float_report(dtype=torch.float32)
    assert not found.fits
    assert ", not below 4.19e+06" in repr(found)
    assert net.float_report().fits


@pytest.mark.parametrize(
    "options",
    [
        {"mask": "causal", "robust": True},
        {"heads": 1, "robust": True},
        {"mode": "softmax1", "tau": 1},
        {"mode": "leader", "robust": True, "balance": True},
    ],
)
def test_every_kind_of_net_has_a_report(options: dict[str, Any]) -> None:
    """Near the exact outputs, within what float64 holds."""
    pairs = [([(0, 0), (3, 1)], [(1, 4)]), ([(3, 1), (5, 2)], [(3, 3), (1, 4)])]
    found = ap.interpolate(pairs, **options).float_report()
    assert found.fits
    assert found.error < 1e-9
    assert repr(found).startswith("FloatReport: float64, error ")
