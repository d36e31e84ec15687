"""One mask with its flow, for questions that are asked of a single mask at any depth."""

import warnings
from collections.abc import Mapping

from attnproof.ask.elements import elements
from attnproof.source import read
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.order.flow import Flow

#: The most positions of which every row is taken apart.
MOST = 1 << 13


def one_flow(
    source: object,
    *,
    n: int | None,
    params: Mapping[str, object] | None,
    encoding: str,
    q_offset: int | None,
) -> tuple[str, Flow]:
    """The name of a source and the flow of its one mask; warns of heads that were not evaluated.

    Raises :class:`InputError` for a batch of several masks, :class:`ShapeError` for a long one.
    """
    reading = read(source, n=n, params=params or {}, encoding=encoding, q_offset=q_offset)
    if len(reading.masks) != 1:
        raise InputError(
            f"{reading.name} has {len(reading.masks)} distinct masks in its batch; give one",
            source=reading.name,
        )
    for note in reading.notes:
        if note.kind in ("one_head", "one_batch"):
            warnings.warn(note.message.partition(";")[0], stacklevel=4)
    (element,) = elements([reading], None, layers=None, residual=None, empty_row=None)
    if element.setting.size > MOST:
        raise ShapeError(
            f"{reading.name} has {element.setting.size} positions; this question takes at most "
            f"{MOST}, give fewer",
            size=element.setting.size,
        )
    return reading.name, Flow(element.setting)
