"""The command line, as its user waits for it: wall seconds and peak memory of whole processes."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from attnproof.proofs import checker
from tests.benchmarks import masks, processes
from tests.benchmarks.figures import Figure
from tests.benchmarks.long import N

ATTNPROOF = (sys.executable, "-m", "attnproof")


@dataclass(frozen=True)
class Run:
    """What was run; ``figure`` has a bound, or infinity where nothing is promised."""

    what: str
    figure: Figure


def runs(repeats: int) -> Iterator[Run]:
    """Starting up, a small mask, a large dense one, and a million positions."""
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
        yield from _long(Path(folder))


def _long(folder: Path) -> Iterator[Run]:
    """A million positions: the verdict, then its certificate, written and checked."""
    verify = (*ATTNPROOF, "verify", "causal", "--n", str(N), "--causal")
    what = f"attnproof verify causal --n {N} --causal"
    done = processes.run(verify)
    yield Run(f"{what}: time", Figure(done.wall, float("inf")))
    yield Run(f"{what}: peak memory", Figure(done.peak / 1e6, 500, "MB"))
    certificate = str(folder / "causal.cert.json")
    emitted = processes.run((*verify, "--certificate", certificate))
    size = Path(certificate).stat().st_size / 1e6
    yield Run(f"the same with a certificate of {size:.0f} MB: time", Figure(emitted.wall, 60))
    yield Run("the same: peak memory", Figure(emitted.peak / 1e6, float("inf"), "MB"))
    checked = processes.run((*ATTNPROOF, "check", certificate))
    yield Run("attnproof check: time", Figure(checked.wall, 60))
    yield Run("attnproof check: peak memory", Figure(checked.peak / 1e6, float("inf"), "MB"))
    alone = processes.run((sys.executable, "-I", "-S", str(Path(checker.__path__[0])), certificate))
    yield Run("python -I -S proofs/checker: time", Figure(alone.wall, 60))
