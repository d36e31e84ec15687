"""The mask of a task as it is written: given, built by name, one for each layer, one for each head.

Heads of one layer are united, because the output projection mixes them; layers follow one another
and repeat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import InputError, TaskError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.named.named import NamedMask

#: What a parameter of a builder can be; arrays are tuples.
Value = bool | int | float | str | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Built:
    """A named mask with its parameters, in alphabetical order."""

    builder: str
    parameters: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Heads:
    """One mask for each head of a layer."""

    masks: "tuple[Mask | Built, ...]"


@dataclass(frozen=True, slots=True)
class Layers:
    """One mask for each layer; after the last the first runs again."""

    masks: "tuple[Mask | Built | Heads, ...]"


MaskSpec = Mask | Built | Heads | Layers


def resolve(spec: MaskSpec, n: int, empty_row: EmptyRow = EmptyRow.ZERO) -> tuple[Mask, ...]:
    """The layers of a mask for ``n`` positions.

    >>> a, b = Mask.from_rows(["1.", "1."]), Mask.from_rows(["..", ".1"])
    >>> resolve(Heads((a, b)), 2)
    (Mask 2×2 (row = query)
    #·
    ##,)
    """
    if isinstance(spec, Layers):
        return tuple(
            _layer(mask, n, empty_row, f"mask.layers[{i}]") for i, mask in enumerate(spec.masks)
        )
    return (_layer(spec, n, empty_row, "mask"),)


def each_head(spec: MaskSpec, n: int) -> tuple[tuple[Mask, ...], ...]:
    """The masks of every head of every layer, not united; a layer of one mask has one.

    >>> a, b = Mask.from_rows(["1.", "1."]), Mask.from_rows(["..", ".1"])
    >>> [len(heads) for heads in each_head(Layers((Heads((a, b)), a)), 2)]
    [2, 1]
    """
    layers = spec.masks if isinstance(spec, Layers) else (spec,)
    return tuple(
        tuple(
            _layer(mask, n, EmptyRow.ZERO, "mask")
            for mask in (layer.masks if isinstance(layer, Heads) else (layer,))
        )
        for layer in layers
    )


def written(layers: Sequence[Sequence[Mask]]) -> MaskSpec:
    """The masks of every head of every layer as a task has them; the inverse of :func:`each_head`.

    >>> written([[Mask.from_rows(["1"])]])
    Mask 1×1 (row = query)
    #
    """
    each = tuple(heads[0] if len(heads) == 1 else Heads(tuple(heads)) for heads in layers)
    return each[0] if len(each) == 1 else Layers(each)


def row_texts(mask: Mask) -> list[str]:
    """The rows as text, ``1`` where the key is read.

    >>> row_texts(Mask.from_rows(["1.", "11"]))
    ['1.', '11']
    """
    return [f"{row:0{mask.keys}b}"[::-1].replace("0", ".") for row in mask.rows.bits()]


def _layer(spec: Mask | Built | Heads, n: int, empty_row: EmptyRow, where: str) -> Mask:
    if isinstance(spec, Mask):
        return _fitting(spec, n, f"{where}.rows")
    if isinstance(spec, Built):
        return _fitting(_built(spec, n, where), n, where)
    heads = [_layer(mask, n, empty_row, f"{where}.heads[{h}]") for h, mask in enumerate(spec.masks)]
    everything = (1 << n) - 1
    rows = [0] * n
    for head in heads:
        for q, row in enumerate(head.rows.bits()):
            rows[q] |= everything if not row and empty_row is EmptyRow.UNIFORM else row
    return Mask.of(Bits(tuple(rows), n))


def _fitting(mask: Mask, n: int, where: str) -> Mask:
    if mask.queries == mask.keys == n and not mask.offset:
        return mask
    given = f"{counted(mask.queries, 'row')} of {counted(mask.keys, 'key')}"
    given += f" at offset {mask.offset}" if mask.offset else ""
    raise TaskError(
        f"{where} has {given}; the task has {counted(n, 'position')}; give one row and one key a "
        "position",
        where=where,
        queries=mask.queries,
        keys=mask.keys,
        positions=n,
    )


def _built(spec: Built, n: int, where: str) -> Mask:
    from attnproof.symbolic.named import registry

    try:
        named = registry.get(spec.builder)
    except InputError as error:
        raise TaskError(f"{where}.builder: {error}", where=f"{where}.builder") from None
    parameters: dict[str, Any] = dict(spec.parameters)
    tokens = parameters.pop("n") if "n" in parameters else _tokens(named, n, parameters)
    try:
        return named.mask(tokens, **parameters)
    except InputError as error:
        raise TaskError(f"{where}: {error}", where=where) from None


def _tokens(named: "NamedMask", n: int, parameters: Mapping[str, Any]) -> int | None:
    """The length for which a named mask has ``n`` positions; None where its parameters fix it."""

    def positions(tokens: int | None) -> int | None:
        try:
            return named.positions(tokens, **parameters)
        except InputError:
            return None

    if named.tokens is not None and positions(None) is not None:
        return None
    if named.size is None:
        return n
    return next((tokens for tokens in range(n, 0, -1) if positions(tokens) == n), n)
