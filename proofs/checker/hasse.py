"""The Hasse diagram of a closed relation: its classes, sources first, and the covers between them.

Theorem: let each class be some positions with one row, which is the union of the class and of the
rows of earlier classes, the covered ones. Then by induction a row holds no position of a later
class, so the classes are those of the relation. Of all classes below a class, the covered ones are
the direct ones when none of them is below another.

Machine-checked: ``Diagram.places_are_classes`` and ``Diagram.below_is_cover``.
"""

from array import array as flat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from . import limits
from .envelope import Invalid, array, integer, integers, need
from .intervals import read_intervals
from .rows import Rows


@dataclass(frozen=True)
class Diagram:
    """Class ``c`` has the positions ``members[ptr[c]:ptr[c + 1]]``, ascending; the classes that it
    covers are ``below[at[c]:at[c + 1]]``."""

    ptr: Sequence[int]
    members: Sequence[int]
    at: Sequence[int]
    below: Sequence[int]

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def first(self, c: int) -> int:
        """The first position of class ``c``."""
        return self.members[self.ptr[c]]

    def height(self) -> int:
        """The number of classes on a longest chain."""
        ranks = flat("i")
        for start, stop in pairwise(self.at):
            below = self.below[start:stop]
            ranks.append(1 + max(map(ranks.__getitem__, below), default=0))
        return max(ranks)


def read_diagram(classes: object, covers: object, rows: Rows) -> Diagram:
    """The diagram of a closed relation."""
    large = len(rows) > limits.MOST_BITS
    if large and classes == "positions":
        ptr: Sequence[int] = range(len(rows) + 1)
        members: Sequence[int] = range(len(rows))
    else:
        ptr, members = _read_classes(classes, len(rows))
        plain = large and members == flat("i", range(len(rows))) and len(ptr) == len(rows) + 1
        need(not plain, "classes that are the positions in order are written as such")
    count = len(ptr) - 1
    pairs = _read_distances(covers, count) if large else _read_pairs(covers, count)
    at, below = _by_reader(pairs, count)
    diagram = Diagram(ptr, members, at, below)
    for c in range(count):
        _check_class(diagram, c, rows)
    return diagram


def _check_class(diagram: Diagram, c: int, rows: Rows) -> None:
    members = diagram.members[diagram.ptr[c] : diagram.ptr[c + 1]]
    below = [diagram.first(d) for d in diagram.below[diagram.at[c] : diagram.at[c + 1]]]
    if len(members) > 1:
        need(rows.are_equal(members), "a class is not one of the flow")
    if not rows.is_joined(members[0], members, below):
        raise Invalid("the covers are not what is below a class")
    if len(below) > 1:
        need(rows.is_antichain(below), "a cover is not a direct one")


def _read_classes(value: object, size: int) -> tuple[Sequence[int], Sequence[int]]:
    """Lists of positions that hold each position once."""
    ptr, members = flat("i", [0]), flat("i")
    seen = bytearray(size)
    for positions in array(value, "classes"):
        last = -1
        for p in integers(positions, size, "a class"):
            need(last < p, "a class is not in ascending order")
            need(not seen[p], "a position is in two classes")
            seen[p] = 1
            members.append(p)
            last = p
        need(last >= 0, "a class is empty")
        ptr.append(len(members))
    need(len(members) == size, "a position is in no class")
    return ptr, members


def _read_pairs(value: object, count: int) -> Iterator[tuple[int, int]]:
    """Pairs (source, reader) of classes, in ascending order."""
    last: tuple[int, ...] = ()
    for cover in array(value, "covers"):
        pair = integers(cover, count, "a cover")
        need(len(pair) == 2 and pair > last, "the covers are not pairs in ascending order")
        source, reader = last = pair
        yield source, reader


def _read_distances(value: object, count: int) -> Iterator[tuple[int, int]]:
    """The covers (c - distance, c) for each distance and the runs of classes c listed for it."""
    if not isinstance(value, dict):
        raise Invalid("covers is not an object")
    total = 0
    for distance, readers in value.items():
        need(distance.isascii() and distance.isdecimal() and len(distance) < 9, "no distance")
        by = integer(int(distance), count, "a distance")
        need(str(by) == distance and by > 0, "a distance is no positive number")
        runs = read_intervals(readers, count, "covers")
        need(bool(runs) and by <= runs[0][0], "a distance has no readers, or too early ones")
        total += sum(stop - start for start, stop in runs)
        need(total <= limits.MOST_COVERS, "there are too many covers")
        for start, stop in runs:
            yield from ((c - by, c) for c in range(start, stop))


def _by_reader(pairs: Iterator[tuple[int, int]], count: int) -> tuple[Sequence[int], Sequence[int]]:
    """The sources of each reader: where they start, and the sources."""
    sources, readers = flat("i"), flat("i")
    number = flat("i", bytes(4 * count))
    for source, reader in pairs:
        if source >= reader:
            raise Invalid("a class stands before one that reaches it")
        sources.append(source)
        readers.append(reader)
        number[reader] += 1
    at = flat("i", accumulate(number, initial=0))
    free = at[:]
    below = flat("i", bytes(4 * len(sources)))
    for source, reader in zip(sources, readers, strict=True):
        below[free[reader]] = source
        free[reader] += 1
    return at, below
