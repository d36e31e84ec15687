"""Running the points of a study, one after the other or in several processes."""

import functools
import multiprocessing
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from attnproof.numeric.read.user_code import user_code
from attnproof.numeric.studies.registry import study_of
from attnproof.numeric.studies.study import Record
from attnproof.symbolic.progress import listening, tick


def records(name: str, points: Sequence[Any], jobs: int = 1) -> list[Record]:
    """The records of points, in their order, whatever the number of jobs.

    Progress is told a point at a time. An interrupt ends the processes that were started.
    """
    run = functools.partial(run_point, name)
    if jobs == 1 or len(points) < 2:
        return _counted(map(run, points), len(points))
    started = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(jobs, len(points)), started, _deaf)
    try:
        return _counted(pool.map(run, points), len(points))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run_point(name: str, point: Any) -> Record:
    """The record of one point; what it tells of its own progress is not heard."""
    with listening(lambda _done, _total: None), user_code(name):
        return _study(name).run(point)


_study = functools.lru_cache(study_of)


def _counted(found: Iterable[Record], total: int) -> list[Record]:
    return list(_ticking(found, total))


def _ticking(found: Iterable[Record], total: int) -> Iterator[Record]:
    tick(0, total)
    for done, record in enumerate(found, 1):
        tick(done, total)
        yield record


def _deaf() -> None:
    """An interrupt is for the process that waits; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
