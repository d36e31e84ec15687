"""The name of a mask that does not depend on how it is stored.

sha256 of the canonical JSON ``[[queries, keys], offset, [rows of [start, stop) pairs]]``, taken
after decoding and the union of heads, before the residual.
"""

import hashlib
from itertools import islice

from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.progress import tick

#: Rows that are hashed at once.
_ROWS = 1 << 10


def digest(rows: Rows, offset: int = 0) -> str:
    """The digest of a mask, in hexadecimal.

    >>> from attnproof.symbolic.masks.bits import Bits
    >>> digest(Bits((1, 3), keys=2))[:8]
    '2a9b524c'
    """
    state = hashlib.sha256(f"[[{len(rows)},{rows.keys}],{offset},[".encode())
    texts = (f"[{','.join([f'[{a},{b}]' for a, b in runs])}]" for runs in rows.runs())
    done = 0
    while portion := list(islice(texts, _ROWS)):
        state.update(f"{',' if done else ''}{','.join(portion)}".encode())
        done += len(portion)
        tick(done, len(rows))
    state.update(b"]]")
    return state.hexdigest()
