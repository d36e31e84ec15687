"""What a causal mask asks of the data: one label for each prefix, so that every path is right.

A causal net gives a token a value that depends on the tokens up to it alone. So the prefixes of all
inputs form a trie, each node gets one value, and the values on the path of a sequence are the set
of its output. Order matters: two orders of one set are two inputs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnproof.symbolic.evidence import Infeasible
from attnproof.symbolic.interpolation import data as unordered
from attnproof.symbolic.interpolation.data import Data, Pair, Token
from attnproof.symbolic.interpolation.errors import ConflictingTargets, InfeasibleData
from attnproof.symbolic.words import counted


@dataclass(frozen=True, slots=True, repr=False)
class Trie:
    """The prefixes of all inputs. Node v is its parent's prefix followed by ``tokens[v]``; a parent
    comes before its children, and a first token has none (-1). ``through[v]`` lists the pairs whose
    input begins with v, ``paths[j]`` the prefixes of input j."""

    parents: tuple[int, ...]
    tokens: tuple[Token, ...]
    through: tuple[tuple[int, ...], ...]
    paths: tuple[tuple[int, ...], ...]

    @property
    def depths(self) -> tuple[int, ...]:
        """How many tokens each prefix has."""
        found: list[int] = []
        for parent in self.parents:
            found.append(1 if parent < 0 else found[parent] + 1)
        return tuple(found)

    def __repr__(self) -> str:
        prefixes = counted(len(self.tokens), "prefix", "prefixes")
        return f"Trie: {prefixes} of {counted(len(self.paths), 'sequence')}"


@dataclass(frozen=True, slots=True)
class Labelling:
    """``labels[v]`` is what the last token of prefix v becomes."""

    trie: Trie
    labels: tuple[Token, ...]

    @property
    def fresh(self) -> tuple[int, ...]:
        """The prefixes whose label is on no shorter prefix of theirs."""
        used: list[frozenset[Token]] = []
        found = []
        for v, (parent, label) in enumerate(zip(self.trie.parents, self.labels, strict=True)):
            above = used[parent] if parent >= 0 else frozenset()
            used.append(above | {label})
            if label not in above:
                found.append(v)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Obstruction:
    """Why no causal net interpolates: the first ``length`` tokens of pair ``pair`` also begin the
    inputs ``sharing``, so they can only become tokens of ``common``, which all these outputs hold.

    There is none at all, or the rest of the input is too short for the rest of the output.
    """

    pair: int
    length: int
    sharing: tuple[int, ...]
    common: tuple[Token, ...]

    def to_json(self) -> dict[str, object]:
        """The obstruction with numbers of tokens as text."""
        return {
            "pair": self.pair,
            "length": self.length,
            "sharing": list(self.sharing),
            "common": [[str(number) for number in token] for token in self.common],
        }

    def told(self, pairs: Sequence[Pair]) -> str:
        """The sentence for people."""
        own = pairs[self.pair]
        rest = len(own.input) - self.length
        if not self.length:
            return (
                f"pair {self.pair} wants {counted(len(own.output), 'token')} of {rest}: every "
                "token of the input becomes one token, so no output is longer than its input"
            )
        others = [str(j) for j in self.sharing if j != self.pair]
        several = "s" if len(others) > 1 else ""
        return (
            f"no causal net does pair {self.pair}: its prefix of length {self.length} also begins "
            f"the input{several} of pair{several} {', '.join(others)}, so it can only become what "
            f"all their outputs hold, {len(self.common)} of its {len(own.output)} targets, and "
            f"{counted(rest, 'token follows', 'tokens follow')}; drop the mask, or begin the "
            "inputs with different tokens"
        )


class PrefixConflict(InfeasibleData):
    """No causal net interpolates the data; ``obstruction`` says why."""

    def __init__(self, data: Data, obstruction: Obstruction) -> None:
        super().__init__(obstruction.told(data.pairs), data, (obstruction.pair,))
        self.obstruction = obstruction
        self.because = "prefix" if obstruction.length else "longer-output"

    @property
    def evidence(self) -> Infeasible:
        """The obstruction, for the checker."""
        found = self.obstruction
        if not found.length:
            return super().evidence
        return Infeasible(self.data, self.because, self.pairs, found.length, found.sharing)


def read(source: object) -> Data:
    """Data as :func:`attnproof.symbolic.interpolation.data.read` takes it, where orders of one set
    are different inputs.

    >>> a, b = (1, 0), (0, 1)
    >>> read([([a, b], [a]), ([b, a], [b])])
    Data: 2 pairs in dimension 2, 4 tokens to 2

    A pair that stands twice is kept once, unless there is an obstruction, which names pairs by the
    numbers given. Raises its errors, but for :class:`ConflictingTargets`, which is :func:`label`'s
    to find.
    """
    if isinstance(source, Data):
        return source
    try:
        unordered.read(source)  # its errors name the pair
    except ConflictingTargets as conflict:
        pairs = list(conflict.data.pairs)
    else:
        listed: Any = source["pairs"] if isinstance(source, Mapping) else source
        pairs = [unordered.read([pair]).pairs[0] for pair in listed]
    if isinstance(label(pairs), Obstruction):
        return Data(tuple(pairs))
    return Data(tuple({(pair.input, frozenset(pair.output)): pair for pair in pairs}.values()))


def trie(pairs: Sequence[Pair]) -> Trie:
    """The trie of the inputs.

    >>> trie(read([([(1,), (2,)], [(0,)]), ([(1,), (3,)], [(0,)])]).pairs).paths
    ((0, 1), (0, 2))
    """
    known: dict[tuple[int, Token], int] = {}
    through: list[list[int]] = []
    paths = []
    for j, pair in enumerate(pairs):
        at, path = -1, []
        for token in pair.input:
            at = known.setdefault((at, token), len(known))
            if at == len(through):
                through.append([])
            through[at].append(j)
            path.append(at)
        paths.append(tuple(path))
    parents, tokens = zip(*known, strict=True)
    return Trie(parents, tokens, tuple(map(tuple, through)), tuple(paths))


def label(pairs: Sequence[Pair]) -> Labelling | Obstruction:
    """Labels for all prefixes, or the obstruction to them.

    The outputs of all sequences through prefix v have the tokens ``L(v)`` in common; ``L`` grows
    along a path. Law: labels exist exactly when, for every pair with ``n`` tokens to ``m`` and
    every ``i``, the prefix of length ``i`` has ``|L| >= 1`` and ``|L| + n - i >= m``. The first
    ``i`` labels lie in ``L``, so this is needed. It suffices to take a token of ``L(v)`` that is
    not yet on the path as long as there is one: the path then has
    ``min_i (|L(v_i)| + n - i, n)`` labels. Source: ours.

    >>> a, b, c = (1, 0), (0, 1), (1, 1)
    >>> found = label(read([([a, b], [b, c]), ([a, c], [c])]).pairs)
    >>> [tuple(map(int, one)) for one in found.labels]
    [(1, 1), (0, 1), (1, 1)]
    >>> label(read([([a, b], [b]), ([a, c], [c])]).pairs).length
    1
    """
    found = trie(pairs)
    common = [
        frozenset.intersection(*(frozenset(pairs[j].output) for j in through))
        for through in found.through
    ]
    for j, path in enumerate(found.paths):
        n, m = len(path), len(pairs[j].output)
        if m > n:
            return Obstruction(j, 0, (j,), ())
        for i, v in enumerate(path, 1):
            if not common[v] or len(common[v]) + n - i < m:
                return Obstruction(j, i, found.through[v], tuple(sorted(common[v])))
    labels: list[Token] = []
    used: list[frozenset[Token]] = []
    for v, parent in enumerate(found.parents):
        above = used[parent] if parent >= 0 else frozenset()
        free = common[v] - above
        labels.append(min(free) if free else labels[parent])
        used.append(above | {labels[v]})
    return Labelling(found, tuple(labels))
