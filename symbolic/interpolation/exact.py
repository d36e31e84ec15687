"""Exact verification for hardmax: the net is run on integers over common denominators.

Shares nothing with the construction, and takes any net. Equal scores are equal integers, so ties
are found exactly; neurons that are not active cost one sum.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron, Vector
from attnproof.symbolic.progress import tick
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import counted

#: Integers and their common denominator.
_Scaled = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class Verification:
    """Does the net interpolate? Where it does not, ``pair`` is the first that shows it.

    ``outputs`` are the tokens that the net makes of that pair, where they are exact.
    """

    verdict: Verdict
    pair: int | None = None
    outputs: tuple[Token, ...] | None = None


def verify(net: Net, data: Data) -> Verification:
    """Holds when the hardmax net maps every input to its output, as sets of rationals.

    >>> from attnproof.symbolic.interpolation.data import read
    >>> twice = Net(1, (Block(Fraction(2)),))
    >>> verify(twice, read([([(1,), (3,)], [(2,), (6,)])])).verdict
    <Verdict.HOLDS: 'holds'>

    Raises :class:`ShapeError` where dimensions differ.
    """
    run = _Run(net)
    for j, pair in enumerate(data.pairs):
        tick(j, len(data.pairs))
        outputs = run(pair.input)
        if set(outputs) != set(pair.output):
            return Verification(Verdict.FAILS, j, outputs)
    return Verification(Verdict.HOLDS)


def forward(net: Net, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """What the hardmax net makes of the tokens ``(n, d)``, in their order.

    >>> forward(Net(1, (Block(Fraction(1, 2)),)), [(Fraction(3),)])
    ((Fraction(3, 2),),)
    """
    return _Run(net)(tokens)


class _Run:
    """The net with its weights as integers."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.layers = [_FeedForward(block) for block in net.blocks]

    def __call__(self, tokens: Sequence[Token]) -> tuple[Token, ...]:
        wrong = {len(token) for token in tokens} - {self.net.dimension}
        if wrong or not tokens:
            raise ShapeError(
                f"the net takes tokens with {counted(self.net.dimension, 'coordinate')} and was "
                f"given {counted(len(tokens), 'token')} with {sorted(wrong) or 'none'}; give "
                "(n, d), n at least 1"
            )
        states = [_whole(token) for token in tokens]
        for layer, block in zip(self.layers, self.net.blocks, strict=True):
            states = [layer(state) for state in states]
            if block.rho != 1 or any(not head.value.is_zero for head in block.heads):
                states = _attend(block, states, self.net.causal)
        return tuple(tuple(Fraction(x, below) for x in above) for above, below in states)


class _FeedForward:
    """``x -> eta x + sum write relu(read . x + bias)`` on integers over a denominator."""

    def __init__(self, block: Block) -> None:
        self.eta = block.eta
        alike: dict[Vector, list[Neuron]] = {}
        for neuron in block.neurons:
            alike.setdefault(neuron.read, []).append(neuron)
        self.groups = [_group(read, neurons) for read, neurons in alike.items()]

    def __call__(self, state: _Scaled) -> _Scaled:
        above, below = state
        active = []
        for entries, neurons in self.groups:
            read = sum(above[axis] * number for axis, number in entries)
            for bias, write, share in neurons:
                z = bias * below + read
                if z <= 0:
                    break
                active.append((z, write, share))
        if not active and self.eta == 1:
            return state
        whole = lcm(self.eta.denominator, *(share for _, _, share in active))
        factor = self.eta.numerator * (whole // self.eta.denominator)
        found = [factor * x for x in above]
        for z, write, share in active:
            z *= whole // share
            for axis, number in enumerate(write):
                if number:
                    found[axis] += z * number
        return _reduced(found, below * whole)


def _group(
    read: Vector, neurons: Sequence[Neuron]
) -> tuple[list[tuple[int, int]], list[tuple[int, tuple[int, ...], int]]]:
    """Neurons that read alike, greatest bias first: from one that is not active on none is."""
    ordered = sorted(neurons, key=lambda one: one.bias, reverse=True)
    whole, below = _whole((*read, *(one.bias for one in ordered)))
    entries = [(axis, number) for axis, number in enumerate(whole[: len(read)]) if number]
    found = []
    for bias, neuron in zip(whole[len(read) :], ordered, strict=True):
        write, share = _whole(neuron.write)
        found.append((bias, write, below * share))
    return entries, found


def _attend(block: Block, states: Sequence[_Scaled], causal: bool) -> list[_Scaled]:
    below = lcm(*(one for _, one in states))
    tokens = [tuple(x * (below // one) for x in above) for above, one in states]
    found = [[block.rho * x / below for x in token] for token in tokens]
    for head in block.heads:
        if not head.value.is_zero:
            for row, mean in zip(found, _means(head, tokens, below, causal), strict=True):
                row[:] = [x + y for x, y in zip(row, mean, strict=True)]
    return [_whole(row) for row in found]


def _means(
    head: Head, tokens: Sequence[tuple[int, ...]], below: int, causal: bool
) -> Iterator[Vector]:
    """The value matrix times the mean of what each token reads."""
    known: dict[tuple[int, ...], Vector] = {}
    for best in _best(head.score, tokens, causal):
        if best not in known:
            sums = [sum(column) for column in zip(*(tokens[k] for k in best), strict=True)]
            known[best] = _times(head.value, [Fraction(one, len(best) * below) for one in sums])
        yield known[best]


def _best(
    matrix: Matrix, tokens: Sequence[tuple[int, ...]], causal: bool
) -> Iterator[tuple[int, ...]]:
    """The tokens of greatest score, for each token."""
    scale = matrix.scale
    left, below = _whole(matrix.left)
    right, other = _whole(matrix.right)
    shares = [_dot(left, token) for token in tokens]
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for i, token in enumerate(tokens):
        stop = i + 1 if causal else len(tokens)
        own = _dot(right, token)
        sign = (own > 0) - (own < 0)
        if scale == 0 and (sign, stop) in known:
            yield known[sign, stop]
            continue
        scores: Iterable[int]
        if scale == 0:
            scores = [sign * share for share in shares[:stop]]
        else:
            by, ratio = scale.numerator * below * other, scale.denominator * own
            scores = [by * _dot(token, tokens[k]) + ratio * shares[k] for k in range(stop)]
        top = max(scores)
        best = tuple(k for k, score in enumerate(scores) if score == top)
        if scale == 0:
            known[sign, stop] = best
        yield best


def _times(matrix: Matrix, vector: Sequence[Fraction]) -> Vector:
    found = tuple(matrix.scale * x for x in vector)
    if not matrix.left:
        return found
    share = sum((a * x for a, x in zip(matrix.right, vector, strict=True) if a), start=Fraction(0))
    return tuple(x + share * a for x, a in zip(found, matrix.left, strict=True))


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=False) if x)


def _whole(vector: Sequence[Fraction]) -> _Scaled:
    below = lcm(*(x.denominator for x in vector))
    return tuple(x.numerator * (below // x.denominator) for x in vector), below


def _reduced(above: Sequence[int], below: int) -> _Scaled:
    shared = gcd(below, *above)
    return tuple(x // shared for x in above), below // shared
