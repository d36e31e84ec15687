"""Ranges: sentences whose numbers advance together are told as one sentence.

``token 1 reaches query 0``, ``token 2 reaches query 1``, ... become ``token q + 1 reaches query q,
for q = 0 to 98``. A range stands for exactly the sentences it replaces.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

#: Fewer sentences than these are told one by one.
LEAST = 3

_NUMBER = re.compile(r"(?<![\w.-])(\d+)(?![\w.])")

Place = tuple[int | None, int | None]


@dataclass(frozen=True)
class Told:
    """A sentence that stands for ``count`` findings, the first at (reader, source)."""

    text: str
    reader: int | None = None
    source: int | None = None
    count: int = 1

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that stand alone in the text."""
        return tuple(map(int, _NUMBER.findall(self.text)))

    @property
    def words(self) -> tuple[str, ...]:
        """The text around its numbers."""
        return tuple(_NUMBER.split(self.text)[::2])


def ranges(told: Iterable[Told]) -> list[Told]:
    """The same with ranges: first over the sources of one reader, then over readers.

    >>> leaks = [Told(f"token {q + 1} reaches query {q}", q, q + 1) for q in range(99)]
    >>> [(one.text, one.count) for one in ranges(leaks)]
    [('token q + 1 reaches query q, for q = 0 to 98', 99)]
    >>> pairs = [Told(f"token {k} reaches query {q}", q, k) for q in range(3, 6) for k in range(q)]
    >>> ranges(pairs)[0].text
    'token k reaches query q, for k = 0 to q - 1, for q = 3 to 5'
    """
    of_a_reader = _merged(told, "k", lambda one: (one.source, one.reader))
    return list(_merged(of_a_reader, "q", lambda one: (one.reader, None)))


def _merged(told: Iterable[Told], name: str, place: Callable[[Told], Place]) -> Iterator[Told]:
    """Runs in which the first entry of ``place`` advances evenly and the second stays."""
    run: list[Told] = []
    for one in told:
        if len(run) > 1 and _step(run[-1], one, place) != _step(run[0], run[1], place):
            if len(run) < LEAST:
                yield run.pop(0)
            else:
                yield _range(run, name, place)
                run = []
        if len(run) == 1 and _step(run[0], one, place) is None:
            yield run.pop()
        run.append(one)
    if len(run) < LEAST:
        yield from run
    else:
        yield _range(run, name, place)


def _step(a: Told, b: Told, place: Callable[[Told], Place]) -> tuple[int, ...] | None:
    """How far the place and each number advance from one sentence to the next, if they do so
    together: each by as much as the place, or not at all."""
    (first, fixed), (second, still) = place(a), place(b)
    if first is None or second is None or second <= first or fixed != still or a.words != b.words:
        return None
    far = second - first
    moved = tuple(y - x for x, y in zip(a.numbers, b.numbers, strict=True))
    return (far, *moved) if {0, far}.issuperset(moved) else None


def _range(run: Sequence[Told], name: str, place: Callable[[Told], Place]) -> Told:
    first, last = place(run[0])[0], place(run[-1])[0]
    step = _step(run[0], run[1], place)
    if first is None or last is None or step is None:
        raise ValueError("a range has two ends")
    far, *moved = step
    shown = [
        _sum(name, number - first) if by else str(number)
        for number, by in zip(run[0].numbers, moved, strict=True)
    ]
    words = run[0].words
    text = words[0] + "".join(a + b for a, b in zip(shown, words[1:], strict=True))
    text += f", for {name} = {first} to {last}" + (f" in steps of {far}" if far > 1 else "")
    return Told(text, run[0].reader, run[0].source, sum(one.count for one in run))


def _sum(name: str, more: int) -> str:
    """
    >>> _sum("q", 1), _sum("q", 0), _sum("q", -2)
    ('q + 1', 'q', 'q - 2')
    """
    return name if not more else f"{name} {'+' if more > 0 else '-'} {abs(more)}"


def spans(numbers: Iterable[int], *, unlisted: int = 0, most: int = 8) -> str:
    """Ascending numbers in words: at most ``most`` ranges, and how many more there are.

    >>> spans([0, 1, 5]), spans(range(524288)), spans(range(0, 100, 2), most=3)
    ('0, 1, 5', '0 to 524287', '0, 2, 4 and 47 more')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts: list[str] = []
    for start, stop in runs[:most]:
        few = stop - start < LEAST - 1
        parts += map(str, range(start, stop + 1)) if few else [f"{start} to {stop}"]
    more = sum(stop - start + 1 for start, stop in runs[most:]) + unlisted
    return ", ".join(parts) + (f" and {more} more" if more else "")
