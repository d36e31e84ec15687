"""What a net costs against the length of its input: blocks, weights, and products.

A product is a multiplication by a weight that is neither 0 nor a residual 1, or of two activations;
an attention layer that reads the plain mean adds up the tokens once.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from attnproof.symbolic.interpolation.baselines import flattened, resnet
from attnproof.symbolic.interpolation.build import build
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.net import Block, Matrix, Net


@dataclass(frozen=True, slots=True)
class Cost:
    """Blocks and non-zero weights of a net, and the products for one input."""

    blocks: int
    parameters: int
    products: int


@dataclass(frozen=True, slots=True)
class Row:
    """Inputs of ``n`` tokens: the transformer, the token-wise residual network, and the weights of
    one hidden layer on the whole input, without and with one direction for all neurons."""

    n: int
    transformer: Cost
    tokenwise: Cost
    flat: int
    flat_tied: int


def counted(net: Net, n: int) -> Cost:
    """The cost of a net on an input of ``n`` tokens, weight by weight.

    >>> from fractions import Fraction
    >>> counted(Net(2, (Block(Fraction(2)),)), 10)
    Cost(blocks=1, parameters=2, products=20)
    """
    products = sum(_products(block, net.dimension, n) for block in net.blocks)
    return Cost(len(net.blocks), net.parameters, products)


def transformer(d: int, pairs: int, events: int, bends: int, n: int) -> Cost:
    """The cost of the construction by means, of two pairs or more, that separates in one block.

    ``events`` is ``M + C`` where no two neighbours have one target, ``bends`` at most 3. Law:
    blocks are exact; weights and products are upper bounds, reached where every output is as long
    as its input and no coordinate vanishes.

    >>> transformer(2, 4, 16, 0, 8)
    Cost(blocks=5, parameters=78, products=426)
    """
    sweep = ceil(events / 4)
    parameters = (1 + bends) * (d + 2) + 2 + (d + 2) * events + 2 * sweep
    return Cost(1 + sweep, parameters, n * (d + 1) * (1 + bends + events) + d * n + d)


def tokenwise(d: int, events: int, n: int) -> Cost:
    """The cost of the token-wise network; ``events`` grows with the number of all tokens.

    Law: as for :func:`transformer`.

    >>> tokenwise(2, 15, 8)
    Cost(blocks=4, parameters=74, products=408)
    """
    blocks, first = ceil((1 + events) / 4), min(3, events)
    weights = (d + 1) * (1 + events) + (d - 1) * first  # the first block reads all coordinates
    return Cost(blocks, weights + 1 + events + 2 * blocks - 1, n * weights)


def against_length(lengths: Sequence[int]) -> tuple[Row, ...]:
    """The costs of the nets that are built for :func:`drawn` inputs of each length."""
    rows = []
    for n in lengths:
        data = drawn(n)
        sizes = data.dimension, len(data.pairs), n, len(data.pairs[0].output)
        rows.append(
            Row(
                n,
                counted(build(data).net, n),
                counted(resnet(data).net, n),
                flattened(*sizes),
                flattened(*sizes, tied=True),
            )
        )
    return tuple(rows)


def drawn(n: int, *, d: int = 2, pairs: int = 4, m: int = 2, seed: int = 1) -> Data:
    """Inputs of ``n`` tokens, none of which two inputs share, and outputs of ``m``."""
    rng = random.Random(seed)
    tokens: list[tuple[int, ...]] = []
    held = set()
    while len(tokens) < n * pairs:
        token = tuple(rng.randint(-500, 500) for _ in range(d))
        if token not in held:
            held.add(token)
            tokens.append(token)
    outputs: list[list[tuple[int, ...]]] = []
    while len(outputs) < pairs:
        output = {tuple(rng.randint(-9, 9) for _ in range(d)) for _ in range(m)}
        if len(output) == m:
            outputs.append(sorted(output))
    return read([(tokens[j * n : (j + 1) * n], output) for j, output in enumerate(outputs)])


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| n | transformer: blocks | weights | products | token-wise: blocks | weights | products "
        "| flattened: weights | one direction |",
        "|" + "---:|" * 9,
    ]
    for row in rows:
        numbers = [row.n]
        for cost in (row.transformer, row.tokenwise):
            numbers += [cost.blocks, cost.parameters, cost.products]
        lines.append(f"| {' | '.join(map(str, [*numbers, row.flat, row.flat_tied]))} |")
    return "\n".join(lines)


def _products(block: Block, d: int, n: int) -> int:
    found = n * d * ((block.eta not in (0, 1)) + (block.rho not in (0, 1)))
    for neuron in block.neurons:
        found += n * (sum(map(bool, neuron.read)) + sum(map(bool, neuron.write)))
    for head in block.heads:
        if head.value.is_zero:
            continue
        if head.score.is_zero:  # one mean for all
            found += d * n + _times(head.value, d)
            continue
        ranks = n * (sum(map(bool, head.score.left)) + sum(map(bool, head.score.right)))
        scores = n * n * (bool(head.score.left) + (d if head.score.scale else 0))
        found += ranks + scores + n * n * d + n * _times(head.value, d)
    return found


def _times(matrix: Matrix, d: int) -> int:
    rank_one = sum(map(bool, matrix.left)) + sum(map(bool, matrix.right))
    return rank_one + (d if matrix.scale else 0)
