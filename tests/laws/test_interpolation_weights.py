"""Laws of balancing and of the certified input radius."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import ball, exact
from attnproof.symbolic.interpolation.balance import balanced, factor, norm
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, Pair, read
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron
from attnproof.symbolic.interpolation.radius import radius
from attnproof.symbolic.verdict import Verdict

SEEDS = st.integers(0, 10**6)


def drawn(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-8, 8), rng.choice((1, 2, 3)))


def data(seed: int) -> Data:
    """Different subsets of six tokens in the plane, with any outputs."""
    rng = random.Random(seed)
    inputs = {frozenset(rng.sample(range(6), rng.randint(1, 4))) for _ in range(rng.randint(1, 4))}
    pairs = []
    for chosen in sorted(map(sorted, inputs)):
        outputs = {(drawn(rng), drawn(rng)) for _ in range(rng.randint(1, len(chosen)))}
        pairs.append(([(i, i * i % 5) for i in chosen], sorted(outputs)))
    return read(pairs)


def foreign(seed: int) -> Net:
    """Any net in the plane with two blocks."""
    rng = random.Random(seed)

    def vector() -> tuple[Fraction, ...]:
        return drawn(rng), drawn(rng)

    def matrix() -> Matrix:
        return Matrix(drawn(rng), vector(), vector())

    def block() -> Block:
        neurons = tuple(Neuron(vector(), drawn(rng), vector()) for _ in range(rng.randint(0, 3)))
        heads = tuple(Head(matrix(), matrix()) for _ in range(rng.randint(0, 2)))
        return Block(drawn(rng), neurons, drawn(rng), heads)

    return Net(2, (block(), block()))


@given(SEEDS, SEEDS)
def test_balancing_keeps_the_function(seed: int, other: int) -> None:
    """Equal outputs of hardmax, no greater norm, and nothing is left to balance."""
    net, tokens = foreign(seed), data(other).pairs[0].input
    found = balanced(net)
    assert exact.forward(found.net, tokens) == exact.forward(net, tokens)
    assert (found.before, found.after) == (norm(net), norm(found.net))
    assert found.after <= found.before
    again = balanced(found.net)
    assert again.net == found.net
    assert (again.neurons, again.values, again.scores) == (0, 0, 0)


@given(st.integers(1, 1 << 40), st.integers(1, 1 << 20))
def test_powers_of_two_are_within_a_quarter_of_the_best_factor(above: int, below: int) -> None:
    """``a c^2 + b / c^2`` is at most 5/4 of its infimum ``2 sqrt(a b)``; no neighbour is better."""
    a, b = Fraction(above, 7), Fraction(below, 3)
    c = factor(a, b)
    cost = a * c**2 + b / c**2
    assert cost**2 <= Fraction(25, 16) * 4 * a * b
    assert all(cost <= a * other**2 + b / other**2 for other in (c / 2, c * 2))


def test_balancing_keeps_the_function_of_softmax() -> None:
    """A net that is exact at a temperature is so after balancing, with a much smaller norm."""
    pairs = read([([(0, 0), (1, 2), (3, 1)], [(1, -1)]), ([(1, 1), (2, -1)], [(-1, 1), (0, 2)])])
    net = build(pairs, Mode.SOFTMAX1, tau=Fraction(1)).net
    found = balanced(net)
    assert ball.verify(found.net, pairs, Fraction(1)).verdict is Verdict.HOLDS
    assert 2 * found.after < found.before


@given(SEEDS, st.sampled_from([Mode.UNIFORM, Mode.LEADER]), st.booleans())
def test_tokens_may_move_within_the_radius(seed: int, mode: Mode, stable: bool) -> None:
    """Each coordinate moved by almost the radius, in any direction: the outputs are the same."""
    pairs = data(seed)
    made = build(pairs, mode, robust=True, stable=stable)
    moved = shifted(pairs, radius(made) * Fraction(999, 1000), random.Random(seed))
    assert exact.verify(made.net, moved).verdict is Verdict.HOLDS


def shifted(pairs: Data, by: Fraction, rng: random.Random) -> Data:
    """The inputs with each coordinate moved by ``by``, up or down."""
    return Data(
        tuple(
            Pair(
                tuple(tuple(x + by * rng.choice((-1, 1)) for x in token) for token in pair.input),
                pair.output,
            )
            for pair in pairs.pairs
        )
    )


def test_the_radius_is_not_vacuous() -> None:
    """A token moved by four times the radius is beyond its plateau, here."""
    pairs = read([([(0,), (4,)], [(1,), (2,)])])
    made = build(pairs, robust=True)
    (pair,) = pairs.pairs
    far = Data((Pair(((4 * radius(made),), pair.input[1]), pair.output),))
    assert exact.verify(made.net, far).verdict is Verdict.FAILS


def test_a_radius_needs_plateaus() -> None:
    """Where there is none, or none is known, the error says what to choose."""
    pairs = read([([(0, 0), (4, 1)], [(1, 0)])])
    with pytest.raises(InputError, match="construct with robust or stable"):
        radius(build(pairs))
    with pytest.raises(InputError, match="choose uniform or leader"):
        radius(build(pairs, Mode.PHASED, robust=True))
