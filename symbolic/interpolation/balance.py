"""Balancing: rescalings that keep the function of a net and lower the norm of its weights.

``write relu(read . x + bias)`` does not change when ``write`` is multiplied by ``c > 0`` and
``(read, bias)`` divided by it, and ``left right^T`` likewise. The sum of squares is least where
both sides have one norm. Factors are powers of two, so that no bit is lost in binary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from attnproof.symbolic.interpolation.net import Head, Matrix, Net, Neuron, times
from attnproof.symbolic.words import counted


@dataclass(frozen=True, slots=True, repr=False)
class Balanced:
    """The balanced net, with the sums of squares of all weights ``before`` and ``after``, and how
    many ``neurons``, rank-one ``values`` and ``scores`` were rescaled."""

    net: Net
    before: Fraction
    after: Fraction
    neurons: int
    values: int
    scores: int

    def __repr__(self) -> str:
        return (
            f"Balanced: |theta|^2 from {float(self.before):.6g} to {float(self.after):.6g}; "
            f"{counted(self.neurons, 'neuron')}, {counted(self.values, 'value')}, "
            f"{counted(self.scores, 'score')}"
        )


def balanced(net: Net) -> Balanced:
    """The net with the least norm that such powers of two give.

    >>> from attnproof.symbolic.interpolation.net import Block
    >>> four = Fraction(4)
    >>> neuron = Neuron((four * 4,), Fraction(0), (Fraction(1, 4),))
    >>> balanced(Net(1, (Block(Fraction(1), (neuron,)),)))
    Balanced: |theta|^2 from 258.062 to 10; 1 neuron, 0 values, 0 scores

    Law: outputs are equal, for hardmax and for softmax at every temperature; the rescaled part of
    the sum is at most 5/4 of the least that any factors give, ``2 sum |a| |b|``. Source: ours.
    """
    neurons = values = scores = 0
    blocks = []
    for block in net.blocks:
        held = tuple(_neuron(one) for one in block.neurons)
        heads = tuple(Head(_matrix(one.value), _matrix(one.score)) for one in block.heads)
        neurons += _changed(block.neurons, held)
        values += _changed([one.value for one in block.heads], [one.value for one in heads])
        scores += _changed([one.score for one in block.heads], [one.score for one in heads])
        blocks.append(replace(block, neurons=held, heads=heads))
    found = replace(net, blocks=tuple(blocks))
    return Balanced(found, norm(net), norm(found), neurons, values, scores)


def norm(net: Net) -> Fraction:
    """The sum of the squares of all weights.

    >>> from attnproof.symbolic.interpolation.net import Block
    >>> norm(Net(1, (Block(Fraction(1, 2)),)))
    Fraction(5, 4)
    """
    return _square([number for block in net.blocks for number in block.numbers()])


def factor(a: Fraction, b: Fraction) -> Fraction:
    """The power of two ``c`` with the least ``a c^2 + b / c^2``, for squares of norms a and b.

    >>> factor(Fraction(1), Fraction(16)), factor(Fraction(9), Fraction(1))
    (Fraction(2, 1), Fraction(1, 2))
    """
    if not a or not b:
        return Fraction(1)

    def cost(k: int) -> Fraction:
        return a * Fraction(4) ** k + b / Fraction(4) ** k

    ratio = b / a
    k = (ratio.numerator.bit_length() - ratio.denominator.bit_length()) // 4
    return Fraction(2) ** _least(cost, k)


def _least(cost: Callable[[int], Fraction], k: int) -> int:
    """The last integer where a convex function is least, from nearby."""
    while cost(k + 1) <= cost(k):
        k += 1
    while cost(k - 1) < cost(k):
        k -= 1
    return k


def _neuron(one: Neuron) -> Neuron:
    c = factor(_square(one.write), _square((*one.read, one.bias)))
    return Neuron(times(1 / c, one.read), one.bias / c, times(c, one.write))


def _matrix(one: Matrix) -> Matrix:
    c = factor(_square(one.left), _square(one.right))
    return Matrix(one.scale, times(c, one.left), times(1 / c, one.right))


def _changed(before: Sequence[object], after: Sequence[object]) -> int:
    return sum(a != b for a, b in zip(before, after, strict=True))


def _square(numbers: Sequence[Fraction]) -> Fraction:
    return sum((number * number for number in numbers), Fraction(0))
