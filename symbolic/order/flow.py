"""Flow: what a mask, or a schedule of masks, lets through when layers are stacked.

Edges of every graph are (source, reader): information flows along them.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import FlowFacts
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order.closure import Closure, closure
from attnproof.symbolic.order.depth import depth, depth_without_residual
from attnproof.symbolic.order.relation import relations, union
from attnproof.symbolic.order.schedule import Relation
from attnproof.symbolic.order.width import Width, is_cheap, width
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import networkx as nx

    from attnproof.symbolic.order.run_flow import RunFlow

#: The most positions for which bit sets are used.
LIMIT = 1 << 16
#: Up to here bit sets are used even for masks in runs.
SMALL = 1 << 13
#: How many empty rows a report lists.
MOST_LISTED = 1000


class Flow:
    """The preorder of the limit, with its classes, Hasse diagram and depth.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> flow = Flow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> flow
    Flow of 3 positions: 3 classes, 2 covers, height 3, depth 2, not transitive
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @cached_property
    def layers(self) -> tuple[Relation, ...]:
        """The executed relation of every layer of one period."""
        return relations(self.setting)

    @cached_property
    def closure(self) -> Closure:
        """The preorder that the union of the layers generates."""
        return closure(union(self.layers))

    @property
    def transitive(self) -> bool:
        """Does one layer, residual added, already hold the whole flow?"""
        return self.closure.transitive

    @property
    def antisymmetric(self) -> bool:
        """Do no two positions reach each other?"""
        return self.closure.antisymmetric

    @cached_property
    def depth(self) -> int | None:
        """Layers after which a whole further period changes nothing; None when that never is."""
        if self.setting.residual:
            return depth(self.layers, self.closure.rows)
        return depth_without_residual(self.layers)

    @property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The sets of positions that reach each other, sources first."""
        return self.closure.classes

    @cached_property
    def covers(self) -> tuple[tuple[int, int], ...]:
        """The edges of the Hasse diagram, (source class, reader class), sorted."""
        return tuple(
            sorted((d, c) for c, covered in enumerate(self.closure.covers) for d in covered)
        )

    @cached_property
    def height(self) -> int:
        """The number of classes on a longest chain."""
        return max(self.closure.ranks)

    @cached_property
    def antichain_and_chains(self) -> Width:
        """A largest antichain of classes, and as many chains that hold every class."""
        return width(self.closure)

    def width(self, *, even_if_expensive: bool = False) -> int | None:
        """The size of a largest antichain; None when it was not computed because it is dear."""
        known = "antichain_and_chains" in self.__dict__
        if not (known or even_if_expensive or is_cheap(self.closure)):
            return None
        return len(self.antichain_and_chains)

    @cached_property
    def empty_rows(self) -> tuple[int, ...]:
        """The positions whose query reads nothing in some layer."""
        layers = self.setting.layers
        return tuple(sorted({mask.offset + q for mask in layers for q in mask.empty_rows}))

    @cached_property
    def edges(self) -> int:
        """Pairs (query, key) that are read, as given; those of any layer."""
        return sum(row.bit_count() for row in self.given)

    @cached_property
    def edges_off_diagonal(self) -> int:
        """The same without a position's own key."""
        return sum((row & ~(1 << p)).bit_count() for p, row in enumerate(self.given))

    @cached_property
    def given(self) -> Relation:
        """The pairs that are read as given, in any layer, as bit sets a position."""
        size = self.setting.size
        rows = [0] * size
        for mask in self.setting.layers:
            for q, row in enumerate(mask.rows.bits()):
                rows[mask.offset + q] |= row
        return tuple(rows)

    def reaches(self, source: int, reader: int) -> bool:
        """Can the input at ``source`` influence the output at ``reader`` at some depth?"""
        return bool(self.closure.rows[reader] >> source & 1)

    def hasse(self) -> "nx.DiGraph[int]":
        """The Hasse diagram: one node a class, with its ``members``; edges (source, reader)."""
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        for c, positions in enumerate(self.classes):
            graph.add_node(c, members=positions)
        graph.add_edges_from(self.covers)
        return graph

    def layer_graph(self, layer: int = 0) -> "nx.DiGraph[int]":
        """One layer as a graph on positions, residual loops included; edges (source, reader)."""
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(self.setting.size))
        graph.add_edges_from(
            (k, q) for q, row in enumerate(self.layers[layer]) for k in members(row)
        )
        return graph

    def unrolled(self, layers: int) -> "nx.DiGraph[tuple[int, int]]":
        """The layered graph of ``layers`` layers on nodes (position, layer), 0 for the input.

        Source ``k`` reaches reader ``q`` after L layers when (q, L) is reached from (k, 0).
        """
        import networkx as nx

        graph: nx.DiGraph[tuple[int, int]] = nx.DiGraph()
        for level in range(layers + 1):
            graph.add_nodes_from((p, level) for p in range(self.setting.size))
        for level in range(layers):
            relation = self.layers[level % len(self.layers)]
            graph.add_edges_from(
                ((k, level), (q, level + 1)) for q, row in enumerate(relation) for k in members(row)
            )
        return graph

    def facts(self) -> FlowFacts:
        """Everything above as evidence, for a certificate."""
        return flow_facts(self)

    def to_json(self) -> dict[str, object]:
        """The ``flow`` object of a report."""
        return flow_json(self)

    def __repr__(self) -> str:
        return flow_words(self)


def flow_of(setting: Setting) -> "Flow | RunFlow":
    """The flow in the representation that suits the layers.

    Bit sets serve up to ``LIMIT`` positions; runs beyond, and beyond ``SMALL`` positions where
    every mask is held in runs, unless these fall into too many.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> type(flow_of(Setting((Mask.from_rows(["1"]),)))).__name__
    'Flow'

    Law: both representations give the same answers.
    """
    in_runs = all(isinstance(mask.rows, Runs) for mask in setting.layers)
    if setting.size <= (SMALL if in_runs else LIMIT):
        return Flow(setting)
    from attnproof.symbolic.order.run_arrays import Fragmented
    from attnproof.symbolic.order.run_flow import RunFlow

    flow = RunFlow(setting)
    if setting.size <= LIMIT:
        try:
            flow.closure  # noqa: B018
        except Fragmented:
            return Flow(setting)
    return flow


def flow_facts(flow: "Flow | RunFlow") -> FlowFacts:
    """Everything that a certificate of a flow claims; the width only where it is known or cheap."""
    wide = flow.width() is not None
    return FlowFacts(
        setting=flow.setting,
        relation=flow.closure.rows,
        classes=flow.classes,
        covers=flow.covers,
        transitive=flow.transitive,
        antisymmetric=flow.antisymmetric,
        depth=flow.depth,
        height=flow.height,
        antichain=flow.antichain_and_chains.antichain if wide else None,
        chains=flow.antichain_and_chains.chains if wide else None,
    )


def flow_json(flow: "Flow | RunFlow") -> dict[str, object]:
    """The numbers that describe a flow; of very many empty rows the first are listed.

    A number that is out of reach at this length is None, and ``not_computed`` says why. A depth
    that is None without being named there is that of a flow that never settles.
    """
    asked: dict[str, Callable[[], object]] = {
        "transitive": lambda: flow.transitive,
        "antisymmetric": lambda: flow.antisymmetric,
        "depth": lambda: flow.depth,
        "classes": lambda: len(flow.classes),
        "covers": lambda: len(flow.covers),
        "height": lambda: flow.height,
        "width": flow.width,
    }
    found: dict[str, object] = {}
    missing: dict[str, str] = {}
    for name, number in asked.items():
        try:
            found[name] = number()
        except ShapeError as error:
            found[name], missing[name] = None, str(error)
    empty = flow.empty_rows
    found["edges"] = flow.edges
    found["edges_off_diagonal"] = flow.edges_off_diagonal
    found["empty_rows"] = list(empty[:MOST_LISTED])
    if len(empty) > MOST_LISTED:
        found["empty_rows_total"] = len(empty)
    if missing:
        found["not_computed"] = missing
    return found


def flow_words(flow: "Flow | RunFlow") -> str:
    """The same in one line."""
    facts = flow_json(flow)
    if "not_computed" in facts:
        return f"Flow of {counted(flow.setting.size, 'position')}: {facts['edges']} pairs are read"
    return (
        f"Flow of {counted(flow.setting.size, 'position')}: {counted(len(flow.classes), 'class')}, "
        f"{len(flow.covers)} covers, height {flow.height}, depth {flow.depth}, "
        f"{'transitive' if flow.transitive else 'not transitive'}"
    )
