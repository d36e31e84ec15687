"""Strided sparse attention: the last ``stride`` tokens, and every ``stride``-th one before.

Two layers reach every earlier token.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals, union
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter

stride = variable("stride")
past = k <= q
near = q - k < stride
on_grid = ((q - k) % stride).eq(0)


def row_runs(n: int, stride: int) -> Iterator[RowRuns]:
    for row in range(n):
        grid = ((x, x + 1) for x in range(row % stride, row, stride))
        yield union([*grid, (row - stride + 1, row + 1)], n)


def scattered(q: Any, n: int, stride: int) -> Intervals:
    steps = range(stride, n, stride)
    return [(q - stride + 1, q + 1), *((q - step, q - step + 1) for step in steps)]


def density(n: int, stride: int) -> float:
    return 1 if stride == 1 else max(1, n / (2 * stride))


MASK = NamedMask(
    name="strided",
    doc="A query reads the last `stride` tokens, itself included, and every `stride`-th before.",
    source="Child et al., Sparse transformers, arXiv:1904.10509",
    definition=past & (near | on_grid),
    row_runs=row_runs,
    scattered=scattered,
    density=density,
    example={"n": 12, "stride": 4},
    parameters=(Parameter("stride", "how far apart the distant keys are", at_least(1)),),
)
