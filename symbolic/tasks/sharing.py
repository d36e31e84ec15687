"""Why a task shares no position with the others, said of one atom that both are fed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from attnproof.symbolic.tasks.differing import below_words, differing, own_words
from attnproof.symbolic.tasks.partition import Partition, Place
from attnproof.symbolic.tasks.task import Task
from attnproof.symbolic.tasks.upstream import Node, name_of
from attnproof.symbolic.verdict import Finding

#: Pairs of positions that are looked at to say why two tasks share nothing.
_PAIRS = 4096


def nothing_shared(tasks: Sequence[Task], found: Partition) -> Iterator[Finding]:
    """A task that shares no position with any other, though it is fed an atom of another."""
    sharing = {
        t for members in found.members if len({t for t, _ in members}) > 1 for t, _ in members
    }
    fed: dict[str, list[Place]] = defaultdict(list)
    for s, task in enumerate(tasks):
        for q, position in enumerate(task.positions):
            for atom in position.atoms:
                fed[atom].append((s, q))
    for t in range(len(tasks)):
        if t in sharing:
            continue
        pairs = (
            (Node(tasks[s], q), Node(tasks[t], p), s)
            for p, position in enumerate(tasks[t].positions)
            for atom in position.atoms
            for s, q in fed[atom]
            if s != t
        )
        closest = min(
            islice(pairs, _PAIRS), key=lambda pair: len(differing(*pair[:2])), default=None
        )
        if closest is None:
            continue
        one, two, s = closest
        first, second = sorted([(s, one), (t, two)], key=lambda entry: entry[0])
        yield Finding(
            "nothing_shared",
            f"{name_of(tasks, t)} shares no position with another task, though it is fed atoms of "
            f"{name_of(tasks, s)}: {_apart(first, second)}",
            severity="note",
            details={"task": t, "other": s, "positions": [first[1].position, second[1].position]},
        )
        return


def _apart(first: tuple[int, Node], second: tuple[int, Node]) -> str:
    """Why two positions that are fed one atom are not equivalent."""
    (t, a), (s, b) = first, second
    ours, theirs = (node.task.positions[node.position] for node in (a, b))
    atom = next(atom for atom in ours.atoms if atom in theirs.atoms)
    for key in differing(a, b):
        if key == "pos":
            at = [
                f"{'without pos' if one.pos is None else f'at pos {one.pos}'} in task {n}"
                for n, one in ((t, ours), (s, theirs))
            ]
            return (
                f"{atom} is {' and '.join(at)}; give one token one pos in all tasks (short "
                "forms in Python take their index, from 0; a file and Position give none)"
            )
        if key == "kind":
            return (
                f"{atom} is of kind {ours.kind} in task {t} and {theirs.kind} in task {s}; kind is "
                "part of the input: give it one kind in all tasks"
            )
        return f"{atom} is fed as {own_words(a)} in task {t} and as {own_words(b)} in task {s}"
    if below_words(a) == below_words(b):
        return f"the masks of what lies below {atom} differ; only what reads the same is shared"
    return (
        f"what lies below {atom} differs: {below_words(a)} in task {t}, {below_words(b)} in task "
        f"{s}; only what reads the same is shared"
    )
