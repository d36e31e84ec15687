"""What the user intends, from the forms the command line and Python take to properties."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from attnproof.ask.predicate import by_predicate, of_pairs
from attnproof.source import unnamed
from attnproof.symbolic.errors import FileError, InputError, ParameterError, ShapeError
from attnproof.symbolic.order.properties import Documents, Forbidden
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.task import Task


def documents(given: object, size: int) -> Documents:
    """The document of every position.

    >>> documents("2,1", 3).ids
    (0, 0, 1)

    A text of numbers is lengths; a file, an array, a list, or an array of a module as in
    ``path/file.py:document_id``, holds ids, one a position.
    """
    if isinstance(given, str) and not given.strip(" ,0123456789"):
        return _by_lengths(_lengths(given), size, given)
    if isinstance(given, str | PathLike):
        if str(given).startswith("@"):
            raise InputError(
                f"--documents {given} names a captured tensor, which goes with --all-n; "
                "give the lengths, as in 3,3, or a file of ids, one a position"
            )
        ids = _named_ids(str(given)) or _ids_file(Path(given))
    else:
        ids = _integers(given, "documents")
    if len(ids) != size:
        if all(length > 0 for length in ids) and sum(ids) == size:
            return _by_lengths(ids, size, str(ids))
        raise ShapeError(
            f"documents has {counted(len(ids), 'id')} for {counted(size, 'position')}; give one id "
            "a position, or the lengths of the documents, as in 3,3",
            ids=len(ids),
            size=size,
        )
    return Documents(tuple(ids))


def _named_ids(text: str) -> list[int] | None:
    """The ids that an array of a module holds; None where the text names no object."""
    if not text.partition(":")[0].endswith(".py"):
        return None
    from attnproof.numeric.read.objects import resolve

    return _integers(resolve(text), "documents")


def _lengths(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ShapeError(
            f"the documents {text[:40]!r} are no lengths; give the lengths with commas between "
            "them, as in 3,3"
        ) from None


def _by_lengths(lengths: Sequence[int], size: int, given: str) -> Documents:
    if not lengths or min(lengths) < 1 or sum(lengths) != size:
        raise ShapeError(
            f"the documents {given} have {counted(sum(lengths), 'position')} in all, the mask has "
            f"{size}; give lengths of 1 or more that add up to it",
            lengths=tuple(lengths),
            size=size,
        )
    return Documents(tuple(i for i, length in enumerate(lengths) for _ in range(length)))


def _integers(given: object, what: str) -> list[int]:
    values = _listed(given)
    if not isinstance(values, list | tuple) or not all(map(_is_int, values)):
        raise InputError(f"{what} must be integers, one a position; {type(given).__name__} given")
    return list(values)


def _listed(given: object) -> object:
    """An array or tensor as lists; anything else as it is."""
    tolist = getattr(given, "tolist", None)
    return tolist() if callable(tolist) else given


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ids_file(path: Path) -> list[int]:
    if path.suffix == ".json":
        return _integers(_json(path), str(path))
    from attnproof.symbolic.masks.files import load_array, split_key

    file, key = split_key(str(path)) or (str(path), None)
    return _integers(load_array(file, key), str(path))


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(
            f"{path} cannot be read ({error.strerror}); name a file that exists", path=str(path)
        ) from None
    except (ValueError, RecursionError) as error:
        if path.suffix == ".py":
            raise unnamed(str(path), "predicate", "name a predicate of it", of_pairs) from None
        raise FileError(f"{path} is no JSON ({error})", path=str(path)) from None


def forbid(given: object, size: int, params: Mapping[str, object] | None = None) -> Forbidden:
    """The forbidden pairs (reader, source): a JSON file of them, the pairs themselves, or a
    predicate of (q, k), also as ``file.py:name``, and of ``params`` by their names.

    >>> forbid([(0, 2)], 3).sets
    {0: 4}
    >>> forbid(lambda q, k: k > q, 2).sets
    {0: 2}
    """
    if isinstance(given, Iterator):
        raise InputError(
            "the forbidden pairs are an iterator, which can be read once; give a list of them"
        )
    if isinstance(given, str | PathLike):
        text = str(given)
        if ".py:" in text or (":" in text and not Path(text).exists()):
            from attnproof.numeric.read.objects import resolve

            return by_predicate(resolve(text), size, text, params)
        return _by_pairs(_json(Path(given)), size, text)
    if callable(given):
        return by_predicate(given, size, "the predicate", params)
    return _by_pairs(given, size, "the forbidden pairs")


def pairs(given: object) -> list[tuple[int, int]]:
    """Pairs (reader, source), of a JSON file or as they are.

    >>> pairs([[0, 2]])
    [(0, 2)]
    """
    if isinstance(given, str | PathLike):
        return _pairs(_json(Path(given)), str(given))
    return _pairs(given, "the forbidden pairs")


def _pairs(given: object, what: str) -> list[tuple[int, int]]:
    values = _listed(given)
    found = []
    for pair in values if isinstance(values, Iterable) else [values]:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(_is_int, pair)):
            raise InputError(f"{what} must be pairs [reader, source]; {pair!r} is none")
        found.append((pair[0], pair[1]))
    return found


def _by_pairs(given: object, size: int, what: str) -> Forbidden:
    found = _pairs(given, what)
    for pair in found:
        if not all(0 <= x < size for x in pair):
            raise ShapeError(
                f"{what} hold {list(pair)}, but the mask has positions 0 to {size - 1}",
                pair=pair,
            )
    return Forbidden.from_pairs(found, size)


def structure(given: str | Sequence[str]) -> tuple[str, ...]:
    """The structural properties, each once.

    >>> structure(["transitive", "depth=2", "transitive"])
    ('transitive', 'depth=2')
    """
    names = (given,) if isinstance(given, str) else tuple(given)
    for text in names:
        name, equals, bound = str(text).partition("=")
        number = bound.isascii() and bound.isdecimal() and len(bound) < 16
        if name == "depth" and equals and not number:
            raise ParameterError(
                f"{text[:40]!r} is not a structural property; give a number of layers, depth=2",
                given=text,
            )
    return tuple(dict.fromkeys(names))


def task(given: object, *, masked: bool = True) -> "Task":
    """A task, given as such or as a file; ``family.toml:1`` is one task of a family.

    Unless ``masked`` a file may leave the mask out, which is given apart.
    """
    from attnproof.symbolic.tasks.task import Task

    if isinstance(given, Task):
        return given
    if isinstance(given, str | PathLike):
        from attnproof.symbolic.tasks.families import load_task

        return load_task(Path(given), masked=masked)
    raise InputError(f"a task is a file or an attnproof.Task; {type(given).__name__} given")
