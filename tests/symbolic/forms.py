"""Every representation of a mask, made from its bit sets, and what their runs promise."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.forms import as_runs, to
from attnproof.symbolic.masks.rows import RowRuns, Rows
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.sparse import Sparse
from attnproof.symbolic.masks.tiling import tiled


def as_bits(sets: Sequence[int], keys: int) -> Bits:
    """Bit sets."""
    return Bits(tuple(sets), keys)


FORMS: dict[str, Callable[[Sequence[int], int], Rows]] = {
    "bits": as_bits,
    "runs": lambda sets, keys: as_runs(as_bits(sets, keys)),
    "sparse": lambda sets, keys: to(as_bits(sets, keys), Sparse),
    "tiles of 2×2": lambda sets, keys: tiled(as_bits(sets, keys), (2, 2)),
    "tiles of 3×5": lambda sets, keys: tiled(as_bits(sets, keys), (3, 5)),
}


def runs_form(rows: Rows) -> Runs:
    """The same rows as runs, one run at a time."""
    return Runs.from_rows(rows.runs(), rows.keys)


def check_runs(runs: RowRuns, keys: int) -> None:
    """Runs are maximal, in order and within the keys."""
    flat = [end for run in runs for end in run]
    assert all(a < b for a, b in pairwise(flat)), runs
    assert not flat or 0 <= flat[0] <= flat[-1] <= keys, runs
