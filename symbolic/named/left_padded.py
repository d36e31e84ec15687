"""Causal attention after left padding: no query reads the first ``padding`` tokens.

The padding queries read nothing at all; what attention returns for them is a convention.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

padding = variable("padding")
past = k <= q
real = k >= padding


def row_runs(n: int, padding: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((padding, row + 1),) if row >= padding else ()


def intervals(q: Any, n: int, padding: int) -> Intervals:
    return [(padding, q + 1)]


MASK = NamedMask(
    name="left_padded",
    doc="A query reads itself and earlier tokens, none of the first `padding`.",
    source="Hugging Face, transformers, masking_utils, https://github.com/huggingface/transformers",
    definition=past & real,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "padding": 2},
    parameters=(Parameter("padding", "how many first tokens are padding", at_least(0)),),
)
