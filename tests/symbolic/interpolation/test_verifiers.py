"""The two verifiers: foreign nets, mutated weights, temperatures, and each other."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.interpolation import ball, balls, exact
from attnproof.symbolic.interpolation.build import Construction, Mode, build
from attnproof.symbolic.interpolation.data import Token, read
from attnproof.symbolic.interpolation.hard import HARD
from attnproof.symbolic.interpolation.intervals import Interval
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron, loads
from attnproof.symbolic.interpolation.temperature import temperature
from attnproof.symbolic.verdict import Verdict
from tests.interpolation import error, forward

ARITHMETICS: list[balls.Arithmetic] = [balls.Flint(), balls.Rationals()]

small = st.fractions(-3, 3, max_denominator=4)


@st.composite
def nets(draw: st.DrawFn) -> tuple[Net, tuple[Token, ...]]:
    """Nets that nobody constructed, several heads and causal ones too, with tokens."""
    d = draw(st.integers(1, 3))
    vector = st.tuples(*[small] * d)

    def matrix() -> Matrix:
        sides = draw(st.one_of(st.just(()), st.tuples(vector, vector)))
        return Matrix(draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(-1, 2)])), *sides)

    blocks = tuple(
        Block(
            draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3)])),
            tuple(
                Neuron(draw(vector), draw(small), draw(vector))
                for _ in range(draw(st.integers(0, 3)))
            ),
            draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(-2)])),
            tuple(Head(matrix(), matrix()) for _ in range(draw(st.integers(0, 2)))),
        )
        for _ in range(draw(st.integers(1, 3)))
    )
    tokens = tuple(draw(st.lists(vector, min_size=1, max_size=4)))
    return Net(d, blocks, draw(st.booleans())), tokens


@given(nets())
@settings(max_examples=30)
def test_any_net_is_run_exactly(found: tuple[Net, tuple[Token, ...]]) -> None:
    """Hardmax on integers gives what dense matrices of fractions give."""
    net, tokens = found
    assert loads(net.text) == net
    wanted = forward(json.loads(net.text), tokens)
    assert exact.forward(net, tokens) == tuple(map(tuple, wanted))


@pytest.mark.parametrize("numbers", ARITHMETICS, ids=["flint", "rationals"])
@given(found=nets(), tau=st.sampled_from([Fraction(1, 3), Fraction(2)]))
@settings(max_examples=20)
def test_what_balls_call_exact_is_so(
    numbers: balls.Arithmetic, found: tuple[Net, tuple[Token, ...]], tau: Fraction
) -> None:
    """Softmax of any net: where a coordinate is a rational, 60 digits agree with it; with all
    temperatures below, at a lower one too."""
    net, tokens = found
    for below, temperatures in ((False, [tau]), (True, [tau, tau / 7])):
        outputs = ball.forward(net, tokens, tau, below=below, numbers=numbers)
        for at in temperatures:
            with mpmath.workdps(60):
                wanted = forward(
                    json.loads(net.text), tokens, mpmath.mpf(at.numerator) / at.denominator
                )
                for token, aim in zip(outputs or (), wanted, strict=False):
                    for x, y in zip(token, aim, strict=True):
                        if x is not None:
                            scaled = mpmath.mpf(x.numerator) / x.denominator
                            assert abs(scaled - y) <= mpmath.mpf(10) ** -40 * (1 + abs(y))


def test_balls_and_intervals_agree() -> None:
    """Both kinds of enclosures call the same coordinates exact, on nets that are made for it."""
    for name in ("chain of subsets", "equal power sums", "zero, vertical"):
        made = build(read(HARD[name]), Mode.SOFTMAX1, tau=Fraction(1, 5))
        for numbers in ARITHMETICS:
            found = ball.verify(made.net, made.data, Fraction(1, 5), numbers=numbers)
            assert found.verdict is Verdict.HOLDS


def test_without_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of rationals take the place of Arb."""
    monkeypatch.setitem(__import__("sys").modules, "flint", None)
    assert isinstance(balls.arithmetic(), balls.Rationals)


@given(st.integers(-(40 << 12), 8 << 12), st.sampled_from([8, 12, 64]))
def test_the_exponential_is_enclosed(x: int, bits: int) -> None:
    """By ends that are at most three units apart where it is below 1."""
    argument = Interval(x << bits >> 12, x << bits >> 12, bits)
    try:
        found = argument.exp()
    except ZeroDivisionError:
        assert x > 0
        return
    with mpmath.workdps(60):
        value = mpmath.exp(mpmath.mpf(argument.low) / 2**bits) * 2**bits
        assert found.low <= value <= found.high
    assert x > 0 or found.high - found.low <= 3


@given(st.tuples(*[st.fractions(-9, 9, max_denominator=50)] * 2), st.sampled_from([4, 30]))
def test_intervals_hold_what_they_stand_for(pair: tuple[Fraction, Fraction], bits: int) -> None:
    """Sums, differences, products and quotients of two rationals lie in those of intervals."""
    a, b = pair
    one, other = Interval.around(a, bits), Interval.around(b, bits)
    results = [(a + b, one + other), (a - b, one - other), (a * b, one * other), (-a, -one)]
    results += [(a + b, one + b), (a - b, a - other), (a * b, one * b)]
    if other > 0:
        results.append((a / b, one / other))
    for value, held in results:
        assert held.low <= value * 2**bits <= held.high
    assert not (one > b and not a > b)
    assert not (one < b and not a < b)


def mutated(net: Net) -> Iterator[Net]:
    """Every net with 1/7 more in one weight that is not zero."""
    whole = json.loads(net.text)

    def more(value: Any, put: Any) -> Iterator[Net]:
        if isinstance(value, str):
            try:
                number = Fraction(value)
            except ValueError:
                return
            if number:
                put(str(number + Fraction(1, 7)))
                yield loads(json.dumps(whole))
                put(value)
        items = value.items() if isinstance(value, dict) else enumerate(value)
        if isinstance(value, dict | list):
            for key, one in list(items):
                yield from more(one, lambda new, key=key: value.__setitem__(key, new))

    yield from more(whole["blocks"], None)


@pytest.mark.parametrize(
    ("name", "options", "caught"),
    [
        ("targets of inputs", {}, 1.0),
        ("equal means", {}, 1.0),
        ("equal means", {"robust": True}, 0.9),
        ("targets of inputs", {"mode": Mode.LEADER}, 0.8),
        ("equal power sums", {"mode": Mode.PHASED}, 0.7),
    ],
)
def test_a_wrong_weight_is_seen(name: str, options: dict[str, Any], caught: float) -> None:
    """1/7 more in one weight: plain nets are wrong at once, plateaus absorb some of it."""
    made = build(read(HARD[name]), **options)
    verdicts = [exact.verify(net, made.data).verdict for net in mutated(made.net)]
    failed = sum(verdict is Verdict.FAILS for verdict in verdicts)
    assert len(verdicts) > 20
    assert failed >= caught * len(verdicts)


@pytest.mark.parametrize("options", [{"mode": Mode.LEADER}, {"mode": Mode.PHASED}])
def test_a_wrong_weight_is_seen_by_balls(options: dict[str, Any]) -> None:
    """Softmax at a certified temperature: a mutated net is only accepted where it is right."""
    made = build(read(HARD["targets of inputs"]), **options, robust=True)
    star = temperature(made).star
    assert star is not None
    pairs: Any = made.data.to_json()["pairs"]
    seen = {Verdict.HOLDS: 0, Verdict.FAILS: 0, Verdict.UNKNOWN: 0}
    for net in mutated(made.net):
        found = ball.verify(net, made.data, star, below=True, most_precision=ball.PRECISION)
        seen[found.verdict] += 1
        if found.verdict is Verdict.HOLDS:
            assert error(json.loads(net.text), pairs, star) < mpmath.mpf(10) ** -60
    assert seen[Verdict.HOLDS] < seen[Verdict.FAILS] + seen[Verdict.UNKNOWN]


SOFT = ["chain of subsets", "equal power sums", "collinear", "tiny gaps"]


def made_robust(name: str, mode: Mode) -> Construction:
    return build(read(HARD[name]), mode, robust=True)


@pytest.mark.parametrize("mode", [Mode.LEADER, Mode.PHASED])
@pytest.mark.parametrize("name", SOFT)
def test_temperatures(name: str, mode: Mode) -> None:
    """At the greatest one certified, and far below, 120 digits of softmax agree to 60; at 256 times
    as much nothing is certified; the closed form is smaller."""
    made = made_robust(name, mode)
    found = temperature(made)
    assert found.depends
    assert found.star
    if not found.capped:
        hot = ball.verify(made.net, made.data, 256 * found.star, most_precision=256)
        assert hot.verdict is not Verdict.HOLDS
    assert found.closed is None or 0 < found.closed <= found.star
    assert (found.closed is None) == (mode is Mode.PHASED)
    net, pairs = json.loads(made.net.text), made.data.to_json()["pairs"]
    for tau in (found.star, found.star / 50):
        assert error(net, pairs, tau) < mpmath.mpf(10) ** -60  # type: ignore[arg-type]


def test_where_softmax_really_fails() -> None:
    """On the chain of subsets the output is wrong already at 4 times the greatest temperature."""
    made = made_robust("chain of subsets", Mode.LEADER)
    star = temperature(made).star
    assert star
    pairs: Any = made.data.to_json()["pairs"]
    assert error(json.loads(made.net.text), pairs, 4 * star) > mpmath.mpf(10) ** -6


@pytest.mark.parametrize("name", SOFT)
def test_plain_means_at_every_temperature(name: str) -> None:
    """No score depends on the temperature: infinity, which the weights themselves show."""
    made = build(read(HARD[name]))
    found = temperature(made)
    assert (found.star, found.depends) == (None, False)
    for tau in (Fraction(1, 1000), Fraction(1000)):
        assert ball.verify(made.net, made.data, tau).verdict is Verdict.HOLDS


def test_no_infinity_from_a_search() -> None:
    """A net whose score matrix is not zero has a greatest temperature that was tried, even where
    one token leaves nothing to weigh."""
    made = build(read(HARD["one token"]), Mode.PHASED, robust=True)
    found = temperature(made)
    assert (found.star, found.depends, found.capped) == (Fraction(1 << 40), True, True)


def test_without_plateaus_no_temperature_is_certified() -> None:
    """Softmax never reaches a point exactly."""
    assert temperature(build(read(HARD["equal means"]), Mode.LEADER)).star == 0


@pytest.mark.parametrize("tau", [Fraction(1, 10), Fraction(1), Fraction(100)])
@pytest.mark.parametrize("name", [*SOFT, "equal means", "pairs far apart", "all subsets of 4"])
def test_softmax_at_one_temperature(name: str, tau: Fraction) -> None:
    """Genuine softmax weights, exact outputs; 120 digits agree to 60."""
    made = build(read(HARD[name]), Mode.SOFTMAX1, tau=tau)
    assert ball.verify(made.net, made.data, tau).verdict is Verdict.HOLDS
    pairs: Any = made.data.to_json()["pairs"]
    assert error(json.loads(made.net.text), pairs, tau) < mpmath.mpf(10) ** -60


def test_weights_scale_with_the_temperature() -> None:
    """Softmax knows ``A / tau`` only: 5 times the score matrix is exact at 5 times ``tau``."""
    made = build(read(HARD["equal power sums"]), Mode.SOFTMAX1, tau=Fraction(1, 3))
    (block, *rest) = made.net.blocks
    (head,) = block.heads
    score = replace(head.score, left=tuple(5 * x for x in head.score.left))
    hot = replace(block, heads=(replace(head, score=score),))
    net = replace(made.net, blocks=(hot, *rest))
    assert ball.verify(net, made.data, Fraction(5, 3)).verdict is Verdict.HOLDS


def test_messages() -> None:
    """Tokens of another dimension and temperatures that are none."""
    net = Net(2, (Block(Fraction(1)),))
    one = (Fraction(1),)
    for run in (exact.forward, lambda net, tokens: ball.forward(net, tokens, Fraction(1))):
        for tokens in ((one,), ()):
            with pytest.raises(ShapeError, match="the net takes tokens with 2 coordinates"):
                run(net, tokens)
    with pytest.raises(InputError, match="the temperature is 0; give a rational above 0"):
        ball.forward(net, (one * 2,), Fraction(0))


def test_a_failure_names_the_pair() -> None:
    """With what the net makes of it."""
    data = read([([(1,)], [(1,)]), ([(2,)], [(3,)])])
    found = exact.verify(Net(1, (Block(Fraction(1)),)), data)
    assert (found.verdict, found.pair, found.outputs) == (Verdict.FAILS, 1, ((Fraction(2),),))
    assert ball.verify(Net(1, (Block(Fraction(1)),)), data, Fraction(1)) == found


@pytest.mark.parametrize("name", ["chain of subsets", "collinear", "shared targets"])
def test_perturbed_inputs_on_plateaus(name: str) -> None:
    """Inputs within the margin, divided by how far the first blocks stretch, have equal outputs."""
    made = build(read(HARD[name]), robust=True)
    assert made.margin is not None
    stretch = sum(map(abs, made.line.row))
    for block in made.net.blocks:
        if block.phase == "separation":
            slopes = sum((one.write[0] for one in block.neurons), Fraction(0))
            (head,) = block.heads
            stretch *= slopes * (1 + head.value.scale)
    chance = random.Random(4)
    radius = made.margin / stretch
    for pair in made.data.pairs:
        moved = [
            tuple(x + radius * Fraction(chance.randint(-999, 999), 1000) for x in token)
            for token in pair.input
        ]
        assert set(exact.forward(made.net, moved)) == set(pair.output)
