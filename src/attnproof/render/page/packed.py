"""Relations as text for a page: bit rows of 32-bit words, deflated, in base 64.

Bit ``k`` of row ``q`` is bit ``k % 32`` of word ``q * words + k // 32``, least byte first.
"""

import zlib
from base64 import b64encode
from collections.abc import Sequence


def packed(rows: Sequence[int], size: int) -> str:
    """A relation on ``size`` positions as one line of text.

    >>> from base64 import b64decode
    >>> zlib.decompress(b64decode(packed([0b01, 0b11], 2))).hex()
    '0100000003000000'
    """
    width = 4 * -(-size // 32)
    raw = b"".join(row.to_bytes(width, "little") for row in rows)
    return b64encode(zlib.compress(raw, 9)).decode("ascii")


class Relations:
    """The relations of a page, each packed once; ``texts[i]`` is the one numbered ``i``.

    >>> held = Relations()
    >>> held.number([0b1], 1), held.number([0b0], 1), held.number([0b1], 1)
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, rows: Sequence[int], size: int) -> int:
        """Where the relation stands; a new one is added at the end."""
        return self._numbers.setdefault(packed(rows, size), len(self._numbers))

    @property
    def texts(self) -> list[str]:
        """The packed relations, in order."""
        return list(self._numbers)
