"""Masks in files that numpy or nothing at all can read: .npy, .npz, .txt, .json and stdin.

Convention: an array is returned as stored, rows of text as a :class:`Mask`. Pickles are never
loaded. Every damaged file is one :class:`FileError` that names it and says what is wrong.
"""

import contextlib
import difflib
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Endings of files; a key may follow the first ones after a colon.
KEYED = (".npz", ".pt", ".pth", ".safetensors")
PLAIN = (".npy", ".txt", ".json")
FORMS = ".npy, .npz[:key], .pt[:key], .safetensors[:key], .txt or .json"
_FILE = re.compile(
    rf"(?P<path>.*(?:{'|'.join(map(re.escape, KEYED + PLAIN))}))(?::(?P<key>.+))?", re.I | re.S
)
_NPY, _ZIP = b"\x93NUMPY", b"PK"
_MAPPED = 1 << 20
_SAVE = "save a Boolean array with numpy.save or numpy.savez"
_ROWS = 'write {"rows": ["1..", "11.", "111"]}'


def split_key(source: str) -> tuple[str, str | None] | None:
    """The path and the key of a source that names a file with a known ending, else None.

    >>> split_key("masks.npz:causal"), split_key("mask.npy"), split_key("causal")
    (('masks.npz', 'causal'), ('mask.npy', None), None)
    """
    found = _FILE.fullmatch(source)
    if found is None:
        return None
    path, key = found["path"], found["key"]
    if key is not None and path.lower().endswith(PLAIN):
        raise FileError(f"{path} is one mask without keys; leave out :{key}", path=path)
    return path, key


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file that is there and not empty."""
    check_file(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise :class:`FileError` unless there is a file with something in it."""
    place = Path(path)
    try:
        if place.is_dir():
            raise FileError(f"{path} is a folder; name a file in it", path=str(path))
        if not place.stat().st_size and place.is_file():
            raise FileError(f"{path} is empty; a mask needs at least one row", path=str(path))
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; {_beside(place)}", path=str(path)) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _beside(place: Path) -> str:
    """The file of the folder that a name which is not there is close to."""
    try:
        near = difflib.get_close_matches(place.name, os.listdir(place.parent))
    except OSError:
        near = []
    files = [place.parent / name for name in near if (place.parent / name).is_file()]
    return f"did you mean {files[0]}?" if files else "name a file that is there"


def _unreadable(path: object, error: OSError | ValueError) -> FileError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return FileError(
        f"{path} cannot be read ({reason}); name a file that you may read", path=str(path)
    )


def load_array(path: str | os.PathLike[str], key: str | None = None) -> "NDArray[Any]":
    """The array in a .npy file (large ones stay on disk) or in a .npz archive.

    Raises :class:`FileError`; an archive of several arrays needs a key.
    """
    import numpy as np

    check_file(path)
    try:
        with open(path, "rb") as file:
            large = key is None and os.path.getsize(path) > _MAPPED
            if large and file.read(len(_NPY)) == _NPY:
                with contextlib.suppress(ValueError, EOFError, SyntaxError):
                    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            file.seek(0)
            return _loaded(file, key, str(path))
    except OSError as error:
        raise _unreadable(path, error) from None


def names_in(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the arrays in a .npz archive; none where it cannot be read."""
    import zipfile

    with (
        contextlib.suppress(OSError, ValueError, zipfile.BadZipFile),
        zipfile.ZipFile(path) as file,
    ):
        return tuple(name.removesuffix(".npy") for name in file.namelist())
    return ()


def load_stdin() -> "NDArray[Any]":
    """The .npy array on standard input."""
    data = sys.stdin.buffer.read()
    if not data:
        raise FileError("standard input is empty; pipe a .npy array into it", path="-")
    return _loaded(io.BytesIO(data), None, "standard input")


def _loaded(file: Any, key: str | None, what: str) -> "NDArray[Any]":
    import zipfile

    import numpy as np

    magic = file.read(len(_NPY))
    file.seek(0)
    if magic != _NPY and magic[:2] != _ZIP:
        raise FileError(f"{what} is neither a .npy array nor a .npz archive; {_SAVE}", path=what)
    try:
        content = np.load(file, allow_pickle=False)
        if not isinstance(content, np.lib.npyio.NpzFile):
            if key is not None:
                raise FileError(f"{what} is one array without keys; leave out :{key}", path=what)
            array: NDArray[Any] = content
            return array
        with content:
            return np.asarray(content[pick(list(content.files), key, what)])
    except InputError:
        raise
    except zipfile.BadZipFile:
        raise FileError(
            f"{what} is a damaged .npz archive (truncated?); {_SAVE}", path=what
        ) from None
    except Exception as error:
        if "Object arrays" in str(error) or "pickle" in str(error):
            raise FileError(
                f"{what} holds Python objects; pickles are not loaded, {_SAVE}", path=what
            ) from None
        raise FileError(f"{what} is a damaged array ({_line(error)}); {_SAVE}", path=what) from None


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


def pick(keys: Sequence[str], key: str | None, what: str) -> str:
    """The one key, or the one that was asked for.

    >>> pick(["mask"], None, "masks.npz")
    'mask'
    """
    if key in keys:
        return str(key)
    if not keys:
        raise FileError(f"{what} holds no array; {_SAVE}", path=what)
    if key is None and len(keys) == 1:
        return keys[0]
    names, missing = sorted(keys), "" if key is None else f"has no {key!r}; it "
    raise FileError(
        f"{what} {missing}holds {', '.join(names)}; name one, as in {what}:{names[0]}",
        path=what,
        keys=tuple(names),
    )


def load_text(path: str | os.PathLike[str]) -> list[str]:
    """The rows of a .txt file; blank lines and spaces are left out."""
    rows = ["".join(line.split()) for line in _text(path).splitlines()]
    return _some_rows([row for row in rows if row], path)


def json_content(path: str | os.PathLike[str]) -> object:
    """What a .json file holds, whatever it is."""
    text = _text(path)
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not JSON ({_line(error)}); {_ROWS}", path=str(path)) from None
    return content


def rows_in(content: object, what: str) -> list[str]:
    """The rows in ``{"rows": [...]}``.

    >>> rows_in({"rows": ["1.", "11"]}, "mask.json")
    ['1.', '11']
    """
    if not isinstance(content, dict) or "rows" not in content:
        raise FileError(f'{what} has no "rows"; {_ROWS}', path=what)
    if set(content) != {"rows"}:
        extra = sorted(map(str, set(content) - {"rows"}))[0]
        raise FileError(f'{what} has the unknown key {extra!r} beside "rows"; {_ROWS}', path=what)
    rows = content["rows"]
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise FileError(f'"rows" of {what} is not a list of strings; {_ROWS}', path=what)
    return _some_rows(rows, what)


def _text(path: str | os.PathLike[str]) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            f"{path} is not UTF-8 text; write rows of 1 or #, 0 or .", path=str(path)
        ) from None


def _some_rows(rows: list[str], path: object) -> list[str]:
    """The rows, unless there are none."""
    if not rows or not rows[0]:
        raise FileError(f"{path} holds no rows; write one row a line", path=str(path))
    return rows


def mask_of_rows(rows: Sequence[str], what: str = "the mask") -> Mask:
    """A mask from rows of text; long rows are parsed in linear time.

    >>> mask_of_rows(["1.", "11"])[1, 0]
    True

    Raises :class:`ShapeError` where rows differ in length or hold anything else.
    """
    keys = len(rows[0])
    if any(len(row) != keys or set(row) - set("1#0.") for row in rows):
        return Mask.from_rows(rows, name=what)
    table = str.maketrans("#.", "10")
    return Mask.of(Bits(tuple(int(row.translate(table)[::-1], 2) for row in rows), keys), name=what)
