"""interpolates-softmax/v1: a softmax net maps every input exactly to its output.

At the temperature ``tau``; with ``below`` at every temperature in ``(0, tau]`` at once, as a weight
relative to the leading token then lies between 0 and its value at ``tau``. ``tau`` is "infinity"
only for a net in which no head has both a value and a score matrix.

A coordinate is a rational or an enclosure. Where the same neurons are certainly active a
feed-forward layer is affine with a rational matrix, and an enclosure with the entry 0 drops out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .enclosures import Enclosure, enclose
from .envelope import Invalid, boolean, integer, need, record
from .limits import MOST_PRODUCTS, Steps
from .networks import Block, Matrix, Network, Vector, rational, read_both

KIND = "attnproof/interpolates-softmax/v1"

#: Bits of enclosures that are accepted.
_MOST_BITS = 1 << 14

_Number = Fraction | Enclosure
_State = list[_Number]
#: Entries of a vector that are not 0, by coordinate.
_Entries = list[tuple[int, Fraction]]


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the outputs of the net are, exactly, those of the pairs."""
    fields = record(predicate, {"net", "pairs", "tau", "below", "precision"}, "the predicate")
    net, pairs = read_both(fields["net"], fields["pairs"], digests)
    below = boolean(fields["below"], "below")
    bits = integer(fields["precision"], _MOST_BITS, "precision")
    if fields["tau"] == "infinity":
        heads = [head for block in net.blocks for head in block.heads]
        free = all(head.value.is_zero or head.score.is_zero for head in heads)
        need(free, "the scores depend on the temperature")
        need(below, "infinity is no temperature; it stands for all below")
        tau = Fraction(1)
    else:
        tau = rational(fields["tau"], "tau")
        need(tau > 0, "tau is not positive")
    steps = Steps(MOST_PRODUCTS)
    for pair in pairs:
        outputs = _Run(net, tau, below, bits, steps).outputs(pair.input)
        need(outputs == set(pair.output), "an output is another one")


@dataclass(frozen=True)
class _Run:
    """A net at a temperature, or at all up to one."""

    net: Network
    tau: Fraction
    below: bool
    bits: int
    steps: Steps

    def outputs(self, tokens: Sequence[Vector]) -> set[Vector]:
        """The set of the outputs, all of them rational."""
        states: list[_State] = [list(token) for token in tokens]
        for block in self.net.blocks:
            self._take(len(block.neurons) * self.net.dimension)
            layer = _Layer(block)
            states = [self._fed(layer, state) for state in states]
            states = self._attended(block, states)
        found = set()
        for state in states:
            exact = tuple(x for x in state if isinstance(x, Fraction))
            need(len(exact) == len(state), "an output is not exact")
            found.add(exact)
        return found

    def _take(self, count: int) -> None:
        self.steps.take(count * (1 + self.bits // 64))

    def _fed(self, layer: "_Layer", state: _State) -> _State:
        active, unsure = [], []
        self._take(len(state))
        for i, (bias, entries, write) in enumerate(layer.neurons):
            self._take(1 + len(entries))
            z = self._plus(bias, self._sparse(entries, state))
            least, most = (z, z) if isinstance(z, Fraction) else (z.low, z.high)
            if least > 0:
                active.append(i)
            elif most > 0:
                self._take(len(write))
                unsure.append((write, Enclosure(0, self._enclosed(z).high, self.bits)))
        if layer.eta == 1 and not active and not unsure:
            return state
        affine = layer.affine(tuple(active), len(state), self._take)
        self._take(sum(len(entries) for _, entries in affine))
        found = [self._plus(constant, self._sparse(entries, state)) for constant, entries in affine]
        for write, between in unsure:
            for axis, weight in enumerate(write):
                if weight:
                    found[axis] = self._plus(found[axis], between.scaled(weight))
        return found

    def _attended(self, block: Block, states: list[_State]) -> list[_State]:
        heads = [head for head in block.heads if not head.value.is_zero]
        if block.rho == 1 and not heads:
            return states
        found = [[_scaled(block.rho, x) for x in state] for state in states]
        for head in heads:
            shares = [self._dot(head.score.left, state) for state in states]
            every = head.value.scale != 0
            axes = [axis for axis in range(self.net.dimension) if every or head.value.right[axis]]
            compared = self.net.dimension if head.score.scale else 1
            each = (compared + len(axes)) * len(states) + 4 * self.net.dimension
            self._take(each * len(states))
            plain: dict[int, _State] = {}
            for q, state in enumerate(states):
                keys = states[: q + 1] if self.net.causal else states
                scores = self._scores(head.score, state, keys, shares)
                if not _tied(scores):
                    mean = self._mean(scores, keys, axes)
                elif len(keys) in plain:
                    mean = plain[len(keys)]
                else:
                    mean = plain[len(keys)] = self._plain_mean(keys)
                share = self._dot(head.value.right, mean)
                found[q] = [
                    self._plus(x, _scaled(head.value.scale, y))
                    for x, y in zip(found[q], mean, strict=True)
                ]
                for axis, weight in enumerate(head.value.left):
                    found[q][axis] = self._plus(found[q][axis], _scaled(weight, share))
        return found

    def _scores(
        self, score: Matrix, query: _State, keys: list[_State], shares: list[_Number]
    ) -> list[_Number]:
        own = self._dot(score.right, query)
        found = [self._times(own, share) for share, _ in zip(shares, keys, strict=False)]
        if score.scale:
            for k, key in enumerate(keys):
                inner: _Number = Fraction(0)
                for x, y in zip(query, key, strict=True):
                    inner = self._plus(inner, self._times(x, y))
                found[k] = self._plus(found[k], _scaled(score.scale, inner))
        return found

    def _plain_mean(self, keys: list[_State]) -> _State:
        self._take(len(keys) * self.net.dimension)
        sums = keys[0]
        for key in keys[1:]:
            sums = [self._plus(x, y) for x, y in zip(sums, key, strict=True)]
        return [_scaled(Fraction(1, len(keys)), x) for x in sums]

    def _mean(self, scores: list[_Number], keys: list[_State], axes: Sequence[int]) -> _State:
        """One token and weighted differences from it, so that what is equal stays exact.

        Right on the axes that are named, which are those that the value matrix reads.
        """
        lead = max(range(len(scores)), key=lambda k: self._enclosed(scores[k]).low)
        one = enclose(Fraction(1), self.bits)
        weights = [
            one if k == lead else self._weight(score, scores[lead])
            for k, score in enumerate(scores)
        ]
        total = weights[0]
        for weight in weights[1:]:
            total = total.plus(weight)
        mean = list(keys[lead])
        for k, key in enumerate(keys):
            if k == lead:
                continue
            share_of = weights[k].over(total)
            for axis in axes:
                difference = self._plus(key[axis], _scaled(Fraction(-1), keys[lead][axis]))
                mean[axis] = self._plus(mean[axis], self._times(share_of, difference))
        return mean

    def _weight(self, score: _Number, top: _Number) -> Enclosure:
        """``exp((score - top) / tau)``, or all that it may be at a lower temperature."""
        difference = self._plus(score, _scaled(Fraction(-1), top))
        found = self._enclosed(difference)
        if difference == 0:
            return enclose(Fraction(1), self.bits)
        if self.below and found.high >= 0:
            raise Invalid("which score is greatest is not certain")
        weight = found.scaled(1 / self.tau).exponential()
        return Enclosure(0, weight.high, self.bits) if self.below else weight

    def _enclosed(self, x: _Number) -> Enclosure:
        return enclose(x, self.bits) if isinstance(x, Fraction) else x

    def _plus(self, x: _Number, y: _Number) -> _Number:
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return x + y
        return self._enclosed(x).plus(self._enclosed(y))

    def _times(self, x: _Number, y: _Number) -> _Number:
        if isinstance(x, Fraction):
            return _scaled(x, y)
        return _scaled(y, x) if isinstance(y, Fraction) else x.times(y)

    def _dot(self, vector: Sequence[Fraction], state: Sequence[_Number]) -> _Number:
        """The product; 0 for a rank-one part that is not there."""
        return self._sparse(_entries(vector), state)

    def _sparse(self, entries: _Entries, state: Sequence[_Number]) -> _Number:
        total: _Number = Fraction(0)
        for axis, weight in entries:
            total = self._plus(total, _scaled(weight, state[axis]))
        return total


class _Layer:
    """A feed-forward layer, and the affine maps that it is where some neurons are active."""

    def __init__(self, block: Block) -> None:
        self.eta = block.eta
        self.neurons = [(one.bias, _entries(one.read), one.write) for one in block.neurons]
        self._known: dict[tuple[int, ...], list[tuple[Fraction, _Entries]]] = {}

    def affine(
        self, active: tuple[int, ...], d: int, take: Callable[[int], None]
    ) -> list[tuple[Fraction, _Entries]]:
        """For each coordinate the constant and the matrix entries that are not 0."""
        if active not in self._known:
            take(d * sum(1 + len(self.neurons[i][1]) for i in active))
            rows = []
            for axis in range(d):
                constant, row = Fraction(0), {axis: self.eta}
                for bias, entries, write in (self.neurons[i] for i in active):
                    constant += write[axis] * bias
                    for k, weight in entries:
                        row[k] = row.get(k, Fraction(0)) + write[axis] * weight
                rows.append((constant, [(k, weight) for k, weight in row.items() if weight]))
            self._known[active] = rows
        return self._known[active]


def _tied(scores: list[_Number]) -> bool:
    """Are all scores one rational?"""
    return all(isinstance(score, Fraction) and score == scores[0] for score in scores)


def _entries(vector: Sequence[Fraction]) -> _Entries:
    return [(axis, weight) for axis, weight in enumerate(vector) if weight]


def _scaled(factor: Fraction, x: _Number) -> _Number:
    """The product; 0 times what is only enclosed is 0."""
    if not factor:
        return Fraction(0)
    return factor * x if isinstance(x, Fraction) else x.scaled(factor)
