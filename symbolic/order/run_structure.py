"""What structural properties ask of a flow in runs.

The answers are those of ``structure.BitStructure``.
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from attnproof.symbolic.masks.line import combined
from attnproof.symbolic.masks.rearrange import turned
from attnproof.symbolic.order.run_arrays import check_fragments, flat, pairs, past
from attnproof.symbolic.order.run_closure import run_closure
from attnproof.symbolic.order.run_depth import run_reach
from attnproof.symbolic.order.run_flow import RunFlow
from attnproof.symbolic.order.run_relation import as_runs, run_union
from attnproof.symbolic.order.run_witness import run_first_leaks, run_path
from attnproof.symbolic.verdict import Path


class RunStructure:
    """The positions, pairs and paths that break a structural property."""

    def __init__(self, flow: RunFlow) -> None:
        self._flow = flow

    def missing_own(self) -> Sequence[int]:
        """The positions whose query does not read its own key in some layer, as given."""
        missing: set[int] = set()
        for mask, found in zip(self._flow.setting.layers, self._flow.surveys, strict=True):
            if found.own == mask.queries:
                continue
            owner, starts, stops = flat(as_runs(mask))
            owner += mask.offset
            has = owner[(starts <= owner) & (owner < stops)]
            asked = np.arange(mask.offset, mask.offset + mask.queries)
            missing.update(np.setdiff1d(asked, has, assume_unique=True).tolist())
        return sorted(missing)

    def intransitive(self) -> list[tuple[int, int, int] | None]:
        """The least (q, k, m) of each layer; None of one that is transitive."""
        layers = self._flow.layers
        if len(layers) == 1:
            return [self._flow.closure.first_bad]
        return [run_closure(one).first_bad for one in layers]

    def mutual(self, most: int) -> tuple[list[tuple[int, int]], int]:
        """The first pairs q < k that read each other in some layer, and how many there are."""
        n = self._flow.setting.size
        if self._flow.back or (len(self._flow.layers) == 1 and self._flow.antisymmetric):
            return [], 0
        check = partial(check_fragments, rows=n)
        both = run_union([combined(one, turned(one, check), {3}) for one in self._flow.layers])
        later = combined(both, past(n), {1})
        return list(islice(pairs(later), most)), later.count()

    def late(self, bound: int, most: int) -> tuple[list[tuple[int, int, int, Path]], int]:
        """The first (depth, q, k, path) that need more layers than ``bound``, and how many do."""
        layers = self._flow.layers
        held = run_reach(layers, bound)
        late = combined(self._flow.closure.rows, held, {1})
        found = run_first_leaks(layers, late, most, (bound, held))
        return [(d, q, k, run_path(layers, k, q, d)) for d, q, k in found], late.count()
