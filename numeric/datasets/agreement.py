"""Subject-verb agreement in text: the number of the verb that comes next.

Files, in one of two forms.

A table, tab-separated with a header (``agr_50_mostcommon_10K.tsv``, or .tsv.gz, of Linzen, Dupoux
and Goldberg): of its fields are read ``sentence``, ``verb_pos`` (VBZ or VBP), ``subj_index`` and
``verb_index``, which count words from 1.

Line-aligned files (of Gulordava and others), a .text with a .gold and an .eval beside it, all .gz
or none: words that spaces part; the position of the verb from 0; and in .gold either its position,
the right form, the wrong form and the number of attractors, or twelve fields, of which the fourth
is that position, the sixth the morphology of the verb (``Number=Sing`` or ``Number=Plur``), and
the tenth the position of the word that the verb agrees with.

Task: the tokens are the words before the verb. Predicted is whether the verb is singular or
plural. Relevant is the subject, or the word that the verb agrees with; the form of four fields
does not say where it stands, so nothing is relevant there. The score is accuracy. Sentences with
the subject behind the verb are left out and counted.
"""

import csv
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import zip_longest

from attnproof.numeric.datasets.dataset import Dataset, Example, Score
from attnproof.numeric.datasets.files import lines, malformed
from attnproof.symbolic.errors import ParameterError

LABELS = ("singular", "plural")
_READ = ("sentence", "verb_pos", "subj_index", "verb_index")
_VERBS = {"VBZ": 0, "VBP": 1}
_NUMBERS = {"Number=Sing": 0, "Number=Plur": 1}
_FORMS = {("is", "are"), ("has", "have"), ("does", "do"), ("was", "were")}
_BEHIND = "subject behind the verb"
#: More digits are no place in a sentence.
_MOST_DIGITS = 20


def load(path: str, most: int | None = None) -> Dataset:
    """The sentences of a table, or of line-aligned files by the name of their .text.

    A table is read a line at a time; with ``most``, no further than it takes for so many examples.
    Raises :class:`FileError` with the line, the field and what was needed, and
    :class:`ParameterError` for ``most`` below 1.
    """
    if most is not None and most < 1:
        raise ParameterError(f"most is {most}; give 1 or more", most=most)
    found = _aligned(path) if path.endswith((".text", ".text.gz")) else _table(path)
    examples: list[Example] = []
    dropped: dict[str, int] = {}
    with closing(found):
        for example in found:
            if example is None:
                dropped[_BEHIND] = dropped.get(_BEHIND, 0) + 1
            else:
                examples.append(example)
                if most is not None and len(examples) == most:
                    break
    return Dataset("agreement", LABELS, Score.ACCURACY, tuple(examples), dropped)


def singular(right: str, wrong: str) -> bool:
    """Whether the first of two forms of a verb is the singular one.

    >>> singular("has", "have"), singular("run", "runs"), singular("carries", "carry")
    (True, False, True)
    """
    if (right, wrong) in _FORMS or (wrong, right) in _FORMS:
        return (right, wrong) in _FORMS
    return right.endswith("s") and len(right) > len(wrong)


def _table(path: str) -> Generator[Example | None, None, None]:
    csv.field_size_limit(min(sys.maxsize, 1 << 24))
    with closing(lines(path)) as source:
        rows = _rows(path, source)
        _, header = next(rows, ("", []))
        lacking = [name for name in _READ if name not in header]
        if lacking:
            raise malformed(
                path,
                "line 1",
                f"the header has no {', '.join(lacking)}; give a tab-separated table with "
                f"{', '.join(_READ)}",
            )
        places = [header.index(name) for name in _READ]
        for entry, row in rows:
            if len(row) != len(header):
                raise malformed(
                    path, entry, f"has {len(row)} fields; give {len(header)}, as in the header"
                )
            yield _row(path, entry, *(row[each] for each in places))


def _rows(path: str, source: Iterator[str]) -> Iterator[tuple[str, list[str]]]:
    """The rows that are not empty, each with the name of its line."""
    rows = csv.reader(source, delimiter="\t")
    try:
        for row in rows:
            if row:
                yield f"line {rows.line_num}", row
    except csv.Error as error:
        raise malformed(path, f"line {rows.line_num}", f"is no line of a table ({error})") from None


def _row(path: str, entry: str, sentence: str, verb: str, subject: str, at: str) -> Example | None:
    """The example of a line of a table, None where the subject is behind the verb."""
    words = sentence.split()
    if verb not in _VERBS:
        raise malformed(path, entry, f"verb_pos is {verb!r}; give VBZ or VBP")
    place = _whole(path, entry, "verb_index", at, 2, len(words))
    of = _whole(path, entry, "subj_index", subject, 1, len(words))
    return Example.of(words[: place - 1], _VERBS[verb], [of - 1]) if of < place else None


def _aligned(path: str) -> Generator[Example | None, None, None]:
    gold, places = (_beside(path, ending) for ending in (".gold", ".eval"))
    ends = object()
    with closing(lines(path)) as first, closing(lines(gold)) as told, closing(lines(places)) as at:
        for number, row in enumerate(zip_longest(first, told, at, fillvalue=ends), 1):
            entry = f"line {number}"
            for name, part in zip((path, gold, places), row, strict=True):
                if part is ends:
                    raise malformed(
                        name,
                        entry,
                        f"is missing; give as many lines as {path}, {gold} and {places}",
                    )
            yield _line(entry, gold, places, *map(str, row))


def _line(entry: str, gold: str, places: str, text: str, told: str, place: str) -> Example | None:
    """The example of three lines, None where the subject is behind the verb."""
    words = [word for word in text.split() if word != "<eos>"]
    at = _whole(places, entry, "position", place, 1, len(words) - 1)
    label, relevant, named = _told(gold, entry, told.split("\t"), len(words))
    if named != at:
        raise malformed(
            gold, entry, f"position is {named}, and in {places} it is {at}; give one position"
        )
    behind = any(position >= at for position in relevant)
    return None if behind else Example.of(words[:at], label, relevant)


def _told(path: str, entry: str, fields: list[str], words: int) -> tuple[int, list[int], int]:
    """The label, the relevant positions and the position of the verb, by a line of .gold."""
    if len(fields) == 4:
        place, right, wrong, attractors = fields
        _whole(path, entry, "attractors", attractors, 0, words)
        if not right or not wrong or right == wrong:
            raise malformed(
                path, entry, f"the forms are {right!r} and {wrong!r}; give a right and a wrong one"
            )
        at = _whole(path, entry, "position", place, 1, words - 1)
        return (0 if singular(right, wrong) else 1), [], at
    if len(fields) != 12:
        raise malformed(path, entry, f"has {len(fields)} fields; give 4 or 12, tab-separated")
    numbers = [_NUMBERS[each] for each in fields[5].split("|") if each in _NUMBERS]
    if len(numbers) != 1:
        raise malformed(
            path, entry, f"morphology is {fields[5]!r}; give Number=Sing or Number=Plur in it"
        )
    at = _whole(path, entry, "position", fields[3], 1, words - 1)
    return numbers[0], [_whole(path, entry, "agrees with", fields[9], 0, words - 1)], at


def _whole(path: str, entry: str, field: str, given: str, least: int, most: int) -> int:
    digits = given.strip()
    if not digits.isascii() or not digits.isdigit():
        raise malformed(path, entry, f"{field} is {given!r}; give an integer")
    if len(digits) > _MOST_DIGITS:
        raise malformed(path, entry, f"{field} has {len(digits)} digits; give {least} to {most}")
    if most < least:
        raise malformed(path, entry, f"{field} is {given.strip()}, and the sentence is too short")
    if not least <= int(given) <= most:
        raise malformed(path, entry, f"{field} is {given.strip()}; give {least} to {most}")
    return int(given)


def _beside(path: str, ending: str) -> str:
    plain = path.removesuffix(".gz").removesuffix(".text") + ending
    return f"{plain}.gz" if path.endswith(".gz") else plain
