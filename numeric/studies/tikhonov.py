"""tikhonov: training with a penalty ``e |theta|^2``, and what the points found show of themselves.

Global minimisers have ``loss <= e |w|^2`` for every interpolant ``w``. The slope of the loss cannot
tell that a point is global; the witness and the cross test tell of some points that they are not.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attnproof.numeric.studies.figures import INK, QUIET, quiet
from attnproof.numeric.studies.study import Cell, Record, Study, Table
from attnproof.symbolic.interpolation.tikhonov import LEAST_SLOPE, Finding, Run, diagnose

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

#: Penalties, from the greatest on; every half power of ten.
EPSILONS = tuple(10 ** (-k / 2) for k in range(2, 13))
RIDGE, WELL, BUILT, RANDOM, FOLLOWED = (
    "ridge regression",
    "double well, from −1",
    "transformer, from the construction",
    "transformer, from random weights",
    "transformer, each from the last",
)
_DATA: list[tuple[Any, Any]] = [
    ([(0, -2), (1, -2), (3, -1)], [(-1, -1)]),
    ([(-3, 0), (-1, -1), (3, 2)], [(-3, 0), (0, -1)]),
]


@dataclass(frozen=True, slots=True)
class Point:
    """A problem with a way to start, and the steps of L-BFGS at each penalty."""

    start: str
    seed: int
    steps: int = 400
    epsilons: tuple[float, ...] = EPSILONS


def points(seed: int, quick: bool) -> list[Point]:
    """Two problems whose minimisers are known, then a transformer from several starts."""
    several = 1 if quick else 3
    starts = [(RIDGE, seed), (WELL, seed), (BUILT, seed), (FOLLOWED, seed)]
    starts += [(RANDOM, 100 * seed + k) for k in range(several)]
    if quick:
        return [Point(start, one, 15, EPSILONS[::5]) for start, one in starts]
    return [Point(start, one) for start, one in starts]


def run(point: Point) -> Record:
    """The points that training finds at each penalty, and what their table shows."""
    from attnproof.numeric.one_thread import one_thread

    start = perf_counter()
    with one_thread():
        problem = {RIDGE: _ridge, WELL: _well}.get(point.start, _transformer)
        interpolant, found = problem(point)
    shown = diagnose([(e, loss, norm) for e, loss, norm, _ in found], interpolant=interpolant)
    return {
        "start": point.start,
        "seed": point.seed,
        "interpolant": interpolant,
        "runs": [list(each) for each in found],
        "slope": shown.slope,
        "finding": shown.finding.value,
        "witness": list(shown.witness),
        "crossed": [list(pair) for pair in shown.crossed],
        "rising": [list(pair) for pair in shown.rising],
        "falling": [list(pair) for pair in shown.falling],
        "seconds": {"training": perf_counter() - start},
    }


#: The norm of an interpolant; at each penalty the loss, the norm, and the length of the gradient.
_Found = tuple[float, list[tuple[float, float, float, float]]]


def _ridge(point: Point) -> _Found:
    """Five equations in eight unknowns; the objective is convex, so what is found is global."""
    import torch

    random = torch.Generator().manual_seed(point.seed)
    matrix = torch.randn(5, 8, generator=random, dtype=torch.float64)
    wanted = torch.randn(5, generator=random, dtype=torch.float64)
    least = torch.linalg.pinv(matrix) @ wanted
    zero = torch.zeros(8, dtype=torch.float64)
    found = [
        _trained([zero], lambda held: (matrix @ held[0] - wanted).square().sum(), e, point.steps)
        for e in point.epsilons
    ]
    return float(least.square().sum()), [each.told for each in found]


def _well(point: Point) -> _Found:
    """``(t^2 - 1)^2 + 0.15 (t - 1)^2``: 0 at 1, and a minimum near -0.8 that is not."""
    import torch

    start = torch.tensor([-1.0], dtype=torch.float64)

    def loss(held: "Sequence[Tensor]") -> "Tensor":
        (t,) = held
        return ((t * t - 1).square() + 0.15 * (t - 1).square()).sum()

    found = [_trained([start], loss, e, point.steps) for e in point.epsilons]
    return 1.0, [each.told for each in found]


def _transformer(point: Point) -> _Found:
    """A built transformer as a torch module with softmax at temperature 1, trained on its own data
    from its own weights, from random ones, or from what was found at the penalty before."""
    import torch

    from attnproof.numeric.interpolant import Interpolant
    from attnproof.symbolic.interpolation.balance import balanced
    from attnproof.symbolic.interpolation.build import build
    from attnproof.symbolic.interpolation.data import read
    from attnproof.symbolic.interpolation.exact import forward

    made = build(read(_DATA), robust=True)
    even = balanced(made.net)
    model = Interpolant(even.net, temperature=1.0)
    inputs, wanted = (
        torch.tensor([[[float(x) for x in t] for t in one] for one in sets], dtype=torch.float64)
        for sets in (
            [pair.input for pair in made.data.pairs],
            [forward(made.net, pair.input) for pair in made.data.pairs],
        )
    )
    names = [name for name, _ in model.named_parameters()]
    built = [each.detach().clone() for each in model.parameters()]

    def loss(held: "Sequence[Tensor]") -> "Tensor":
        weights = dict(zip(names, held, strict=True))
        outputs = torch.func.functional_call(model, weights, (inputs,))
        apart: Tensor = (outputs - wanted).square().sum((0, 2)).mean()
        return apart

    random = torch.Generator().manual_seed(point.seed)
    start = built
    if point.start == RANDOM:
        start = [
            0.3 * torch.randn(each.shape, generator=random, dtype=each.dtype) for each in built
        ]
    found = []
    for e in point.epsilons[::-1]:  # from the least on, where the construction is nearly optimal
        found.append(_trained(start, loss, e, point.steps))
        start = found[-1].point if point.start == FOLLOWED else start
    return float(even.after), [each.told for each in found[::-1]]


@dataclass(frozen=True, slots=True)
class _Trained:
    point: "list[Tensor]"
    told: tuple[float, float, float, float]


def _trained(
    start: "Sequence[Tensor]",
    loss: "Callable[[Sequence[Tensor]], Tensor]",
    epsilon: float,
    steps: int,
) -> _Trained:
    """What L-BFGS finds from ``start``."""
    import torch

    held = [each.clone().requires_grad_(True) for each in start]
    optimiser = torch.optim.LBFGS(
        held,
        max_iter=steps,
        history_size=30,
        tolerance_grad=1e-13,
        tolerance_change=1e-16,
        line_search_fn="strong_wolfe",
    )

    def parts() -> "tuple[Tensor, Tensor]":
        return loss(held), torch.stack([each.square().sum() for each in held]).sum()

    def objective() -> "Tensor":
        optimiser.zero_grad()
        fit, norm = parts()
        total = fit + epsilon * norm
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimiser.step(objective)  # type: ignore[no-untyped-call]
    objective()
    steepest = sum(float(each.grad.square().sum()) for each in held if each.grad is not None)
    fit, norm = parts()
    told = (epsilon, fit.item(), norm.item(), steepest**0.5)
    return _Trained([each.detach() for each in held], told)


def tables(records: Sequence[Record]) -> list[Table]:
    """What the slope alone says of each start beside what the tests show, and the points."""
    header = (
        "start", "seed", "slope", "the slope alone", "witness", "cross", "other starts",
        "rising, falling", "found",
    )  # fmt: skip
    rows = [
        (
            record["start"],
            record["seed"],
            record["slope"],
            _by_slope(record["slope"]),
            _count({*record["witness"]}, record),
            _count({a for a, _ in record["crossed"]}, record),
            _count(_beaten(record, records), record) if "transformer" in record["start"] else None,
            f"{len(record['rising'])}, {len(record['falling'])}",
            record["finding"],
        )
        for record in records
    ]
    least: list[tuple[Cell, ...]] = []
    for e in [run[0] for run in records[0]["runs"]]:
        pool = [(_objective(run, e), run, record) for record, run in _pool(records)]
        if pool:
            value, run, record = min(pool, key=lambda one: one[0])
            least.append((_power(e), value, record["start"], record["seed"], _power(run[0])))
    return [
        Table("Points that are shown not to be global, by test", header, tuple(rows)),
        Table(
            "The transformer: the least objective known, and where that point was found",
            ("e", "objective", "start", "seed", "trained at"),
            tuple(least),
        ),
    ]


def _pool(records: Sequence[Record]) -> list[tuple[Record, Sequence[float]]]:
    """Every point of the transformer with its record."""
    some = [record for record in records if "transformer" in record["start"]]
    return [(record, run) for record in some for run in record["runs"]]


def _objective(run: Sequence[float], epsilon: float) -> float:
    return Run(*run[:3]).objective(epsilon)


def _beaten(record: Record, records: Sequence[Record]) -> set[float]:
    """The penalties at which a point of another start is better."""
    return {
        run[0]
        for run in record["runs"]
        if any(
            _objective(other, run[0]) < _objective(run, run[0]) * (1 - 1e-6)
            for owner, other in _pool(records)
            if owner is not record
        )
    }


def _by_slope(slope: float | None) -> str:
    if slope is None:
        return "–"
    return Finding.SUSPICIOUS.value if slope < LEAST_SLOPE else Finding.CONSISTENT.value


def _count(shown: set[float], record: Record) -> str:
    return f"{len(shown)} of {len(record['runs'])}"


def _power(epsilon: float) -> str:
    """
    >>> _power(10**-2.5)
    '10^-2.5'
    """
    return f"10^{math.log10(epsilon):.3g}"


_COLOURS = {
    RIDGE: "#8c8c8c",
    WELL: "#7a5195",
    BUILT: "#1b6ca8",
    FOLLOWED: "#3d9a8b",
    RANDOM: "#b3541e",
}


def figures(records: Sequence[Record]) -> "Mapping[str, Figure]":
    """Loss against penalty, open where a test shows that the point is not global; and by how much
    its objective exceeds the least that is known."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(10.5, 4.2), layout="constrained")
    losses, excess = drawn.subplots(1, 2)
    named: set[str] = set()
    for record in records:
        start, colour = record["start"], _COLOURS[record["start"]]
        label = None if start in named else start
        named.add(start)
        runs = record["runs"]
        shown = {*record["witness"], *(a for a, _ in record["crossed"])}
        losses.plot([r[0] for r in runs], [r[1] for r in runs], color=colour, linewidth=1.2)
        filled = [colour if r[0] not in shown else "white" for r in runs]
        losses.scatter(
            [r[0] for r in runs], [r[1] for r in runs], c=filled, edgecolors=colour, s=18, zorder=3
        )
        losses.plot([], [], color=colour, marker="o", markersize=4, label=label)
        if "transformer" not in start:
            continue
        times = [
            _objective(r, r[0]) / min(_objective(other, r[0]) for _, other in _pool(records))
            for r in runs
        ]
        excess.plot([r[0] for r in runs], times, color=colour, linewidth=1.2, marker="o", ms=3.5)
    bound = next((r["interpolant"] for r in records if "transformer" in r["start"]), None)
    if bound is not None:
        ends = [records[0]["runs"][0][0], records[0]["runs"][-1][0]]
        losses.plot(
            ends,
            [bound * e for e in ends],
            color=INK,
            linewidth=0.8,
            linestyle=":",
            label="e |θ₀|² of the construction: slope 1",
        )
    quiet(losses, "loss; open: shown not to be global", "penalty e")
    quiet(excess, "objective over the least known", "penalty e")
    for axes in (losses, excess):
        axes.set_xscale("log")
        axes.set_yscale("log")
    drawn.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=QUIET, fontsize=8)
    return {"tikhonov": drawn}


STUDY = Study(
    name="tikhonov",
    sentence="Training with a shrinking penalty: where the slope of the loss looks right and the "
    "points found are shown not to be global minimisers.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
