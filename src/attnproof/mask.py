"""Mask, as users build it: from any source, with its picture for notebooks."""

from collections.abc import Mapping
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.mask import Mask as RowMask


class Mask(RowMask):
    """A mask read from any source: an array, rows, a rule with ``n``, a path, or a name.

    Keywords other than those of reading are parameters of a named mask or a factory.

    >>> import attnproof as ap
    >>> ap.Mask("window", n=4, keys=2)
    Mask 4×4 (row = query)
    #···
    ##··
    ·##·
    ··##
    >>> ap.Mask("causal", n=3).shift(keys=-1) | ap.Mask(["1..", "...", "..."])
    Mask 3×3 (row = query)
    #··
    #··
    ##·

    Masks of one shape combine by ``|``, ``&``, ``-``, ``^`` and ``~``; ``shift``, ``permute``,
    ``transpose`` and ``block_diagonal`` make others.

    Raises :class:`~attnproof.errors.InputError` for what cannot be read, and for a batch of several
    distinct masks unless ``batch`` chooses one.
    """

    def __init__(
        self,
        source: object,
        *,
        n: int | None = None,
        encoding: str = "auto",
        q_offset: int | None = None,
        heads: int = 1,
        batches: int = 1,
        batch: int | None = None,
        layout: str | None = None,
        queries: int | None = None,
        params: Mapping[str, object] | None = None,
        **parameters: Any,
    ) -> None:
        from attnproof.source import read

        reading = read(
            source,
            n=n,
            encoding=encoding,
            q_offset=q_offset,
            params={**(params or {}), **parameters},
            heads=heads,
            batches=batches,
            batch=batch,
            layout=layout,
            queries=queries,
        )
        if len(reading.masks) != 1:
            raise InputError(
                f"{reading.name} holds {len(reading.masks)} distinct masks; choose one with batch"
            )
        found = reading.masks[0][1]
        self.__dict__.update(rows=found.rows, offset=found.offset, name=found.name)

    def _repr_html_(self) -> str:
        from attnproof.render.html import mask_html

        return mask_html(self)
