"""A FlexAttention ``BlockMask``, as the compiled kernel runs it.

Convention: the effective relation is the full blocks, united with the partial blocks intersected
with ``mask_mod``. Uncompiled attention runs ``mask_mod`` alone, so a difference is a finding.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from attnproof.numeric.read.callables import Rule, check_length, parts, united
from attnproof.numeric.read.signature import Kind
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.evidence import Unequal
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.encoding import Decoded, chosen, united_comments
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_block_mask(value: object) -> bool:
    """Whether this is a BlockMask; torch is not imported to find out.

    >>> is_block_mask("causal")
    False
    """
    kind = type(value)
    return kind.__name__ == "BlockMask" and kind.__module__.startswith("torch.nn.attention")


@dataclass(slots=True)
class _Difference:
    """Where the kernel and ``mask_mod`` disagree: how often, and first (batch, head, q, k)."""

    count: int = 0
    first: tuple[int, int, int, int] | None = None
    kernel_reads: bool = False

    def add(
        self, batch: int, start: int, kernel: "NDArray[np.bool_]", alone: "NDArray[np.bool_]"
    ) -> None:
        import numpy as np

        differs = kernel != alone
        self.count += int(differs.sum())
        if self.first is None and differs.any():
            q, k = map(int, np.argwhere(differs.any(axis=0))[0])
            head = int(differs[:, q, k].argmax())
            self.first = (batch, head, start + q, k)
            self.kernel_reads = bool(kernel[head, q, k])


@dataclass(slots=True)
class _Blocks:
    """Block tables of a mask: which blocks are full and which are partial."""

    mask: Any
    queries: int
    keys: int
    rule: Rule
    full: "NDArray[np.bool_]" = field(init=False)
    partial: "NDArray[np.bool_]" = field(init=False)

    def __post_init__(self) -> None:
        self.partial = self._table(self.mask.kv_num_blocks, self.mask.kv_indices)
        if self.mask.full_kv_num_blocks is None:
            self.full = self.partial & False
        else:
            self.full = self._table(self.mask.full_kv_num_blocks, self.mask.full_kv_indices)

    def _table(self, counts: Any, indices: Any) -> "NDArray[np.bool_]":
        """Listed blocks ``(batch, head, query block, key block)``; others are never loaded."""
        import numpy as np

        columns = -(-self.keys // self.mask.BLOCK_SIZE[1])
        where = indices.detach().cpu().numpy()
        count = counts.detach().cpu().numpy()
        listed = np.arange(where.shape[-1]) < count[..., None]
        listed &= (where >= 0) & (where < columns)
        table = np.zeros((*where.shape[:-1], columns), dtype=np.bool_)
        place = np.nonzero(listed)
        table[(*place[:-1], where[place])] = True
        flags: NDArray[np.bool_] = table.reshape((1,) * (4 - table.ndim) + table.shape)
        return flags

    def expanded(
        self, table: "NDArray[np.bool_]", batch: int, heads: range, queries: range
    ) -> "NDArray[np.bool_]":
        """A table on pairs ``(head, query, key)``; batch and head repeat, as in the kernel."""
        import numpy as np

        rows = np.arange(queries.start, queries.stop) // self.mask.BLOCK_SIZE[0]
        columns = np.arange(self.keys) // self.mask.BLOCK_SIZE[1]
        element = table[batch % table.shape[0]][[h % table.shape[1] for h in heads]]
        inside = rows < element.shape[1]
        flags: NDArray[np.bool_] = element[:, np.where(inside, rows, 0)][:, :, columns]
        flags &= inside[:, None]
        return flags

    def dense(
        self, batch: int, heads: range, queries: range
    ) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """The pairs ``(head, query, key)`` that the kernel reads, and those of ``mask_mod``."""
        alone = self.rule.dense(batch, heads, queries, self.keys)
        kernel = self.expanded(self.full, batch, heads, queries)
        kernel |= self.expanded(self.partial, batch, heads, queries) & alone
        return kernel, alone

    def at(self, batch: int, head: int, q: int, k: int) -> bool:
        """Whether the kernel lets the query read the key, in one head."""
        pair = batch, range(head, head + 1), range(q, q + 1)
        if self.expanded(self.full, *pair)[0, 0, k]:
            return True
        return bool(self.expanded(self.partial, *pair)[0, 0, k]) and self.rule.at(batch, head, q, k)


def decode_block_mask(
    mask: Any,
    n: int | None = None,
    *,
    heads: int = 1,
    batches: int = 1,
    batch: int | None = None,
    offset: int = 0,
    name: str = "the BlockMask",
) -> Decoded:
    """The effective relation of a BlockMask, and where it differs from its ``mask_mod`` alone.

    Raises :class:`ShapeError` when ``n`` is not its own length. ``offset`` is the position of
    query 0, for the finding.
    """
    lengths = getattr(mask, "seq_lengths", None) or tuple(mask.shape)[-2:]
    queries, keys = map(int, lengths)
    if n is not None and n != max(keys, offset + queries):
        raise ShapeError(
            f"{name} was built for {queries} queries and {keys} keys, n = {n} was asked for; build "
            "it for the length it is used with",
            n=n,
            queries=queries,
            keys=keys,
        )
    check_length(max(queries, keys), name)
    shape = tuple(mask.kv_num_blocks.shape[:-1])
    own = (1,) * (2 - len(shape)) + shape
    batches, heads = max(batches, own[0]), max(heads, own[1])
    blocks = _Blocks(mask, queries, keys, Rule(mask.mask_mod, Kind.MASK_MOD, f"mask_mod of {name}"))
    wanted = chosen(batches, batch)
    blocks.rule.pairs = len(wanted) * heads * queries * keys
    difference = _Difference()
    found: dict[tuple[int, ...], list[int]] = {}
    for b in wanted:
        rows: list[int] = []
        for part in parts(heads, queries, keys):
            kernel, alone = blocks.dense(b, range(heads), part)
            difference.add(b, part.start, kernel, alone)
            rows += Bits.from_dense(united(kernel)).sets
        found.setdefault(tuple(rows), []).append(b)
    size = "×".join(map(str, mask.BLOCK_SIZE))
    told = f"evaluated as a BlockMask ({size} blocks): full blocks, and partial ones with mask_mod"
    notes = [blocks.rule.note(), _finding(difference, offset, name)]
    return Decoded(
        tuple((tuple(indices), Bits(sets, keys)) for sets, indices in found.items()),
        "attend",
        (told, *united_comments(heads, found.values(), batch)),
        lambda b, q, k: any(blocks.at(b, h, q, k) for h in range(heads)),
        tuple(note for note in notes if note is not None),
        _claims(blocks, difference, heads, offset),
    )


def _claims(
    blocks: _Blocks, difference: _Difference, heads: int, offset: int
) -> tuple[Unequal, ...]:
    """A pair that the blocks and ``mask_mod`` answer differently, heads united where that shows
    it, else of the one head that differs."""
    if difference.first is None:
        return ()
    batch, head, _, _ = difference.first
    for chosen_heads in (range(heads), range(head, head + 1)):
        rows: tuple[list[int], list[int]] = ([], [])
        for part in parts(len(chosen_heads), blocks.queries, blocks.keys):
            for sets, dense in zip(rows, blocks.dense(batch, chosen_heads, part), strict=True):
                sets += Bits.from_dense(united(dense)).sets
        kernel, alone = rows
        for q, (mine, theirs) in enumerate(zip(kernel, alone, strict=True)):
            differs = mine ^ theirs
            if differs:
                k = (differs & -differs).bit_length() - 1
                a, b = (
                    Setting((Mask.of(Bits(tuple(sets), blocks.keys), offset=offset, name=name),))
                    for sets, name in ((kernel, "blocks"), (alone, "mask_mod"))
                )
                only_in: Literal["a", "b"] = "a" if mine >> k & 1 else "b"
                return (Unequal(a, b, "edges", only_in, offset + q, k),)
    return ()


def _finding(difference: _Difference, offset: int, name: str) -> Finding | None:
    if difference.first is None:
        return None
    batch, head, q, k = difference.first
    kernel, alone = (
        ("reads", "does not read") if difference.kernel_reads else ("does not read", "reads")
    )
    return Finding(
        "blocks_disagree",
        f"{name} and its mask_mod disagree on {difference.count} pairs: by the blocks query "
        f"{offset + q} {kernel} key {k}, by mask_mod alone it {alone} it (batch {batch}, head "
        f"{head})",
        reader=offset + q,
        source=k,
        details={"batch": batch, "head": head, "pairs": difference.count},
    )
