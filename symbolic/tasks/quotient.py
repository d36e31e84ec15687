"""The weighted quotient: one position for each stable colour, and how often it reads each other.

``weights[layer][head][q][k]`` counts the keys of a position of colour ``q`` that have colour ``k``.
With its logarithm added to the logits the quotient computes at a colour what every task computes
there, at every depth and for every mask. Where differences up to a common factor are not seen,
rows are in lowest terms.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.tasks.equivalence import Mode
from attnproof.symbolic.tasks.partition import Partition, partition
from attnproof.symbolic.tasks.task import PosMode, Task

#: ``weights[layer][head][q][k]``.
Weights = tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]


@dataclass(frozen=True)
class Quotient:
    """``first[colour]`` is a (task, position) of that colour."""

    first: tuple[tuple[int, int], ...]
    maps: tuple[tuple[int, ...], ...]
    weights: Weights

    @property
    def is_plain(self) -> bool:
        """Is no key counted more than once, so that no bias is needed?"""
        return all(
            times < 2 for heads in self.weights for rows in heads for row in rows for times in row
        )


def stable_colours(tasks: Sequence[Task], mode: Mode) -> Partition:
    """The stable colours, which serve every depth."""
    return partition([replace(task, depth=None) for task in tasks], mode)


def quotient(tasks: Sequence[Task], mode: Mode = Mode.WL) -> Quotient:
    """The weighted quotient of some tasks by their stable colours.

    >>> task = Task.build(["s", "s", None], {}, ["1..", ".1.", "111"], pos_mode="none")
    >>> quotient([task]).weights
    ((((1, 0), (2, 1)),),)

    Raises :class:`TaskError` where differences of position ids are seen, and where a position that
    is not among its own keys reads others of its colour: neither is a mask on colours. Source:
    colour refinement, Weisfeiler and Leman 1968; the quotient with multiplicities, ours.
    """
    if tasks[0].pos_mode is PosMode.RELATIVE:
        raise TaskError(
            'pos_mode is "relative", and a quotient has no differences of position ids; merge with '
            'mode = "iso"',
            where="pos_mode",
        )
    found = stable_colours(tasks, mode)
    first = tuple(places[0] for places in found.members)
    period = lcm(*(len(task.executed.layers) for task in tasks))
    weights = tuple(
        tuple(
            tuple(_row(tasks[t], p, found.of[t], len(first), level, head, mode) for t, p in first)
            for head in range(tasks[0].executed.heads)
        )
        for level in range(period)
    )
    own = tasks[0].diag_in_softmax
    if not own and any(
        rows[q][q] for heads in weights for rows in heads for q in range(len(first))
    ):
        raise TaskError(
            "diag_in_softmax is false and a position reads others of its own colour, which no mask "
            'on colours says; merge with mode = "iso"',
            where="diag_in_softmax",
        )
    return Quotient(first, found.of, weights)


def _row(
    task: Task, p: int, colours: Sequence[int], count: int, level: int, head: int, mode: Mode
) -> tuple[int, ...]:
    layers = task.executed.layers
    seen = Counter(colours[k] for k in members(layers[level % len(layers)][head][p]))
    common = gcd(*seen.values()) if mode is Mode.SOFTMAX and seen else 1
    return tuple(seen[colour] // common for colour in range(count))
