"""Chunked causal attention: tokens are cut into chunks and read only within their own."""

from collections.abc import Iterator

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

chunk = variable("chunk")
past = k <= q
same_chunk = (q // chunk).eq(k // chunk)


def row_runs(n: int, chunk: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((row // chunk * chunk, row + 1),)


MASK = NamedMask(
    name="chunked",
    doc="A query reads itself and the earlier tokens of its chunk.",
    source="Meta, Llama 4, https://ai.meta.com/blog/llama-4-multimodal-intelligence/",
    definition=past & same_chunk,
    row_runs=row_runs,
    example={"n": 8, "chunk": 3},
    parameters=(Parameter("chunk", "how many tokens a chunk has", at_least(1)),),
)
