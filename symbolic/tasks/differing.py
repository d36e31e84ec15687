"""How the inputs of two positions differ, in words: what a model is fed at each of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from attnproof.symbolic.tasks.task import Position, PosMode
from attnproof.symbolic.tasks.upstream import Node

#: Inputs that are listed.
_SHOWN = 8


def input_words(position: Position, mode: PosMode = PosMode.ABSOLUTE) -> str:
    """What a model is fed at a position: atoms, position id where it is seen, kind, further ids.

    >>> input_words(Position(("x1",), 1)), input_words(Position((), kind="mask"))
    ('x1 pos 1 tok', 'no atom no pos mask')
    """
    atoms, pos, kind, segment = position.own_input
    said = ["+".join(atoms) or "no atom"]
    if mode is PosMode.ABSOLUTE:
        said.append("no pos" if pos is None else f"pos {pos}")
    said.append(kind)
    return " ".join(said if segment is None else [*said, f"segment {segment}"])


def differing(a: Node, b: Node) -> tuple[str, ...]:
    """The keys in which the own inputs of two positions differ; none where they are equal.

    >>> from attnproof.symbolic.tasks.task import Task
    >>> one, two = (Task.build([Position(("x1",), p)], {}, ["1"]) for p in (0, 1))
    >>> differing(Node(one, 0), Node(two, 0))
    ('pos',)
    """
    ours, theirs = (node.task.positions[node.position].own_input for node in (a, b))
    found = [
        key
        for key, own, other in zip(("atoms", "pos", "kind", "segment"), ours, theirs, strict=True)
        if own != other
    ]
    if a.task.pos_mode is not PosMode.ABSOLUTE:
        found = [key for key in found if key != "pos"]
    return tuple(found)


def own_words(node: Node) -> str:
    """What a model is fed at a position of a task."""
    return input_words(node.task.positions[node.position], node.task.pos_mode)


def below_words(node: Node) -> str:
    """What a position depends on, itself among it: its atoms, or the kind where there is none.

    >>> from attnproof.symbolic.tasks.task import Task
    >>> below_words(Node(Task.build(["x1", "x2", None], {}, "causal"), 2))
    'x1 x2 mask'
    """
    positions = node.task.positions
    return _listed("+".join(positions[p].atoms) or positions[p].kind for p in node.upstream)


def only_below(a: Node, b: Node) -> tuple[str, str]:
    """The inputs that are below the one position and not below the other, for both ways."""
    ours, theirs = (
        Counter(input_words(node.task.positions[p], node.task.pos_mode) for p in node.upstream)
        for node in (a, b)
    )
    return _listed((ours - theirs).elements(), ", "), _listed((theirs - ours).elements(), ", ")


def _listed(words: Iterable[str], between: str = " ") -> str:
    each: Sequence[str] = list(words)
    more = f"{between}and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
    return between.join(each[:_SHOWN]) + more
