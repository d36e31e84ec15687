"""Words for people: a number with what it counts, and the name that was meant."""

import difflib
from collections.abc import Collection


def counted(count: int, thing: str, several: str | None = None) -> str:
    """A number and what it counts, in the plural where there are more or none.

    >>> counted(1, "class"), counted(3, "class"), counted(0, "query"), counted(2, "key")
    ('1 class', '3 classes', '0 queries', '2 keys')
    >>> counted(2, "axis", "axes")
    '2 axes'
    """
    if count == 1:
        return f"1 {thing}"
    return f"{count} {several or _plural(thing)}"


def suggestion(name: str, legal: Collection[str]) -> str:
    """The way out of an unknown name: the close ones, or all of them.

    >>> suggestion("lables", ["label", "mask"]), suggestion("zzz", ["label", "mask"])
    ("did you mean 'label'?", 'known: label, mask')
    """
    close = difflib.get_close_matches(name, list(legal), n=3)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"known: {', '.join(legal)}"


def _plural(thing: str) -> str:
    if thing.endswith("y") and thing[-2] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(("s", "x", "ch", "sh")) else f"{thing}s"
