"""Agreement in both forms: what is read of a line, lines one at a time, and every message."""

import gzip
import tracemalloc
from pathlib import Path

import pytest

from attnproof.numeric.datasets import agreement
from attnproof.numeric.datasets.dataset import QUERY, Example
from attnproof.symbolic.errors import FileError, ParameterError
from tests.numeric.datasets.files import (
    FIELDS,
    GOLD,
    LINZEN,
    PLACES,
    SHORT_GOLD,
    TEXT,
    table,
    write_lines,
)


@pytest.mark.parametrize("name", ["agr.tsv", "agr.tsv.gz"])
def test_table(tmp_path: Path, name: str) -> None:
    """Words before the verb, positions from 1, quotes in a field; a subject behind is counted."""
    content = table(LINZEN).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    found = agreement.load(str(tmp_path / name))
    assert found.examples == (
        Example.of(["the", "keys", "of", '"the"', "cabinet"], 1, [1]),
        Example.of(["the", "boy"], 0, [1]),
    )
    assert found.dropped == {"subject behind the verb": 1}
    assert len(agreement.load(str(tmp_path / name), most=1).examples) == 1


def test_a_table_is_read_line_by_line(tmp_path: Path) -> None:
    """The first lines of a large compressed table take no more memory than a part of it."""
    row = "\t".join(LINZEN[1][name] for name in FIELDS) + "\n"
    with gzip.open(tmp_path / "big.tsv.gz", "wb", compresslevel=1) as out:
        out.write("\t".join(FIELDS).encode() + b"\n")
        for _ in range(40):
            out.write((row * 5000).encode())
    tracemalloc.start()
    try:
        assert len(agreement.load(str(tmp_path / "big.tsv.gz"), most=100).examples) == 100
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


def lines(folder: Path, gold: list[str], places: list[str] = PLACES, text: list[str] = TEXT) -> str:
    """Three aligned files, by the name of the first."""
    write_lines(folder / "generated.gold", gold)
    write_lines(folder / "generated.eval", places)
    return write_lines(folder / "generated.text", text)


def test_aligned_lines(tmp_path: Path) -> None:
    """Twelve fields say what the verb agrees with; with four nothing is relevant."""
    found = agreement.load(lines(tmp_path, GOLD))
    assert [(one.tokens, one.label, sorted(one.relevant)) for one in found.examples] == [
        (("The", "keys", "near", "it", QUERY), 1, [1]),
        (("You", "add", "the", "water", "and", QUERY), 0, [1]),
    ]
    short = agreement.load(lines(tmp_path, SHORT_GOLD))
    assert [(one.label, sorted(one.relevant)) for one in short.examples] == [(1, []), (0, [])]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("verb_pos", "VBD", "line 2: verb_pos is 'VBD'; give VBZ or VBP"),
        ("subj_index", "x", "line 2: subj_index is 'x'; give an integer"),
        ("subj_index", "0", "line 2: subj_index is 0; give 1 to 7"),
        ("verb_index", "1.5", "line 2: verb_index is '1.5'; give an integer"),
        ("verb_index", "8", "line 2: verb_index is 8; give 2 to 7"),
        ("verb_index", "9" * 5000, "line 2: verb_index has 5000 digits; give 2 to 7"),
        ("sentence", "", "line 2: verb_index is 6, and the sentence is too short"),
    ],
)
def test_messages_of_a_table(tmp_path: Path, field: str, value: str, says: str) -> None:
    """Each field that is read: the file, the line, and what was needed."""
    path = tmp_path / "agr.tsv"
    path.write_text(table([{**LINZEN[0], field: value}]))
    with pytest.raises(FileError) as caught:
        agreement.load(str(path))
    assert str(caught.value) == f"{path}: {says}"


@pytest.mark.parametrize("lacking", ["sentence", "verb_pos", "subj_index", "verb_index"])
def test_a_header_without_a_field(tmp_path: Path, lacking: str) -> None:
    """The header must name each field that is read."""
    (tmp_path / "agr.tsv").write_text(table(LINZEN, [name for name in FIELDS if name != lacking]))
    with pytest.raises(FileError, match=f"line 1: the header has no {lacking}; give a tab-separ"):
        agreement.load(str(tmp_path / "agr.tsv"))


def test_rows_of_another_length(tmp_path: Path) -> None:
    """A row has as many fields as the header; text that is no UTF-8 is named by its line."""
    (tmp_path / "agr.tsv").write_text(table(LINZEN) + "a\tb\n")
    with pytest.raises(FileError, match="line 5: has 2 fields; give 18, as in the header"):
        agreement.load(str(tmp_path / "agr.tsv"))
    (tmp_path / "agr.tsv").write_bytes(table(LINZEN).encode() + b"\xe9\n")
    with pytest.raises(FileError, match="line 5: is no UTF-8"):
        agreement.load(str(tmp_path / "agr.tsv"))
    (tmp_path / "agr.tsv").write_bytes(table(LINZEN).encode() + b"a\rb\tc\n")
    with pytest.raises(FileError, match=r"line 5: is no line of a table \(new-line"):
        agreement.load(str(tmp_path / "agr.tsv"))


def test_what_is_asked_for_is_checked() -> None:
    """A path that no file can have, and fewer than one example, are told."""
    with pytest.raises(FileError, match=r"^'a\\x00b' is no name of a file; give one$"):
        agreement.load("a\0b")
    with pytest.raises(ParameterError, match=r"^most is 0; give 1 or more$"):
        agreement.load("any.tsv", 0)


def field(place: int, value: str) -> list[str]:
    """The long lines, with one field of the first one changed."""
    fields = GOLD[0].split("\t")
    fields[place] = value
    return ["\t".join(fields), GOLD[1]]


@pytest.mark.parametrize(
    ("gold", "places", "ending", "says"),
    [
        (["4\tfall"], PLACES, "gold", "line 1: has 2 fields; give 4 or 12, tab-separated"),
        (field(5, "Tense=Pres"), PLACES, "gold", "line 1: morphology is 'Tense=Pres'; give Number"),
        (field(3, "x"), PLACES, "gold", "line 1: position is 'x'; give an integer"),
        (field(3, "9"), PLACES, "gold", "line 1: position is 9; give 1 to 5"),
        (field(9, "-1"), PLACES, "gold", "line 1: agrees with is '-1'; give an integer"),
        (field(9, "8"), PLACES, "gold", "line 1: agrees with is 8; give 0 to 5"),
        (["4\tis\tis\t0"], PLACES, "gold", "line 1: the forms are 'is' and 'is'; give a right"),
        (["4\tis\tare\tx"], PLACES, "gold", "line 1: attractors is 'x'; give an integer"),
        (["0\tis\tare\t0"], PLACES, "gold", "line 1: position is 0; give 1 to 5"),
        (["3\tis\tare\t0"], PLACES, "gold", "line 1: position is 3, and in "),
        (GOLD, ["", "5"], "eval", "line 1: position is ''; give an integer"),
        (GOLD, ["6", "5"], "eval", "line 1: position is 6; give 1 to 5"),
        (GOLD, ["4"], "eval", "line 2: is missing; give as many lines as "),
        (GOLD[:1], PLACES, "gold", "line 2: is missing; give as many lines as "),
        (GOLD, [*PLACES, "3"], "text", "line 3: is missing; give as many lines as "),
    ],
)
def test_messages_of_aligned_lines(
    tmp_path: Path, gold: list[str], places: list[str], ending: str, says: str
) -> None:
    """Each field: the file of the three, the line, and what was needed."""
    path = lines(tmp_path, gold, places)
    with pytest.raises(FileError) as caught:
        agreement.load(path)
    told = path.removesuffix("text") + ending
    assert str(caught.value).startswith(f"{told}: {says}")


def test_a_file_beside_is_missing(tmp_path: Path) -> None:
    """Without .gold or .eval the file that is needed is named."""
    path = write_lines(tmp_path / "generated.text", TEXT)
    with pytest.raises(FileError, match=r"generated\.gold does not exist"):
        agreement.load(path)
