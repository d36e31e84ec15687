"""The data of a TOML or JSON file; a mistake names the file."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from attnproof.symbolic.errors import FileError, TaskError

T = TypeVar("T")


def read(path: str | Path, wanted: str, understand: Callable[[object], T]) -> T:
    """What ``understand`` makes of the data of a ``.json`` file, or of a TOML file.

    ``wanted`` is what to give instead of a file that cannot be read.
    """
    place = Path(path)
    try:
        text = place.read_bytes().decode("utf-8")
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror}; give {wanted}", path=str(path)
        ) from None
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8 text; give {wanted}", path=str(path)) from None
    try:
        return understand(json_data(text) if place.suffix == ".json" else toml_data(text))
    except TaskError as error:
        if "path" in error.parts:
            raise
        raise TaskError(f"{path}: {error}", **{**error.parts, "path": str(path)}) from None


def toml_data(text: str) -> object:
    """The tables of a TOML text.

    >>> toml_data("a = 1")
    {'a': 1}
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"not valid TOML: {error}", where="") from None


def json_data(text: str) -> object:
    """The value of a JSON text.

    >>> json_data('{"a": 1}')
    {'a': 1}
    """
    import json

    try:
        found: object = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise TaskError(f"not valid JSON: {error}", where="") from None
    return found
