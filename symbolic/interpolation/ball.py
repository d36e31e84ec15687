"""Verification for softmax: rationals where they are exact, enclosures where they are not.

An exponential makes enclosures; a feed-forward layer whose slope along an enclosure is exactly 0
makes rationals again. Shares nothing with the construction, and takes any net. No tolerance enters.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.interpolation.balls import Arithmetic, Number, arithmetic
from attnproof.symbolic.interpolation.data import Data, Token
from attnproof.symbolic.interpolation.exact import Verification
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Vector
from attnproof.symbolic.progress import tick
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import counted

#: Bits of the enclosures, first and at most; on failure they are doubled.
PRECISION = 256
MOST_PRECISION = 4096

State = list[Number]


class _Undecided(Exception):
    """An enclosure is too wide, or several temperatures give several answers."""


def verify(
    net: Net,
    data: Data,
    tau: Fraction,
    *,
    below: bool = False,
    most_precision: int = MOST_PRECISION,
    numbers: Arithmetic | None = None,
) -> Verification:
    """Holds when softmax at temperature ``tau`` maps every input exactly to its output.

    With ``below`` at every temperature above 0 and up to ``tau``, each token then having one output
    at all of them. Fails only for a wrong set of rationals; else unknown.

    >>> from attnproof.symbolic.interpolation.build import build
    >>> from attnproof.symbolic.interpolation.data import read
    >>> data = read([([(0,), (1,)], [(5,)]), ([(1,)], [(2,)])])
    >>> verify(build(data).net, data, Fraction(1)).verdict
    <Verdict.HOLDS: 'holds'>

    Raises :class:`ShapeError` where dimensions differ and :class:`InputError` for ``tau <= 0``.
    """
    numbers = numbers or arithmetic()
    bits = PRECISION
    for j, pair in enumerate(data.pairs):
        tick(j, len(data.pairs))
        while True:
            outputs = forward(net, pair.input, tau, below=below, precision=bits, numbers=numbers)
            known = outputs is not None and all(None not in token for token in outputs)
            if known or bits >= most_precision:
                break
            bits *= 2
        if outputs is None or not known:
            return Verification(Verdict.UNKNOWN, j)
        if set(outputs) != set(pair.output):
            return Verification(Verdict.FAILS, j, outputs)  # type: ignore[arg-type]
    return Verification(Verdict.HOLDS)


def forward(
    net: Net,
    tokens: Sequence[Token],
    tau: Fraction,
    *,
    below: bool = False,
    precision: int = PRECISION,
    numbers: Arithmetic | None = None,
) -> tuple[tuple[Fraction | None, ...], ...] | None:
    """What softmax at ``tau`` makes of the tokens ``(n, d)``; None for a coordinate that is only
    enclosed, and for the whole where the enclosures do not decide what is read.

    With ``below`` the answer holds at every temperature in ``(0, tau]``.
    """
    if tau <= 0:
        raise InputError(f"the temperature is {tau}; give a rational above 0", tau=tau)
    if not tokens or any(len(token) != net.dimension for token in tokens):
        raise ShapeError(
            f"the net takes tokens with {counted(net.dimension, 'coordinate')}; give (n, d), n at "
            "least 1"
        )
    run = _Run(numbers or arithmetic(), tau, below)
    with run.numbers.working(precision):
        try:
            states = [[run.numbers.exact(x) for x in token] for token in tokens]
            for block in net.blocks:
                layer = _FeedForward(block, net.dimension, run.numbers)
                states = [layer(state) for state in states]
                states = run.attend(block, states, net.causal)
        except (_Undecided, ZeroDivisionError):
            return None
        return tuple(tuple(map(run.numbers.rational, state)) for state in states)


class _FeedForward:
    """On a region where the same neurons are active the layer is affine, with an exact matrix."""

    def __init__(self, block: Block, dimension: int, numbers: Arithmetic) -> None:
        self.block, self.dimension, self.numbers = block, dimension, numbers
        alike: dict[Vector, list[int]] = {}
        for i, neuron in enumerate(block.neurons):
            alike.setdefault(neuron.read, []).append(i)
        self.groups = [
            (
                [(c, numbers.exact(x)) for c, x in enumerate(read) if x],
                [
                    (numbers.exact(block.neurons[i].bias), i)
                    for i in sorted(group, key=lambda i: block.neurons[i].bias, reverse=True)
                ],
            )
            for read, group in alike.items()
        ]
        self.zero = numbers.exact(Fraction(0))
        self.known: dict[tuple[int, ...], list[tuple[Number, list[tuple[int, Number]]]]] = {}

    def __call__(self, state: State) -> State:
        active, undecided = [], []
        for entries, group in self.groups:
            read = self.zero
            for axis, number in entries:
                read = read + number * state[axis]
            for bias, i in group:
                z = read + bias
                if z > 0:
                    active.append(i)
                elif z <= 0:
                    break  # biases decrease
                else:
                    undecided.append((i, z))
        if not active and not undecided and self.block.eta == 1:
            return state
        found = []
        for constant, row in self._affine(tuple(active)):
            total = constant
            for axis, number in row:
                total = total + number * state[axis]
            found.append(total)
        for i, z in undecided:
            between = self.numbers.from_zero(z)
            for axis, number in enumerate(self.block.neurons[i].write):
                if number:
                    found[axis] = found[axis] + self.numbers.exact(number) * between
        return found

    def _affine(self, active: tuple[int, ...]) -> list[tuple[Number, list[tuple[int, Number]]]]:
        if active not in self.known:
            neurons = [self.block.neurons[i] for i in active]
            rows = []
            for r in range(self.dimension):
                constant = sum((one.write[r] * one.bias for one in neurons), Fraction(0))
                row = {r: self.block.eta}
                for one in neurons:
                    if one.write[r]:
                        for c, x in enumerate(one.read):
                            if x:
                                row[c] = row.get(c, Fraction(0)) + one.write[r] * x
                entries = [(c, self.numbers.exact(x)) for c, x in row.items() if x]
                rows.append((self.numbers.exact(constant), entries))
            self.known[active] = rows
        return self.known[active]


class _Run:
    """Attention at one temperature, or at all up to one."""

    def __init__(self, numbers: Arithmetic, tau: Fraction, below: bool) -> None:
        self.numbers, self.below = numbers, below
        self.tau, self.zero = numbers.exact(tau), numbers.exact(Fraction(0))

    def attend(self, block: Block, states: list[State], causal: bool) -> list[State]:
        heads = [head for head in block.heads if not head.value.is_zero]
        if block.rho == 1 and not heads:
            return states
        found = [[self._times(block.rho, x) for x in state] for state in states]
        for head in heads:
            for state, mean in zip(found, self._means(head, states, causal), strict=True):
                for axis, x in enumerate(self._applied(head.value, mean)):
                    state[axis] = state[axis] + x
        return found

    def _means(self, head: Head, states: list[State], causal: bool) -> Iterator[State]:
        """The mean that each token reads, right on the axes that the value matrix reads."""
        score, value = head.score, head.value
        axes = [c for c in range(len(states[0])) if value.scale or value.right[c]]
        left = [self._dot(score.left, state) for state in states]
        known: dict[tuple[int, Number], State] = {}
        for i, state in enumerate(states):
            stop = i + 1 if causal else len(states)
            own = self._dot(score.right, state)
            seen = stop, own
            shared = score.scale == 0 and self.numbers.is_exact(own)
            if shared and seen in known:
                yield known[seen]
                continue
            scores = [self._product(own, left[k]) for k in range(stop)]
            if score.scale:
                for k in range(stop):
                    inner = self.zero
                    for x, y in zip(state, states[k], strict=True):
                        inner = inner + self._product(x, y)
                    scores[k] = scores[k] + self._times(score.scale, inner)
            mean = self._mean(scores, states[:stop], axes)
            if shared:
                known[seen] = mean
            yield mean

    def _mean(self, scores: list[Number], states: list[State], axes: Sequence[int]) -> State:
        """The leading state and weighted differences from it, so that what is equal is exact."""
        lead = max(range(len(scores)), key=lambda k: self.numbers.middle(scores[k]))
        one = self.numbers.exact(Fraction(1))
        weights = [
            one if k == lead else self._weight(score - scores[lead])
            for k, score in enumerate(scores)
        ]
        total = self.zero
        for weight in weights:
            total = total + weight
        mean = list(states[lead])
        for k, state in enumerate(states):
            if k == lead:
                continue
            share = weights[k] / total
            for axis in axes:
                difference = state[axis] - states[lead][axis]
                if not self._is_zero(difference):
                    mean[axis] = mean[axis] + self._product(share, difference)
        return mean

    def _weight(self, difference: Number) -> Number:
        """``exp(difference / tau)``, relative to the leading token."""
        if self._is_zero(difference):
            return self.numbers.exact(Fraction(1))  # two tokens tie, at every temperature
        if self.below and not difference < 0:
            raise _Undecided
        weight = self.numbers.exp(difference / self.tau)
        return self.numbers.from_zero(weight) if self.below else weight

    def _applied(self, matrix: Matrix, mean: State) -> State:
        found = [self._times(matrix.scale, x) for x in mean]
        if matrix.left:
            share = self._dot(matrix.right, mean)
            found = [
                x + self._times(number, share) for x, number in zip(found, matrix.left, strict=True)
            ]
        return found

    def _dot(self, vector: Sequence[Fraction], state: State) -> Number:
        total = self.zero
        for number, x in zip(vector, state, strict=False):
            if number:
                total = total + self._times(number, x)
        return total

    def _times(self, number: Fraction, x: Number) -> Number:
        """The product; 0 times an enclosure is 0."""
        return self.numbers.exact(number) * x if number else self.zero

    def _product(self, x: Number, y: Number) -> Number:
        return self.zero if self._is_zero(x) or self._is_zero(y) else x * y

    def _is_zero(self, x: Number) -> bool:
        return self.numbers.is_exact(x) and bool(x == 0)
