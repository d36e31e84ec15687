"""safe/v1: no forbidden pair is reached, at any depth or after exactly ``depth`` layers.

Theorem: a reflexive transitive relation that contains every layer contains the reach of any
number of layers, so it suffices that this relation meets no forbidden pair. The pairs that causal
and documents allow are such a relation, since ``k <= q`` is an order and to have one document id
an equivalence; then ``relation`` is "allowed", and it suffices that no layer meets a forbidden
pair. Where only the product of ``depth`` layers is safe, ``relation`` is null, and it is computed.

Machine-checked: ``Schedule.product_below_preorder`` and ``NonInterference.stack_obeys_product``.
"""

from collections.abc import Sequence

from .envelope import Invalid, need, record
from .layers import after
from .masks import SETTING, read_setting
from .properties import read_property

KIND = "attnproof/safe/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the property holds."""
    found = record(predicate, SETTING | {"property", "relation"}, "the predicate")
    setting = read_setting(found, digests)
    wanted = read_property(found["property"], setting.size)
    if found["relation"] == "allowed":
        need(wanted.allowed_is_closed, "the allowed pairs are not transitive by themselves")
        rows = setting.union
    elif found["relation"] is not None:
        rows = setting.relation(found["relation"])
        need(rows.contains(setting.union), "the relation does not contain every layer")
        need(rows.is_closed(), "the relation is not closed")
    elif setting.depth is None:
        raise Invalid("any number of layers needs a relation")
    else:
        rows = after(setting.executed, setting.depth)
    need(rows.avoids(wanted), "a forbidden pair is reached")
    need(wanted.task is None or not wanted.task.derives(rows.bits), "a forbidden pair is reached")
