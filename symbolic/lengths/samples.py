"""Samples: which atoms hold at which pairs of concrete instances, and which pairs are reached.

Pairs that no atom tells apart are one *cell*. A relation that is a function of the atoms is
reached in all of a cell or nowhere in it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import Term, dense
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.draw import constants, drawn
from attnproof.symbolic.lengths.instances import Instance
from attnproof.symbolic.lengths.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Positions beyond which an instance is no sample.
_MOST = 300


@dataclass(frozen=True)
class Samples:
    """``inside`` and ``outside`` are the distinct cells, a row of truth values of the atoms each,
    of pairs that are reached and of pairs that are not."""

    atoms: tuple[Term, ...]
    inside: "NDArray[np.bool_]"
    outside: "NDArray[np.bool_]"


def sampled(instances: Iterable[Instance], atoms: Sequence[Term], budget: Budget) -> Samples:
    """The cells of some instances.

    >>> from attnproof.symbolic.formula import k, q
    >>> problem = Problem.of((k <= q) & (q - k < 2))
    >>> found = sampled([Instance(problem, {"n": 4})], [k <= q], Budget())
    >>> found.inside.tolist(), found.outside.tolist()
    ([[True]], [[False]])
    """
    import numpy as np

    kept = list(atoms)
    codes: list[tuple[Any, Any]] = []
    for instance in instances:
        budget.cells(instance.size**2 * (len(kept) + 4))
        reached = unpacked(instance)
        values = []
        for atom in tuple(kept):
            try:
                values.append(dense(atom, instance.size, instance.size, instance.values).ravel())
            except InputError:
                place = kept.index(atom)
                kept.remove(atom)
                codes = [(np.delete(a, place, 1), np.delete(b, place, 1)) for a, b in codes]
        rows = np.stack(values, 1)
        codes.append((np.unique(rows[reached], axis=0), np.unique(rows[~reached], axis=0)))
    if not codes:
        none = np.zeros((0, len(kept)), dtype=bool)
        return Samples(tuple(kept), none, none)
    inside, outside = (np.unique(np.concatenate(each), axis=0) for each in zip(*codes, strict=True))
    return Samples(tuple(kept), inside, outside)


def unpacked(instance: Instance) -> "NDArray[np.bool_]":
    """The reached pairs, row after row.

    >>> from attnproof.symbolic.formula import k, q
    >>> unpacked(Instance(Problem.of(k <= q), {"n": 2})).tolist()
    [True, False, True, True]
    """
    import numpy as np

    size = instance.size
    width = (size + 7) // 8
    packed = b"".join(row.to_bytes(width, "little") for row in instance.reached)
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(size, width)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :size].astype(bool).ravel()


def sample_instances(problem: Problem, budget: Budget, count: int = 4) -> list[Instance]:
    """Instances short and long; the longest are beyond twice the largest constant.

    >>> from attnproof.symbolic.formula import k, q
    >>> problem = Problem.of((q // 16).eq(k // 16))
    >>> [each.size for each in sample_instances(problem, Budget())]
    [1, 2, 3, 4, 5, 7, 9, 13, 20, 27, 35]
    """
    most = max((value for value in constants(problem) if value <= 64), default=0)
    lengths = sorted({1, 2, 3, 4, 5, 7, 9, 13, 20, 27, 2 * most + 3})
    found = []
    for n in lengths:
        for instance in drawn(problem, n, count if n < 20 else 2, seed=1):
            if instance.size <= _MOST:
                budget.cells(instance.size**2)
                found.append(instance)
    return found
