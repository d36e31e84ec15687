"""Packed documents: a query reads tokens of its own document, by default itself and earlier ones.

``ids`` may be any integers; equal ids are one document, also when it is not contiguous.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import Term, at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import labels
from attnproof.symbolic.named.kinds import flag, integers
from attnproof.symbolic.named.named import NamedMask, Parameter, exactly_one

same_document = at("ids", q).eq(at("ids", k))
past = k <= q

Integers = tuple[int, ...]


def definition(causal: bool, **_: object) -> Term:
    return same_document & past if causal else same_document


def row_runs(
    n: int, ids: Integers | None, lengths: Integers | None, causal: bool
) -> Iterator[RowRuns]:
    ids = document_ids(ids, lengths)
    read: dict[int, list[tuple[int, int]]] = {}
    if not causal:
        for row, document in enumerate(ids):
            extend(read.setdefault(document, []), row)
    for row, document in enumerate(ids):
        if causal:
            extend(read.setdefault(document, []), row)
        yield tuple(read[document])


def extend(runs: list[tuple[int, int]], position: int) -> None:
    """Add a position behind all others."""
    if runs and runs[-1][1] == position:
        runs[-1] = (runs[-1][0], position + 1)
    else:
        runs.append((position, position + 1))


def document_ids(ids: Integers | None, lengths: Integers | None) -> Integers:
    """The document of each token, from either parameter."""
    exactly_one("documents", ids=ids, lengths=lengths)
    return ids if ids is not None else labels(lengths or ())


def tokens(n: int | None, ids: Integers | None, lengths: Integers | None, causal: bool) -> int:
    return len(document_ids(ids, lengths))


def captured(n: int, ids: Integers | None, lengths: Integers | None, causal: bool) -> Any:
    return {"ids": document_ids(ids, lengths)}


MASK = NamedMask(
    name="documents",
    doc="A query reads its own document: itself and earlier tokens, or all of it.",
    source="PyTorch, FlexAttention, https://pytorch.org/blog/flexattention/",
    definition=definition,
    row_runs=row_runs,
    example={"lengths": [3, 5]},
    parameters=(
        Parameter("ids", "the document of each token", integers(), None),
        Parameter("lengths", "how many tokens each document has", integers(0), None),
        Parameter("causal", "whether later tokens are left out", flag, True),
    ),
    tokens=tokens,
    captured=captured,
)
