"""The formula of a common supergraph of labelled orders with few vertices, order pairs or covers.

A common supergraph is an order whose vertices have labels, with a map from each given order that
carries what lies below each element one to one, in its order and with its labels, onto what lies
below the image; where it is to be injective, each map is one to one as a whole.

Lemma. The images of all elements are a down-set. So they are a common supergraph by themselves, and
their pairs and covers are among those of the whole.

Theorem. Call two elements the same when they have one image. Then (1) this is an equivalence, (2)
the same elements have one label, (3) if d and e are the same, each element strictly below d is the
same as one strictly below e, and (4) no two elements below one, or where it is to be injective no
two of one order, are the same. Each vertex is the image of the first element of a class, and has as
many elements below it, and covers as many, as that element. So the numbers of vertices, pairs and
covers are sums over the first elements of classes; and if no equivalence with (2) to (4) has a sum
of at most ``most``, no common supergraph of any size has.

Conversely such an equivalence is one: a class is below another when an element of it lies below an
element of the other. By (3) and (4) the same elements have as many below them, so that no two
classes are below each other.

Machine-checked: ``Identification.images_are_closed``, ``Identification.identified_labels``,
``Identification.identified_below``, ``Identification.identified_apart``,
``Identification.identified_vertices``, ``Identification.identified_pairs`` and
``Identification.identified_covers``.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

from .counting import NOTHING, Count, Formula, added
from .envelope import need

COUNTED = ("classes", "pairs", "covers")
#: Elements of all orders together.
MOST_ELEMENTS = 1 << 9

Pair = tuple[int, int]


@dataclass(frozen=True)
class Order:
    """``labels[e]`` and, strictly below element ``e``, the elements ``below[e]``, earlier ones."""

    labels: Sequence[Hashable]
    below: Sequence[tuple[int, ...]]

    def weight(self, e: int, counted: str) -> int:
        """What a vertex adds to a number when ``e`` is mapped to it."""
        if counted == "classes":
            return 1
        between = {d for u in self.below[e] for d in self.below[u]}
        return len(self.below[e]) - (len(between) if counted == "covers" else 0)

    def apart(self, injective: bool) -> set[Pair]:
        """The elements that (4) keeps apart."""
        if injective:
            return set(combinations(range(len(self.labels)), 2))
        tops = (sorted((*below, e)) for e, below in enumerate(self.below))
        return {pair for top in tops for pair in combinations(top, 2)}


def order_of(inputs: Sequence[Hashable], below: Sequence[int]) -> tuple[Order, tuple[int, ...]]:
    """The order of classes from what each position is fed and the set that can reach it, and the
    class of each position. A label says how often a class has each input."""
    positions: dict[int, list[int]] = {}
    for p, row in enumerate(below):
        positions.setdefault(row, []).append(p)
    rows = sorted(positions, key=lambda row: (row.bit_count(), positions[row]))
    fed = [[inputs[p] for p in positions[row]] for row in rows]
    labels = [frozenset((one, values.count(one)) for one in values) for values in fed]
    of = [0] * len(below)
    for e, row in enumerate(rows):
        for p in positions[row]:
            of[p] = e
    under = [
        tuple(d for d in range(e) if row >> positions[rows[d]][0] & 1) for e, row in enumerate(rows)
    ]
    return Order(labels, under), tuple(of)


class Union:
    """The elements of some orders, counted through, and which of them may be the same."""

    def __init__(self, orders: Sequence[Order], injective: bool) -> None:
        self.places = [(t, e) for t, order in enumerate(orders) for e in range(len(order.labels))]
        need(len(self.places) <= MOST_ELEMENTS, f"there are more than {MOST_ELEMENTS} classes")
        self.orders = orders
        starts = [0]
        for order in orders:
            starts.append(starts[-1] + len(order.labels))
        apart = {
            (starts[t] + d, starts[t] + e)
            for t, order in enumerate(orders)
            for d, e in order.apart(injective)
        }
        self.below = [tuple(starts[t] + d for d in orders[t].below[e]) for t, e in self.places]
        self.alike = [
            pair
            for pair in combinations(range(len(self.places)), 2)
            if pair not in apart and self._label(pair[0]) == self._label(pair[1])
        ]

    def _label(self, e: int) -> Hashable:
        t, c = self.places[e]
        return self.orders[t].labels[c]

    def weight(self, e: int, counted: str) -> int:
        """What an element adds where it is the first of its class."""
        t, c = self.places[e]
        return self.orders[t].weight(c, counted)


def supergraph(
    orders: Sequence[Order], counted: str, most: int, injective: bool
) -> tuple[Formula, dict[Pair, int]]:
    """The formula of a common supergraph with at most ``most`` vertices, pairs or covers, and the
    variables of "these two elements are the same"."""
    union, formula = Union(orders, injective), Formula()
    same = {pair: formula.variable() for pair in union.alike}

    def variable(d: int, e: int) -> list[int]:
        found = same.get((min(d, e), max(d, e)))
        return [] if found is None else [found]

    for middle, around in enumerate(_alike(union)):
        for a, b in combinations(around, 2):
            formula.add(*(-x for end in (a, b) for x in variable(end, middle)), *variable(a, b))
    for (d, e), given in same.items():
        for here, there in ((d, e), (e, d)):
            for u in sorted(set(union.below[here]).difference(union.below[there])):
                formula.add(-given, *(x for w in union.below[there] for x in variable(u, w)))
    count = NOTHING
    for e in range(len(union.places)):
        first = formula.variable()
        formula.add(first, *(x for d in range(e) for x in variable(d, e)))
        weight = union.weight(e, counted)
        count = added(formula, count, Count(0, (first,) * weight), 0, most)
    return formula, same


def _alike(union: Union) -> list[list[int]]:
    """The elements that may be the same as each element."""
    found: list[list[int]] = [[] for _ in union.places]
    for d, e in union.alike:
        found[d].append(e)
        found[e].append(d)
    return found


def total(
    orders: Sequence[Order], vertices: Sequence[Sequence[int]], counted: str, injective: bool
) -> int:
    """How many vertices, pairs or covers there are when element ``e`` of order ``t`` is mapped to
    ``vertices[t][e]``; Invalid unless that is a common supergraph."""
    union = Union(orders, injective)
    image = [vertices[t][e] for t, e in union.places]
    may = set(union.alike)
    grouped: dict[int, list[int]] = {}
    for e, vertex in enumerate(image):
        grouped.setdefault(vertex, []).append(e)
    for group in grouped.values():
        for pair in combinations(group, 2):
            need(pair in may, "two classes at one vertex cannot be the same")
        under = [{image[u] for u in union.below[e]} for e in group]
        need(
            all(one == under[0] for one in under),
            "what lies below a vertex differs between two tasks",
        )
    return sum(union.weight(group[0], counted) for group in grouped.values())
