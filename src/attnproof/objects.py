"""A mask given as an object of Python: an array, rows, a Mask, a rule, a factory, a BlockMask.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``, whatever the object calls it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attnproof.symbolic.errors import EncodingError, InputError, ParameterError, ShapeError
from attnproof.symbolic.masks import files
from attnproof.symbolic.masks.encoding import Decoded, Encoding, chosen, decode
from attnproof.symbolic.masks.mask import Mask

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


def of_value(value: object, name: str, asked: Asked, made: bool = False) -> tuple[Decoded, int]:
    """An object of Python as masks, and the offset of its queries.

    ``made`` says that a factory returned it. Raises :class:`InputError` for what is no mask.
    """
    from attnproof.numeric.read.block_mask import is_block_mask
    from attnproof.numeric.read.tensors import array_of, is_tensor

    if asked.params and not made and not callable(value):
        _no_params(name, asked)
    plain = replace(asked, params={}) if made else asked
    if isinstance(value, Mask):
        return of_mask(value, plain)
    if is_block_mask(value):
        return _of_block_mask(value, name, plain)
    if is_tensor(value):
        return of_array(array_of(value, name), name, plain)
    if isinstance(value, dict):
        return of_rows(files.some_rows(files.rows_in(value, name), name), name, plain)
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(row, str) for row in value):
            return of_rows(list(value), name, plain)
        return of_array(_array(value, name), name, plain)
    if hasattr(value, "__array__"):
        return of_array(_array(value, name), name, plain)
    if callable(value):
        return _of_callable(value, name, asked, made)
    if value is None:
        raise InputError(
            "the mask is None, which libraries pass where the kernel makes its own causal mask; "
            "verify the mask that runs, such as the named mask causal"
        )
    raise InputError(f"{name} is no mask (its type is {type(value).__name__}); give {FORMS}")


def _array(value: Any, name: str) -> Any:
    import numpy as np

    try:
        return np.asanyarray(value)
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
        raise ShapeError(
            f"{name} is no array ({reason}); give rows of one length, of Booleans or numbers"
        ) from None


def _of_block_mask(value: object, name: str, asked: Asked) -> tuple[Decoded, int]:
    from attnproof.numeric.read.block_mask import decode_block_mask

    _no_encoding(name, asked)
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
    from attnproof.numeric.read.callables import LENGTH, Rule, decode_rule
    from attnproof.numeric.read.signature import Kind, call_factory, kind_of

    if asked.params and not made:
        return of_value(call_factory(value, asked.params, name), name, asked, made=True)
    kind = kind_of(value, name)
    if kind is Kind.FACTORY:
        if made:
            raise InputError(f"{name} returns another factory; return a mask_mod or an array")
        return of_value(call_factory(value, {}, name), name, asked, made=True)
    _no_encoding(name, asked, also=Encoding.ADDITIVE if kind is Kind.SCORE_MOD else None)
    no_offset(name, asked)
    if asked.n is None:
        raise ParameterError(
            f"{name} is a rule, evaluated at one length; say which: --n 64 (n=64 in Python)"
        )
    guard(name, asked.n, LENGTH)
    decoded = decode_rule(
        Rule(value, kind, name),
        asked.n,
        heads=asked.heads,
        batches=asked.batches,
        batch=asked.batch,
    )
    return decoded, 0


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


def of_array(array: Any, name: str, asked: Asked) -> tuple[Decoded, int]:
    """An array of numpy, decoded, and the offset of its queries."""
    _no_params(name, asked)
    decoded = decode(
        array,
        asked.encoding,
        heads=asked.heads,
        batch=asked.batch,
        layout=asked.layout,
        what=name,
    )
    return decoded, asked.q_offset or 0


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
    ask = replay or (lambda b, q, k: mask[q, k])
    indices = tuple(chosen(asked.batches, asked.batch))
    decoded = Decoded(((indices, mask.rows),), Encoding.ATTEND.value, (), ask)
    return decoded, mask.offset if asked.q_offset is None else asked.q_offset


def guard(name: str, n: int, most: int) -> None:
    """Refuse a rule at more positions than memory is there for."""
    if n > most:
        raise ShapeError(
            f"{name} at n = {n} is above the memory guard of {most} positions; give a smaller n",
            n=n,
        )


def no_offset(name: str, asked: Asked) -> None:
    """Refuse an offset for a rule: it has no rows of its own to put elsewhere."""
    if asked.q_offset:
        raise ShapeError(
            f"{name} is a rule, evaluated with as many queries as keys; leave out --q-offset, or "
            "add the offset to the query inside a mask_mod of your own"
        )
