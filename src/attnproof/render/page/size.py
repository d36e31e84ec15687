"""How much a page holds: positions that a grid can show, and relations that stay quick to load."""

from attnproof.render.page.packed import packed
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.order.relation import relations
from attnproof.symbolic.setting import Setting

#: The most positions of a mask on a page.
MOST = 2048
#: The most characters of packed relations.
ROOM = 2_000_000


def check_size(setting: Setting) -> None:
    """Raise :class:`InputError` for layers that a page cannot hold, before their flow is known."""
    if setting.size > MOST:
        raise InputError(
            f"a page shows at most {MOST} positions, this mask has {setting.size}; report on a "
            "shorter length, or draw the blocks of this one with --draw FILE.svg",
            size=setting.size,
        )
    room = layers_room(setting)
    if room > ROOM:
        raise InputError(
            f"the layers take {room:,} characters, a page holds {ROOM:,}; report on fewer layers "
            "or a shorter length",
            room=room,
        )


def layers_room(setting: Setting) -> int:
    """How many characters the relations of the layers take."""
    return sum(len(packed(rows, setting.size)) for rows in dict.fromkeys(relations(setting)))


def check_name(path: str) -> None:
    """Raise :class:`InputError` unless the name says that the file is a page.

    >>> check_name("report.HTML")
    """
    if not path.lower().endswith((".html", ".htm")):
        raise InputError(f"{path} does not name a page; end the name in .html", path=path)
