"""Masks in files: round trips, forgiving text, and every damaged input as one message."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.symbolic.errors import FileError, ShapeError
from attnproof.symbolic.masks import files
from attnproof.symbolic.masks.mask import Mask

masks = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)


def npy(array: np.ndarray, **options: bool) -> bytes:
    """The bytes of a .npy file."""
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    """The bytes of a .npz file."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@given(masks, st.sampled_from("1#"), st.sampled_from("0."), st.sampled_from(["", " "]))
def test_rows_of_text_are_the_mask(rows: list[list[bool]], one: str, zero: str, gap: str) -> None:
    """Text with either pair of letters, spaced or not, is the mask of its true places."""
    text = [gap.join(one if x else zero for x in row) for row in rows]
    mask = files.mask_of_rows(["".join(row.split()) for row in text])
    n = len(rows)
    assert [[mask[q, k] for k in range(n)] for q in range(n)] == rows
    assert mask == Mask.from_rows(["".join("1" if x else "0" for x in row) for row in rows])


@pytest.mark.parametrize(
    "content",
    [
        "1.\n11\n",
        "1.\r\n11\r\n",
        "\n1 .\n\n# 1\n\n",
        "\ufeff10\n11",
        "  #.\t\n  ##",
    ],
)
def test_text_tolerates_spaces_blank_lines_and_windows(tmp_path: Path, content: str) -> None:
    """Blank lines, spaces, tabs, a byte-order mark and Windows line ends mean nothing."""
    path = tmp_path / "mask.txt"
    path.write_bytes(content.encode())
    assert files.mask_of_rows(files.load_text(path)) == Mask.from_rows(["1.", "11"])


def test_json_rows(tmp_path: Path) -> None:
    """A .json file holds rows under "rows"."""
    path = tmp_path / "mask.json"
    path.write_text('{"rows": ["1..", "11.", "111"]}')
    assert load(str(path)) == ["1..", "11.", "111"]


def test_arrays_come_as_stored(tmp_path: Path) -> None:
    """Small and large .npy files, both memory orders and both byte orders, and a .npz archive."""
    large = np.tril(np.ones((1100, 1100), dtype=bool))
    for array in (np.eye(3), np.asfortranarray(large), large, np.eye(2, dtype=">f4")):
        path = tmp_path / "mask.npy"
        path.write_bytes(npy(array))
        read = files.load_array(path)
        assert read.dtype == array.dtype
        assert (read == array).all()
    path = tmp_path / "mask.npz"
    path.write_bytes(npz(one=np.eye(2)))
    assert files.load_array(path).tolist() == files.load_array(path, "one").tolist()


def test_a_large_array_stays_on_disk(tmp_path: Path) -> None:
    """A large .npy file is mapped, not loaded."""
    path = tmp_path / "mask.npy"
    path.write_bytes(npy(np.zeros((1100, 1100), dtype=bool)))
    assert isinstance(files.load_array(path).base, np.memmap)


def cut_zip() -> bytes:
    """An archive without its directory."""
    return npz(mask=np.eye(30))[:-40]


def wrong_sum() -> bytes:
    """An archive whose array does not have its checksum."""
    data = bytearray(npz(mask=np.eye(30)))
    data[300] ^= 0xFF
    return bytes(data)


def not_an_array() -> bytes:
    """An archive of text."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("notes.txt", "hello")
    return file.getvalue()


OBJECTS = npy(np.array([[1, None]], dtype=object), allow_pickle=True)
LARGE = npy(np.ones((1100, 1100), dtype=bool))
DAMAGED = [
    ("mask.npy", b"", "mask.npy is empty"),
    ("mask.npy", b"hello", "neither a .npy array nor a .npz archive"),
    ("mask.npy", LARGE[:-7], "is a damaged array"),
    ("mask.npy", npy(np.eye(3))[:-7], "is a damaged array"),
    ("mask.npy", npy(np.eye(3))[:20], "is a damaged array"),
    ("mask.npy", b"\x93NUMPY", "is a damaged array"),
    ("mask.npy", OBJECTS, "Python objects; pickles are not loaded"),
    ("mask.npz", npz(a=np.eye(2), b=np.eye(3)), "holds a, b; name one, as in"),
    ("mask.npz:c", npz(a=np.eye(2), b=np.eye(3)), "has no 'c'; it holds a, b; name one"),
    ("mask.npz", npz(), "holds no array"),
    ("mask.npz", npz(a=np.array([None])), "Python objects; pickles are not loaded"),
    ("mask.npz", cut_zip(), "damaged .npz archive (truncated?)"),
    ("mask.npz", wrong_sum(), "damaged .npz archive"),
    ("mask.npz:notes.txt", not_an_array(), "neither|damaged|array"),
    ("mask.txt", b"", "mask.txt is empty"),
    ("mask.txt", b"\n  \n", "holds no rows"),
    ("mask.txt", b"\xff\xfe1.", "is not UTF-8 text"),
    ("mask.json", b"{", "is not JSON"),
    ("mask.json", b"[" * 100000, "is not JSON"),
    ("mask.json", b"[1]", 'has no "rows"'),
    ("mask.json", b'{"rows": []}', "holds no rows"),
    ("mask.json", b'{"rows": [""]}', "holds no rows"),
    ("mask.json", b'{"rows": [[1, 0]]}', "is not a list of strings"),
    ("mask.json", b'{"rows": "11"}', "is not a list of strings"),
    ("mask.json", b'{"rows": ["1"], "heads": 2}', "unknown key 'heads'"),
]


@pytest.mark.parametrize(("name", "content", "words"), DAMAGED)
def test_damaged_files(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """Each damaged file is one FileError that names it."""
    parts = files.split_key(str(tmp_path / name))
    assert parts is not None
    path, key = parts
    Path(path).write_bytes(content)
    with pytest.raises(FileError) as caught:
        load(path, key)
    message = str(caught.value)
    assert message.startswith((path, '"rows" of ' + path))
    assert any(part in message for part in words.split("|"))
    assert "\n" not in message


def load(path: str, key: str | None = None) -> object:
    """The content of a file by its ending."""
    if path.endswith(".txt"):
        return files.load_text(path)
    if path.endswith(".json"):
        return files.rows_in(files.json_content(path), path)
    return files.load_array(path, key)


def test_places_that_are_no_file(tmp_path: Path) -> None:
    """A folder, a missing file and a key where there is none are told apart."""
    with pytest.raises(FileError, match="is a folder; name a file in it"):
        files.load_array(tmp_path)
    with pytest.raises(FileError, match="does not exist"):
        files.load_array(tmp_path / "none.npy")
    with pytest.raises(FileError, match=r"mask.npy is one mask without keys; leave out :a"):
        files.split_key("mask.npy:a")
    path = tmp_path / "mask.npz"
    path.write_bytes(npy(np.eye(2)))
    with pytest.raises(FileError, match="is one array without keys; leave out :a"):
        files.load_array(path, "a")


def test_ragged_and_foreign_rows() -> None:
    """Rows of several lengths and other letters are named by their row."""
    with pytest.raises(ShapeError, match="row 1 has 1 entry, row 0 has 2"):
        files.mask_of_rows(["11", "1"])
    with pytest.raises(ShapeError, match="row 0 holds 'x'"):
        files.mask_of_rows(["1x", "11"])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A .npy array comes through standard input; nothing, or something else, is told."""

    class Stdin:
        def __init__(self, data: bytes) -> None:
            self.buffer = io.BytesIO(data)

    monkeypatch.setattr("sys.stdin", Stdin(npy(np.eye(3))))
    assert files.load_stdin().shape == (3, 3)
    for data, words in ((b"", "standard input is empty"), (b"1.", "standard input is neither")):
        monkeypatch.setattr("sys.stdin", Stdin(data))
        with pytest.raises(FileError, match=words):
            files.load_stdin()


def test_json_of_rows_is_what_rows_in_reads() -> None:
    """The parsed form and the file form agree."""
    rows = ["1.", "11"]
    assert files.rows_in(json.loads(json.dumps({"rows": rows})), "mask") == rows
