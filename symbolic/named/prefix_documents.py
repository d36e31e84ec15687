"""Packed prefix language models: in each document the first tokens read each other."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, groups, labels, repeated
from attnproof.symbolic.named.kinds import integers, one_or_many
from attnproof.symbolic.named.named import NamedMask, Parameter, require

document = at("ids", k)
same_document = at("ids", q).eq(document)
past = k <= q
in_prefix = k - at("starts", document) < at("prefixes", document)

Integers = tuple[int, ...]


def row_runs(n: int, lengths: Integers, prefix: int | Integers) -> Iterator[RowRuns]:
    start = 0
    for length, read_by_all in zip(lengths, prefixes(lengths, prefix), strict=True):
        for row in range(length):
            yield ((start, start + min(length, max(read_by_all, row + 1))),)
        start += length


def intervals(q: Any, n: int, lengths: Integers, prefix: int | Integers) -> Intervals:
    start, stop = groups(lengths)
    read_by_all = repeated(prefixes(lengths, prefix), lengths)
    return [(start, (q + 1).clip(min=start + read_by_all).clip(max=stop))]


def prefixes(lengths: Integers, prefix: int | Integers) -> Integers:
    """One prefix length a document."""
    return (prefix,) * len(lengths) if isinstance(prefix, int) else prefix


def tokens(n: int | None, lengths: Integers, prefix: int | Integers) -> int:
    given = len(prefixes(lengths, prefix))
    require(
        given == len(lengths),
        f"prefix_documents: {given} prefixes for {len(lengths)} documents; give one each, or one "
        "integer",
        prefixes=given,
        documents=len(lengths),
    )
    return sum(lengths)


def captured(n: int, lengths: Integers, prefix: int | Integers) -> Any:
    return {
        "ids": labels(lengths),
        "starts": tuple(accumulate(lengths, initial=0))[:-1],
        "prefixes": prefixes(lengths, prefix),
    }


MASK = NamedMask(
    name="prefix_documents",
    doc="A query reads, in its own document, the prefix, itself and earlier tokens.",
    source="meta-pytorch, attention-gym, https://github.com/meta-pytorch/attention-gym",
    definition=same_document & (past | in_prefix),
    row_runs=row_runs,
    intervals=intervals,
    example={"lengths": [4, 4], "prefix": 2},
    parameters=(
        Parameter("lengths", "how many tokens each document has", integers(0)),
        Parameter("prefix", "how many first tokens of a document read each other", one_or_many(0)),
    ),
    tokens=tokens,
    captured=captured,
)
