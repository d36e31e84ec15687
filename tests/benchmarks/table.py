"""The tables as they are printed."""

from collections.abc import Iterable

from rich.table import Table

from tests.benchmarks.command import Run
from tests.benchmarks.comparison import Line
from tests.benchmarks.figures import Figure
from tests.benchmarks.masks import CASES
from tests.benchmarks.targets import Target


def comparison(lines: Iterable[Line], limit: float) -> Table:
    """One table for every length, a section each."""
    table = Table(
        title="closure, classes, covers and transitivity: CPU time, and peers as multiples of it",
        caption=f"> stands where a peer needs more than {limit:g} s; its true ratio is larger",
    )
    table.add_column("n", justify="right")
    table.add_column("")
    for case in CASES:
        table.add_column(case.name, justify="right")
    before = None
    for line in lines:
        if line.n != before and before is not None:
            table.add_section()
        table.add_row(str(line.n) if line.n != before else "", line.what, *line.cells)
        before = line.n
    return table


def targets(found: Iterable[Target], title: str = "targets") -> Table:
    """Each target in Python alone and with the kernels of the extra ``fast``."""
    table = Table(title=title)
    for head in ("", "case", "wanted", "measured", "", "fast: wanted", "measured", ""):
        table.add_column(head)
    for target in found:
        fast = ("", "", "") if target.fast is None else _texts(target.fast)
        table.add_row(target.name, target.case, *_texts(target.plain), *fast)
    return table


def command(found: Iterable[Run]) -> Table:
    """The command line beside an empty Python program."""
    table = Table(title="command line, wall time")
    for head in ("", "wanted", "measured", ""):
        table.add_column(head)
    for run in found:
        table.add_row(run.what, *_texts(run.figure))
    return table


def _texts(figure: Figure) -> tuple[str, str, str]:
    if figure.bound == float("inf"):
        return "", figure.measured, ""
    verdict = {True: "[green]pass", False: "[red]fail", None: ""}[figure.met]
    return figure.wanted, figure.measured, verdict
