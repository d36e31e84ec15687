"""few-blocks: how many blocks training needs on data where the construction needs a known number.

The block is that of the construction, with one softmax head whose scores are trained. Coordinates
are multiples of 1/4, so that an output within 1/8 of its target is rounded to it.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.figures import INK, QUIET
from attnproof.numeric.studies.study import Record, Study, Table
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, read

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

#: Tokens of an input and of an output, coordinates of a token, and in how many parts 1 is divided.
INPUT, OUTPUT, DIMENSION, PARTS = 4, 2, 2, 4
#: Errors below which outputs are rounded to their targets, and below which they are close.
DECODES, CLOSE = 1 / (2 * PARTS), 0.01


@dataclass(frozen=True, slots=True)
class Point:
    """Transformers of ``blocks`` blocks, trained from ``starts`` random weights on each of
    ``sets`` data sets of ``pairs`` pairs."""

    pairs: int
    blocks: int
    seed: int
    sets: int = 4
    starts: int = 6
    steps: int = 3000
    rate: float = 0.02


def points(seed: int, quick: bool) -> list[Point]:
    """Two, four and six pairs, from one block on; ``quick`` is smaller and shorter."""
    if quick:
        return [Point(2, blocks, seed, sets=2, starts=2, steps=40) for blocks in (1, 2)]
    return [
        Point(pairs, blocks, seed)
        for pairs, most in ((2, (1, 2, 3, 4)), (4, (1, 2, 3, 4, 6)), (6, (1, 2, 3, 4, 6)))
        for blocks in most
    ]


def drawn(pairs: int, seed: int) -> Data:
    """Random inputs and outputs in the square from -2 to 2."""
    chance = random.Random(seed)

    def tokens(count: int) -> list[list[str]]:
        held: set[tuple[int, ...]] = set()
        while len(held) < count:
            held.add(tuple(chance.randint(-2 * PARTS, 2 * PARTS) for _ in range(DIMENSION)))
        return [[f"{number}/{PARTS}" for number in token] for token in sorted(held)]

    return read([(tokens(INPUT), tokens(OUTPUT)) for _ in range(pairs)])


def run(point: Point) -> Record:
    """The error of every start on every data set after training, and the construction's blocks."""
    import torch

    from attnproof.numeric.ensemble import Ensemble, chamfer, hausdorff
    from attnproof.numeric.one_thread import one_thread

    data = [drawn(point.pairs, 1000 * point.seed + k) for k in range(point.sets)]
    start = perf_counter()
    with one_thread():
        inputs, wanted = (
            torch.stack([_tensor(one, side) for one in data]).repeat_interleave(point.starts, 0)
            for side in ("input", "output")
        )
        model = Ensemble(point.sets * point.starts, point.blocks, DIMENSION, seed=point.seed)
        held = list(model.parameters())
        optimiser = torch.optim.Adam(held, lr=point.rate)
        pace = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, point.rate, point.steps, pct_start=0.1
        )
        for _ in range(point.steps):
            optimiser.zero_grad()
            chamfer(model(inputs), wanted).sum().backward()  # type: ignore[no-untyped-call]
            _shorten(held)
            optimiser.step()
            pace.step()
        with torch.no_grad():
            errors = hausdorff(model(inputs), wanted).view(point.sets, point.starts)
    built = {mode: [_blocks(one, mode) for one in data] for mode in (Mode.UNIFORM, Mode.LEADER)}
    return {
        "pairs": point.pairs,
        "blocks": point.blocks,
        "steps": point.steps,
        "outputs": point.pairs * OUTPUT,
        "free_numbers": point.pairs * OUTPUT * DIMENSION,
        "weights": sum(each[0].numel() for each in held),
        "construction": built[Mode.UNIFORM],
        "construction_softmax": built[Mode.LEADER],
        "theorem": build(data[0], Mode.LEADER, robust=True).claimed,
        "errors": [[float(f"{each:.4g}") for each in row] for row in errors.tolist()],
        "seconds": {"training": perf_counter() - start},
    }


def _tensor(data: Data, side: str) -> "Tensor":
    import torch

    tokens = [[[float(x) for x in token] for token in getattr(pair, side)] for pair in data.pairs]
    return torch.tensor(tokens, dtype=torch.float64)


def _blocks(data: Data, mode: Mode) -> int:
    """With plateaus in the mode leader, as softmax needs them."""
    return len(build(data, mode, robust=mode is Mode.LEADER).net.blocks)


def _shorten(parameters: "Sequence[Any]") -> None:
    """The gradient of each member to length 1, where it is longer."""
    import torch

    squares = (one.grad.flatten(1).square().sum(1) for one in parameters)
    factor = sum(squares, torch.zeros(())).clamp(min=1).rsqrt()
    for one in parameters:
        one.grad.mul_(factor.view(-1, *[1] * (one.dim() - 1)))


def tables(records: Sequence[Record]) -> list[Table]:
    """A row for each number of pairs and of blocks, and one of the fewest that were enough."""
    header = (
        "pairs", "blocks", "weights", "free numbers", "starts that decode", "error < 0.01",
        "data sets decoded", "median error", "least error",
    )  # fmt: skip
    rows = []
    for record in records:
        errors = [error for row in record["errors"] for error in row]
        rows.append(
            (
                record["pairs"],
                record["blocks"],
                record["weights"],
                record["free_numbers"],
                f"{sum(error < DECODES for error in errors)} of {len(errors)}",
                f"{sum(error < CLOSE for error in errors)} of {len(errors)}",
                f"{_decoded(record)} of {len(record['errors'])}",
                median(errors),
                min(errors),
            )
        )
    fewest = [
        (
            pairs,
            _fewest(some, 1),
            _fewest(some, len(some[0]["errors"])),
            max(some[0]["construction"]),
            max(some[0]["construction_softmax"]),
            some[0]["theorem"],
        )
        for pairs, some in _by_pairs(records).items()
    ]
    return [
        Table("Training from random weights", header, tuple(rows)),
        Table(
            "Blocks that are enough",
            ("pairs", "trained: some data set", "trained: every data set", "construction, means",
             "construction, softmax", "theorem"),
            tuple(fewest),
        ),
    ]  # fmt: skip


def _decoded(record: Record) -> int:
    """How many data sets some start decodes."""
    return sum(min(row) < DECODES for row in record["errors"])


def _fewest(records: Sequence[Record], sets: int) -> int | None:
    """The fewest blocks with which so many data sets are decoded."""
    enough = [record["blocks"] for record in records if _decoded(record) >= sets]
    return min(enough, default=None)


def _by_pairs(records: Sequence[Record]) -> dict[int, list[Record]]:
    found: dict[int, list[Record]] = {}
    for record in records:
        found.setdefault(record["pairs"], []).append(record)
    return found


#: Errors below are drawn as this.
_LEAST = 1e-6
_COLOURS = {2: "#3d9a8b", 4: "#1b6ca8", 6: "#0b3954"}


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Each start as a dot, its error against its blocks; a line where the construction stands."""
    from matplotlib.figure import Figure

    groups = _by_pairs(records)
    drawn = Figure(figsize=(10.5, 3.4), layout="constrained")
    panels = drawn.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, (pairs, some) in zip(panels, groups.items(), strict=True):
        colour = _COLOURS.get(pairs, "#1b6ca8")
        for record in some:
            errors = sorted(error for row in record["errors"] for error in row)
            spread = [0.5 * (k / max(1, len(errors) - 1) - 0.5) for k in range(len(errors))]
            axes.plot(
                [record["blocks"] + each for each in spread],
                [max(error, _LEAST) for error in errors],
                color=colour,
                linestyle="none",
                marker="o",
                markersize=2.8,
            )
        axes.axhline(DECODES, color=QUIET, linewidth=0.8, linestyle=":")
        built = max(some[0]["construction"])
        axes.axvline(built, color="#b3541e", linewidth=1)
        axes.annotate(
            f"construction: {built}, exact ",
            (built, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-3, -2),
            textcoords="offset points",
            color="#b3541e",
            fontsize=8,
            ha="right",
            va="top",
        )
        axes.set_yscale("log")
        axes.set_ylim(_LEAST / 2, 30)
        last = max(built, *(record["blocks"] for record in some))
        axes.set_xlim(0.4, last + 0.6)
        axes.set_xticks(range(1, last + 1))
        axes.set_xlabel("blocks", color=INK, fontsize=9)
        axes.set_title(f"{pairs} pairs", size=9, color=INK)
        axes.grid(color="#e6e6e6", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(which="both", length=0, colors=INK, labelsize=8)
        axes.spines[:].set_visible(False)
    panels[0].set_ylabel("error of a start; dotted: decodes", color=INK, fontsize=8)
    return {"few-blocks": drawn}


STUDY = Study(
    name="few-blocks",
    sentence="How many blocks gradient descent needs to fit data that the construction fits "
    "exactly with a known number of blocks.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
