"""Random pairs of nodes that one model runs, the same inputs often, so that many are equivalent."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.masks import Heads, Layers, MaskSpec
from attnproof.symbolic.tasks.task import Position, PosMode, Task
from tests.laws.strategies import mask_of, rows
from tests.reference import closed, pairs_of_sets, sets_of_pairs

Placed = tuple[Task, int]
MOST = 5


@st.composite
def models(draw: st.DrawFn) -> dict[str, Any]:
    """What tasks must agree in, and how many heads there are."""
    return {
        "depth": draw(st.sampled_from([None, None, 0, 1, 2, 3])),
        "pos_mode": draw(st.sampled_from(PosMode)),
        "empty_row": draw(st.sampled_from(EmptyRow)),
        "diag_in_softmax": draw(st.booleans()),
        "heads": draw(st.sampled_from([1, 1, 2])),
    }


@st.composite
def tasks(draw: st.DrawFn, model: dict[str, Any], most: int = MOST) -> Task:
    """A task of few kinds of inputs under some model; a row may be empty, in the task and in each
    part of it, where it then returns zero; else each reads a key that is not taken away."""
    filled = model["empty_row"] is not EmptyRow.ZERO
    further = 0 if model["diag_in_softmax"] else 1
    n = draw(st.integers(1 + filled * further, most))
    settings = {key: value for key, value in model.items() if key != "heads"}
    ids = st.integers(0, 2) if model["pos_mode"] is PosMode.RELATIVE else st.sampled_from([None, 0])
    fed = st.sampled_from([(), (), ("x",)]) if draw(st.booleans()) else st.just(())
    positions = [Position(draw(fed), draw(ids)) for _ in range(n)]
    drawn = st.one_of(rows(n), rows(n).map(lambda found: _dense(found, n)))
    one = drawn.map(
        lambda found: mask_of([row | filled << (q + further) % n for q, row in enumerate(found)])
    )
    layer = st.lists(one, min_size=model["heads"], max_size=model["heads"])
    layers = [draw(layer) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    return Task.build(positions, {}, _spec(layers), atoms=["x"], **settings)


def _dense(found: Sequence[int], n: int) -> tuple[int, ...]:
    return sets_of_pairs(closed(pairs_of_sets(found), n), n)


def _spec(layers: Sequence[Sequence[Mask]]) -> MaskSpec:
    if len(layers) == len(layers[0]) == 1:
        return layers[0][0]
    return Layers(tuple(Heads(tuple(heads)) for heads in layers))


@st.composite
def nodes(draw: st.DrawFn, task: Task) -> int:
    """A position of a task."""
    return draw(st.integers(0, task.size - 1))


def renumbered(task: Task, to: Sequence[int]) -> Task:
    """Position ``p`` becomes position ``to[p]``; position ids are moved along, and, where only
    their differences are seen, all shifted."""
    shift = 7 if task.pos_mode is PosMode.RELATIVE else 0
    positions = [task.positions[p] for p in sorted(range(task.size), key=to.__getitem__)]
    shifted = [replace(p, pos=None if p.pos is None else p.pos + shift) for p in positions]
    spec = task.mask.masks if isinstance(task.mask, Layers) else (task.mask,)
    layers = [layer.masks if isinstance(layer, Heads) else (layer,) for layer in spec]
    moved = [[_moved(mask, to) for mask in heads] for heads in layers]
    return replace(task, positions=tuple(shifted), mask=_spec(moved))


def _moved(mask: Any, to: Sequence[int]) -> Mask:
    pairs = {(to[q], to[k]) for q, k in pairs_of_sets(mask.rows.bits())}
    return mask_of(sets_of_pairs(pairs, len(to)))


@st.composite
def renumberings(draw: st.DrawFn, task: Task) -> tuple[Task, list[int]]:
    """The same task, its positions in another order."""
    to = draw(st.permutations(range(task.size)))
    return renumbered(task, to), list(to)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Placed, Placed]:
    """Two nodes: of one task, of a task and its renumbering, edited or not, or of two tasks."""
    model = draw(models())
    a = draw(tasks(model, 6))
    v = draw(nodes(a))
    kind = draw(st.sampled_from(["same", "renumbered", "edited", "edited", "edited", "other"]))
    if kind == "other":
        b = draw(tasks(model))
        return (a, v), (b, draw(nodes(b)))
    b, to = draw(renumberings(edited(a, v, draw(nodes(a)), kind == "edited")))
    return (a, v), (b, draw(nodes(b)) if kind == "same" else to[v])


def edited(task: Task, v: int, k: int, really: bool) -> Task:
    """The task, or one in which the first key of v reads k exactly if it did not before."""
    if not really:
        return task
    spec = task.mask.masks if isinstance(task.mask, Layers) else (task.mask,)
    layers: list[list[Any]] = [
        list(layer.masks) if isinstance(layer, Heads) else [layer] for layer in spec
    ]
    rows = list(layers[0][0].rows.bits())
    q = next((p for p in range(task.size) if rows[v] >> p & 1), v)
    rows[q] ^= 1 << k
    further = 0 if task.diag_in_softmax else 1
    if task.empty_row is not EmptyRow.ZERO and not rows[q] & ~(further << q):
        rows[q] |= 1 << (q + further) % task.size
    layers[0][0] = mask_of(rows)
    return replace(task, mask=_spec(layers))
