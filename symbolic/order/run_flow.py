"""Flow in runs: what a mask, or a schedule of masks, lets through, up to a million positions.

The answers are those of ``Flow``; sequences of positions, classes and covers are made as they are
asked for. Edges of every graph are (source, reader).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import FlowFacts
from attnproof.symbolic.masks.runs import Runs, integers
from attnproof.symbolic.order.flow import LIMIT, Flow, flow_facts, flow_json, flow_words
from attnproof.symbolic.order.run_arrays import Fragmented, around
from attnproof.symbolic.order.run_chain import Chain
from attnproof.symbolic.order.run_closure import RunClosure, run_closure
from attnproof.symbolic.order.run_depth import is_reflexive, run_depth, run_ever, run_reach
from attnproof.symbolic.order.run_relation import given_rows, run_relations, run_union
from attnproof.symbolic.order.run_survey import Survey, is_chain, survey
from attnproof.symbolic.order.run_views import Classes, Covers
from attnproof.symbolic.order.run_width import is_cheap, run_width
from attnproof.symbolic.order.width import Width
from attnproof.symbolic.setting import EmptyRow, Setting

if TYPE_CHECKING:
    import networkx as nx


class RunFlow:
    """The preorder of the limit, with its classes, Hasse diagram and depth.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> flow = RunFlow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> flow
    Flow of 3 positions: 3 classes, 2 covers, height 3, depth 2, not transitive
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @cached_property
    def layers(self) -> tuple[Runs, ...]:
        """The executed relation of every layer of one period.

        Raises :class:`Fragmented` where the rows are too many runs to hold.
        """
        return run_relations(self.setting)

    @cached_property
    def surveys(self) -> tuple[Survey, ...]:
        """What one pass over the rows of each layer finds."""
        return tuple(map(survey, self.setting.layers))

    @property
    def closure(self) -> RunClosure:
        """The preorder that the union of the layers generates.

        Raises :class:`Fragmented` where it falls into too many runs or covers.
        """
        if isinstance(self._closed, Fragmented):
            raise self._closed
        return self._closed

    @cached_property
    def _closed(self) -> RunClosure | Fragmented:
        """The closure, or why there is none: it is tried once."""
        try:
            if len(self.surveys) == 1 and not self._filled:
                (mask,), (found,) = self.setting.layers, self.surveys
                if is_chain(mask, found):
                    return Chain(mask, found.first_open)
            return run_closure(run_union(self.layers))
        except Fragmented as error:
            return error

    @property
    def _filled(self) -> bool:
        """Are there rows that read nothing as given, and everything when executed?"""
        return self.setting.empty_row is EmptyRow.UNIFORM and len(self.empty_rows) > 0

    @cached_property
    def back(self) -> bool:
        """Does no layer read a later position? Then no two positions reach each other."""
        return all(found.back for found in self.surveys) and not self._filled

    @property
    def transitive(self) -> bool:
        """Does one layer, residual added, already hold the whole flow?"""
        return self.closure.transitive

    @property
    def antisymmetric(self) -> bool:
        """Do no two positions reach each other?"""
        return self.back or self.closure.antisymmetric

    @cached_property
    def reflexive(self) -> bool:
        """Does every position keep its own state in every layer?"""
        return self.setting.residual or all(map(is_reflexive, self.layers))

    @cached_property
    def depth(self) -> int | None:
        """Layers after which a whole further period changes nothing; None when that never is.

        Raises :class:`ShapeError` beyond ``LIMIT`` positions, without a residual or where rows are
        very many runs.
        """
        if not self.reflexive:
            return self.in_bits("without a residual the depth is found").depth
        try:
            return run_depth(self.layers, self.closure.rows)
        except Fragmented:
            return self.in_bits("of rows in very many runs the depth is found").depth

    @cached_property
    def reached(self) -> Runs:
        """What the layers reach at the depth of the setting; at any depth, after some number."""
        depth = self.setting.depth
        if depth is not None and not (self.reflexive and depth >= self._enough):
            return run_reach(self.layers, depth)
        if self.reflexive or len(self.layers) == 1:
            return self.closure.rows
        return run_ever(self.layers)

    @property
    def _enough(self) -> int:
        """So many reflexive layers reach everything."""
        return self.setting.size * len(self.layers)

    @property
    def classes(self) -> Classes:
        """The sets of positions that reach each other, sources first."""
        if self.back:
            return Classes.numbered(np.arange(self.setting.size), self.setting.size)
        return self.closure.classes

    @property
    def covers(self) -> Covers:
        """The edges of the Hasse diagram, (source class, reader class), sorted."""
        return self.closure.covers

    @cached_property
    def height(self) -> int:
        """The number of classes on a longest chain."""
        return max(self.closure.ranks)

    @cached_property
    def antichain_and_chains(self) -> Width:
        """A largest antichain of classes, and as many chains that hold every class."""
        return run_width(self.closure)

    def width(self, *, even_if_expensive: bool = False) -> int | None:
        """The size of a largest antichain; None when it was not computed because it is dear."""
        known = "antichain_and_chains" in self.__dict__
        if not (known or even_if_expensive or is_cheap(self.closure)):
            return None
        return len(self.antichain_and_chains)

    @cached_property
    def empty_rows(self) -> Sequence[int]:
        """The positions whose query reads nothing in some layer."""
        empty = [np.array(found.empty, np.int64) for found in self.surveys]
        return integers(np.unique(np.concatenate(empty)))

    @cached_property
    def given(self) -> Runs:
        """The pairs that are read as given, in any layer, on all positions."""
        return run_union([given_rows(mask) for mask in self.setting.layers])

    @cached_property
    def edges(self) -> int:
        """Pairs (query, key) that are read, as given; those of any layer."""
        return self.surveys[0].edges if len(self.surveys) == 1 else self.given.count()

    @cached_property
    def edges_off_diagonal(self) -> int:
        """The same without a position's own key."""
        one = len(self.surveys) == 1
        return self.edges - (self.surveys[0].own if one else len(around(self.given)))

    def reaches(self, source: int, reader: int) -> bool:
        """Can the input at ``source`` influence the output at ``reader`` at some depth?"""
        return self.closure.rows.reads(reader, source)

    def in_bits(self, what: str) -> Flow:
        """The same flow in bit sets; ``what`` says why it is needed.

        Raises :class:`ShapeError` beyond ``LIMIT`` positions.
        """
        if self.setting.size > LIMIT:
            raise ShapeError(
                f"{what} for at most {LIMIT} positions, and the mask has {self.setting.size}; "
                "give a shorter mask",
                size=self.setting.size,
                limit=LIMIT,
            )
        return Flow(self.setting)

    def hasse(self) -> "nx.DiGraph[int]":
        """The Hasse diagram: one node a class, with its ``members``; edges (source, reader).

        Raises :class:`ShapeError` for more than ``LIMIT`` classes.
        """
        if self.closure.class_count > LIMIT:
            raise ShapeError(
                f"the Hasse diagram has {self.closure.class_count} classes, a graph of it at most "
                f"{LIMIT}; read them one by one from classes and covers",
                classes=self.closure.class_count,
            )
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from((c, {"members": found}) for c, found in enumerate(self.classes))
        graph.add_edges_from(self.covers)
        return graph

    def layer_graph(self, layer: int = 0) -> "nx.DiGraph[int]":
        """One layer as a graph on positions; raises :class:`ShapeError` beyond ``LIMIT``."""
        return self.in_bits("the graph of a layer is built").layer_graph(layer)

    def unrolled(self, layers: int) -> "nx.DiGraph[tuple[int, int]]":
        """The layered graph; raises :class:`ShapeError` beyond ``LIMIT`` positions."""
        return self.in_bits("the layered graph is built").unrolled(layers)

    def facts(self) -> FlowFacts:
        """Everything above as evidence, for a certificate."""
        return flow_facts(self)

    def to_json(self) -> dict[str, object]:
        """The ``flow`` object of a report."""
        return flow_json(self)

    def __repr__(self) -> str:
        return flow_words(self)
