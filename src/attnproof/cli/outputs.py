"""Files that a command writes: each another one, and none of those that it reads."""

import os
from collections.abc import Iterable

from attnproof.symbolic.errors import InputError


def apart(written: Iterable[str | None], read: Iterable[str | None]) -> None:
    """Refuse to write one file twice, or over a file that is read.

    >>> apart(["mask.svg", None], ["mask.npy", "3,3"])
    >>> apart(["mask.npy"], ["./mask.npy:key"])
    Traceback (most recent call last):
    attnproof.symbolic.errors.InputError: mask.npy is read, so it is not written over; ...
    """
    inputs = {os.path.realpath(part) for text in read if text for part in _files(text)}
    outputs: set[str] = set()
    for path in written:
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in inputs:
            raise InputError(
                f"{path} is read, so it is not written over; name another file", path=path
            )
        if place in outputs:
            raise InputError(f"{path} would be written twice; name two files", path=path)
        outputs.add(place)


def _files(text: str) -> tuple[str, str]:
    """What a source may name: a file, or one with the key or the object in it; ``k=@file.npy``."""
    named = text.partition("@")[2] or text
    return named, named.rpartition(":")[0] or named
