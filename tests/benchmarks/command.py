"""The command line, as its user waits for it: wall seconds and peak memory of whole processes."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.benchmarks import masks, processes
from tests.benchmarks.figures import Figure

ATTNPROOF = (sys.executable, "-m", "attnproof")


@dataclass(frozen=True)
class Run:
    """What was run; ``figure`` has a bound, or infinity where nothing is promised."""

    what: str
    figure: Figure


def runs(repeats: int) -> Iterator[Run]:
    """Starting up, a small mask, and a large dense one."""
    anything = float("inf")
    with TemporaryDirectory() as folder:
        small, large = Path(folder) / "mask.npy", Path(folder) / "large.npy"
        np.save(small, masks.causal(8))
        np.save(large, masks.causal(16384))
        for what, command, bound in (
            ("python -c pass", (sys.executable, "-c", "pass"), anything),
            ("attnproof --help", (*ATTNPROOF, "--help"), 0.3),
            ("attnproof verify mask.npy, n 8", (*ATTNPROOF, "verify", str(small)), anything),
        ):
            least = min(processes.run(command).wall for _ in range(repeats))
            yield Run(what, Figure(least, bound))
        what = "attnproof verify mask.npy --causal, n 16384: "
        done = processes.run((*ATTNPROOF, "verify", str(large), "--causal"))
        yield Run(f"{what}time", Figure(done.wall, anything))
        yield Run(f"{what}peak memory", Figure(done.peak / 1e6, 1500, "MB"))
