"""Where the blocks of a BlockMask and its ``mask_mod`` alone disagree.

The two agree on partial blocks. Of the others ``mask_mod`` is asked on the border, which meets
every row, every column and every diagonal of a block; where that is too much, on the corners.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from attnproof.numeric.read.block_tables import BlockTables
from attnproof.numeric.read.callables import CHUNK, Rule
from attnproof.symbolic.evidence import Unequal
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import RowRuns, Rows, bits_of
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Indices = NDArray[np.int64]
    #: Every one of some queries with every one of some keys.
    Grid = tuple[Indices, Indices]

#: The most pairs of a head on which a border is asked; beyond, corners are.
BORDER = 1 << 24


@dataclass(slots=True)
class Difference:
    """Where the kernel and ``mask_mod`` disagree: how often, and first (batch, q, k, head)."""

    count: int = 0
    first: tuple[int, int, int, int] | None = None
    kernel_reads: bool = False

    def add(self, batch: int, heads: range, grid: "Grid", differs: "Flags", alone: "Flags") -> None:
        """Count the pairs ``(head, query, key)`` that differ; ``alone`` is what the rule says."""
        import numpy as np

        if not differs.any():
            return
        self.count += int(np.count_nonzero(differs))
        i, j = map(int, np.argwhere(differs.any(axis=0))[0])
        h = int(differs[:, i, j].argmax())
        found = batch, int(grid[0][i]), int(grid[1][j]), heads[h]
        if self.first is None or found < self.first:
            self.first, self.kernel_reads = found, not alone[h, i, j]

    def finding(self, asked: int | None, offset: int, name: str) -> Finding | None:
        """What is reported; ``asked`` is the number of pairs that were asked, None for all."""
        if self.first is None:
            return None
        batch, q, k, head = self.first
        kernel, alone = "reads", "does not read"
        if not self.kernel_reads:
            kernel, alone = alone, kernel
        details = {"batch": batch, "head": head, "pairs": self.count}
        of = ""
        if asked is not None:
            details["pairs_asked"] = asked
            of = f" of the {asked} that were asked"
        return Finding(
            "blocks_disagree",
            f"{name} and its mask_mod disagree on {counted(self.count, 'pair')}{of}: by the blocks "
            f"query {offset + q} {kernel} key {k}, by mask_mod alone it {alone} it (batch {batch}, "
            f"head {head})",
            reader=offset + q,
            source=k,
            details=details,
        )


@dataclass(frozen=True, slots=True)
class Sample:
    """The pairs of each head on which the blocks are compared with ``mask_mod``."""

    grids: "tuple[Grid, ...]"
    of: Literal["border", "corners"]

    @staticmethod
    def of_tables(tables: BlockTables) -> "Sample":
        """The border of every block, or its corners where the borders have too many pairs.

        Law: a block on which the two disagree along a whole row, column or diagonal has a pair on
        its border on which they do.
        """
        import numpy as np

        high, wide = tables.block
        queries, keys = np.arange(tables.queries), np.arange(tables.keys)
        outer = np.isin(queries % high, (0, high - 1)) | (queries == tables.queries - 1)
        sides = keys[np.isin(keys % wide, (0, wide - 1)) | (keys == tables.keys - 1)]
        border = Sample(((queries[outer], keys), (queries[~outer], sides)), "border")
        return border if border.size <= BORDER else Sample(((queries[outer], sides),), "corners")

    @property
    def size(self) -> int:
        """How many pairs a head has."""
        return sum(len(queries) * len(keys) for queries, keys in self.grids)

    def parts(self) -> "Iterator[Grid]":
        """The grids in parts that are asked at once."""
        for queries, keys in self.grids:
            step = max(1, CHUNK // len(keys))
            for start in range(0, len(queries), step):
                yield queries[start : start + step], keys


def compare(
    tables: BlockTables, rule: Rule, sample: Sample, batch: int, heads: range, found: Difference
) -> int:
    """Add the pairs of a sample that differ, in one batch element; how many were compared."""
    import numpy as np

    compared = 0
    for h in heads:
        head = range(h, h + 1)
        full, partial = tables.element(batch, head)
        for queries, keys in sample.parts():
            alone = rule.tiles(batch, np.array(head), queries[None], keys[None])
            others = ~tables.on_pairs(partial, queries, keys)
            differs = (alone != tables.on_pairs(full, queries, keys)) & others
            found.add(batch, head, (queries, keys), differs, alone)
            compared += int(np.count_nonzero(others))
    return compared


def claim(
    difference: Difference,
    heads: range,
    offset: int,
    both: Callable[[int, range, int], tuple[Rows, Rows]],
    alone: str,
) -> tuple[Unequal, ...]:
    """A pair that is in one of two masks, the blocks and ``mask_mod``: heads united where that
    shows it, else of the one head that differs.

    ``both(batch, heads, q)`` gives the rows, the second as ``mask_mod`` has them at least at ``q``;
    ``alone`` is the name of the second mask.
    """
    if difference.first is None:
        return ()
    batch, first, _, head = difference.first
    for chosen in (heads, range(head, head + 1)):
        rows = both(batch, chosen, first)
        for q, (mine, theirs) in enumerate(zip(*(each.runs() for each in rows), strict=True)):
            if mine != theirs:
                sets = bits_of(mine), bits_of(theirs)
                differs = sets[0] ^ sets[1]
                k = (differs & -differs).bit_length() - 1
                a, b = (
                    Setting((Mask.of(each, offset=offset, name=name),))
                    for each, name in zip(rows, ("blocks", alone), strict=True)
                )
                only_in: Literal["a", "b"] = "a" if sets[0] >> k & 1 else "b"
                return (Unequal(a, b, "edges", only_in, offset + q, k),)
    return ()


def with_row(rows: Rows, q: int, row: RowRuns) -> Runs:
    """The rows, with another one at ``q``.

    >>> list(with_row(Runs.from_rows([[(0, 1)], [(0, 2)]], keys=2), 0, ((1, 2),)).runs())
    [((1, 2),), ((0, 2),)]
    """
    changed = (row if i == q else own for i, own in enumerate(rows.runs()))
    return Runs.from_rows(changed, rows.keys)
