"""The tables and the figure of the sweep over all constructions."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.figures import QUIET, quiet
from attnproof.numeric.studies.study import Cell, Record, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CHECKS = ("exact", "within_bound", "permuted", "agree")


def tables(records: Sequence[Record]) -> list[Table]:
    """A table for each part that was run."""
    made = (
        _of_data(records),
        _of_changes(_part(records, "change")),
        _of_temperatures(_part(records, "temperature")),
        _of_sizes(_part(records, "length"), "Blocks and weights by the tokens of an input", "n"),
        _of_sizes(_part(records, "depth"), "Bits of the longest weight by pairs", "pairs"),
        _of_floats(_part(records, "floats")),
    )
    return [table for table in made if table.rows]


def _part(records: Sequence[Record], name: str) -> list[Record]:
    return [record for record in records if record["part"] == name]


def _of_data(records: Sequence[Record]) -> Table:
    """How many nets pass each check, on hard data and on random data."""
    hard, drawn = _part(records, "hard"), _part(records, "random")
    rows: list[tuple[Cell, ...]] = []
    for kind in _kinds([*hard, *drawn]):
        some = [one["nets"][kind] for one in hard if kind in one["nets"]]
        many = [one["nets"][kind] for one in drawn if kind in one["nets"]]
        total = len(some) + sum(one["nets"] for one in many)
        passed = [sum(int(one[check]) for one in (*some, *many)) for check in _CHECKS]
        least = sum(one["blocks"] for one in some) / max(1, sum(one["theorem"] for one in some))
        bits = max((one["bits"] for one in (*some, *many)), default=0)
        rows.append((kind, total, *passed, round(least, 2), bits))
    sets = len(hard) + sum(one["data_sets"] for one in drawn)
    return Table(
        f"{sets} data sets, {len(hard)} of them hard",
        ("construction", "nets", "exact", "L ≤ bound ≤ theorem", "permuted inputs",
         "both verifiers", "blocks over theorem", "most bits"),
        tuple(rows),
    )  # fmt: skip


def _of_changes(records: Sequence[Record]) -> Table:
    """Changed weights that the verifier sees."""
    rows = [
        (
            one["of"],
            one["changes"],
            one.get("seen", 0),
            one.get("missed", 0),
            f"{one['agree']} of {one['compared']}" if "compared" in one else None,
        )
        for one in records
    ]
    return Table(
        "1/7 added to a weight that is not 0",
        ("construction", "changes", "not exact", "still exact", "verifiers agree"),
        tuple(rows),
    )


def _of_temperatures(records: Sequence[Record]) -> Table:
    """What is certified at the star, and what is said above it."""
    rows: list[tuple[Cell, ...]] = []
    for kind in _kinds(records):
        some = [one["nets"][kind] for one in records]
        finite = [one for one in some if "at" in one]
        rows.append(
            (
                kind,
                len(some),
                sum(one["star"] == "infinity" for one in some),
                sum(one["capped"] for one in some),
                len(finite),
                sum(one["at"] == "holds" for one in finite),
                sum(one["at_2"] != "holds" for one in finite),
                sum(one["at_256"] != "holds" for one in finite),
                sum(one["closed"] is not None for one in finite),
            )
        )
    return Table(
        "Temperatures of robust nets on hard data",
        ("construction", "nets", "every one", "search ended at 2^40", "finite τ*", "exact to τ*",
         "not at 2 τ*", "not at 256 τ*", "closed form"),
        tuple(rows),
    )  # fmt: skip


def _of_sizes(records: Sequence[Record], title: str, key: str) -> Table:
    """Blocks, weights and bits of every kind."""
    kinds = _kinds(records)
    rows = [
        (one[key], *(_triple(one["nets"][kind]) for kind in kinds), _all_exact(one))
        for one in records
    ]
    return Table(f"{title}: blocks, weights, bits", (key, *kinds, "exact"), tuple(rows))


def _triple(net: Mapping[str, Any]) -> str:
    return f"{net['blocks']}, {net['weights']}, {net['bits']}"


def _all_exact(record: Record) -> str:
    nets = record["nets"].values()
    return f"{sum(net['exact'] for net in nets)} of {len(nets)}"


def _of_floats(records: Sequence[Record]) -> Table:
    """Errors of the torch module."""
    rows = [
        (kind, name, len(errors), sum(not error for error in errors), median(errors), max(errors))
        for one in records
        for kind, formats in one["errors"].items()
        for name, errors in formats.items()
    ]
    return Table(
        "Integer data in floats",
        ("construction", "format", "nets", "error 0", "median error", "greatest"),
        tuple(rows),
    )


def _kinds(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(kind for one in records for kind in one["nets"]))


_TICKS = (4, 16, 64, 256)
#: From wide to narrow, so that a line which lies on another hides none.
_WIDTHS = (4.0, 3.3, 2.6, 2.0, 1.5, 1.0)
_COLOURS = {
    "uniform": "#1b6ca8",
    "uniform, robust": "#0b3954",
    "leader": "#b3541e",
    "leader, robust": "#f2a65a",
    "phased": "#3d9a8b",
    "softmax1": "#7a5195",
}


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Blocks and weights against the length of inputs, and bits against blocks."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(10.5, 3.6), layout="constrained")
    panels = drawn.subplots(1, 3)
    parts = (
        ("length", "n", "blocks", "blocks against tokens of an input"),
        ("length", "n", "weights", "weights that are not 0"),
        ("depth", "blocks", "bits", "bits of the longest weight against blocks"),
    )
    for axes, (part, x, y, title) in zip(panels, parts, strict=True):
        some = _part(records, part)
        for width, kind in zip(_WIDTHS, _kinds(some), strict=False):
            nets = [one["nets"][kind] for one in some]
            across = [one[x] for one in (nets if x == "blocks" else some)]
            axes.plot(
                across,
                [net[y] for net in nets],
                color=_COLOURS[kind],
                marker="o",
                markersize=1 + width,
                linewidth=width,
                label=kind,
            )
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_xticks(_TICKS, [str(tick) for tick in _TICKS])
        quiet(axes, title, "tokens of an input" if part == "length" else "blocks")
    handles, names = panels[0].get_legend_handles_labels()
    drawn.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=6,
        frameon=False,
        labelcolor=QUIET,
        fontsize=8,
    )
    return {"interpolation-study": drawn}
