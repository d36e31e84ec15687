"""spans/v1: a sparse mask, or a schedule of them, lets through in K layers what a mask lets through
in any number of layers, with so many edges.

Theorem: the relation is the flow of ``a`` when it contains every layer, is closed, and is the least
such; then ``b`` spans ``a`` when the product of its ``depth`` layers is that relation. An edge is a
pair off the diagonal; those of a mask used in every layer count once, those of a schedule in each.

Machine-checked: ``Limit.limit_least`` and ``ClosedRows.rows_are_limit``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .envelope import Fields, integer, need, record
from .equal import read_two
from .layers import after
from .limits import MOST_SPARSE

KIND = "attnproof/spans/v1"
KEYS = frozenset({"a", "b", "relation", "edges_off_diagonal"})


@dataclass(frozen=True)
class Spanner:
    """The rows of the flow as sets of bits, and how many layers and edges make it."""

    rows: Sequence[int]
    layers: int
    schedule: bool
    edges: int


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless ``b`` has this flow and so many edges."""
    read_spanner(record(predicate, KEYS, "the predicate"), digests)


def read_spanner(found: Fields, digests: Sequence[str]) -> Spanner:
    """The claim, once it is known to be true."""
    a, b = read_two(found["a"], found["b"], digests)
    size, period = a.size, len(b.layers)
    need(size <= MOST_SPARSE, "there are too many positions")
    need(a.depth is None and a.residual, "a is not any number of layers with a residual")
    need(b.residual and b.empty_row == "zero", "b has no residual, or empty rows that read")
    layers = b.depth or 0
    need(layers > 0 and period in (1, layers), "b is neither one mask nor a mask for each layer")
    rows = a.relation(found["relation"])
    need(rows.contains(a.union), "the relation does not contain every layer")
    need(rows.is_closed(), "the relation is not closed")
    need(rows.is_generated(a.union), "the relation contains more than the flow")
    need(after(b.executed, layers) == rows, "b does not let through what a does")
    held = [layer.given.bits(q) & ~(1 << q) for layer in b.layers for q in range(size)]
    edges = sum(row.bit_count() for row in held)
    wanted = integer(found["edges_off_diagonal"], None, "edges_off_diagonal")
    need(wanted == edges, "edges_off_diagonal is wrong")
    return Spanner([rows.bits(q) for q in range(size)], layers, period > 1, edges)
