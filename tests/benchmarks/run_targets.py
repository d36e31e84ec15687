"""The targets of long sequences, rows as runs, and a general relation in bits.

Both columns time the same call: the second after the kernels of the extra ``fast`` were loaded.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from attnproof.symbolic.masks.bits import unpack
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import fast_runs
from attnproof.symbolic.order.run_closure import RunClosure, run_closure
from attnproof.symbolic.order.run_depth import run_depth
from tests.benchmarks import comparison as bits
from tests.benchmarks import kernels, long, masks
from tests.benchmarks.figures import Figure
from tests.benchmarks.long import Long
from tests.benchmarks.targets import Target
from tests.benchmarks.timing import seconds


def run_targets() -> Iterator[Target]:
    """Every target in turn."""
    yield from _closures("T6", (long.CAUSAL, long.WINDOW, long.SINKS, long.DOCUMENT), 3.0, 0.15)
    yield from _closures("T7", (long.PREFIX, long.BLOCKS), 10.0, 0.5)
    yield _depth(long.WINDOW, 0.4, 0.005)
    yield _depth(long.SINKS, 0.4, None)
    yield _general_16384()


def _closures(name: str, cases: Iterable[Long], bound: float, fast: float) -> Iterator[Target]:
    for case in cases:
        rows = case.runs(long.N)
        plain, compiled = _both(lambda r=rows: everything(r))  # type: ignore[misc]
        what = f"{case.name}, n = {long.N:,}: closure, covers, transitive?"
        yield Target(name, what, Figure(plain, bound), Figure(compiled, fast))


def _depth(case: Long, bound: float, fast: float | None) -> Target:
    rows = case.runs(long.N)
    limit = run_closure(rows).rows
    plain, compiled = _both(lambda: run_depth([rows], limit))
    what = f"{case.name}, n = {long.N:,}: depth"
    return Target(
        "T8", what, Figure(plain, bound), None if fast is None else Figure(compiled, fast)
    )


def _both(function: Callable[[], object]) -> tuple[float, float | None]:
    """Seconds without the kernels, and with them where they are installed."""
    plain = seconds(function, repeats=8, enough=2.0)
    if not kernels.INSTALLED:
        return plain, None
    fast_runs.load()
    compiled = seconds(function, repeats=8, enough=2.0)
    fast_runs.load.cache_clear()
    return plain, compiled


def _general_16384() -> Target:
    packed = np.packbits(masks.prefix(16384), axis=1, bitorder="little")
    took = seconds(lambda: bits.everything(unpack(packed)), repeats=5)
    return Target(
        "T11",
        "prefix 16384, packed bits given: closure, classes, covers, transitive?",
        Figure(took, 0.5),
    )


def everything(rows: Runs) -> RunClosure:
    """Closure, classes, covers, and whether the relation is transitive."""
    found = run_closure(rows)
    _ = found.transitive
    return found
