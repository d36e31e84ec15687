"""A mask given as an object of Python: an array, rows, a Mask, a rule, a factory, a BlockMask.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``, whatever the object calls it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from attnproof.symbolic.errors import EncodingError, InputError, ParameterError, ShapeError
from attnproof.symbolic.masks import files
from attnproof.symbolic.masks.axes import names_queries
from attnproof.symbolic.masks.encoding import Decoded, Encoding, chosen, decode
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.words import counted

#: The most positions that a rule may speak of.
POSITIONS = 1 << 20
#: What a source can be, for messages.
FORMS = (
    f"a file ({files.FORMS}), an object (pkg.mod:name or path/file.py:name), - for .npy on "
    "standard input, or a named mask (attnproof masks)"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a source is to be read."""

    n: int | None
    encoding: Encoding
    q_offset: int | None
    params: Mapping[str, object]
    heads: int
    batches: int
    batch: int | None
    layout: str | None
    queries: int | None = None
    empty_row: EmptyRow = EmptyRow.ZERO


def of_value(value: object, name: str, asked: Asked, made: bool = False) -> tuple[Decoded, int]:
    """An object of Python as masks, and the offset of its queries.

    ``made`` says that a factory returned it. Raises :class:`InputError` for what is no mask.
    """
    from attnproof.numeric.read.block_mask import is_block_mask
    from attnproof.numeric.read.tensors import array_of, is_tensor
    from attnproof.symbolic.tasks.task import Task

    if asked.params and not made and not callable(value):
        _no_params(name, asked)
    plain = replace(asked, params={}) if made else asked
    if isinstance(value, Mask):
        return of_mask(value, plain)
    if isinstance(value, Task) or isinstance(getattr(value, "mask", None), Mask):
        return _of_task(value, name, plain)
    if is_block_mask(value):
        return _of_block_mask(value, name, plain)
    if is_tensor(value):
        return of_array(array_of(value, name), name, plain)
    if isinstance(value, dict):
        _check_one(value, name)
        return of_json(value, name, plain)
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(row, str) for row in value):
            return of_rows(list(value), name, plain)
        return of_array(array_from(value, name), name, plain)
    if hasattr(value, "__array__"):
        return of_array(array_from(value, name), name, plain)
    if callable(value):
        return _of_callable(value, name, asked, made)
    if value is None:
        raise InputError(
            "the mask is None, which libraries pass where the kernel makes its own; verify the "
            "mask that runs: the named mask causal where is_causal=True, full where nothing is "
            "masked"
        )
    raise InputError(f"{name} is no mask (its type is {type(value).__name__}); give {FORMS}")


def _of_task(value: Any, name: str, asked: Asked) -> tuple[Decoded, int]:
    """The mask alone of a task, or of an answer that has one."""
    from attnproof.symbolic.tasks.task import Task

    mask = value.mask
    if isinstance(value, Task):
        if len(value.layers) > 1:
            raise InputError(
                f"the task has {len(value.layers)} layers of masks; give its layers with "
                "per_layer, as in verify(*task.layers, per_layer=True)"
            )
        mask = next(iter(value.layers))
    decoded, offset = of_mask(mask, asked)
    told = f"the mask of a {type(value).__name__} alone: labels are asked with task=..."
    return replace(decoded, comments=(told, *decoded.comments)), offset


def of_json(content: object, name: str, asked: Asked) -> tuple[Decoded, int]:
    """Rows ``{"rows": [...]}`` or a list of blocks, and the offset of their queries."""
    from attnproof.numeric.read.block_list import block_list, is_block_list

    if isinstance(content, Mapping) and is_block_list(content):
        return of_blocks(block_list(content, name), name, asked)
    return of_rows(files.rows_in(content, name), name, asked)


def of_blocks(mask: Mask, name: str, asked: Asked) -> tuple[Decoded, int]:
    """A mask that was listed as blocks, and the offset of its queries."""
    _no_params(name, asked)
    decoded, offset = of_mask(mask, asked)
    told = "read as a list of blocks: pairs of the listed ones are read, no others"
    return replace(decoded, comments=(told, *decoded.comments)), offset


def _check_one(value: Mapping[Any, Any], name: str) -> None:
    """Refuse a dictionary of masks, as Hugging Face makes for models with several layer types."""
    if "rows" not in value and any(x is None or _is_mask(x) for x in value.values()):
        listed = ", ".join(map(str, value))
        raise InputError(
            f"{name} holds several masks ({listed}); give one of them, or those of successive "
            "layers with per_layer"
        )


def _is_mask(value: object) -> bool:
    from attnproof.numeric.read.block_mask import is_block_mask

    return isinstance(value, Mask) or is_block_mask(value) or hasattr(value, "__array__")


def array_from(value: Any, name: str) -> Any:
    """The array of numpy that nested lists, or an object that converts itself, are."""
    import numpy as np

    try:
        return np.asanyarray(value)
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
        raise ShapeError(
            f"{name} is no array ({reason}); give rows of one length, of Booleans or numbers"
        ) from None


def _of_block_mask(value: Any, name: str, asked: Asked) -> tuple[Decoded, int]:
    from attnproof.numeric.read.block_mask import decode_block_mask

    _no_encoding(name, asked)
    _no_queries(name, asked)
    heads = max(asked.heads, *map(int, value.kv_num_blocks.shape[1:-1]), 1)
    if heads > 1 and asked.empty_row is not EmptyRow.ZERO:
        raise InputError(
            f"{name} has {heads} heads, and FlexAttention returns zeros where a head reads "
            f"nothing; leave out --empty-row {asked.empty_row.value}, or give its mask_mod with "
            f"--heads {heads}",
            heads=heads,
        )
    offset = asked.q_offset or 0
    decoded = decode_block_mask(
        value,
        asked.n,
        heads=asked.heads,
        batches=asked.batches,
        batch=asked.batch,
        offset=offset,
        name=name,
    )
    return decoded, offset


def _of_callable(
    value: Callable[..., object], name: str, asked: Asked, made: bool
) -> tuple[Decoded, int]:
    from attnproof.numeric.read.callables import LENGTH, Rule
    from attnproof.numeric.read.rule_masks import decode_rule
    from attnproof.numeric.read.signature import Kind, call_factory, kind_of

    if asked.params and not made:
        return of_value(call_factory(value, asked.params, name), name, asked, made=True)
    kind = kind_of(value, name)
    if kind is Kind.FACTORY:
        if made:
            raise InputError(f"{name} returns another factory; return a mask_mod or an array")
        return of_value(call_factory(value, {}, name), name, asked, made=True)
    _no_encoding(name, asked, also=Encoding.ADDITIVE if kind is Kind.SCORE_MOD else None)
    n = length_of(value, name, asked.n)
    queries = query_range(name, asked, n)
    guard(name, n, LENGTH if len(queries) == n else POSITIONS)
    decoded = decode_rule(
        Rule(value, kind, name),
        n,
        queries=queries,
        heads=asked.heads,
        batches=asked.batches,
        batch=asked.batch,
        empty_row=asked.empty_row,
    )
    return decoded, asked.q_offset or 0


def length_of(rule: Callable[..., object], name: str, n: int | None) -> int:
    """The length at which a rule is evaluated: what is asked for, or its own attribute ``n``, as
    :func:`attnproof.merge` writes it.

    Raises :class:`InputError` where there is none, or where the two differ.
    """
    own = getattr(rule, "n", None) if isinstance(rule, FunctionType) else None
    if not isinstance(own, int) or isinstance(own, bool):
        own = None
    found = own if n is None else n
    if found is None:
        raise ParameterError(
            f"{name} is a rule, evaluated at one length; say which: --n 64 (n=64 in Python)"
        )
    if own is not None and found != own:
        raise ShapeError(
            f"{name} is for exactly {counted(own, 'position')}, as its attribute n says, and n = "
            f"{found} was asked for; leave out --n, or write the rule for that length",
            n=found,
            size=own,
        )
    return found


def _no_params(name: str, asked: Asked) -> None:
    if asked.params:
        key = next(iter(asked.params))
        raise ParameterError(
            f"{name} takes no parameters, {key} was given; parameters belong to factories and "
            "named masks",
            parameter=key,
        )


def _no_encoding(name: str, asked: Asked, also: Encoding | None = None) -> None:
    if asked.encoding not in (Encoding.AUTO, Encoding.ATTEND, also):
        raise EncodingError(
            f"{name} is no array: what it reads is fixed; leave out --encoding "
            f"{asked.encoding.value}",
            encoding=asked.encoding.value,
        )
    if asked.layout is not None:
        raise ShapeError(f"{name} is no array and has no axes; leave out --layout")


def _no_queries(name: str, asked: Asked) -> None:
    if asked.queries is not None:
        raise ShapeError(
            f"{name} is no rule: how many queries it has is fixed; leave out --queries",
            queries=asked.queries,
        )


def of_array(array: Any, name: str, asked: Asked) -> tuple[Decoded, int]:
    """An array of numpy, decoded, and the offset of its queries."""
    _no_params(name, asked)
    _no_queries(name, asked)
    shape = array.shape
    if asked.q_offset is None and asked.layout is None and len(shape) in (2, 3, 4):
        queries, keys = shape[-2:]
        if queries != keys and 0 not in shape:
            raise needs_offset(name, queries, keys, _without_queries(shape))
    if asked.q_offset and not names_queries(asked.layout):
        raise ShapeError(
            f"the layout {asked.layout!r} has no query axis: a query stands at every position; "
            "leave out --q-offset",
            layout=asked.layout,
        )
    decoded = decode(
        array,
        asked.encoding,
        heads=asked.heads,
        batch=asked.batch,
        layout=asked.layout,
        empty_row=asked.empty_row,
        what=name,
    )
    return decoded, asked.q_offset or 0


def _without_queries(shape: tuple[int, ...]) -> str:
    """What else a rectangle may be: padding, the same for every query."""
    if len(shape) == 2:
        return ', or --layout "b k" when each row is the padding of a batch element'
    if shape[-2] > 1:
        return ""
    axes = "b 1 k" if len(shape) == 3 else "b 1 1 k" if shape[1] == 1 else "b h 1 k"
    return f', or --layout "{axes}" when every query reads this row'


def needs_offset(name: str, queries: int, keys: int, more: str = "") -> ShapeError:
    """What to say to a rectangle whose queries have no place."""
    last = max(0, keys - queries)
    return ShapeError(
        f"{name} has {counted(queries, 'query')}, {counted(keys, 'key')}: say --q-offset (the "
        f"position of query 0), e.g. --q-offset {last} when the queries are the last ones{more}",
        queries=queries,
        keys=keys,
    )


def of_rows(rows: list[str], name: str, asked: Asked) -> tuple[Decoded, int]:
    """Rows of text, and the offset of their queries."""
    _no_params(name, asked)
    mask = files.mask_of_rows(rows, name)
    return of_mask(mask, asked, lambda b, q, k: rows[q][k] in "1#")


def of_mask(
    mask: Mask, asked: Asked, replay: Callable[[int, int, int], bool] | None = None
) -> tuple[Decoded, int]:
    """A mask that is one already, and the offset of its queries."""
    _no_encoding(mask.name or "a mask", asked)
    _no_queries(mask.name or "a mask", asked)
    ask = replay or (lambda b, q, k: mask[q, k])
    indices = tuple(chosen(asked.batches, asked.batch))
    decoded = Decoded(((indices, mask.rows),), Encoding.ATTEND.value, (), ask)
    return decoded, mask.offset if asked.q_offset is None else asked.q_offset


def guard(name: str, n: int, most: int) -> None:
    """Refuse a rule at more positions than memory is there for."""
    if n > most:
        raise ShapeError(
            f"{name} at n = {n} is above the memory guard of {most} positions; "
            f"give n of at most {most}",
            n=n,
        )


def query_range(name: str, asked: Asked, positions: int) -> range:
    """The queries for which a rule is asked: positions, or counted from 0 as it counts them.

    Raises :class:`ShapeError` where there are none, or where they stand behind the last key.
    """
    start = asked.q_offset or 0
    if start >= positions:
        raise ShapeError(
            f"{name} has positions 0..{positions - 1}: --q-offset {start} leaves no query; give at "
            f"most {positions - 1}",
            offset=start,
            positions=positions,
        )
    if asked.queries is None:
        return range(start, positions)
    if asked.q_offset is None and asked.queries != positions:
        raise needs_offset(name, asked.queries, positions)
    if start + asked.queries > positions:
        raise ShapeError(
            f"{name} has {asked.queries} queries from position {start} on, and {positions} keys; "
            f"give --n {start + asked.queries} or more",
            queries=asked.queries,
            keys=positions,
        )
    return range(asked.queries)


def positions_told(queries: range) -> str:
    """A sentence on the queries that were taken.

    >>> positions_told(range(4, 8))
    'the queries at positions 4..7 were taken'
    """
    if len(queries) == 1:
        return f"the query at position {queries.start} was taken"
    return f"the queries at positions {queries.start}..{queries.stop - 1} were taken"
