"""The walks over relations in runs, compiled with numba (extra ``fast``).

Each gives what the pass of the same name in ``run_joins``, ``run_search``, ``run_numbering`` or
``run_depth`` gives. Rows are three flat arrays: row ``q`` holds ``starts[i] .. stops[i] - 1`` for
``ptr[q] <= i < ptr[q + 1]``.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast
from attnproof.symbolic.order.closure import has_numba
from attnproof.symbolic.order.fast_walks import (
    COVERS,
    ROW,
    RUNS,
    farthest,
    join,
    number_components,
    reads_back,
    take_ready,
)
from attnproof.symbolic.progress import tick

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Ends = NDArray[np.signedinteger]
    Joined = tuple[Runs, Places, Places]

#: Steps of a walk in Python that take about as long as importing numba and loading a kernel.
PATIENCE = 1 << 19
_STEP = 1 << 16


def ready(steps: int) -> bool:
    """Shall a walk of so many steps be compiled: has :func:`load` been called, or is it long?

    >>> ready(1000) == bool(load.cache_info().currsize)
    True
    """
    return bool(load.cache_info().currsize) or (steps >= PATIENCE and has_numba())


@cache
def load() -> None:
    """Compile the kernels, or load them from disk: from here on all relations in runs use them.

    Worth its second or two in a process that closes many long masks. Raises ``ImportError``
    without numba.
    """
    tiny = Runs.from_rows([[(0, 1)], [(0, 2)]], 2)
    if is_lower_triangular(tiny):
        joined(tiny, tiny, np.arange(2), lambda _runs, _covers: None)
    search(*tiny.arrays())
    sources_first(np.array([1, 0]), np.array([1]), np.array([0]))
    window_depth(tiny)


def is_lower_triangular(layer: Runs) -> bool:
    """Does no row hold a later position?"""
    ptr, _, stops = layer.arrays()
    return bool(fast.compiled(reads_back)(ptr, stops))


def joined(
    reads: Runs,
    own: Runs,
    class_of: "Places",
    check: Callable[[int, int], None],
) -> "Joined":
    """What reaches each class, and the classes it covers, as :func:`run_joins.joined` gives them.

    Row ``c`` of ``own`` has the members of class ``c``, row ``c`` of ``reads`` what they read, of
    classes of lower numbers or their own. ``check`` is given the numbers of runs and of covers so
    far, once in a while.
    """
    ptr, starts, stops = reads.arrays()
    count = len(reads)
    down = np.zeros(count + 1, np.int64), *np.empty((2, len(starts) + count), starts.dtype)
    below_ptr, below = np.zeros(count + 1, np.int64), np.empty(count + 1, np.int64)
    spare = np.empty((4, 64), np.int64)
    c = 0
    while c < count:
        stop = min(c + _STEP, count)
        c, lacks = fast.compiled(join)(
            *(c, stop, ptr, starts, stops, *own.arrays(), class_of, *down, below_ptr, below, spare)
        )
        check(int(down[0][c]), int(below_ptr[c]))
        tick(c, count)
        if lacks == RUNS:
            down = down[0], _longer(down[1]), _longer(down[2])
        elif lacks == COVERS:
            below = _longer(below)
        elif lacks == ROW:
            spare = np.empty((4, 2 * spare.shape[1]), np.int64)
    runs, covers = down[0][-1], below_ptr[-1]
    closed = Runs.from_arrays(down[0], down[1][:runs], down[2][:runs], reads.keys)
    return closed, below_ptr, below[:covers].copy()


def _longer(values: "Ends") -> "Ends":
    return np.concatenate([values, np.empty_like(values)])


def search(ptr: "Places", starts: "Ends", stops: "Ends") -> "Places":
    """Position to the number of its component, as :func:`run_search.search` gives it."""
    component = np.empty(len(ptr) - 1, np.int64)
    fast.compiled(number_components)(ptr, starts, stops, component)
    return component


def sources_first(first: "Places", reader: "Places", below: "Places") -> "Places":
    """The least topological order by smallest member, as in ``run_numbering``."""
    count = len(first)
    by_below = np.argsort(below, kind="stable")
    ptr = np.searchsorted(below[by_below], np.arange(count + 1))
    missing = np.bincount(reader, minlength=count)
    order = np.empty(count, np.int64)
    rank = np.empty(count, np.int64)
    by_first = np.argsort(first)
    rank[by_first] = np.arange(count)
    fast.compiled(take_ready)(ptr, reader[by_below], missing, rank, by_first, order)
    return order


def window_depth(layer: Runs) -> int | None:
    """The depth of rows that are one interval around their position, with ends never decreasing.

    None for other rows. Each layer takes the ends of row ``q`` to the ends of the rows there.
    """
    ptr, starts, stops = layer.arrays()
    if len(starts) != len(layer):
        return None
    levels = np.empty(len(layer), np.int32)
    found = int(fast.compiled(farthest)(ptr, starts, stops, levels))
    return None if found < 0 else found
