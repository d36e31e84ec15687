"""Reading a named mask: its rows for each batch element, from the query that was asked for.

Convention: a parameter with one axis more than its kind has is a batch, such as ids ``(b, n)`` or a
perm_mask ``(b, q, k)``. The other parameters are the same for every element.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from attnproof.objects import (
    POSITIONS,
    Asked,
    array_from,
    guard,
    of_mask,
    positions_told,
    query_range,
)
from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.formula import evaluate
from attnproof.symbolic.masks.axes import arrange
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.encoding import Decoded, Encoding, chosen, united_comments
from attnproof.symbolic.masks.forms import as_runs
from attnproof.symbolic.masks.made import Made
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.named.named import NamedMask
from attnproof.symbolic.named.registry import get


def of_name(name: str, asked: Asked) -> tuple[Decoded, int]:
    """A named mask as masks, and the offset of its queries.

    Raises :class:`ParameterError` for parameters that do not fit, :class:`ShapeError` for an offset
    that leaves no query and for batch elements of several lengths.
    """
    named = get(name)
    if "n" in asked.params:
        raise ParameterError(
            f"n is the length at which {name} is evaluated and no parameter of it; give n=..., on "
            "the command line --n",
            parameter="n",
        )
    params, asked = _laid_out(named, asked)
    elements = _elements(named, params)
    if elements is None:
        mask, told = _mask(named, params, asked)
        decoded, offset = of_mask(mask, asked, _replay(named, [params], asked))
        return replace(decoded, comments=(*told, *decoded.comments)), offset
    return _of_batch(named, elements, asked)


def _of_batch(
    named: NamedMask, elements: list[dict[str, Any]], asked: Asked
) -> tuple[Decoded, int]:
    if asked.batches not in (1, len(elements)):
        raise ShapeError(
            f"the parameters of {named.name} hold {len(elements)} batch elements, {asked.batches} "
            "were asked for; leave out --batches",
            batches=asked.batches,
        )
    found: dict[Mask, list[int]] = {}
    told: tuple[str, ...] = ()
    for b in chosen(len(elements), asked.batch):
        mask, told = _mask(named, elements[b], asked)
        found.setdefault(mask, []).append(b)
    sizes = sorted({mask.size for mask in found})
    if len(sizes) > 1:
        raise ShapeError(
            f"the batch elements of {named.name} have {' and '.join(map(str, sizes))} positions; "
            "give each as many",
            sizes=tuple(sizes),
        )
    # The options of one mask are checked as everywhere.
    _, offset = of_mask(next(iter(found)), replace(asked, batch=None))
    masks = tuple((tuple(indices), mask.rows) for mask, indices in found.items())
    comments = (*told, *united_comments(1, found.values(), asked.batch))
    replay = _replay(named, elements, asked)
    return Decoded(masks, Encoding.ATTEND.value, comments, replay), offset


def _mask(
    named: NamedMask, params: Mapping[str, Any], asked: Asked
) -> tuple[Mask, tuple[str, ...]]:
    """The rows from the first query on, and what the report says of it."""
    positions = named.positions(asked.n, **params)
    _guard(named, positions, params, asked)
    queries = query_range(named.name, asked, positions)
    mask = named.mask(asked.n, **params)
    if not queries.start:
        return mask, ()
    cut = _from(mask.rows, queries.start)
    return Mask.of(cut, offset=queries.start, name=mask.name), (positions_told(queries),)


def _from(rows: Rows, start: int) -> Rows:
    """The rows from ``start`` on."""
    if isinstance(rows, Bits):
        return Bits(rows.sets[start:], rows.keys)
    if isinstance(rows, Made):
        make, left = rows.make, len(rows) - start
        return Made(lambda a, b: make(start + a, start + b), left, rows.keys, rows.step)
    return as_runs(rows).part(start, len(rows))


def _guard(named: NamedMask, positions: int, params: Mapping[str, Any], asked: Asked) -> None:
    """Refuse more positions than memory is there for; say how many tokens they are at most."""
    n = asked.n
    if positions <= POSITIONS or n is None or positions == n:
        guard(named.name, positions, POSITIONS)
        return

    def above(n: int) -> bool:
        return named.positions(n, **params) > POSITIONS

    try:
        most = bisect_left(range(n), True, lo=1, key=above) - 1
    except ParameterError:
        most = n * POSITIONS // positions
    raise ShapeError(
        f"{named.name} at n = {n} has {positions} positions, above the memory guard of "
        f"{POSITIONS}; give n of at most {most}",
        n=n,
        positions=positions,
        most=most,
    )


def _replay(
    named: NamedMask, elements: list[dict[str, Any]], asked: Asked
) -> Callable[[int, int, int], bool]:
    """The formula of the mask, for whoever asks again."""
    formulas = [named.formula(**params) for params in elements]
    values = [named.values(asked.n, **params) for params in elements]
    start = asked.q_offset or 0

    def replay(b: int, q: int, k: int) -> bool:
        own = b if len(elements) > 1 else 0
        given = {**values[own], "b": b, "h": 0, "q": start + q, "k": k}
        return bool(evaluate(formulas[own], given))

    return replay


def _elements(named: NamedMask, params: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The parameters of each batch element; None where no parameter holds a batch."""
    held = {
        parameter.name: values
        for parameter in named.parameters
        if (values := parameter.kind.elements(params.get(parameter.name))) is not None
    }
    if not held:
        return None
    counts = {name: len(values) for name, values in held.items()}
    if len(set(counts.values())) > 1 or not all(counts.values()):
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ShapeError(
            f"the parameters of {named.name} hold batches of several lengths ({listed}); give "
            "each as many elements",
            counts=counts,
        )
    return [
        {**params, **dict(zip(held, values, strict=True))}
        for values in zip(*held.values(), strict=True)
    ]


def _laid_out(named: NamedMask, asked: Asked) -> tuple[dict[str, Any], Asked]:
    """The parameters, a table with its axes in order; what is asked, its layout used."""
    params = dict(asked.params)
    tables = [x.name for x in named.parameters if x.kind.axes == 2 and x.name in params]
    if asked.layout is None or not tables:
        return params, asked
    (name,) = tables
    view = arrange(array_from(params[name], name), asked.layout, what=name)
    if view.shape[1] != 1:
        raise ShapeError(
            f"{name} of {named.name} has no heads; leave h out of the layout {asked.layout!r}",
            layout=asked.layout,
        )
    return {**params, name: view[:, 0]}, replace(asked, layout=None)
