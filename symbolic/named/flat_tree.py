"""A tree mask as kernels take it: drafts after a causal prefix, the drafts' rows laid end to end.

``flat`` has ``m * m`` entries for ``m`` drafts that read the whole prefix, or ``m * (prefix + m)``
entries that say which prefix tokens each one reads; 1 means that it reads.
"""

from collections.abc import Iterator
from math import isqrt
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import holds, k, maximum, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import singles
from attnproof.symbolic.named.kinds import at_least, bits
from attnproof.symbolic.named.named import NamedMask, Parameter

prefix = variable("prefix")
in_prefix = q < prefix
past = k <= q
draft_reads = holds("drafts", maximum(q - prefix, 0), k)


def row_runs(n: int, flat: tuple[bool, ...], prefix: int) -> Iterator[RowRuns]:
    for row in range(prefix):
        yield ((0, row + 1),)
    for draft in rows_of(flat, prefix):
        yield singles((key for key, reads in enumerate(draft) if reads), n)


def rows_of(flat: tuple[bool, ...], prefix: int) -> tuple[tuple[bool, ...], ...]:
    """The row of each draft over prefix and drafts."""
    drafts = isqrt(len(flat))
    if drafts * drafts == len(flat):
        rows = [flat[i * drafts : (i + 1) * drafts] for i in range(drafts)]
        return tuple((True,) * prefix + row for row in rows)
    drafts = (isqrt(prefix * prefix + 4 * len(flat)) - prefix) // 2
    keys = prefix + drafts
    if drafts * keys != len(flat):
        raise ParameterError(
            f"flat_tree: flat has {len(flat)} entries; give m * m or m * (prefix + m) for m drafts "
            f"and prefix {prefix}",
            entries=len(flat),
            prefix=prefix,
        )
    return tuple(flat[i * keys : (i + 1) * keys] for i in range(drafts))


def tokens(n: int | None, flat: tuple[bool, ...], prefix: int) -> int:
    return prefix + len(rows_of(flat, prefix))


def captured(n: int, flat: tuple[bool, ...], prefix: int) -> Any:
    return {"drafts": rows_of(flat, prefix) or ((False,) * n,)}


MASK = NamedMask(
    name="flat_tree",
    doc="Prefix queries read the past; a draft reads the keys that its part of `flat` marks.",
    source="Cai et al., Medusa, arXiv:2401.10774",
    definition=(in_prefix & past) | (~in_prefix & draft_reads),
    row_runs=row_runs,
    example={"flat": [1, 0, 0, 1, 1, 0, 1, 0, 1], "prefix": 2},
    parameters=(
        Parameter("flat", "the rows of the drafts, one after the other", bits),
        Parameter("prefix", "how many tokens come before the drafts", at_least(0), 0),
    ),
    tokens=tokens,
    captured=captured,
)
