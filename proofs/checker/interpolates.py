"""interpolates/v1: a hardmax net maps every input to its output, as sets of rational tokens.

The net is run as it is written, each token as integers over one denominator.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from .envelope import need, record
from .limits import MOST_PRODUCTS, Steps
from .networks import Block, Head, Matrix, Network, Neuron, Vector, read_both

KIND = "attnproof/interpolates/v1"

#: The numerators of a token and their denominator.
_State = tuple[list[int], int]
#: The weights that are not 0 by coordinate, the bias, both as integers, and what is written.
_Neuron = tuple[list[tuple[int, int]], int, list[Fraction]]


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the outputs of the net are those of the pairs."""
    fields = record(predicate, {"net", "pairs"}, "the predicate")
    net, pairs = read_both(fields["net"], fields["pairs"], digests)
    steps = Steps(MOST_PRODUCTS)
    for pair in pairs:
        need(set(_run(net, pair.input, steps)) == set(pair.output), "an output is another one")


def _run(net: Network, tokens: Iterable[Vector], steps: Steps) -> list[Vector]:
    states = [_state(token) for token in tokens]
    for block in net.blocks:
        words = 1 + max(below for _, below in states).bit_length() // 64
        neurons = [_whole(neuron) for neuron in block.neurons]
        read = sum(1 + len(weights) for weights, _, _ in neurons)
        steps.take(net.dimension * (len(neurons) + len(states)) + len(states) * read * words)
        states = [_fed(block.eta, neurons, *state, steps) for state in states]
        states = _attended(block, net.causal, states, steps)
    return [tuple(Fraction(x, below) for x in above) for above, below in states]


def _whole(neuron: Neuron) -> _Neuron:
    above, below = _state((*neuron.read, neuron.bias))
    read = [(axis, weight) for axis, weight in enumerate(above[:-1]) if weight]
    return read, above[-1], [weight / below for weight in neuron.write]


def _fed(
    eta: Fraction, neurons: Iterable[_Neuron], above: list[int], below: int, steps: Steps
) -> _State:
    """The feed-forward layer; a neuron that is not active adds nothing."""
    found: list[Fraction] | None = None if eta == 1 else [eta * x for x in above]
    for read, bias, write in neurons:
        z = bias * below + sum(weight * above[axis] for axis, weight in read)
        if z > 0:
            steps.take(len(above) * (1 + z.bit_length() // 64))
            found = [Fraction(x) for x in above] if found is None else found
            found = [x + weight * z for x, weight in zip(found, write, strict=True)]
    return (above, below) if found is None else _state([x / below for x in found])


def _attended(block: Block, causal: bool, states: list[_State], steps: Steps) -> list[_State]:
    heads = [head for head in block.heads if not head.value.is_zero]
    if block.rho == 1 and not heads:
        return states
    below = lcm(*(one for _, one in states))
    tokens = [[x * (below // one) for x in above] for above, one in states]
    found = [[block.rho * x for x in token] for token in tokens]
    for head in heads:
        words = 1 + below.bit_length() // 64
        compared = len(tokens[0]) if head.score.scale else 1
        steps.take((compared * len(tokens) + len(tokens[0])) * len(tokens) * words)
        for q, mean in enumerate(_means(head, tokens, causal, steps)):
            found[q] = [x + y for x, y in zip(found[q], mean, strict=True)]
    return [_state([x / below for x in one]) for one in found]


def _means(
    head: Head, tokens: list[list[int]], causal: bool, steps: Steps
) -> Iterable[list[Fraction]]:
    """The value matrix times the mean of the tokens of greatest score, for each token."""
    known: dict[tuple[int, ...], list[Fraction]] = {}
    shares = [_dot(head.score.left, token) for token in tokens]
    for q, query in enumerate(tokens):
        stop = q + 1 if causal else len(tokens)
        own = _dot(head.score.right, query)
        scores = [own * share for share in shares[:stop]]
        if head.score.scale:
            scores = [
                score + head.score.scale * sum(x * y for x, y in zip(query, key, strict=True))
                for score, key in zip(scores, tokens, strict=False)
            ]
        top = max(scores)
        best = tuple(k for k, score in enumerate(scores) if score == top)
        if best not in known:
            steps.take(len(best) * len(query))
            sums = [sum(column) for column in zip(*(tokens[k] for k in best), strict=True)]
            known[best] = _times(head.value, [Fraction(one, len(best)) for one in sums])
        yield known[best]


def _times(matrix: Matrix, vector: list[Fraction]) -> list[Fraction]:
    if not matrix.left:
        return [matrix.scale * x for x in vector]
    share = _dot(matrix.right, vector)
    return [
        matrix.scale * x + share * weight for x, weight in zip(vector, matrix.left, strict=True)
    ]


def _dot(vector: Vector, token: Sequence[int | Fraction]) -> Fraction:
    """The product; 0 for a rank-one part that is not there."""
    products = (weight * x for weight, x in zip(vector, token, strict=False) if weight)
    return sum(products, Fraction(0))


def _state(token: Sequence[Fraction]) -> _State:
    below = lcm(*(x.denominator for x in token))
    above = [x.numerator * (below // x.denominator) for x in token]
    shared = gcd(below, *above)
    return [x // shared for x in above], below // shared
