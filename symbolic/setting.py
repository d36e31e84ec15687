"""Setting: which layers run, how often, and the conventions around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.masks.mask import Mask


class EmptyRow(Enum):
    """What attention returns for a query that reads nothing."""

    ZERO = "zero"
    UNIFORM = "uniform"
    NAN = "nan"

    @staticmethod
    def of(name: str | None) -> "EmptyRow":
        """The convention of this name; zero where none is given.

        >>> EmptyRow.of("nan"), EmptyRow.of(None)
        (<EmptyRow.NAN: 'nan'>, <EmptyRow.ZERO: 'zero'>)
        """
        if name is None:
            return EmptyRow.ZERO
        try:
            return EmptyRow(name)
        except ValueError:
            raise InputError(
                f"empty_row is {name!r}; choose zero, uniform or nan", given=name
            ) from None


@dataclass(frozen=True)
class Setting:
    """What a claim speaks of: the layers, repeated in a cycle, and how they were read.

    ``depth`` counts layers; None is any number of layers. ``origin`` says how the mask was read
    (source, encoding, n, parameters, batch), so that it can be read again.
    """

    layers: tuple[Mask, ...]
    depth: int | None = None
    residual: bool = True
    empty_row: EmptyRow = EmptyRow.ZERO
    origin: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = sorted({mask.size for mask in self.layers})
        if len(sizes) != 1:
            raise ShapeError(
                f"the layers have {sizes} positions; give every layer the same number", sizes=sizes
            )
        if not sizes[0]:
            raise ShapeError("the mask has no positions; give one with at least one row and key")
        if self.depth is not None and self.depth < 0:
            raise ShapeError(
                f"{self.depth} layers were asked for; give 0 or more", depth=self.depth
            )

    @property
    def size(self) -> int:
        """How many positions the layers have."""
        return self.layers[0].size
