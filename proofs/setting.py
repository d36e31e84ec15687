"""Masks and relations to predicates: what every statement about flow says of its setting."""

from collections.abc import Mapping

from attnproof.symbolic.evidence import Relation
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.setting import Setting

Json = dict[str, object]


def setting_json(setting: Setting) -> Json:
    """The layers, how many of them are passed, and how they were read."""
    return {
        "layers": [_layer(mask) for mask in setting.layers],
        "depth": "any" if setting.depth is None else setting.depth,
        "residual": setting.residual,
        "empty_row": setting.empty_row.value,
        "origin": plain(setting.origin),
    }


def _layer(mask: Mask) -> Json:
    return {
        "queries": mask.queries,
        "keys": mask.keys,
        "offset": mask.offset,
        "rows": mask.rows,
    }


def rows_of(rows: Relation) -> Rows:
    """The rows of a relation, which may be a set of bits each."""
    return Bits(rows, len(rows)) if isinstance(rows, tuple) else rows


def plain(value: object) -> object:
    """How a mask was read, as JSON without floats: what has no exact form is written as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value)
