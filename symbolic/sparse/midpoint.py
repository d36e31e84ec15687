"""Causal attention in two layers through midpoints: sum of floor(log2 j), j = 1..n, edges.

The centre of an interval reads what lies before it there, what lies after reads the centre, and
both halves do the same. Layer 1 brings every token to the centres, layer 2 from the centres to all.
The named mask ``fenwick`` does this by one formula of binary digits, with the same number of edges
where n is a power of two and up to n more where it is not.
"""

from collections.abc import Iterator

from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.masks.runs import Runs


def edges(n: int) -> int:
    """The number of edges of :func:`midpoint` off the diagonal: sum of floor(log2 j), j = 1..n.

    >>> [edges(n) for n in (1, 2, 3, 4, 8, 16, 100)]
    [0, 1, 2, 4, 13, 38, 480]

    No mask has fewer for the n that certificates reach; for every n that is a conjecture. Source:
    the construction is Yao's (1982); the formula as a closed form ours.
    """
    digits = n.bit_length() - 1
    return (n + 1) * digits - (2 << digits) + 2 if n else 0


def midpoint(n: int) -> Runs:
    """One causal mask that is used twice, of ``n`` positions, diagonal included.

    >>> [bin(row) for row in midpoint(4).bits()]
    ['0b1', '0b11', '0b110', '0b1110']

    Law: its square is the causal mask.
    """
    return Runs.from_rows(_rows(n, (0, 1)), n)


def midpoint_schedule(n: int) -> tuple[Runs, Runs]:
    """Two masks, used one after the other: together as many edges as :func:`midpoint` has alone.

    >>> [[bin(row) for row in layer.bits()] for layer in midpoint_schedule(3)]
    [['0b1', '0b11', '0b100'], ['0b1', '0b10', '0b110']]

    Law: the second times the first is the causal mask.
    """
    return Runs.from_rows(_rows(n, (0,)), n), Runs.from_rows(_rows(n, (1,)), n)


def _rows(n: int, layers: tuple[int, ...]) -> Iterator[RowRuns]:
    """Row ``q``: the centres before it of the intervals it lies in; and what it reads as one."""
    for q in range(n):
        first, last, centres = 0, n - 1, []
        while (centre := (first + last) // 2) != q:
            if centre < q:
                centres.append(centre)
                first = centre + 1
            else:
                last = centre - 1
        runs = [(first, q + 1) if 0 in layers else (q, q + 1)]
        if 1 in layers:
            runs = [*((c, c + 1) for c in centres), *runs]
        yield _joined(runs)


def _joined(runs: list[tuple[int, int]]) -> RowRuns:
    """Ascending runs, with those that touch made one."""
    found: list[tuple[int, int]] = []
    for start, stop in runs:
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return tuple(found)
