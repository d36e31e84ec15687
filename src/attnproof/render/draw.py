"""Writing a picture to a file; the suffix says what kind of picture it is."""

import os
from collections.abc import Callable
from pathlib import Path

from attnproof.render.dot import dot, unrolled_dot
from attnproof.render.mermaid import mermaid
from attnproof.render.picture import Picture
from attnproof.render.png import png
from attnproof.render.svg import svg
from attnproof.render.tikz import tikz
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.files import write_atomically

KINDS: dict[str, Callable[[Picture], str | bytes]] = {
    ".svg": svg,
    ".png": png,
    ".dot": dot,
    ".mmd": mermaid,
    ".tex": tikz,
}


def draw(path: str | os.PathLike[str], picture: Picture, *, unrolled: int | None = None) -> None:
    """Write a picture; ``unrolled`` draws that many layers of a ``.dot`` file one by one.

    Raises :class:`InputError` for another suffix, before anything is written.
    """
    kind = suffix(path)
    if unrolled is not None and kind != ".dot":
        raise InputError(
            f"{os.fspath(path)} cannot hold unrolled layers; name a .dot file", path=str(path)
        )
    content = KINDS[kind](picture) if unrolled is None else unrolled_dot(picture, unrolled)
    write_atomically(path, content)


def suffix(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a path names.

    >>> suffix("mask.SVG")
    '.svg'
    """
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        *most, last = KINDS
        raise InputError(
            f"{os.fspath(path)} names no kind of picture; end the name in "
            f"{', '.join(most)} or {last}",
            path=str(path),
        )
    return kind
