"""Short forms from which a task is built in Python."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, TypeVar

from attnproof.symbolic.errors import InputError, TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.keys import shown
from attnproof.symbolic.tasks.masks import Built, Heads, Layers, MaskSpec
from attnproof.symbolic.tasks.task import Label, Position, usual_kind
from attnproof.symbolic.words import counted, suggestion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = Sequence[str] | Sequence[Sequence[int]]
    MaskLike = MaskSpec | str | Rows | Mapping[str, object] | NDArray[np.bool_]

Input = Position | str | Mapping[str, object] | Iterable[str] | None
Inputs = Iterable[Input]
Labels = Mapping[int, str | Sequence[str]] | Sequence[Label | Mapping[str, object]]
E = TypeVar("E", bound=Enum)

_INPUTS = "a list with an atom, several atoms, None (a mask token), a Position or a table for each"
_LABELS = 'a mapping as in {1: "x3"}, position to atom, or a list of Label'
_MASK = (
    'rows of text (["1.", "11"]) or of 0 and 1 ([[1, 0], [1, 1]]), a builder\'s name ("causal"), '
    "a Boolean array or a Mask"
)


def positions(inputs: Inputs) -> tuple[Position, ...]:
    """Positions from atoms, tuples of atoms, tables or None.

    >>> positions(["x1", None])[1]
    Position(atoms=(), pos=1, kind='mask', segment=None, allowed_atoms=None)
    """
    if isinstance(inputs, str):
        words = ", ".join(f'"{word}"' for word in inputs.replace(",", " ").split())
        raise _wrong("inputs", inputs, f"{_INPUTS} position, as in [{words}]")
    if isinstance(inputs, Mapping) or not isinstance(inputs, Iterable):
        raise _wrong("inputs", inputs, f"{_INPUTS} position")
    return tuple(_position(given, p) for p, given in enumerate(inputs))


def _position(given: Input, p: int) -> Position:
    if isinstance(given, Position):
        return given
    if isinstance(given, Mapping):
        from attnproof.symbolic.tasks.schema import read_position

        return read_position(given, f"position[{p}]")
    if given is None:
        return Position((), p, "mask")
    if not isinstance(given, Iterable):
        raise _wrong(f"inputs[{p}]", given, "an atom, several atoms, None, a Position or a table")
    items = (given,) if isinstance(given, str) else tuple(given)
    strangers = [item for item in items if not isinstance(item, str)]
    if strangers:
        raise _wrong(f"inputs[{p}]", strangers[0], 'the name of an atom, as in "x1"')
    return Position(items, p, usual_kind(items))


def labels(given: Labels, where: str = "labels") -> tuple[Label, ...]:
    """Labels from a mapping of positions to atoms.

    >>> [(label.atom, label.head) for label in labels({0: ["x1", "x2"]})]
    [('x1', 0), ('x2', 1)]
    """
    if isinstance(given, Mapping):
        return tuple(
            Label(_place(position, where), atom, head)
            for position, targets in given.items()
            for head, atom in enumerate(_targets(targets, f"{where}[{position}]"))
        )
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _wrong(where, given, _LABELS)
    return tuple(_label(one, i) for i, one in enumerate(given))


def _place(given: object, where: str) -> int:
    if isinstance(given, SupportsIndex) and not isinstance(given, bool):
        return index(given)
    raise TaskError(
        f"{where} has the key {shown(given)}; a key is the index of a position, counted from 0: "
        'write {1: "x3"} for the atom x3 at the second position',
        where=where,
    )


def _targets(targets: object, where: str) -> tuple[str, ...]:
    atoms = (targets,) if isinstance(targets, str) else targets
    if not isinstance(atoms, Iterable) or isinstance(atoms, Mapping):
        raise _wrong(where, targets, "an atom, or several, one a head")
    found = tuple(atoms)
    for atom in found:
        if not isinstance(atom, str):
            raise _wrong(where, atom, "an atom, or several, one a head")
    return found


def _label(given: Label | Mapping[str, object], i: int) -> Label:
    if isinstance(given, Label):
        return given
    if isinstance(given, Mapping):
        from attnproof.symbolic.tasks.schema import read_label

        return read_label(given, f"label[{i}]")
    raise _wrong(f"labels[{i}]", given, _LABELS)


def names(given: Iterable[str], where: str) -> tuple[str, ...]:
    """Several names; one text is no list of them.

    >>> names(["x1", "x2"], "atoms")
    ('x1', 'x2')
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise _wrong(where, given, 'a list of names, as in ["x1", "x2"]')
    found = tuple(given)
    for i, name in enumerate(found):
        if not isinstance(name, str):
            raise _wrong(f"{where}[{i}]", name, 'a name, as in "x1"')
    return found


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
    if callable(given):
        raise TaskError(
            "mask is a rule; give the mask that it is at this length, attnproof.Mask(rule, n=...)",
            where="mask",
        )
    if not isinstance(given, Sequence):
        if not hasattr(given, "__array__"):
            raise _wrong("mask", given, _MASK)
        return Mask.from_dense(_boolean(given))
    rows = [row for row in given if isinstance(row, str)]
    if len(rows) < len(given):
        return Mask.from_dense(_boolean(given))
    try:
        return Mask.from_rows(rows)
    except InputError as error:
        raise TaskError(f"mask: {error}", where="mask", **error.parts) from None


def _boolean(given: object) -> "NDArray[np.bool_]":
    """Booleans, or integers that are 0 or 1, with two axes."""
    import numpy as np

    try:
        array = np.asarray(given)
    except (ValueError, TypeError, RuntimeError):
        raise _wrong("mask", given, _MASK) from None
    whole = array.dtype.kind == "b" or (
        array.dtype.kind in "iu" and bool(((array == 0) | (array == 1)).all())
    )
    if array.ndim == 2 and whole:
        return array.astype(bool)
    if array.dtype.kind not in "biuf":
        raise _wrong("mask", given, _MASK)
    raise TaskError(
        f"mask is an array of {array.dtype} with {counted(array.ndim, 'axis', 'axes')}; give "
        "Booleans, or integers that are 0 or 1, (queries, keys), true where the query reads the "
        "key",
        where="mask",
    )


def _wrong(where: str, given: object, wanted: str) -> TaskError:
    return TaskError(f"{where} is {shown(given)}; give {wanted}", where=where, given=given)


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
