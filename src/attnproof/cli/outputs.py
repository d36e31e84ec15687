"""Files that a command writes: each another one, and none of those that it reads."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import InputError

if TYPE_CHECKING:
    from attnproof.symbolic.setting import Setting


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a command is asked to write; what will be refused is refused at once."""

    certificate: str | None = None
    picture: str | None = None
    unrolled: int | None = None
    page: str | None = None
    test: str | None = None

    def check(self, read: Iterable[str | None]) -> None:
        """Raise :class:`InputError` for a file that cannot be written, before anything is read."""
        written = self.certificate, self.picture, self.page, self.test
        if "" in written:
            raise InputError("the name of the file to write is empty; name a file", path="")
        if self.picture is not None:
            from attnproof.render.draw import kind_of
            from attnproof.render.png import check_installed

            if kind_of(self.picture, unrolled=self.unrolled) == ".png":
                check_installed()
        elif self.unrolled is not None:
            raise InputError("unrolled layers are drawn into a .dot file; name one with --out")
        if self.page is not None:
            from attnproof.render.page.size import check_name

            check_name(self.page)
        if self.test is not None:
            check_ending(self.test, ".py", "a test")
            _check_own(self.test)
        apart(written, read)
        if any(path is not None for path in written):
            from attnproof.symbolic.files import check_place

            for path in written:
                if path is not None:
                    check_place(path)

    def check_size(self, setting: "Setting") -> None:
        """Raise :class:`InputError` for layers that an output cannot hold, before anything is
        computed."""
        if self.certificate is not None:
            from attnproof.certificate import check_layers

            check_layers(setting)
        if self.picture is not None:
            from attnproof.render.draw import check_size

            check_size(setting, unrolled=self.unrolled)
        if self.page is not None:
            from attnproof.render.page.size import check_size as check_page

            check_page(setting)


def check_ending(path: str, ending: str, what: str) -> None:
    """Refuse a name that says another kind of file.

    >>> check_ending("mask.txt", ".py", "a mask_mod")
    Traceback (most recent call last):
    attnproof.symbolic.errors.InputError: 'mask.txt' is no file for a mask_mod; name one that ...
    """
    if not path.endswith(ending):
        raise InputError(f"{path!r} is no file for {what}; name one that ends in {ending}")


def check_same(path: str, text: str) -> None:
    """Refuse to write a test over that of another source or property, or one that was added to."""
    there = _read(path)
    if there is not None and _outline(there) != _outline(text):
        raise InputError(
            f"{path} holds another test than the one to write, or more, so it is not written over; "
            "name another file, or delete it",
            path=path,
        )


def _outline(text: str) -> list[str]:
    """What stands at the margin: of a test that was written here its first line and its name."""
    apart = " ", "import ", "from ", "HERE = "
    return [line for line in text.splitlines() if line and not line.startswith(apart)]


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _check_own(path: str) -> None:
    """Refuse to write over a test that somebody else has written."""
    from attnproof.ask.emitted import LAST_WORDS

    there = _read(path)
    if there is not None and LAST_WORDS not in there.partition("\n")[0]:
        raise InputError(
            f"{path} is there and is not a test that --emit-test wrote, so it is not written over; "
            "name another file",
            path=path,
        )


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
