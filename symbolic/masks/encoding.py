"""What the values of an array say: which keys a query reads.

Convention: arrays become views ``(batch, head, query, key)``; heads of one layer are united after
decoding, because the output projection mixes them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import EncodingError, ShapeError
from attnproof.symbolic.masks.additive import Biases, short, unblocked
from attnproof.symbolic.masks.axes import arrange, names_queries
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.heads import HeadUnion, any_head_reads
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from attnproof.symbolic.evidence import Evidence

_CHUNK = 1 << 20
_REFUSED = {
    "O": "Python objects",
    "c": "complex numbers",
    "S": "byte strings",
    "U": "strings",
    "V": "raw records",
    "M": "dates",
    "m": "durations",
}


class Encoding(Enum):
    """What the values mean. ``AUTO`` decides by type and refuses what can be read two ways."""

    AUTO = "auto"
    ATTEND = "attend"
    BLOCK = "block"
    ADDITIVE = "additive"
    KEEP01 = "keep01"

    @staticmethod
    def of(name: "str | Encoding") -> "Encoding":
        """The encoding of this name.

        >>> Encoding.of("block")
        <Encoding.BLOCK: 'block'>
        """
        try:
            return Encoding(name)
        except ValueError:
            raise EncodingError(
                f"{name!r} is no encoding; say auto, attend, block, additive or keep01",
                encoding=name,
            ) from None


@dataclass(frozen=True, slots=True)
class Decoded:
    """Masks as read: each distinct one with the batch indices that have it, heads united.

    ``replay(batch, query, key)`` asks the user's own object again. ``claims`` are evidence for
    the ``notes`` that are errors. ``partly_empty`` are the rows that some head leaves empty while
    another reads; where such a head averages over every key the row reads every key.
    """

    masks: tuple[tuple[tuple[int, ...], Rows], ...]
    encoding: str
    comments: tuple[str, ...]
    replay: Callable[[int, int, int], bool]
    notes: tuple[Finding, ...] = ()
    claims: "tuple[Evidence, ...]" = ()
    partly_empty: tuple[int, ...] = ()


def decode(
    array: "NDArray[Any]",
    encoding: Encoding = Encoding.AUTO,
    *,
    heads: int = 1,
    batch: int | None = None,
    layout: str | None = None,
    empty_row: EmptyRow = EmptyRow.ZERO,
    what: str = "the array",
) -> Decoded:
    """Read an array ``(q, k)``, ``(b, q, k)``, ``(b, h, q, k)`` or one that ``layout`` names.

    A padding mask ``(b, k)`` is named ``"b k"``: every query reads its keys. ``empty_row`` is what
    a head does with a row that it leaves empty.

    >>> import numpy as np
    >>> bias = np.array([[0.0, -1e9], [-5.0, 0.0]])
    >>> decode(bias).masks
    (((0,), Bits(sets=(1, 3), keys=2)),)

    Law: encoding a Boolean array in any of the four ways and decoding it gives it back, except that
    an additive row of equal finite biases reads every key. Raises :class:`EncodingError` for
    values that say nothing or can be read two ways, :class:`ShapeError` for axes that do not fit.
    """
    view = arrange(_plain(array, what), layout, heads, what)
    used = _settle(view, encoding, what)
    biases = Biases()
    found: dict[tuple[int, ...], list[int]] = {}
    partly: set[int] = set()
    for b in chosen(len(view), batch):
        united = HeadUnion(view.shape[2], view.shape[3], empty_row)
        for start, heads_ in _heads(view[b], used, biases, what):
            united.add(start, heads_)
        found.setdefault(united.rows(), []).append(b)
        partly |= united.partly_empty

    def replay(b: int, q: int, k: int) -> bool:
        row = view[b, :, q : q + 1]
        if used is Encoding.ADDITIVE:
            read = unblocked(row, q, what)[:, 0]
        else:
            read = row[:, 0] != (used is Encoding.BLOCK)
        return any_head_reads(read, k, empty_row)

    told = [*(biases.told() if used is Encoding.ADDITIVE else _told(array.dtype.kind, used))]
    if not names_queries(layout):
        told.append(f'the layout "{layout}" has no query axis: every query reads the same keys')
    comments = (*told, *united_comments(view.shape[1], found.values(), batch))
    masks = tuple((tuple(indices), Bits(sets, view.shape[3])) for sets, indices in found.items())
    return Decoded(masks, used.value, comments, replay, partly_empty=tuple(sorted(partly)))


def chosen(count: int, batch: int | None) -> range:
    """The batch indices to read: all, or the one that was asked for.

    >>> list(chosen(3, None)), list(chosen(3, 1))
    ([0, 1, 2], [1])
    """
    if batch is None:
        return range(count)
    if not 0 <= batch < count:
        raise ShapeError(
            f"batch {batch} was asked for, and {counted(count, 'batch element')} read, from 0 on; "
            "give a smaller one, or say how many there are (--batches B)",
            batch=batch,
        )
    return range(batch, batch + 1)


def united_comments(heads: int, indices: Iterable[Collection[int]], batch: int | None) -> list[str]:
    """Sentences on what was united and which batch elements were read."""
    told = [f"{heads} heads are united: the output projection mixes them"] if heads > 1 else []
    groups = list(indices)
    count = sum(map(len, groups))
    if batch is not None:
        told.append(f"batch element {batch} alone was read")
    elif count > 1:
        distinct = "1 distinct mask" if len(groups) == 1 else f"{len(groups)} distinct masks"
        told.append(f"{count} batch elements hold {distinct}")
    return told


def _plain(array: "NDArray[Any]", what: str) -> "NDArray[Any]":
    """The array without its subclass, unless its type says that no values are there."""
    import numpy as np

    kind = array.dtype.kind
    if kind in _REFUSED:
        hint = "; save bfloat16 as float32" if kind == "V" else ""
        raise EncodingError(
            f"{what} holds {_REFUSED[kind]} ({array.dtype}); give Booleans, integers 0 and 1, or "
            f"additive floats{hint}",
            dtype=str(array.dtype),
        )
    if isinstance(array, np.ma.MaskedArray):
        raise EncodingError(
            f"{what} is a masked array; give its data or its mask, as an ordinary array"
        )
    return np.asarray(array)


def _chunks(view: "NDArray[Any]") -> "Iterator[tuple[int, NDArray[Any]]]":
    """Parts ``(head, query, key)`` of an array ``(..., query, key)``, one head each."""
    queries, keys = view.shape[-2:]
    step = max(1, _CHUNK // keys)
    heads = view if view.ndim == 3 else (head for element in view for head in element)
    for head in heads:
        for start in range(0, queries, step):
            yield start, head[None, start : start + step]


def _settle(view: "NDArray[Any]", encoding: Encoding, what: str) -> Encoding:
    """The encoding that is used: what AUTO and the type of the values say together."""
    kind = view.dtype.kind
    if encoding is Encoding.ADDITIVE and kind == "b":
        raise EncodingError(
            f"{what} holds Booleans, which are not added to scores; say --encoding attend when "
            "true is read, --encoding block when true is not",
            dtype="bool",
        )
    if encoding is not Encoding.AUTO:
        return encoding
    if kind != "f":
        return Encoding.ATTEND
    if any(not _is_01(part).all() for _, part in _chunks(view)):
        return Encoding.ADDITIVE
    raise EncodingError(
        f"{what} holds floats {{0, 1}}: added to scores these block nothing. Say --encoding keep01 "
        "when 1 is read, --encoding block when 1 is not, --encoding additive when they are biases",
        values=(0.0, 1.0),
    )


def _is_01(part: "NDArray[Any]") -> "NDArray[np.bool_]":
    flags: NDArray[np.bool_] = (part == 0) | (part == 1)
    return flags


def _check_01(part: "NDArray[Any]", start: int, what: str) -> None:
    """Refuse values other than 0 and 1 and name the first of them."""
    good = _is_01(part)
    if good.all():
        return
    import numpy as np

    place = tuple(map(int, np.argwhere(~good)[0]))
    value = part[place].item()
    noun, way = (
        ("floats", "say --encoding additive when they are added to scores")
        if part.dtype.kind == "f"
        else (
            "integers",
            "decode a code such as Longformer's 2 first, give packed ids as `documents --param "
            "ids=@ids.npy`, say --encoding additive for biases",
        )
    )
    q, k = start + place[1], place[2]
    raise EncodingError(
        f"{what} holds {noun} other than 0 and 1 ({short(value)} at query {q}, key {k}); {way}",
        value=value,
        query=q,
        key=k,
    )


def _heads(
    element: "NDArray[Any]", encoding: Encoding, biases: Biases, what: str
) -> "Iterator[tuple[int, NDArray[np.bool_]]]":
    """What one batch element ``(head, query, key)`` reads, in parts with their first query."""
    for start, part in _chunks(element):
        if encoding is Encoding.ADDITIVE:
            yield start, biases.read(part, start, what)
        else:
            yield start, _flags(part, encoding, start, what)


def _flags(part: "NDArray[Any]", encoding: Encoding, start: int, what: str) -> "NDArray[np.bool_]":
    import numpy as np

    if part.dtype.kind != "b":
        _check_01(part, start, what)
    flags: NDArray[np.bool_] = np.asarray(part).astype(np.bool_, copy=False)
    return ~flags if encoding is Encoding.BLOCK else flags


def _told(kind: str, used: Encoding) -> list[str]:
    one = "true" if kind == "b" else "1"
    read = "is not read" if used is Encoding.BLOCK else "is read"
    return [f"decoded as {used.value}: {one} {read}"]
