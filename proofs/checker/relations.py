"""Relations as rows of bits: inclusion, closedness, generation, products and searches.

Convention: bit ``k`` of ``rows[q]`` is set when ``q`` reads, or is reached from, ``k``.

Machine-checked: ``ClosedRows.rows_closed``, ``ClosedRows.rows_generated`` and
``Closure.square_stable_is_limit``.
"""

from collections.abc import Iterator, Sequence

Relation = tuple[int, ...]


def elements(row: int) -> Iterator[int]:
    """The positions in a bit set, smallest first."""
    digits = bin(row)[:1:-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)


def identity(size: int) -> Relation:
    """Every position with itself."""
    return tuple(1 << q for q in range(size))


def contains(larger: Sequence[int], smaller: Sequence[int]) -> bool:
    """Is every pair of ``smaller`` a pair of ``larger``?"""
    return all(not b & ~a for a, b in zip(larger, smaller, strict=True))


def groups(rows: Sequence[int]) -> dict[int, int]:
    """Row to the set of positions that have it."""
    found: dict[int, int] = {}
    for q, row in enumerate(rows):
        found[row] = found.get(row, 0) | 1 << q
    return found


def tops(positions: int, rows: Sequence[int], weights: Sequence[int]) -> Iterator[int]:
    """Some of the positions, such that every other one is in the row of one of them.

    ``rows`` is reflexive and ``weights`` holds the sizes of its rows. Large rows come first, as
    far as the two ends of the set show them.
    """
    while positions:
        high = positions.bit_length() - 1
        low = (positions & -positions).bit_length() - 1
        k = high if weights[high] >= weights[low] else low
        yield k
        positions &= ~rows[k]


def is_closed(rows: Sequence[int]) -> bool:
    """Is the relation reflexive and transitive?

    Theorem: it is when ``q`` is in ``rows[q]`` and each row S is a union of rows S' < S and of
    positions whose row is S. Where ``rows[k]`` is a proper subset of S, the positions in it need
    no look: by induction on the size of rows, theirs are subsets of ``rows[k]``.
    """
    if not all(row >> q & 1 for q, row in enumerate(rows)):
        return False
    weights = [row.bit_count() for row in rows]
    return all(
        not rows[k] & ~row
        for row, equal in groups(rows).items()
        for k in tops(row & ~equal, rows, weights)
    )


def is_generated(closed: Sequence[int], rows: Sequence[int]) -> bool:
    """Is a closed relation that contains ``rows`` the least one that does?

    Theorem: it is when the positions of each row of ``closed`` are strongly connected in ``rows``
    and that row holds them and the union of the smaller rows of what they read, nothing more: by
    induction on the size of rows, everything in it reaches them.
    """
    weights = [row.bit_count() for row in closed]
    for row, equal in groups(closed).items():
        reads = 0
        for q in elements(equal):
            reads |= rows[q]
        held = equal
        for k in tops(reads & ~equal, closed, weights):
            held |= closed[k]
        if held != row or not is_strongly_connected(rows, equal):
            return False
    return True


def is_strongly_connected(rows: Sequence[int], inside: int) -> bool:
    """Does every position of a set reach every other within the set?

    One member is reached from all, and reaches all.
    """
    first = (inside & -inside).bit_length() - 1
    if inside == 1 << first:
        return True
    if reach(rows, first, inside) != inside:
        return False
    done = 1 << first
    for q in elements(inside ^ done):
        if not done >> q & 1:
            ahead = _way_into(rows, inside, q, done)
            if not ahead:
                return False
            done |= ahead
    return True


def _way_into(rows: Sequence[int], inside: int, q: int, done: int) -> int:
    """The positions of a path of reading from ``q`` into ``done``, as a set; 0 if there is none."""
    path = [q]
    fresh = inside & ~(1 << q)
    while path:
        reads = rows[path[-1]] & inside
        if reads & done:
            return sum(1 << p for p in path)
        ahead = (reads & fresh).bit_length() - 1
        if ahead < 0:
            path.pop()
        else:
            path.append(ahead)
            fresh ^= 1 << ahead
    return 0


def reach(rows: Sequence[int], reader: int, inside: int = -1) -> int:
    """Everything that reaches ``reader`` through any number of steps within a set."""
    seen = front = 1 << reader
    while front:
        ahead = 0
        for k in elements(front):
            ahead |= rows[k]
        front = ahead & inside & ~seen
        seen |= front
    return seen


def product(upper: Sequence[int], lower: Sequence[int]) -> Relation:
    """What ``upper`` reads of what ``lower`` holds: first ``lower`` runs, then ``upper``."""
    rows = []
    for row in upper:
        held = 0
        for k in elements(row):
            held |= lower[k]
        rows.append(held)
    return tuple(rows)


def closure(rows: Sequence[int]) -> Relation:
    """The least closed relation that contains a reflexive one, by squaring."""
    held = tuple(rows)
    while not is_closed(held):
        held = product(held, held)
    return held


def distance(rows: Sequence[int], source: int, reader: int) -> int | None:
    """The length of a shortest path, None if there is none; breadth-first from the reader."""
    seen = front = 1 << reader
    steps = 0
    while front:
        if front >> source & 1:
            return steps
        ahead = 0
        for k in elements(front):
            ahead |= rows[k]
        front = ahead & ~seen
        seen |= front
        steps += 1
    return None


def is_antisymmetric(rows: Sequence[int]) -> bool:
    """Do no two different positions read each other?

    Each pair is met once: from its later position, or from its earlier one if that is less.
    """
    later = [row >> (q + 1) << (q + 1) for q, row in enumerate(rows)]
    earlier = [row & ((1 << q) - 1) for q, row in enumerate(rows)]
    side = min(later, earlier, key=lambda sets: sum(row.bit_count() for row in sets))
    return not any(rows[k] >> q & 1 for q, row in enumerate(side) for k in elements(row))
