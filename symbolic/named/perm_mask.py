"""A permutation mask as XLNet takes it: 1 at ``[q, k]`` means that ``q`` does *not* read ``k``."""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import holds, k, q
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import singles
from attnproof.symbolic.named.kinds import table
from attnproof.symbolic.named.named import NamedMask, Parameter

Table = tuple[tuple[bool, ...], ...]


def row_runs(n: int, blocked: Table) -> Iterator[RowRuns]:
    for row in blocked:
        yield singles((key for key, is_blocked in enumerate(row) if not is_blocked), n)


def tokens(n: int | None, blocked: Table) -> int:
    return len(blocked)


def captured(n: int, blocked: Table) -> Any:
    return {"blocked": blocked}


MASK = NamedMask(
    name="perm_mask",
    doc="A query reads the keys that its row of the array leaves at 0.",
    source="Hugging Face, XLNet, https://huggingface.co/docs/transformers/model_doc/xlnet",
    definition=~holds("blocked", q, k),
    row_runs=row_runs,
    example={"blocked": [[0, 1, 1], [0, 0, 1], [0, 0, 0]]},
    parameters=(Parameter("blocked", "1 where the query of the row does not read the key", table),),
    tokens=tokens,
    captured=captured,
)
