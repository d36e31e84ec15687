"""How many pairs of a BlockMask are asked: all of them, or the partial blocks and a sample.

Law: the relation is the same either way. ``mask_mod`` alone is known where it was asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.numeric.read.block_difference import Difference, Sample, claim, compare, with_row
from attnproof.numeric.read.block_tables import BlockTables
from attnproof.numeric.read.block_tiles import tiles
from attnproof.numeric.read.callables import LENGTH, PAIRS, Rule, parts, united
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import Unequal
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.forms import best
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.verdict import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Up to so many pairs in all, heads and batch elements counted, ``mask_mod`` is asked for each.
EVERYWHERE = 1 << 26
#: It is also asked for each where the sample would be more than one pair in so many.
FEW = 4

#: Each distinct relation, heads united, with the batch elements that have it.
Groups = Sequence[tuple[Rows, list[int]]]


@dataclass(frozen=True, slots=True)
class BlockReading:
    """What was read, and where it was found to differ from ``mask_mod``."""

    groups: Groups
    finding: Finding | None
    claims: tuple[Unequal, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockReader:
    """A BlockMask with the batch elements and heads that are read.

    ``offset`` is the position of query 0, ``name`` that of the mask, both for the finding.
    """

    tables: BlockTables
    rule: Rule
    batches: range
    heads: range
    offset: int
    name: str

    def read(self) -> BlockReading:
        """The relation, and the finding where it differs from ``mask_mod``.

        Raises :class:`ShapeError` where too many pairs must be asked.
        """
        self.rule.dense(self.batches[0], self.heads[:1], range(1), 1)
        sample = Sample.of_tables(self.tables)
        copies = len(self.batches) * len(self.heads)
        few = copies * sample.size + sum(
            self.tables.count(self.tables.asked(b, self.heads)) for b in self.batches
        )
        if self._pairs <= (PAIRS if self.rule.by_pairs else EVERYWHERE) or (
            FEW * few > self._pairs and self._fits
        ):
            return self._everywhere()
        if few > copies * LENGTH**2:
            raise ShapeError(
                f"{self.name} has {few} pairs in its partial blocks and on the {sample.of} of the "
                f"others; a mask_mod is asked for at most {LENGTH**2}: give a smaller n, or larger "
                "blocks",
                pairs=few,
            )
        self.rule.pairs = few
        return self._by_tiles(sample)

    def reads(self, batch: int, q: int, k: int) -> bool:
        """Whether the kernel lets the query read the key, in any head."""
        tables = self.tables
        return any(
            tables.lists(tables.full, batch, head, q, k)
            or (tables.lists(tables.partial, batch, head, q, k) and self.rule.at(batch, head, q, k))
            for head in self.heads
        )

    @property
    def _pairs(self) -> int:
        """All pairs, heads and batch elements counted."""
        return len(self.batches) * len(self.heads) * self.tables.queries * self.tables.keys

    @property
    def _fits(self) -> bool:
        """Whether ``mask_mod`` can be asked for every pair."""
        if self.rule.by_pairs:
            return self._pairs <= PAIRS
        return self.tables.queries * self.tables.keys <= LENGTH**2

    def _everywhere(self) -> BlockReading:
        import numpy as np

        self.rule.pairs = self._pairs
        difference = Difference()
        groups: list[tuple[Rows, list[int]]] = []
        keys = np.arange(self.tables.keys)
        for b in self.batches:
            sets: list[int] = []
            for queries, kernel, alone in self._dense(b, self.heads):
                difference.add(b, self.heads, (queries, keys), kernel != alone, alone)
                sets += Bits.from_dense(united(kernel)).sets
            _add(groups, Bits(tuple(sets), self.tables.keys), b)
        claims = claim(difference, self.heads, self.offset, self._both, "mask_mod")
        return BlockReading(groups, difference.finding(None, self.offset, self.name), claims)

    def _by_tiles(self, sample: Sample) -> BlockReading:
        tables, difference, asked = self.tables, Difference(), 0
        groups: list[tuple[Rows, list[int]]] = []
        for b in self.batches:
            _add(groups, best(tiles(tables, self.rule, b, self.heads).as_runs()), b)
            asked += compare(tables, self.rule, sample, b, self.heads, difference)
        if difference.first is not None and self._fits:
            return self._everywhere()
        listed = sum(tables.count(tables.element(b, self.heads)[1]) for b in self.batches)
        told = (
            f"compared with mask_mod alone on the {sample.of} of each block, {asked} of the "
            f"{self._pairs - listed} pairs outside the partial blocks: a difference elsewhere is "
            "not seen"
        )
        claims = claim(
            difference,
            self.heads,
            self.offset,
            self._both_at,
            "mask_mod at one query, elsewhere the blocks",
        )
        finding = difference.finding(asked, self.offset, self.name)
        return BlockReading(groups, finding, claims, (told,))

    def _dense(
        self, batch: int, heads: range
    ) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]]":
        """Some queries, the pairs ``(head, query, key)`` that the kernel reads there, and those of
        ``mask_mod``; part by part."""
        import numpy as np

        tables, keys = self.tables, np.arange(self.tables.keys)
        full, partial = tables.element(batch, heads)
        for part in parts(len(heads), tables.queries, tables.keys):
            alone = self.rule.dense(batch, heads, part, tables.keys)
            queries = np.array(part)
            kernel = tables.on_pairs(partial, queries, keys) & alone
            kernel |= tables.on_pairs(full, queries, keys)
            yield queries, kernel, alone

    def _both(self, batch: int, heads: range, q: int) -> tuple[Rows, Rows]:
        """What the kernel reads, and ``mask_mod`` alone, at every query."""
        rows: tuple[list[int], list[int]] = ([], [])
        for _, *both in self._dense(batch, heads):
            for sets, pairs in zip(rows, both, strict=True):
                sets += Bits.from_dense(united(pairs)).sets
        kernel, alone = (Bits(tuple(sets), self.tables.keys) for sets in rows)
        return kernel, alone

    def _both_at(self, batch: int, heads: range, q: int) -> tuple[Rows, Rows]:
        """What the kernel reads, and the same with ``mask_mod`` alone at query ``q``."""
        kernel = best(tiles(self.tables, self.rule, batch, heads).as_runs())
        alone = united(self.rule.dense(batch, heads, range(q, q + 1), self.tables.keys))
        return kernel, with_row(kernel, q, Bits.from_dense(alone).row_runs(0))


def _add(groups: list[tuple[Rows, list[int]]], rows: Rows, batch: int) -> None:
    """Put a batch element where its relation is, or begin a group."""
    for known, indices in groups:
        if known == rows:
            indices.append(batch)
            return
    groups.append((rows, [batch]))
