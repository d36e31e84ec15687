"""Orbits of tuples of indices under an iterated wreath product, with symbolic sizes.

An index is a path in a tree whose branches at every node may be permuted: a class is a branch k out
of K, a distinct token a path (k, i). Two tuples lie in one orbit exactly when their paths branch
apart at the same places, so an orbit is written with the labels 0, 1, ... in order of appearance,
and its size is a product of falling factorials of the numbers of branches.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Expr

    #: A vector or matrix that is constant on orbits: its value on each.
    Constant = Mapping["Orbit", Expr]


@dataclass(frozen=True, slots=True)
class Kind:
    """Indices of one sort: all paths of a tree to one depth.

    ``branching`` holds the number of branches at each level; kinds of the same ``tree`` share their
    first levels. ``letter`` and ``letters`` are for printing.
    """

    name: str
    tree: str
    branching: "tuple[Expr, ...]"
    letter: str = field(default="", compare=False)
    letters: tuple[Sequence[str], ...] = field(default=("kl",), compare=False)


@dataclass(frozen=True, slots=True)
class Point:
    """An index of some kind; ``path`` names it up to the group."""

    kind: Kind
    path: tuple[int, ...]

    def __repr__(self) -> str:
        names = [
            letters[step] if step < len(letters) else f"{letters[0]}{step}"
            for step, letters in zip(self.path, self.kind.letters, strict=True)
        ]
        inner = ",".join(names)
        if not self.kind.letter:
            return inner
        return (
            f"{self.kind.letter}_{inner}" if len(names) == 1 else f"{self.kind.letter}_{{{inner}}}"
        )


@dataclass(frozen=True, slots=True)
class Orbit:
    """All tuples of indices that one of them is carried to.

    >>> from sympy import symbols
    >>> K, r = symbols("K r")
    >>> classes = Kind("class", "class", (K,), letters=("kl",))
    >>> tokens = Kind("distinct", "class", (K, r), letter="d", letters=("kl", "ij"))
    >>> for orbit in orbits(classes, tokens):
    ...     print(orbit, orbit.size)
    (k, d_{k,i}) K*r
    (k, d_{l,i}) K*r*(K - 1)
    """

    points: tuple[Point, ...]

    @property
    def size(self) -> "Expr":
        """The number of tuples in the orbit."""
        from sympy import Integer

        total: Expr = Integer(1)
        so_far = Orbit(())
        for point in self.points:
            wanted = Orbit((*so_far.points, point))
            total *= next(times for one, times in so_far.extensions(point.kind) if one == wanted)
            so_far = wanted
        return total

    def extensions(self, kind: Kind) -> "Iterator[tuple[Orbit, Expr]]":
        """Each orbit of tuples with one more index, and how many indices extend a fixed tuple.

        Orbits that are empty are left out. The counts add up to the number of indices of the kind.
        """
        from sympy import Integer

        known = [one.path for one in self.points if one.kind.tree == kind.tree]
        for path, times in _descend(known, kind.branching, (), Integer(1)):
            yield Orbit((*self.points, Point(kind, path))), times

    def restrict(self, *places: int) -> "Orbit":
        """The orbit of the tuples that hold the indices at these places only, in this order."""
        return Orbit(_canonical([self.points[place] for place in places]))

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.points))})"


def _descend(
    known: Sequence[tuple[int, ...]],
    branching: "Sequence[Expr]",
    path: tuple[int, ...],
    times: "Expr",
) -> "Iterator[tuple[tuple[int, ...], Expr]]":
    depth = len(path)
    if depth == len(branching):
        yield path, times
        return
    taken = sorted({one[depth] for one in known if len(one) > depth and one[:depth] == path})
    for step in taken:
        yield from _descend(known, branching, (*path, step), times)
    free = branching[depth] - len(taken)
    if free != 0:
        yield from _descend(known, branching, (*path, len(taken)), times * free)


def _canonical(points: Sequence[Point]) -> tuple[Point, ...]:
    """The same tuple with the branches of every node numbered in order of appearance."""
    numbers: dict[tuple[str, tuple[int, ...]], dict[int, int]] = {}
    found = []
    for point in points:
        path: tuple[int, ...] = ()
        for depth, step in enumerate(point.path):
            at = numbers.setdefault((point.kind.tree, point.path[:depth]), {})
            path = (*path, at.setdefault(step, len(at)))
        found.append(Point(point.kind, path))
    return tuple(found)


def orbits(*kinds: Kind) -> tuple[Orbit, ...]:
    """All orbits that are not empty of tuples with an index of each of the kinds.

    Law: the sizes add up to the product of the numbers of indices.
    """
    found = [Orbit(())]
    for kind in kinds:
        found = [longer for one in found for longer, _ in one.extensions(kind)]
    return tuple(found)


def matrix_orbits(rows: Sequence[Kind], columns: Sequence[Kind]) -> tuple[Orbit, ...]:
    """The orbits of the entries of a matrix whose rows and columns are indices of several kinds."""
    return tuple(one for row in rows for column in columns for one in orbits(row, column))


def multiply(
    left: "Constant",
    right: "Constant",
    rows: Sequence[Kind],
    middle: Sequence[Kind],
    columns: Sequence[Kind],
) -> "dict[Orbit, Expr]":
    """The product of two matrices that are constant on orbits; so is the product.

    Entry (x, z) is the sum over the orbits of triples (x, y, z) of ``left[x, y]·right[y, z]`` times
    the number of indices y that make such a triple.

    >>> from sympy import symbols
    >>> classes = [Kind("class", "class", (symbols("K"),), letters=("kl",))]
    >>> ones = dict.fromkeys(matrix_orbits(classes, classes), 1)
    >>> multiply(ones, ones, classes, classes, classes)
    {(k, k): K, (k, l): K}
    """
    from sympy import Integer, cancel

    found: dict[Orbit, Expr] = {}
    for entry in matrix_orbits(rows, columns):
        total: Expr = Integer(0)
        for kind in middle:
            for triple, times in entry.extensions(kind):
                total += (
                    times * left.get(triple.restrict(0, 2), 0) * right.get(triple.restrict(2, 1), 0)
                )
        found[entry] = cancel(total)
    return found


def transpose(matrix: "Constant") -> "dict[Orbit, Expr]":
    """The transpose of a matrix that is constant on orbits."""
    return {one.restrict(1, 0): value for one, value in matrix.items()}


def inner(left: "Constant", right: "Constant") -> "Expr":
    """The Frobenius product: over the orbits, size times the product of the values."""
    from sympy import cancel

    return cancel(sum(one.size * value * right.get(one, 0) for one, value in left.items()))
