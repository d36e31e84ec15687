"""Representations of one mask, and the one that suits its size.

``Bits`` has a Python integer a row, ``Runs`` intervals, ``Blocks`` tiles, ``Sparse`` lists of keys.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar, cast

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.blocks import Blocks
from attnproof.symbolic.masks.made import Made
from attnproof.symbolic.masks.rows import RowRuns, Rows, bits_of
from attnproof.symbolic.masks.runs import Runs, positions
from attnproof.symbolic.masks.sparse import Sparse
from attnproof.symbolic.masks.tiling import tiled

Form = TypeVar("Form", Bits, Runs, Blocks, Sparse)

#: Bit sets are the quickest up to here: 8 MB.
SMALL = 1 << 13
#: The most positions for which masks of many runs are kept as bit sets: 512 MB.
LARGE = 1 << 16
#: Up to so many runs a row, algorithms on runs are as quick as on bit sets of some thousand bits.
FEW = 4
#: More runs a row than these, on average, are too many for algorithms on runs.
MANY = 64
#: The most runs that are held, 256 MB, and those that are looked at in one go.
_HELD, _PART = 1 << 25, 1 << 18


def to(rows: Rows, form: type[Form]) -> Form:
    """The same rows in another representation.

    >>> to(Bits((0b1, 0b11), keys=2), Runs).stops
    array('i', [1, 2])

    Raises :class:`ShapeError` for :class:`Bits` beyond its limit.
    """
    if isinstance(rows, form):
        return rows
    made: Mapping[type, Callable[[], Rows]] = {
        Bits: lambda: Bits(rows.bits(), rows.keys),
        Runs: lambda: as_runs(rows),
        Blocks: lambda: tiled(rows),
        Sparse: lambda: Sparse.from_rows(rows.runs(), rows.keys),
    }
    return cast(Form, made[form]())


def as_runs(rows: Rows) -> Runs:
    """The same rows as runs."""
    if isinstance(rows, Runs):
        return rows
    if isinstance(rows, (Blocks, Made, Sparse)):
        return rows.as_runs()
    return Runs.from_rows(rows.runs(), rows.keys)


def parts(rows: Rows) -> Iterator[Runs]:
    """The same rows as runs, some at a time: of rows that are made on demand few are held at once.

    >>> [len(part) for part in parts(Runs.from_rows([[(0, 1)], [(0, 2)]], keys=2))]
    [2]
    """
    if isinstance(rows, Made):
        yield from rows.parts()
        return
    runs = as_runs(rows)
    first = 0
    while first < len(runs):
        stop = max(first + 1, bisect_right(runs.ptr, runs.ptr[first] + _PART) - 1)
        yield runs.part(first, stop)
        first = stop


def best(runs: Runs) -> Bits | Runs | Sparse:
    """The representation that suits a mask.

    Up to 8192 positions bit sets. Beyond, runs, where a row has at most 4 of them on average. Of
    the others, up to 65536 positions, sparse for less than one pair in 64 and mostly single keys,
    else bit sets; still beyond, whichever of runs and sparse takes less memory.

    >>> type(best(Runs.from_rows([[(0, 1)]], keys=1))).__name__
    'Bits'
    >>> type(best(Runs.from_rows([[(0, 1)]] * 10000, keys=10000))).__name__
    'Runs'
    """
    queries, keys = len(runs), runs.keys
    if max(queries, keys) <= SMALL:
        return to(runs, Bits)
    if len(runs.starts) <= FEW * queries:
        return runs
    pairs = runs.count()
    single = pairs < 2 * len(runs.starts)
    if max(queries, keys) > LARGE:
        return to(runs, Sparse) if single else runs
    return to(runs, Sparse) if single and pairs * 64 < queries * keys else to(runs, Bits)


def gathered(rows: Iterable[RowRuns], queries: int, keys: int, name: str) -> Bits | Runs:
    """Rows that come one after the other, in the better of bit sets and runs.

    Raises :class:`ShapeError` where neither fits: beyond 65536 positions, and with more than 64
    runs a row on average.
    """
    if max(queries, keys) <= SMALL:
        return Bits.from_runs(rows, keys)
    ptr, starts, stops = array("q", [0]), positions(keys), positions(keys)
    large = max(queries, keys) > LARGE
    most = min(queries * MANY, _HELD) if large else queries * FEW
    source = iter(rows)
    for runs in source:
        for start, stop in runs:
            starts.append(start)
            stops.append(stop)
        ptr.append(len(starts))
        if len(starts) > most:
            break
    begun = Runs(ptr, starts, stops, keys)
    if len(starts) <= most:
        return begun
    if large:
        raise ShapeError(
            f"{name} has more than {most // queries} runs a row at {queries} positions, too many "
            f"to hold; give at most {LARGE} positions",
            queries=queries,
            limit=LARGE,
        )
    return Bits((*map(bits_of, begun.runs()), *map(bits_of, source)), keys)
