"""``python -m tests.benchmarks.growth``: how cost grows with n, into docs/growth.json and .svg.

Every point is measured in a process of its own: CPU seconds of one thread, and by how much its
memory grew from before the mask was built. ``--draw`` draws the file that is there again.
"""

import argparse
import json
import platform
import resource
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import numpy as np

from attnproof import __version__
from attnproof.symbolic.files import write_atomically
from tests.benchmarks import processes
from tests.benchmarks.growth_series import SERIES, Series, mask
from tests.benchmarks.timing import seconds

DOCS = Path(__file__).resolve().parents[2] / "docs"
LAST = 1 << 20
#: A series ends before a point that would take longer, or more memory.
MOST_SECONDS = 10.0
MOST_BYTES = 3 << 30
#: The exponent is that of the last points.
FITTED = 6


def main() -> None:
    """Measure every series, or one point of one, as the process that was started for it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument("--draw", action="store_true", help="draw docs/growth.json again")
    parser.add_argument("--point", nargs=2, metavar=("SERIES", "N"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.point:
        name, n = asked.point
        print(json.dumps(measured(next(one for one in SERIES if one.name == name), int(n))))
        return
    if not asked.draw:
        write_atomically(DOCS / "growth.json", json.dumps(growth(), indent=1) + "\n")
    from tests.benchmarks.growth_figure import figure

    write_atomically(DOCS / "growth.svg", figure(json.loads((DOCS / "growth.json").read_text())))


def growth() -> dict[str, Any]:
    """Every series, with the exponents of its last points."""
    return {
        "attnproof": __version__,
        "python": platform.python_version(),
        "mask": "window of 128 keys, itself included",
        "seed": None,
        "seconds": "CPU time of one thread",
        "bytes": "growth of the resident memory, mask included",
        "series": [told(one, list(points(one))) for one in SERIES],
    }


def told(series: Series, found: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """A series with its points."""
    return {
        "name": series.name,
        "what": series.what,
        "ours": series.ours,
        "points": found,
        "exponents": {kind: exponent(found, kind) for kind in ("seconds", "bytes")},
    }


def points(series: Series) -> Iterator[dict[str, float]]:
    """One point a length, twice as long each time, as far as limits allow."""
    n = series.start
    before: dict[str, float] | None = None
    while n <= LAST:
        command = (sys.executable, "-m", "tests.benchmarks.growth", "--point", series.name, str(n))
        try:
            done = processes.run(command)
        except CalledProcessError as error:
            print(f"{series.name:10} {n:8} ends: {error.stderr.decode().strip()[-200:]}")
            return
        found = json.loads(done.output)
        point = {"n": n, "seconds": found["seconds"], "bytes": done.peak - found["before"]}
        print(f"{series.name:10} {n:8} {point['seconds']:9.4f} s {point['bytes'] / 1e6:8.1f} MB")
        yield point
        for kind, most in (("seconds", MOST_SECONDS), ("bytes", MOST_BYTES)):
            rise = point[kind] / before[kind] if before and before[kind] > 0 else 2.0
            if point[kind] * max(rise, 1.0) > most:
                return
        before = point
        n *= 2


def measured(series: Series, n: int) -> dict[str, float]:
    """CPU seconds of one point, and the memory of the process before it."""
    series.run(series.build(mask(128)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    built = series.build(mask(n))
    took = seconds(lambda: series.run(built), repeats=3, enough=1.0)
    return {"seconds": took, "before": before * (1 if sys.platform == "darwin" else 1024)}


def exponent(found: Sequence[Mapping[str, float]], kind: str) -> float | None:
    """The slope of the last points in logarithms; None of fewer than three.

    >>> exponent([{"n": n, "seconds": 3.0 * n * n} for n in (4, 8, 16)], "seconds")
    2.0
    """
    last = [one for one in found if one[kind] > 0][-FITTED:]
    if len(last) < 3:
        return None
    n, value = (np.log([one[key] for one in last]) for key in ("n", kind))
    return round(float(np.polyfit(n, value, 1)[0]), 2)


if __name__ == "__main__":
    main()
