"""The name of a mask that does not depend on how it is stored.

sha256 of the canonical JSON ``[[queries, keys], offset, [rows of [start, stop) pairs]]``, taken
after decoding and the union of heads, before the residual.
"""

import hashlib
import json

from attnproof.symbolic.masks.rows import Rows


def digest(rows: Rows, offset: int = 0) -> str:
    """The digest of a mask, in hexadecimal.

    >>> from attnproof.symbolic.masks.bits import Bits
    >>> digest(Bits((1, 3), keys=2))[:8]
    '2a9b524c'
    """
    state = hashlib.sha256(f"[[{len(rows)},{rows.keys}],{offset},[".encode())
    for q, runs in enumerate(rows.runs()):
        if q:
            state.update(b",")
        state.update(json.dumps(runs, separators=(",", ":")).encode())
    state.update(b"]]")
    return state.hexdigest()
