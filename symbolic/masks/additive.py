"""Biases that are added to scores, read by the row-maximum rule.

Convention: rows are ``(head, query, key)``. A constant added to a whole row changes no softmax, so
a key is blocked where its bias is -inf or at least 1000 below the maximum of its row. A row of
equal finite minima is therefore uniform and reads every key; a row of -inf reads none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import EncodingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A bias this far below the maximum of its row blocks: exp(-1000) is 0 in every float format.
GAP = 1000.0


def unblocked(part: "NDArray[Any]", start: int = 0, what: str = "the array") -> "NDArray[np.bool_]":
    """The keys that biases ``(head, query, key)`` leave open; the first query is ``start``.

    >>> import numpy as np
    >>> unblocked(np.array([[[0.0, -1000.0, -999.0], [-1e9, -1e9, -np.inf]]])).tolist()
    [[[True, False, True], [True, True, False]]]

    Law: adding a finite constant to a row changes nothing. Raises :class:`EncodingError` for NaN
    and +inf.
    """
    return _gaps(part, start, what)[1] < GAP


@dataclass(slots=True)
class Biases:
    """What an additive mask relied on, gathered part by part."""

    weakest: tuple[float, float, int] | None = None  # (gap, bias, query) of the nearest that blocks
    strongest: tuple[float, float, int] | None = None  # of the farthest that is read
    infinite: bool = False
    uniform: dict[int, float] = field(default_factory=dict)  # query -> the largest bias of its row

    def read(self, part: "NDArray[Any]", start: int, what: str) -> "NDArray[np.bool_]":
        """:func:`unblocked`, remembering what it relied on."""
        import numpy as np

        x, gaps = _gaps(part, start, what)
        read: NDArray[np.bool_] = gaps < GAP
        finite = x != -np.inf
        self.infinite |= not finite.all()
        blocked = np.where(finite & ~read, gaps, np.inf)
        place = np.unravel_index(blocked.argmin(), x.shape)
        if finite[place] and not read[place]:
            seen = float(gaps[place]), float(x[place]), start + int(place[1])
            self.weakest = min(self.weakest or seen, seen, key=lambda item: item[0])
        opened = np.where(read, gaps, -1.0)
        place = np.unravel_index(opened.argmax(), x.shape)
        if gaps[place] > 0 and read[place]:
            seen = float(gaps[place]), float(x[place]), start + int(place[1])
            self.strongest = max(self.strongest or seen, seen, key=lambda item: item[0])
        top = x.max(axis=-1)
        for head, q in np.argwhere((top <= -GAP) & (top > -np.inf)):
            self.uniform[start + int(q)] = float(top[head, q])
        return read

    def told(self) -> Iterator[str]:
        """Sentences for the report."""
        rule = "decoded as additive by the row-maximum rule"
        if self.weakest is not None:
            _, bias, q = self.weakest
            yield f"{rule}; the weakest constant relied on is {short(bias)} (query {q})"
        elif self.infinite:
            yield f"{rule}; only -inf blocks"
        else:
            yield f"{rule}; no bias blocks, every key is read"
        if self.strongest is not None:
            _, bias, q = self.strongest
            yield (
                f"a bias less than {GAP:g} below its row's maximum is read: the strongest is "
                f"{short(bias)} (query {q})"
            )
        if self.uniform:
            rows, bound = sorted(self.uniform), short(max(self.uniform.values()))
            who, they = (
                (f"query {rows[0]} holds", "it reads")
                if len(rows) == 1
                else (f"queries {listed(rows)} hold", "they read")
            )
            yield (
                f"{who} no bias above {bound}: softmax is uniform over the largest, so {they} "
                "every key that has it"
            )


def _gaps(
    part: "NDArray[Any]", start: int, what: str
) -> "tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]":
    """Biases, and how far each is below the maximum of its row (inf where it is -inf)."""
    import numpy as np

    wide = np.longdouble if part.dtype.itemsize > 8 else np.float64
    x: NDArray[np.floating[Any]] = np.asarray(part).astype(wide, copy=False)
    with np.errstate(invalid="ignore"):
        top = x.max(axis=-1, keepdims=True)
    if not (top < np.inf).all():
        bad = np.isnan(x) | (x == np.inf)
        _, q, k = map(int, np.argwhere(bad)[0])
        name = "NaN" if np.isnan(x[bad][0]) else "+inf"
        raise EncodingError(
            f"{what} holds {name} at query {start + q}, key {k}; a bias is finite or -inf",
            query=start + q,
            key=k,
        )
    with np.errstate(over="ignore"):
        return x, np.where(top > -np.inf, top, 0.0) - x


def short(value: float) -> str:
    """A number as a person writes it.

    >>> short(-1e9), short(-3.4028234663852886e38), short(2)
    ('-1e9', '-3.40282e38', '2')
    """
    return f"{value:.6g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def listed(numbers: list[int], most: int = 8) -> str:
    """Ascending numbers for a sentence, runs drawn together.

    >>> listed([0, 1, 2, 5])
    '0..2, 5'
    """
    runs: list[list[int]] = []
    for x in numbers:
        if runs and x == runs[-1][1] + 1:
            runs[-1][1] = x
        else:
            runs.append([x, x])
    parts = [str(a) if a == b else f"{a}..{b}" for a, b in runs]
    return ", ".join(parts[:most]) + (", ..." if len(parts) > most else "")
