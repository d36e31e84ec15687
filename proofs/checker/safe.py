"""safe/v1: no forbidden pair is reached, at any depth or after exactly ``depth`` layers.

Theorem: a reflexive transitive relation that contains every layer contains the reach of any
number of layers, so it suffices that this relation meets no forbidden pair. Where only the product
of ``depth`` layers is safe, it is computed.
"""

from collections.abc import Sequence

from .envelope import Invalid, need, record
from .layers import after
from .masks import SETTING, read_rows, read_setting
from .properties import read_property
from .relations import contains, is_closed

KIND = "attnproof/safe/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the property holds."""
    found = record(predicate, SETTING | {"property", "relation"}, "the predicate")
    setting = read_setting(found, digests)
    wanted = read_property(found["property"], setting.size)
    if found["relation"] is not None:
        rows = read_rows(found["relation"], setting.size, setting.size, "relation")
        need(contains(rows, setting.union), "the relation does not contain every layer")
        need(is_closed(rows), "the relation is not closed")
    elif setting.depth is None:
        raise Invalid("any number of layers needs a relation")
    else:
        rows = after(setting.executed, setting.depth)
    need(wanted.holds(rows), "a forbidden pair is reached")
