"""Sets of input positions as 64-bit words: one word stands for the positions of one run.

Convention: bit ``p`` of an element is set when the element may depend on position ``p`` of the run.
"""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from attnproof.symbolic.masks.rows import members

#: Positions in one word: the sign bit stays free.
WORD = 63


def united(sets: Tensor, axes: Iterable[int]) -> Tensor:
    """The union along some axes, which keep length 1.

    >>> united(torch.tensor([[1, 2], [4, 1]]), [1])
    tensor([[3],
            [5]])
    """
    if not sets.dim():
        return sets
    for axis in axes:
        if not sets.shape[axis]:
            shape = list(sets.shape)
            shape[axis] = 1
            sets = sets.new_zeros(shape)
        while (length := sets.shape[axis]) > 1:
            half = (length + 1) // 2
            sets = sets.narrow(axis, 0, half) | sets.narrow(axis, length - half, half)
    return sets


def any_of(where: Tensor, axes: Iterable[int]) -> Tensor:
    """Whether some element along the axes is true; the axes keep length 1.

    >>> any_of(torch.tensor([True, False]), [0])
    tensor([True])
    """
    return united(where.long(), axes) > 0


def running(sets: Tensor, axis: int) -> Tensor:
    """The union of all elements up to each one, along an axis.

    >>> running(torch.tensor([1, 0, 4]), 0)
    tensor([1, 1, 5])
    """
    sets, reach = sets.clone(), 1
    length = sets.shape[axis] if sets.dim() else 1
    while reach < length:
        before = sets.narrow(axis, 0, length - reach).clone()
        sets.narrow(axis, reach, length - reach).bitwise_or_(before)
        reach *= 2
    return sets


def everything(*sets: Tensor) -> int:
    """The union of all elements, as a Python integer.

    >>> everything(torch.tensor([1, 4]), torch.tensor(2))
    7
    """
    total = 0
    for each in sets:
        if each.numel():
            total |= int(united(each.reshape(-1), [0]))
    return total


def by_planes(function: Callable[[Tensor], Tensor], sets: Tensor) -> Tensor:
    """The sets after a linear or monotone map, which is run on the indicator of each position.

    ``function`` maps floats 0 and 1; where its result is positive, the position is in the set.

    >>> by_planes(lambda plane: plane.sum(0), torch.tensor([1, 4]))
    tensor(5)
    """
    out = function(torch.zeros(sets.shape)).long() * 0
    for p in members(everything(sets)):
        out = out | (function(has(sets, p)) > 0).long() << p
    return out


def has(sets: Tensor, p: int) -> Tensor:
    """The indicator of one position, as floats.

    >>> has(torch.tensor([1, 3]), 1)
    tensor([0., 1.])
    """
    return (sets >> p & 1).float()


def rows(sets: Tensor, axes: Sequence[int] | None) -> tuple[int, ...]:
    """The set of each index along some axes, the last one fastest; of each element for None.

    >>> rows(torch.tensor([[1, 2], [4, 1]]), [0])
    (3, 5)
    """
    if axes is not None:
        kept = {axis % sets.dim() for axis in axes}
        sets = united(sets, [axis for axis in range(sets.dim()) if axis not in kept])
    return tuple(sets.reshape(-1).tolist())


def joined(blocks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Rows over all positions from the rows of each run of :data:`WORD` positions.

    >>> joined([[1], [1]]) == (1 | 1 << 63,)
    True
    """
    together = [0] * len(blocks[0])
    for b, block in enumerate(blocks):
        for i, word in enumerate(block):
            together[i] |= word << WORD * b
    return tuple(together)
