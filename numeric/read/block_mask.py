"""A FlexAttention ``BlockMask``, as the compiled kernel runs it.

Convention: the effective relation is the full blocks, united with the partial blocks intersected
with ``mask_mod``. Uncompiled attention runs ``mask_mod`` alone, so a difference is a finding.
"""

from typing import Any

from attnproof.numeric.read.block_tables import BlockTables
from attnproof.numeric.read.callables import Rule
from attnproof.numeric.read.elements import unasked
from attnproof.numeric.read.signature import Kind
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.encoding import Decoded, chosen, united_comments
from attnproof.symbolic.words import counted


def is_block_mask(value: object) -> bool:
    """Whether this is a BlockMask; torch is not imported to find out.

    >>> is_block_mask("causal")
    False
    """
    kind = type(value)
    return kind.__name__ == "BlockMask" and kind.__module__.startswith("torch.nn.attention")


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

    Raises :class:`ShapeError` when ``n`` is not its own length, and for too many pairs to ask.
    ``offset`` is the position of query 0, for the finding.
    """
    from attnproof.numeric.read.block_reading import BlockReader

    lengths = getattr(mask, "seq_lengths", None) or tuple(mask.shape)[-2:]
    queries, keys = map(int, lengths)
    if n is not None and n != max(keys, offset + queries):
        raise ShapeError(
            f"{name} was built for {counted(queries, 'query')} and {counted(keys, 'key')}, n = {n} "
            "was asked for; build it for the length it is used with",
            n=n,
            queries=queries,
            keys=keys,
        )
    tables = BlockTables.of(mask, queries, keys)
    batches, heads = max(batches, tables.full.shape[0]), max(heads, tables.full.shape[1])
    rule = Rule(mask.mask_mod, Kind.MASK_MOD, f"mask_mod of {name}")
    reader = BlockReader(tables, rule, chosen(batches, batch), range(heads), offset, name)
    found = reader.read()
    size = "×".join(map(str, tables.block))
    told = f"evaluated as a BlockMask ({size} blocks): full blocks, and partial ones with mask_mod"
    notes = (
        rule.note(),
        found.finding,
        *unasked(rule, keys, heads=heads == 1, batches=batches == 1 and batch is None),
    )
    return Decoded(
        tuple((tuple(indices), rows) for rows, indices in found.groups),
        "attend",
        (told, *found.told, *united_comments(heads, [own for _, own in found.groups], batch)),
        reader.reads,
        tuple(note for note in notes if note is not None),
        found.claims,
    )
