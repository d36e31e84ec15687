"""``python -m tests.benchmarks [--quick]``: this package and its peers, then the targets."""

import argparse
from itertools import chain

from rich.console import Console

from tests.benchmarks import table
from tests.benchmarks.block_targets import block_targets
from tests.benchmarks.command import runs
from tests.benchmarks.comparison import lines
from tests.benchmarks.interpolants import interpolation_targets
from tests.benchmarks.run_targets import run_targets
from tests.benchmarks.spanners import spanner_targets
from tests.benchmarks.targets import targets


def main() -> None:
    """Print the tables; each as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without n = 4096, under a minute")
    quick = parser.parse_args().quick
    lengths, limit = ((256, 1024), 0.5) if quick else ((256, 1024, 4096), 4.0)
    console = Console(width=None if Console().is_terminal else 150)
    console.print("CPU time of one process and one thread, the least of some repeats", style="dim")
    console.print(table.comparison(lines(lengths, limit), limit))
    console.print(table.targets(targets()))
    found = chain(run_targets(), block_targets())
    console.print(table.targets(found, "targets of long sequences"))
    console.print(table.targets(spanner_targets(), "targets of sparse masks"))
    console.print(table.targets(interpolation_targets(), "targets of exact interpolation"))
    console.print(table.command(runs(3 if quick else 7)))


main()
