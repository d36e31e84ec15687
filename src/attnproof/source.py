"""Reading a SOURCE: a file, an object of Python, a rule, or the name of a mask.

Convention: ``mask[q, k]`` is true when query ``q`` reads key ``k``; query ``i`` stands at position
``offset + i``. Heads of one layer are united; each distinct mask of a batch is read once.
"""

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attnproof.objects import (
    FORMS,
    POSITIONS,
    Asked,
    guard,
    needs_offset,
    of_array,
    of_blocks,
    of_json,
    of_rows,
    of_value,
)
from attnproof.parameters import for_certificate, from_certificate
from attnproof.render.ranges import spans
from attnproof.symbolic.errors import (
    FileError,
    InputError,
    ParameterError,
    ShapeError,
)
from attnproof.symbolic.evidence import Evidence
from attnproof.symbolic.masks import files
from attnproof.symbolic.masks.additive import listed
from attnproof.symbolic.masks.encoding import Decoded, Encoding
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted


@dataclass(frozen=True)
class Reading:
    """What a source says.

    ``masks`` holds each distinct mask with the batch indices that have it, in order of first
    appearance. ``replay(batch, q, k)`` asks the user's own object again whether row ``q`` (before
    the offset) reads key ``k`` in any head. ``read(source, **parameters)`` reads it again.
    ``claims`` are evidence for the ``notes`` that are errors.
    """

    masks: tuple[tuple[tuple[int, ...], Mask], ...]
    encoding: str
    name: str
    notes: tuple[Finding, ...]
    comments: tuple[str, ...]
    parameters: Mapping[str, object]
    replay: Callable[[int, int, int], bool]
    claims: tuple[Evidence, ...] = ()


def read(
    source: object,
    *,
    n: int | None = None,
    encoding: str = "auto",
    q_offset: int | None = None,
    params: Mapping[str, object] = MappingProxyType({}),
    heads: int | None = None,
    batches: int | None = None,
    batch: int | None = None,
    layout: str | None = None,
    queries: int | None = None,
    empty_row: str | None = None,
) -> Reading:
    """Read a source as the command line names it, or an object of Python.

    Objects are arrays ``(q, k)``, ``(b, q, k)`` or ``(b, h, q, k)`` of numpy or torch, a
    :class:`Mask`, rows of text, ``{"rows": [...]}``, a list of blocks, a mask_mod, score_mod,
    factory or BlockMask. With ``q_offset`` a rule or named mask is read for the queries at
    positions ``q_offset .. n - 1``; with ``queries`` a rule counts its queries from 0 itself.
    ``empty_row`` says what a head does with a row that it alone leaves empty. Without ``heads`` and
    ``batches`` a rule is evaluated for one of each, with a note where it looks at which.

    >>> reading = read(["1..", "11.", "111"])
    >>> reading.masks[0][1][2, 0], reading.encoding
    (True, 'attend')

    Raises :class:`InputError` for whatever cannot be read or can be read two ways.
    """
    asked = Asked(
        n=_counted(n, "n", 1),
        encoding=Encoding.of(encoding),
        q_offset=_counted(q_offset, "the query offset", 0),
        params=from_certificate(params),
        heads=_counted(heads, "the number of heads", 1) or 1,
        batches=_counted(batches, "the number of batch elements", 1) or 1,
        batch=_counted(batch, "the batch element", 0),
        layout=layout,
        queries=_counted(queries, "the number of queries", 1),
        empty_row=EmptyRow.of(empty_row),
    )
    name = name_of(source)
    decoded, offset = _decoded(source, name, asked)
    masks = tuple(
        (batches_, Mask.of(rows, offset=offset, name=name)) for batches_, rows in decoded.masks
    )
    first = masks[0][1]
    by_name = isinstance(source, str) and _is_named(source)
    placed = asked.q_offset is not None or isinstance(source, Mask)
    _check_shape(first, name, asked, by_name, placed)
    guard(name, first.size, POSITIONS)
    parameters = {
        "n": asked.n if by_name or asked.n is not None else first.size,
        "encoding": encoding,
        "q_offset": q_offset,
        "params": for_certificate(asked.params),
        "heads": asked.heads,
        "batches": asked.batches,
        "batch": batch,
        "layout": layout,
    }
    if queries is not None:
        parameters["queries"] = queries
    answered = {"one_head": heads is not None, "one_batch": batches is not None}
    comments = (*decoded.comments, *_cached(first))
    notes = tuple(note for note in decoded.notes if not answered.get(note.kind))
    if decoded.partly_empty and asked.empty_row is not EmptyRow.ZERO:
        parameters["empty_row"] = asked.empty_row.value
        rows = [first.offset + q for q in decoded.partly_empty]
        if asked.empty_row is EmptyRow.UNIFORM:
            comments = (*comments, f"in some head {_nothing(rows)}, and so the mean of every key")
        else:
            notes = (*notes, _nan(rows))
    return Reading(
        masks,
        decoded.encoding,
        name,
        notes,
        comments,
        parameters,
        decoded.replay,
        decoded.claims,
    )


def _nothing(rows: Sequence[int]) -> str:
    one = len(rows) == 1
    return f"{'query' if one else 'queries'} {spans(rows)} read{'s' if one else ''} nothing"


def _nan(rows: Sequence[int]) -> Finding:
    message = f"in some head {_nothing(rows)}: the output there is NaN, whatever other heads read"
    return Finding("structure", message, property="no-empty-rows", reader=rows[0])


def name_of(source: object) -> str:
    """The source as the user wrote it; for an object, its own name or its type's.

    >>> name_of("mask.npy"), name_of([[1]])
    ('mask.npy', 'list')
    """
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source) if isinstance(source, os.PathLike) else source
    if isinstance(source, Mask):
        return source.name or "mask"
    called = getattr(source, "func", source)
    name = getattr(called, "__name__", None)
    return name if isinstance(name, str) else type(source).__name__


def _counted(value: int | None, what: str, least: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ParameterError(f"{what} is {value!r}; give an integer", value=value)
    number = value.__index__()
    if number < least:
        raise ParameterError(f"{what} is {number}; it must be {least} or more", value=number)
    return number


def _decoded(source: object, name: str, asked: Asked) -> tuple[Decoded, int]:
    """A source as masks, and the offset of its queries."""
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if not isinstance(source, str):
        return of_value(source, name, asked)
    if source == "-":
        return of_array(files.load_stdin(), "standard input", asked)
    parts = files.split_key(source)
    if parts is not None:
        return _of_file(*parts, name, asked)
    if _is_named(source):
        from attnproof.named import of_name

        return of_name(source, asked)
    from attnproof.numeric.read.objects import names_object, resolve

    if not names_object(source) or ".toml:" in source:
        raise unknown(source)
    return of_value(resolve(source), name, asked)


def _is_named(source: str) -> bool:
    if source == "-" or files.split_key(source) is not None or ":" in source:
        return False
    from attnproof.symbolic.named.registry import names

    return source in names()


def unknown(source: str, forms: str = FORMS) -> InputError:
    """That a text names no mask, with the nearest names; ``forms`` is what can be given."""
    from attnproof.symbolic.named.registry import names

    if source.endswith(".py"):
        return unnamed(source, "mask", "name one")
    if source.endswith(".toml") or ".toml:" in source:
        return InputError(
            f"{source} is a task, and no mask by itself: give it as --task {source}, or write its "
            f"mask with attnproof merge {source} --emit-mask-mod FILE.py",
            source=source,
        )
    if os.path.exists(source):
        return FileError(f"{source} has an ending that is not read; give {forms}", path=source)
    near = difflib.get_close_matches(source, names(), n=3)
    hint = f"did you mean {' or '.join(near)}? Give" if near else "give"
    return InputError(f"{source!r} names no mask; {hint} {forms}", source=source, near=tuple(near))


def unnamed(
    path: str, what: str, way: str, fits: Callable[[Any], bool] | None = None
) -> InputError:
    """That a Python file was given and none of what it defines; with ``fits`` its callables are
    listed, those that fit first."""
    from attnproof.numeric.read.objects import names_in, resolve

    held = names_in(path)
    if fits is not None:
        space: Any = resolve(f"{path}:__dict__")
        held = sorted((x for x in held if callable(space[x])), key=lambda x: not fits(space[x]))
    if not held:
        return InputError(f"{path} defines no {what}; name a file that does")
    more = ", ..." if len(held) > 8 else ""
    return InputError(
        f"{path} holds {', '.join(held[:8])}{more}; {way}, as in {path}:{held[0]}",
        names=tuple(held),
    )


def _of_file(path: str, key: str | None, name: str, asked: Asked) -> tuple[Decoded, int]:
    ending = Path(path).suffix.lower()
    if ending == ".npz" and key is None:
        from attnproof.numeric.read.block_list import bsr, is_bsr

        names = files.names_in(path)
        if is_bsr(names):
            return of_blocks(bsr({x: files.load_array(path, x) for x in names}, name), name, asked)
    if ending in (".npy", ".npz"):
        return of_array(files.load_array(path, key), name, asked)
    if ending == ".txt":
        return of_rows(files.load_text(path), name, asked)
    if ending == ".json":
        return of_json(files.json_content(path), name, asked)
    from attnproof.numeric.read.torch_files import load_torch_file

    stored = load_torch_file(path, key)
    told = []
    if asked.encoding is Encoding.AUTO and "encoding" in stored.metadata:
        asked = replace(asked, encoding=Encoding.of(stored.metadata["encoding"]))
        told.append(f"the encoding {asked.encoding.value} is taken from the file's metadata")
    if asked.layout is None and "layout" in stored.metadata:
        asked = replace(asked, layout=stored.metadata["layout"])
        told.append(f'the layout "{asked.layout}" is taken from the file\'s metadata')
    decoded, offset = of_array(stored.array, name, asked)
    return replace(decoded, comments=(*told, *decoded.comments)), offset


def _check_shape(mask: Mask, name: str, asked: Asked, by_name: bool, placed: bool) -> None:
    """Refuse a rectangle without an offset, and another length than was asked for.

    A :class:`Mask` is placed already.
    """
    if mask.queries != mask.keys and not placed and not mask.offset:
        raise needs_offset(name, mask.queries, mask.keys)
    if asked.n is not None and not by_name and asked.n != mask.size:
        raise ShapeError(
            f"{name} has {counted(mask.size, 'position')}, n = {asked.n} was asked for; leave out "
            "--n, or give a mask of that length",
            n=asked.n,
            size=mask.size,
        )


def _cached(mask: Mask) -> tuple[str, ...]:
    stop = mask.offset + mask.queries
    outside = [*range(mask.offset), *range(stop, mask.size)]
    if not outside:
        return ()
    keys = f"key {outside[0]} is" if len(outside) == 1 else f"keys {listed(outside)} are"
    return (f"{keys} cached: no query stands there, the history is not checked",)
