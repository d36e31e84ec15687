"""A study: points drawn from a seed, a record of each, and tables and figures of all records.

A study lives in a module of its own, as ``STUDY``; the module imports nothing heavy, its functions
import what they need. Points go to other processes, so they can be pickled; records are JSON.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header; numbers stand right, ``None`` is a dash."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def text(self) -> str:
        """The table for a terminal.

        >>> print(Table("squares", ("n", "n²"), ((1, 1), (12, 144))).text())
        squares
         n   n²
         1    1
        12  144
        """
        cells = [self.header, *(tuple(map(_cell, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        left = self._left()
        lines = [
            "  ".join(
                part.ljust(width) if to_left else part.rjust(width)
                for part, width, to_left in zip(row, widths, left, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """The table for a page, without its title.

        >>> print(Table("squares", ("n", "n²"), ((1, 1), (12, 144))).markdown())
        | n | n² |
        |---:|---:|
        | 1 | 1 |
        | 12 | 144 |
        """
        rule = "|".join("---" if to_left else "---:" for to_left in self._left())
        rows = [" | ".join(map(_cell, row)) for row in self.rows]
        return "\n".join(
            [f"| {' | '.join(self.header)} |", f"|{rule}|", *(f"| {r} |" for r in rows)]
        )

    def _left(self) -> list[bool]:
        """The columns that hold words."""
        return [
            any(isinstance(row[column], str) for row in self.rows)
            for column in range(len(self.header))
        ]


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Files that a study may be given: what each name stands for, and the points drawn from them.

    ``points(seed, quick, files)`` gets the path of every name that was given, one or more.
    """

    formats: Mapping[str, str]
    points: Callable[[int, bool, Mapping[str, str]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment by name, with one sentence that says what it finds out.

    ``points(seed, quick)`` draws the points, ``run(point)`` gives the record of one, the same on
    every run but for what is measured in seconds, which stands under ``"seconds"``. ``tables`` and
    ``figures`` show all records in the order of the points. ``needs`` are modules and the extra
    that each comes with. ``data`` is None for a study that reads no files of the user.
    """

    name: str
    sentence: str
    points: Callable[[int, bool], Sequence[Any]]
    run: Callable[[Any], Record]
    tables: Callable[[Sequence[Record]], Sequence[Table]]
    figures: "Callable[[Sequence[Record]], Mapping[str, Figure]] | None" = None
    needs: tuple[tuple[str, str], ...] = ()
    data: DataFiles | None = None

    def drawn(self, seed: int, quick: bool, files: Mapping[str, str]) -> Sequence[Any]:
        """The points, from the files where some are given.

        Raises :class:`InputError` for files that the study does not read.
        """
        if not files:
            return self.points(seed, quick)
        if self.data is None:
            raise InputError(f"the study {self.name} reads no data; give it none", study=self.name)
        for name in files:
            if name not in self.data.formats:
                raise InputError(
                    f"the study {self.name} reads no data named {name!r}; it reads "
                    f"{', '.join(self.data.formats)}",
                    name=name,
                )
        return self.data.points(seed, quick, files)


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
