"""Short forms from which a task is built in Python."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from attnproof.symbolic.errors import InputError, TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.keys import shown
from attnproof.symbolic.tasks.masks import Built, Heads, Layers, MaskSpec
from attnproof.symbolic.tasks.task import Label, Position
from attnproof.symbolic.words import counted, suggestion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    MaskLike = MaskSpec | str | Sequence[str] | Mapping[str, object] | NDArray[np.bool_]

Inputs = Iterable[Position | str | Iterable[str] | None]
Labels = Mapping[int, str | Sequence[str]] | Sequence[Label]
E = TypeVar("E", bound=Enum)


def positions(inputs: Inputs) -> tuple[Position, ...]:
    """Positions from atoms, tuples of atoms or None.

    >>> positions(["x1", None])[1]
    Position(atoms=(), pos=1, kind='mask', segment=None, allowed_atoms=None)
    """
    return tuple(_position(given, p) for p, given in enumerate(inputs))


def _position(given: Position | str | Iterable[str] | None, p: int) -> Position:
    if isinstance(given, Position):
        return given
    if given is None:
        return Position((), p, "mask")
    return Position((given,) if isinstance(given, str) else tuple(given), p)


def labels(given: Labels) -> tuple[Label, ...]:
    """Labels from a mapping of positions to atoms.

    >>> [(label.atom, label.head) for label in labels({0: ["x1", "x2"]})]
    [('x1', 0), ('x2', 1)]
    """
    if isinstance(given, Sequence):
        return tuple(given)
    return tuple(
        Label(position, atom, head)
        for position, targets in given.items()
        for head, atom in enumerate((targets,) if isinstance(targets, str) else targets)
    )


def atoms(
    inputs: Sequence[Position], targets: Sequence[Label], derived: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The atoms that occur, in order of first mention."""
    said = [item for position in inputs for item in position.atoms]
    said += [label.atom for label in targets]
    said += [argument for arguments in derived.values() for argument in arguments]
    return tuple(dict.fromkeys(item for item in said if item not in derived))


def mask(given: "MaskLike") -> MaskSpec:
    """A mask from rows, a builder's name, an array or a table as in a task file."""
    if isinstance(given, Mask | Built | Heads | Layers):
        return given
    if isinstance(given, str):
        return Built(given)
    if isinstance(given, Mapping):
        from attnproof.symbolic.tasks.schema import read_mask

        return read_mask(given, "mask")
    if not isinstance(given, Sequence):
        return Mask.from_dense(_boolean(given))
    try:
        return Mask.from_rows(given)
    except InputError as error:
        raise TaskError(f"mask: {error}", where="mask", **error.parts) from None


def _boolean(array: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
    if array.ndim != 2 or str(array.dtype) != "bool":
        raise TaskError(
            f"mask is an array of {array.dtype} with {counted(array.ndim, 'axis', 'axes')}; give "
            "Booleans "
            "(queries, keys), true where the query reads the key",
            where="mask",
        )
    return array


def choice(kinds: type[E], given: E | str, where: str) -> E:
    """A value of an Enum, or the one with this text."""
    if isinstance(given, kinds):
        return given
    legal = {str(kind.value): kind for kind in kinds}
    if given not in legal:
        raise TaskError(
            f"{where} is {shown(given)}; {suggestion(str(given), legal)}", where=where, given=given
        )
    return legal[str(given)]
