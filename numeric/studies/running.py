"""Running the points of a study: one after the other, in several processes, or on a cluster."""

import functools
import importlib
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from enum import Enum
from typing import Any

from attnproof.numeric.read.user_code import user_code
from attnproof.numeric.studies.registry import study_of
from attnproof.numeric.studies.study import Record
from attnproof.symbolic.errors import InputError, MissingExtra
from attnproof.symbolic.progress import listening, tick


class Backend(Enum):
    """Where points run, by joblib's name of it."""

    LOKY = "loky"
    DASK = "dask"


def backend_of(name: str) -> Backend:
    """The backend of this name.

    >>> backend_of("dask")
    <Backend.DASK: 'dask'>
    """
    known = {each.value: each for each in Backend}
    if name not in known:
        raise InputError(
            f"there is no backend named {name!r}; give {' or '.join(known)}", backend=name
        )
    return known[name]


def records(
    name: str, points: Sequence[Any], jobs: int = 1, backend: Backend = Backend.LOKY
) -> list[Record]:
    """The records of points, in their order, whatever the number of jobs; -1 jobs are all cores.

    The Dask cluster is the one that Dask itself is told of, as in ``DASK_SCHEDULER_ADDRESS``, or a
    local one; it runs as many points at once as it has cores. Progress is told a point at a time.
    An interrupt ends the processes that were started. Raises :class:`MissingExtra` where joblib
    is needed and not installed.
    """
    run = functools.partial(run_point, name)
    if backend is Backend.LOKY and (jobs == 1 or len(points) < 2):
        return _counted(map(run, points), len(points))
    try:
        import joblib
    except ImportError:
        raise MissingExtra("running points in several processes", "torch") from None
    where = _processes(jobs) if backend is Backend.LOKY else _cluster()
    with where as options:
        parallel = joblib.Parallel(return_as="generator", batch_size=1, **options)
        with closing(parallel(joblib.delayed(run)(point) for point in points)) as found:
            return _counted(found, len(points))


def run_point(name: str, point: Any) -> Record:
    """The record of one point; what it tells of its own progress is not heard."""
    with listening(lambda _done, _total: None), user_code(name):
        return _study(name).run(point)


_study = functools.lru_cache(study_of)


@contextmanager
def _processes(jobs: int) -> Iterator[dict[str, Any]]:
    """Processes of this machine, which end with the block."""
    from joblib.externals.loky import get_reusable_executor

    ended = False
    try:
        yield {"n_jobs": jobs, "backend": "loky", "initializer": _deaf}
        ended = True
    except BrokenProcessPool:
        raise InputError(
            "a process that ran points was ended from outside, as where memory is short; give "
            "fewer jobs"
        ) from None
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=not ended)


@contextmanager
def _cluster() -> Iterator[dict[str, Any]]:
    """The cluster that Dask is told of."""
    try:
        client = importlib.import_module("distributed").Client
    except ImportError:
        raise InputError(
            "the backend dask needs Dask: pip install 'dask[distributed]'", backend="dask"
        ) from None
    import joblib

    with client(), joblib.parallel_config("dask"):
        yield {"n_jobs": -1}


def _counted(found: Iterable[Record], total: int) -> list[Record]:
    """All of them, each told as it comes."""
    made: list[Record] = []
    tick(0, total)
    for record in found:
        made.append(record)
        tick(len(made), total)
    return made


def _deaf() -> None:
    """An interrupt is for the process that waits; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
