"""Padding on either side: a query reads real tokens, by default itself and earlier ones.

``attention_mask`` is 1 for real tokens and 0 for padding. Queries of padding have the same rule:
those of left padding read nothing.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from attnproof.symbolic.formula import Term, holds, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.documents import extend
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import bits, flag
from attnproof.symbolic.named.named import NamedMask, Parameter

real = holds("real", k)
past = k <= q

Flags = tuple[bool, ...]


def definition(causal: bool, **_: object) -> Term:
    return past & real if causal else real


def row_runs(n: int, attention_mask: Flags, causal: bool) -> Iterator[RowRuns]:
    rows = real_runs(attention_mask)
    if causal:
        return rows
    *_, every = rows
    return repeat(every, n)


def real_runs(attention_mask: Flags) -> Iterator[RowRuns]:
    """For each position the real tokens up to it."""
    runs: list[tuple[int, int]] = []
    for position, is_real in enumerate(attention_mask):
        if is_real:
            extend(runs, position)
        yield tuple(runs)


def intervals(q: Any, n: int, attention_mask: Flags, causal: bool) -> Intervals | None:
    import numpy as np

    places = np.flatnonzero(attention_mask)
    if not len(places) or places[-1] - places[0] >= len(places):
        return None
    start, stop = places[0], places[-1] + 1
    return [(start, np.minimum(q + 1, stop) if causal else stop)]


def tokens(n: int | None, attention_mask: Flags, causal: bool) -> int:
    return len(attention_mask)


def captured(n: int, attention_mask: Flags, causal: bool) -> Any:
    return {"real": attention_mask}


def density(n: int, attention_mask: Flags, causal: bool) -> float:
    import numpy as np

    begins = np.diff(np.array(attention_mask, np.int8), prepend=0) > 0
    return float(np.cumsum(begins).mean() if causal else begins.sum())


MASK = NamedMask(
    name="padded",
    doc="A query reads the tokens that are no padding: itself and earlier ones, or all.",
    source="Hugging Face, transformers, masking_utils, https://github.com/huggingface/transformers",
    definition=definition,
    row_runs=row_runs,
    intervals=intervals,
    density=density,
    example={"attention_mask": [0, 0, 1, 1, 1, 1, 1, 0]},
    parameters=(
        Parameter("attention_mask", "1 for each real token, 0 for padding", bits),
        Parameter("causal", "whether later tokens are left out", flag, True),
    ),
    tokens=tokens,
    captured=captured,
)
