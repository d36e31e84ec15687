"""A tree mask as kernels take it: drafts after a causal prefix, the drafts' rows laid end to end.

``flat`` has ``m * m`` entries for ``m`` drafts that read the whole prefix, or ``m * (prefix + m)``
entries that say which prefix tokens each one reads; 1 means that it reads. ``columns`` says which,
where both fit.
"""

from collections.abc import Iterator
from math import isqrt
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import holds, k, maximum, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import singles
from attnproof.symbolic.named.kinds import at_least, choice, laid_out
from attnproof.symbolic.named.named import NamedMask, Parameter

prefix = variable("prefix")
in_prefix = q < prefix
past = k <= q
draft_reads = holds("drafts", maximum(q - prefix, 0), k)

Flags = tuple[bool, ...]


def row_runs(n: int, flat: Flags, prefix: int, columns: str | None) -> Iterator[RowRuns]:
    for row in range(prefix):
        yield ((0, row + 1),)
    for draft in rows_of(flat, prefix, columns):
        yield singles((key for key, reads in enumerate(draft) if reads), n)


def rows_of(flat: Flags, prefix: int, columns: str | None) -> tuple[Flags, ...]:
    """The row of each draft over prefix and drafts."""
    own = isqrt(len(flat))
    drafts = (isqrt(prefix * prefix + 4 * len(flat)) - prefix) // 2
    keys = prefix + drafts
    fits = {"drafts": own * own == len(flat), "keys": drafts * keys == len(flat)}
    if columns is None and all(fits.values()) and own != drafts:
        raise ParameterError(
            f"flat_tree: flat has {len(flat)} entries, which are {own} drafts that read {own} "
            f"drafts, or {drafts} that read {keys} keys; say columns=drafts or columns=keys",
            entries=len(flat),
            prefix=prefix,
        )
    if not any(fit for name, fit in fits.items() if columns in (None, name)):
        shape = {"drafts": "m * m", "keys": "m * (prefix + m)", None: "m * m or m * (prefix + m)"}
        raise ParameterError(
            f"flat_tree: flat has {len(flat)} entries; give {shape[columns]} for m drafts and "
            f"prefix {prefix}",
            entries=len(flat),
            prefix=prefix,
        )
    if fits["drafts"] and columns != "keys":
        return tuple((True,) * prefix + flat[i * own : (i + 1) * own] for i in range(own))
    return tuple(flat[i * keys : (i + 1) * keys] for i in range(drafts))


def tokens(n: int | None, flat: Flags, prefix: int, columns: str | None) -> int:
    return prefix + len(rows_of(flat, prefix, columns))


def captured(n: int, flat: Flags, prefix: int, columns: str | None) -> Any:
    return {"drafts": rows_of(flat, prefix, columns) or ((False,) * n,)}


MASK = NamedMask(
    name="flat_tree",
    doc="Prefix queries read the past; a draft reads the keys that its part of `flat` marks.",
    source="Cai et al., Medusa, arXiv:2401.10774",
    definition=(in_prefix & past) | (~in_prefix & draft_reads),
    row_runs=row_runs,
    example={"flat": [1, 0, 0, 1, 1, 0, 1, 0, 1], "prefix": 2},
    parameters=(
        Parameter("flat", "the rows of the drafts, one after the other", laid_out),
        Parameter("prefix", "how many tokens come before the drafts", at_least(0), 0),
        Parameter("columns", "what the entries of a row are for", choice("drafts", "keys"), None),
    ),
    tokens=tokens,
    captured=captured,
)
