"""The closure of a mask in which every position reads the one before it, and no later one.

Then every position is reached from all earlier ones, whatever else is read: the order is the chain
``0 < 1 < 2 < ...``, and no row needs to be held.
"""

from functools import cached_property

import numpy as np

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.run_arrays import past
from attnproof.symbolic.order.run_closure import RunClosure
from attnproof.symbolic.order.run_relation import run_relation


class Chain(RunClosure):
    """The chain as a closure; ``first_open`` is the first position that reads less than it.

    >>> chain = Chain(Mask.from_rows(["1..", "11.", ".11"]), first_open=2)
    >>> list(chain.rows.runs()), list(chain.covers), chain.first_bad
    ([((0, 1),), ((0, 2),), ((0, 3),)], [(0, 1), (1, 2)], (2, 0, 1))

    Law: the answers are those of ``run_closure``.
    """

    def __init__(self, mask: Mask, first_open: int | None) -> None:
        every = np.arange(mask.size + 1)
        self.__dict__.update(
            _mask=mask,
            class_of=every[:-1],
            down=past(mask.size),
            ptr=np.maximum(every - 1, 0),
            below=every[:-2],
            first_open=first_open,
        )

    @cached_property
    def layer(self) -> Runs:
        """The relation of one layer; raises :class:`Fragmented` where it is too large to hold."""
        return run_relation(self._mask)  # type: ignore[attr-defined]

    @cached_property
    def first_bad(self) -> tuple[int, int, int] | None:
        """The least (q, k, m) where q reads m and m reads k but q does not read k.

        Rows before the first open one are whole, so its first gap shows it.
        """
        if self.first_open is None:
            return None
        row = self._mask.rows.row_runs(self.first_open)  # type: ignore[attr-defined]
        if row[0][0]:
            return self.first_open, 0, row[0][0]
        return self.first_open, row[0][1], row[1][0]
