"""conflict/v1: two equivalent positions must predict two atoms with one head.

Theorem: a model's states at equivalent positions are equal, so one head says one thing at both; no
weights predict both atoms whenever they differ.

Machine-checked: ``Layers.carried_states``.
"""

from collections.abc import Sequence

from . import equivalent
from .envelope import Invalid, array, integer, need, record, string
from .models import read_labels

KIND = "attnproof/conflict/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the positions are equivalent and their labels differ."""
    found = record(predicate, {"a", "b", "mode", "map", "labels", "head", "atoms"}, "the predicate")
    equivalent.check({key: found[key] for key in ("a", "b", "mode", "map")}, digests)
    head = integer(found["head"], None, "head")
    atoms = [string(atom, "an atom") for atom in array(found["atoms"], "atoms")]
    labels = array(found["labels"], "labels")
    need(len(atoms) == len(labels) == 2, "there are not two atoms, and labels of two tasks")
    need(atoms[0] != atoms[1], "the two atoms are one")
    for side, listed, atom in zip(("a", "b"), labels, atoms, strict=True):
        task = found[side]
        if not isinstance(task, dict):
            raise Invalid(f"{side} is not an object")
        size = len(array(task["positions"], "positions"))
        node = integer(task["node"], size, "node")
        need(
            (head, atom) in read_labels(listed, size).get(node, frozenset()),
            f"{atom} is no label of the node of {side} with head {head}",
        )
