"""Chunked causal attention: tokens are cut into chunks and read only within their own.

Chunks are counted from ``positions`` where a token's position is not its index, as behind left
padding; ``attention_mask`` is 0 for padding, which no query reads.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import Term, at, holds, k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.documents import extend, mean_stretches
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least, bits, integers
from attnproof.symbolic.named.named import NamedMask, Parameter, require
from attnproof.symbolic.words import counted

chunk = variable("chunk")
past = k <= q
same_chunk = (q // chunk).eq(k // chunk)
same_chunk_of_positions = (at("position", q) // chunk).eq(at("position", k) // chunk)
real = holds("real", k)

Integers = tuple[int, ...]
Flags = tuple[bool, ...]


def definition(positions: Integers | None, attention_mask: Flags | None, **_: object) -> Term:
    inside = past & (same_chunk if positions is None else same_chunk_of_positions)
    return inside if attention_mask is None else inside & real


def row_runs(
    n: int, chunk: int, positions: Integers | None, attention_mask: Flags | None
) -> Iterator[RowRuns]:
    if positions is None and attention_mask is None:
        for row in range(n):
            yield ((row // chunk * chunk, row + 1),)
        return
    read: dict[int, list[tuple[int, int]]] = {}
    for row in range(n):
        own = read.setdefault((row if positions is None else positions[row]) // chunk, [])
        if attention_mask is None or attention_mask[row]:
            extend(own, row)
        yield tuple(own)


def intervals(
    q: Any, n: int, chunk: int, positions: Integers | None, attention_mask: Flags | None
) -> Intervals | None:
    if positions is not None or attention_mask is not None:
        return None
    return [(q // chunk * chunk, q + 1)]


def tokens(
    n: int | None, chunk: int, positions: Integers | None, attention_mask: Flags | None
) -> int | None:
    if positions is not None and attention_mask is not None:
        require(
            len(positions) == len(attention_mask),
            f"chunked: positions has {counted(len(positions), 'entry')}, attention_mask "
            f"{len(attention_mask)}; give one of each a token",
            positions=len(positions),
            attention_mask=len(attention_mask),
        )
    given = positions if positions is not None else attention_mask
    return n if given is None else len(given)


def captured(n: int, chunk: int, positions: Integers | None, attention_mask: Flags | None) -> Any:
    held = {"position": positions, "real": attention_mask}
    return {name: values for name, values in held.items() if values is not None}


def density(n: int, chunk: int, positions: Integers | None, attention_mask: Flags | None) -> float:
    places = range(n) if positions is None else positions
    real = (True,) * n if attention_mask is None else attention_mask
    # Padding is a group of its own between two stretches of a chunk.
    return mean_stretches(
        (x // chunk if held else -1 - x for x, held in zip(places, real, strict=True)), causal=True
    )


MASK = NamedMask(
    name="chunked",
    doc="A query reads itself and the earlier tokens of its chunk.",
    source="Meta, Llama 4, https://ai.meta.com/blog/llama-4-multimodal-intelligence/",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"n": 8, "chunk": 3},
    parameters=(
        Parameter("chunk", "how many tokens a chunk has", at_least(1)),
        Parameter("positions", "the position id of each token", integers(), None),
        Parameter("attention_mask", "1 for each real token, 0 for padding", bits, None),
    ),
    tokens=tokens,
    captured=captured,
)
