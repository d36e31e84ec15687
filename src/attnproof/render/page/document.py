"""The page as one HTML document that loads nothing: markup, style, script and data in one file."""

import json
import os
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

from attnproof.render.palette import DARK, LIGHT
from attnproof.symbolic.files import write_atomically

#: In this order: later files use what earlier ones define.
SCRIPTS = (
    "relation.js",
    "levels.js",
    "walk.js",
    "colours.js",
    "words.js",
    "cells.js",
    "frame.js",
    "grid.js",
    "trail.js",
    "hands.js",
    "diagram.js",
    "lists.js",
    "controls.js",
    "page.js",
)


def document(content: Mapping[str, object], prose: str) -> str:
    """The page; ``prose`` is what is read where no script runs.

    Names and labels are data: they reach the page through JSON and ``textContent`` only, and the
    browser is told to run no script and to load no file but what the hashes name.

    >>> page = document({"title": "</script><b>", "views": [], "relations": []}, "1 < 2")
    >>> page.count("</script>"), "<title>&lt;/script&gt;&lt;b&gt;" in page, "1 &lt; 2" in page
    (2, True, True)
    """
    style = _palette() + _text("page.css")
    script = "".join(_text(name) for name in SCRIPTS)
    return Template(_text("page.html")).substitute(
        title=escape(str(content["title"])),
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}",
        style=style,
        prose=escape(prose),
        data=_inert(content),
        script=script,
    )


def write_page(path: str | os.PathLike[str], content: Mapping[str, object], prose: str) -> None:
    """Write the page whole or not at all."""
    write_atomically(path, document(content, prose))


def _text(name: str) -> str:
    return files("attnproof.render.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def _inert(content: Mapping[str, object]) -> str:
    """JSON in which nothing can end a script element or open a comment."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _palette() -> str:
    """The colours of every picture of the package, by the reader's choice or the system's."""

    def colours(palette: Mapping[str, str]) -> str:
        return " ".join(f"--{role}: {colour};" for role, colour in palette.items())

    return (
        f":root {{ color-scheme: light; {colours(LIGHT)} }}\n"
        "@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) "
        f"{{ color-scheme: dark; {colours(DARK)} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {colours(DARK)} }}\n"
    )
