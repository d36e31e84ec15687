"""Objects named by text: ``pkg.mod:name`` and ``path/file.py:name``, with attributes after dots."""

import contextlib
import difflib
import importlib
import os
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from attnproof.numeric.read.user_code import user_code
from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.masks.files import read_bytes

#: Modules that a file imported from beside it, with the folder.
_beside: dict[str, Path] = {}
_FILE = re.compile(r"(?P<path>.+\.py):(?P<name>[^:]+)")
_MODULE = re.compile(r"(?P<path>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^:]+)")
#: So many names of a file are listed.
_LISTED = 8
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def names_object(source: str) -> bool:
    """Whether the text has the form of an object's name.

    >>> names_object("pkg.mod:rule"), names_object("dir/file.py:rule"), names_object("causal")
    (True, True, False)
    """
    return bool(_FILE.fullmatch(source) or _MODULE.fullmatch(source))


def resolve(source: str) -> object:
    """The object of this name.

    >>> resolve("math:pi")
    3.141592653589793

    A file is run afresh, with its folder first on the import path; for a module the current folder
    is. Raises :class:`InputError` when there is no such file, module or name, or when it raises.
    """
    in_file = _FILE.fullmatch(source)
    found = in_file or _MODULE.fullmatch(source)
    if found is None or not _NAME.fullmatch(found["name"]):
        raise InputError(f"{source!r} names no object; write pkg.mod:name or path/file.py:name")
    module = _run_file(found["path"]) if in_file else _imported(found["path"])
    value: object = module
    for part in found["name"].split("."):
        with user_code(source):
            if not hasattr(value, part):
                raise InputError(_no_name(found["path"], part, value), source=source)
            value = getattr(value, part)
    return value


def names_in(path: str) -> list[str]:
    """The callables, then the arrays, that a Python file defines itself and does not import.

    Raises :class:`InputError` for a file that cannot be read or that raises.
    """
    module = _run_file(path)
    return [*_own(module), *(x for x, value in _public(module).items() if hasattr(value, "shape"))]


def _public(module: object) -> dict[str, object]:
    held = getattr(module, "__dict__", {})
    return {name: value for name, value in held.items() if not name.startswith("_")}


def _own(module: object) -> list[str]:
    """The callables that a module defines itself."""
    here = (None, getattr(module, "__name__", None))
    return [
        name
        for name, value in _public(module).items()
        if callable(value) and getattr(value, "__module__", None) in here
    ]


def _no_name(path: str, part: str, owner: object) -> str:
    """That a name is not there: the close ones, then what the file defines itself."""
    known = [name for name in dir(owner) if not name.startswith("_")]
    near = difflib.get_close_matches(part, known, n=3)
    listed = list(dict.fromkeys([*near, *_own(owner)])) or sorted(known)
    more = ", ..." if len(listed) > _LISTED else ""
    way = f"it has {', '.join(listed[:_LISTED])}{more}" if listed else "it defines no names"
    return f"{path} has no {part!r}; {way}"


@contextlib.contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def _run_file(path: str) -> types.ModuleType:
    """Run a Python file as a module of its own, from its text and not from a cache."""
    try:
        text = read_bytes(path)
    except FileError as error:
        if Path(path).is_file() and not os.path.getsize(path):
            raise FileError(f"{path} is empty; it defines no names", path=path) from None
        raise error from None
    place = Path(path).resolve()
    module = types.ModuleType(f"_attnproof_source_{len(sys.modules)}_{place.stem}")
    module.__file__ = str(place)
    sys.modules[module.__name__] = module
    _forget_others(place.parent)
    known = set(sys.modules)
    try:
        with user_code(path), _first_on_path(str(place.parent)):
            exec(compile(text, path, "exec"), module.__dict__)
    finally:
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).resolve().is_relative_to(place.parent):
                _beside[name] = place.parent
    return module


def _forget_others(folder: Path) -> None:
    """Forget modules that files of other folders imported from beside them: a file of this folder
    may have its own by the same name."""
    for name in [name for name, other in _beside.items() if other != folder]:
        sys.modules.pop(name, None)
        del _beside[name]


def _imported(name: str) -> types.ModuleType:
    with _first_on_path(os.getcwd()), user_code(f"importing {name}"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise InputError(
                f"there is no module {error.name!r}; install it, run where it can be imported, or "
                f"name its file as path/{name.rpartition('.')[2]}.py:name",
                module=name,
            ) from None
