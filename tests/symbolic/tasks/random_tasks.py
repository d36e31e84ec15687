"""Random tasks, and what must hold of them written a second time with sets of pairs."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.tasks.masks import Heads, Layers, MaskSpec
from attnproof.symbolic.tasks.task import Label, Position, PosMode, Task
from tests.laws.strategies import mask_of, rows
from tests.reference import Pairs, after, identity, multiplied, pairs_of_sets

ATOMS = ("x1", "x2", "x3", "x4")
DERIVED = {"y": ("x1", "x2"), "z": ("y", "x3")}


def some(items: Sequence[str]) -> st.SearchStrategy[frozenset[str]]:
    """A set of items."""
    return st.frozensets(st.sampled_from(items))


def maybe(items: Sequence[str]) -> st.SearchStrategy[frozenset[str] | None]:
    """A set of items, more often None."""
    return st.one_of(st.none(), st.none(), some(items))


@st.composite
def masks(draw: st.DrawFn, n: int) -> MaskSpec:
    """One mask, a schedule, heads, or a schedule of heads."""
    one = rows(n).map(mask_of)
    heads = st.lists(one, min_size=1, max_size=2).map(lambda found: Heads(tuple(found)))
    layers = st.lists(st.one_of(one, heads), min_size=1, max_size=3)
    return draw(st.one_of(one, one, heads, layers.map(lambda found: Layers(tuple(found)))))


@st.composite
def tasks(draw: st.DrawFn, most: int = 5, residual: bool | None = None) -> Task:
    """A small task with derived items, several heads, allowed atoms and any mask."""
    n = draw(st.integers(1, most))
    derived: Mapping[str, tuple[str, ...]] = draw(st.sampled_from([{}, DERIVED]))
    items = (*ATOMS, *derived)
    positions = tuple(
        Position(
            atoms=tuple(sorted(draw(st.frozensets(st.sampled_from(items), max_size=2)))),
            pos=draw(st.none() | st.integers(-3, 9)),
            kind=draw(st.sampled_from(["tok", "mask", "keep"])),
            segment=draw(st.sampled_from([None, 1, "a", (0, "b")])),
            allowed_atoms=draw(maybe(items)),
        )
        for _ in range(n)
    )
    places = st.tuples(st.integers(0, n - 1), st.integers(0, 1))
    labels = tuple(
        Label(p, draw(st.sampled_from(items)), head, draw(maybe(items)))
        for p, head in draw(st.lists(places, unique=True, max_size=4))
    )
    return Task(
        atoms=ATOMS,
        positions=positions,
        labels=labels,
        mask=draw(masks(n)),
        name=draw(st.text(max_size=3)),
        derived=derived,
        residual=draw(st.booleans()) if residual is None else residual,
        empty_row=draw(st.sampled_from(EmptyRow)),
        depth=draw(st.none() | st.integers(0, 4)),
        pos_mode=draw(st.sampled_from(PosMode)),
        diag_in_softmax=draw(st.booleans()),
        allowed_atoms=draw(maybe(items)),
    )


def executed(task: Task) -> list[Pairs]:
    """The executed layers of a task as pairs, from its mask as written."""
    spec = task.mask
    return [
        _layer(task, layer.masks if isinstance(layer, Heads) else (layer,))
        for layer in (spec.masks if isinstance(spec, Layers) else (spec,))
    ]


def _layer(task: Task, heads: Sequence[MaskSpec]) -> Pairs:
    layer = set(identity(task.size)) if task.residual else set()
    for head in heads:
        read = pairs_of_sets(head.rows.bits())  # type: ignore[union-attr]
        layer |= read
        if task.empty_row is EmptyRow.UNIFORM:
            reading = {q for q, _ in read}
            layer |= {
                (q, k) for q in range(task.size) for k in range(task.size) if q not in reading
            }
    return frozenset(layer)


def products(task: Task) -> list[Pairs]:
    """What each position holds after 0, 1, ... layers, long enough for every shortest walk."""
    layers, held = executed(task), [identity(task.size)]
    for level in range(task.size * len(layers) + 1):
        held.append(multiplied(layers[level % len(layers)], held[-1]))
    return held


def product(task: Task, depth: int) -> Pairs:
    """What each position holds after exactly ``depth`` layers."""
    return after(executed(task), depth, task.size)


def with_arguments(task: Task, item: str) -> set[str]:
    """An item and all that it is computed from."""
    found = {item}
    for argument in task.derived.get(item, ()):
        found |= with_arguments(task, argument)
    return found


def determined(task: Task, items: set[str]) -> set[str]:
    """The items that some items determine, to a fixed point."""
    while True:
        more = {y for y, arguments in task.derived.items() if set(arguments) <= items} | items
        if more == items:
            return items
        items = more


def content(task: Task, p: int) -> set[str]:
    """What a position carries."""
    return {part for item in task.positions[p].atoms for part in with_arguments(task, item)}


def allowed_at(task: Task, label: Label | None, p: int) -> set[str] | None:
    """What may arrive at a position, as far as one label is concerned."""
    own = [label.allowed_atoms] if label else []
    given = [part for part in (*own, task.positions[p].allowed_atoms) if part is not None]
    if not given and label is not None and task.allowed_atoms is not None:
        given = [task.allowed_atoms]
    if not given:
        return None
    kept = label is not None and is_kept(task, label)
    found = set.intersection(*(_wide(task, set(part)) for part in given))
    return _wide(task, found | {label.atom}) if kept and label else found


def _wide(task: Task, items: set[str]) -> set[str]:
    return determined(task, {part for item in items for part in with_arguments(task, item)})


def is_kept(task: Task, label: Label) -> bool:
    """Does a position of kind "keep" carry its own label?"""
    own = task.positions[label.position]
    return own.kind == "keep" and label.atom in content(task, label.position)
