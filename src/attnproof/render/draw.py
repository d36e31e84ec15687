"""Writing a picture to a file; the suffix says what kind of picture it is."""

import os
from collections.abc import Callable
from pathlib import Path

from attnproof.render.dot import check_unrolled, dot, unrolled_dot
from attnproof.render.mermaid import mermaid
from attnproof.render.picture import Picture
from attnproof.render.png import png
from attnproof.render.svg import svg
from attnproof.render.tikz import tikz
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.order.flow import LIMIT
from attnproof.symbolic.setting import Setting

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
    kind = kind_of(path, unrolled=unrolled)
    content = KINDS[kind](picture) if unrolled is None else unrolled_dot(picture, unrolled)
    write_atomically(path, content)


def kind_of(path: str | os.PathLike[str], *, unrolled: int | None = None) -> str:
    """The kind of picture that a path names, by its suffix.

    >>> kind_of("mask.SVG")
    '.svg'

    Raises :class:`InputError` for another suffix, and for one that cannot hold unrolled layers.
    """
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        *most, last = KINDS
        raise InputError(
            f"{os.fspath(path)} names no kind of picture; end the name in "
            f"{', '.join(most)} or {last}",
            path=str(path),
        )
    if unrolled is not None and kind != ".dot":
        raise InputError(
            f"{os.fspath(path)} cannot hold unrolled layers; name a .dot file", path=str(path)
        )
    return kind


def check_size(setting: Setting, *, unrolled: int | None = None) -> None:
    """Raise :class:`InputError` for layers too long to draw, before their flow is known."""
    if unrolled is not None:
        check_unrolled(setting.size, unrolled)
    if setting.size > LIMIT:
        from attnproof.symbolic.order.run_flow import RunFlow

        RunFlow(setting).in_bits("masks are drawn")
