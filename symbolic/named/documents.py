"""Packed documents: a query reads tokens of its own document, by default itself and earlier ones.

``ids`` may be any integers; equal ids are one document, also when it is not contiguous. A document
starts where ``positions`` do not go on by one.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby, pairwise
from operator import mul
from typing import Any

from attnproof.symbolic.formula import Term, at, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, groups, labels
from attnproof.symbolic.named.kinds import flag, integers
from attnproof.symbolic.named.named import NamedMask, Parameter, require

same_document = at("ids", q).eq(at("ids", k))
past = k <= q

Integers = tuple[int, ...]


def definition(causal: bool, **_: object) -> Term:
    return same_document & past if causal else same_document


def row_runs(n: int, causal: bool, **given: Integers | None) -> Iterator[RowRuns]:
    ids = document_ids(**given)
    read: dict[int, list[tuple[int, int]]] = {}
    if not causal:
        for row, document in enumerate(ids):
            extend(read.setdefault(document, []), row)
    for row, document in enumerate(ids):
        if causal:
            extend(read.setdefault(document, []), row)
        yield tuple(read[document])


def intervals(q: Any, n: int, causal: bool, **given: Integers | None) -> Intervals | None:
    ids = document_ids(**given)
    together = [sum(1 for _ in same) for _, same in groupby(ids)]
    if len(together) > len(set(ids)):
        return None
    start, stop = groups(together)
    return [(start, q + 1 if causal else stop)]


def extend(runs: list[tuple[int, int]], position: int) -> None:
    """Add a position behind all others."""
    if runs and runs[-1][1] == position:
        runs[-1] = (runs[-1][0], position + 1)
    else:
        runs.append((position, position + 1))


def document_ids(
    ids: Integers | None, lengths: Integers | None, positions: Integers | None
) -> Integers:
    """The document of each token, from any of the parameters."""
    require(
        sum(given is not None for given in (ids, lengths, positions)) == 1,
        "documents needs ids or lengths or positions, one of them; give it with --param",
    )
    if positions is not None:
        steps = pairwise((*positions[:1], *positions))
        return tuple(accumulate(int(after != before + 1) for before, after in steps))
    return ids if ids is not None else labels(lengths or ())


def tokens(n: int | None, causal: bool, **given: Integers | None) -> int:
    return len(document_ids(**given))


def captured(n: int, causal: bool, **given: Integers | None) -> Any:
    return {"ids": document_ids(**given)}


def density(n: int, causal: bool, **given: Integers | None) -> float:
    return mean_stretches(document_ids(**given), causal)


def mean_stretches(groups: Iterable[int], causal: bool) -> float:
    """How many stretches of its own group a position has, up to itself or in all, on average."""
    stretches: dict[int, int] = {}
    so_far, lengths = [], []
    for group, same in groupby(groups):
        stretches[group] = stretches.get(group, 0) + 1
        so_far.append((group, stretches[group]))
        lengths.append(sum(1 for _ in same))
    counts = [upto if causal else stretches[group] for group, upto in so_far]
    return float(sum(map(mul, counts, lengths)) / max(1, sum(lengths)))


MASK = NamedMask(
    name="documents",
    doc="A query reads its own document: itself and earlier tokens, or all of it.",
    source="PyTorch, FlexAttention, https://pytorch.org/blog/flexattention/",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"lengths": [3, 5]},
    parameters=(
        Parameter("ids", "the document of each token", integers(), None),
        Parameter("lengths", "how many tokens each document has", integers(0), None),
        Parameter("positions", "position ids; each document starts them again", integers(), None),
        Parameter("causal", "whether later tokens are left out", flag, True),
    ),
    tokens=tokens,
    captured=captured,
)
