"""merged/v1: one task holds several others, and has no class too many.

Theorem: a map that is one to one below each position, keeps inputs and labels and carries the keys
of a query to the keys of its image is an isomorphism of what lies below each position. So every
task that holds the others in this way has, for each class of theirs, a class of that type. Where
all classes of the merged task come from some task and no two are equivalent, none has fewer.
Then, too, no two equivalent classes lie below one position: they would have one image.

Machine-checked: ``MergeSound.supergraph_keeps_states``,
``Expansion.merged_positions_keep_states`` and ``Merge.fewest_vertices``.
"""

from collections.abc import Sequence
from math import lcm

from .colours import agree, rounds
from .envelope import array, boolean, integers, need, record
from .isomorphism import exists
from .limits import Steps
from .models import Model, read_model
from .nodes import Pair
from .relations import elements

KIND = "attnproof/merged/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless every task is embedded and, where it is claimed, none has fewer."""
    found = record(predicate, {"tasks", "merged", "maps", "minimal"}, "the predicate")
    steps = Steps()
    tasks, left = [], digests
    for task in array(found["tasks"], "tasks"):
        model, left = read_model(task, left, steps)
        tasks.append(model)
    merged, left = read_model(found["merged"], left, steps)
    need(not left, "there are more subjects than masks")
    need(bool(tasks), "there is no task")
    need(all(one.conventions == merged.conventions for one in tasks), "no one model runs all tasks")
    listed = array(found["maps"], "maps")
    need(len(listed) == len(tasks), "there is not one map a task")
    maps = [integers(one, merged.size, "a map") for one in listed]
    for task, mapped in zip(tasks, maps, strict=True):
        _check_embedding(task, merged, mapped, steps)
    need({slot for mapped in maps for slot in mapped} == set(range(merged.size)),
         "a position comes from no task")  # fmt: skip
    need(_united(tasks, maps) == merged.labels, "the labels are not those of the tasks")
    if boolean(found["minimal"], "minimal"):
        _check_minimal(merged, steps)


def _check_embedding(task: Model, merged: Model, mapped: Sequence[int], steps: Steps) -> None:
    need(len(mapped) == task.size, "a map has another length than its task")
    for p, slot in enumerate(mapped):
        steps.take(task.below[p].bit_count())
        need(task.inputs[p] == merged.inputs[slot], "a map changes an input")
        images = {mapped[u] for u in elements(task.below[p])}
        need(len(images) == task.below[p].bit_count(), "a map is not one to one below a position")
    for level in range(lcm(len(task.keys), len(merged.keys))):
        ours, theirs = task.keys[level % len(task.keys)], merged.keys[level % len(merged.keys)]
        for own, rows in zip(ours, theirs, strict=True):
            for p, slot in enumerate(mapped):
                keys = list(elements(own[p]))
                steps.take(1 + len(keys))
                image = 0
                for k in keys:
                    image |= 1 << mapped[k]
                    need(
                        task.places[p] - task.places[k]
                        == merged.places[slot] - merged.places[mapped[k]],
                        "a map changes a difference of positions",
                    )
                need(image == rows[slot], "a map changes the keys of a query")


def _united(
    tasks: Sequence[Model], maps: Sequence[Sequence[int]]
) -> dict[int, frozenset[tuple[int, str]]]:
    found: dict[int, frozenset[tuple[int, str]]] = {}
    for task, mapped in zip(tasks, maps, strict=True):
        for p, labels in task.labels.items():
            found[mapped[p]] = found.get(mapped[p], frozenset()) | labels
    return found


def _check_minimal(merged: Model, steps: Steps) -> None:
    """No two classes are equivalent: where colours leave it open, by an exhausted search."""
    whole = merged.colours(steps)
    first: dict[int, list[int]] = {}
    for p in range(merged.size):
        first.setdefault(merged.below[p], []).append(p)
    classes = list(first.values())
    seen: dict[int, list[int]] = {}
    for c, positions in enumerate(classes):
        for d in sorted({d for p in positions for d in seen.get(whole[p], ())}):
            alike = (p for p in classes[d] if whole[p] == whole[positions[0]])
            need(
                not any(_equivalent(merged, positions[0], p, steps) for p in alike),
                "two classes are equivalent",
            )
        for colour in {whole[p] for p in positions}:
            seen.setdefault(colour, []).append(c)


def _equivalent(merged: Model, p: int, q: int, steps: Steps) -> bool:
    pair = Pair(merged.side(p), merged.side(q), "iso", merged.depth, steps)
    *_, stable = rounds(pair)
    return agree(pair, stable) and exists(pair, stable)
