"""Arrays in files that a parameter names: ids, cumulative lengths, parents, orders, tables.

Convention: a .json file is a list, nested for several axes; a .txt file has one row of numbers a
line, and is a list when there is one line or one number a line.
"""

import json
from pathlib import Path
from typing import Any

from attnproof.symbolic.errors import FileError, ParameterError
from attnproof.symbolic.masks.files import load_array, read_bytes, split_key

FORMS = ".npy, .npz[:key], .pt[:key], .safetensors[:key], .json or .txt"


def load_parameter(source: str, name: str = "values") -> Any:
    """The array or list in a file.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "cu_seqlens.txt")
    >>> file.write_text("0 3 8")
    5
    >>> load_parameter(str(file))
    [0, 3, 8]

    Raises :class:`ParameterError` for an ending that is not read, :class:`FileError` for a damaged
    file.
    """
    parts = split_key(source)
    if parts is None:
        raise ParameterError(
            f"the parameter {name} names {source!r}; an array comes from a file {FORMS}",
            parameter=name,
        )
    path, key = parts
    ending = Path(path).suffix.lower()
    if ending in (".npy", ".npz"):
        return load_array(path, key)
    if ending == ".json":
        return _from_json(path)
    if ending == ".txt":
        return _from_text(path)
    from attnproof.numeric.read.torch_files import load_torch_file

    return load_torch_file(path, key).array


def _from_json(path: str) -> list[Any]:
    try:
        content = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise FileError(
            f"{path} is not JSON ({reason}); write a list, as in [0, 3, 8]", path=path
        ) from None
    if not isinstance(content, list):
        raise FileError(
            f"{path} holds no list (its type is {type(content).__name__}); write a list, as in "
            "[0, 3, 8]",
            path=path,
        )
    return content


def _from_text(path: str) -> list[Any]:
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileError(
            f"{path} is not UTF-8 text; write numbers, as in 0 3 8", path=path
        ) from None
    rows = [
        [_number(path, place, word) for word in line.replace(",", " ").split()]
        for place, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not rows:
        raise FileError(f"{path} holds no numbers; write some, as in 0 3 8", path=path)
    if len(rows) == 1:
        return rows[0]
    return [row[0] for row in rows] if all(len(row) == 1 for row in rows) else rows


def _number(path: str, line: int, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise FileError(
            f"{path} holds {word[:40]!r} in line {line}, which is no integer; write numbers, as in "
            "0 3 8",
            path=path,
            line=line,
        ) from None
