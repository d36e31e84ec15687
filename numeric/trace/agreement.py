"""The formula against what torch computes: both at small indices and around each constant.

Agreement at finitely many points proves nothing; it finds mistakes of the tracer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from attnproof.numeric.read.callables import Rule
from attnproof.numeric.read.signature import Kind
from attnproof.numeric.trace.constants import watched
from attnproof.numeric.trace.gathering import Gathered
from attnproof.numeric.trace.refusal import TraceError
from attnproof.numeric.trace.traced import sizes_of
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import INDICES, Term, evaluate, fold, variables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Query and key positions that are compared, fewer where torch is called pair by pair.
_POSITIONS = 40
_BY_PAIRS = 10
_LARGEST = 1 << 20
#: Below this are positions at which a number that leaves 64 bits is a mistake of the rule.
_SMALL = 8
_HEADS = 3
_LENGTH = 12
_SAMPLES = ((1, 2, 3), (2, 1, 4), (3, 5, 2), (4, 3, 1), (5, 4, 6), (8, 2, 4))

Build = Callable[[Mapping[str, object]], Callable[..., Any]]


def agree(
    name: str, found: Gathered, build: Build, symbols: Mapping[str, Term], rule: Callable[..., Any]
) -> int:
    """How many points were compared, all equal.

    Raises :class:`TraceError` with the first (b, h, q, k) at which they differ.
    """
    total = 0
    for env, function in _rules(name, found, build, symbols, rule):
        for batch in (0, 1):
            total += _compared(name, function, found, env, batch)
        if not total:
            raise TraceError(
                f"{name} has no value at query 0, key 0, so its formula cannot be checked; are its "
                "tensors empty?"
            )
    return total


def _rules(
    name: str, found: Gathered, build: Build, symbols: Mapping[str, Term], rule: Callable[..., Any]
) -> Iterator[tuple[dict[str, Any], Callable[..., Any]]]:
    """Environments with the rule for their parameters."""
    values: dict[str, Any] = {x.name: x.values for x in found.tensors.values()}
    values |= {"n": _LENGTH, **sizes_of(found.tensors)}
    if not symbols:
        yield values, build({})
        return
    failed: InputError | None = None
    count = 0
    for chosen in _samples(rule, sorted(frozenset().union(*map(variables, symbols.values())))):
        env = {**values, **chosen}
        try:
            function = build({x: evaluate(term, env) for x, term in symbols.items()})
        except InputError as error:
            failed = error
            continue
        count += 1
        yield env, function
    if failed is not None and not count:
        raise TraceError(f"{name} cannot be made for any small parameters: {failed}")


def _samples(rule: Callable[..., Any], names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Values of parameters, and of n where it is one: small ones, then for each alone what the
    code looks for."""
    free = [name for name in names if name != "n"]
    small = [
        {x: sample[i % len(sample)] for i, x in enumerate(free)}
        for sample in (_SAMPLES if free else _SAMPLES[:1])
    ]
    yield from small
    for name in names:
        yield from ({**small[0], name: value} for value in watched(rule))


def _compared(
    name: str,
    function: Callable[..., Any],
    found: Gathered,
    env: Mapping[str, Any],
    batch: int,
) -> int:
    """The number of equal points of one batch element; 0 where the rule has no values."""
    import numpy as np

    needs = [x.formula for x in found.obligations]
    for heads, at in _grids(found):
        if not _hold(found.requires, env, batch, heads, at):
            continue
        tiles = np.tile(at, (len(heads), 1))
        rule = Rule(function, Kind.MASK_MOD, name)
        rule.pairs = tiles.size * len(at)
        try:
            torch_says = rule.tiles(batch, np.array(heads), tiles, tiles)
        except InputError as error:
            if _hold(needs, env, batch, heads, at):
                raise TraceError(
                    f"{name} has a formula where torch computes nothing: {error}", because=error
                ) from None
            continue
        formula = _formula(name, found, env, batch, heads, at)
        _same(name, found, torch_says, formula, batch, heads, at)
        _fits(name, found, env, formula, batch, heads, at)
        return int(torch_says.size)
    return 0


def _grids(found: Gathered) -> "Iterator[tuple[range, NDArray[np.int64]]]":
    """Heads and positions to compare, most first."""
    import numpy as np

    candidates = _positions(found, _BY_PAIRS if len(found.paths) > 1 else _POSITIONS)
    for heads in (range(_HEADS), range(1)):
        for limit in _limits(found):
            kept = [x for x in candidates if limit is None or x < limit]
            yield heads, np.array(kept, dtype=np.int64)


def _hold(
    needs: Sequence[Term],
    env: Mapping[str, Any],
    batch: int,
    heads: range,
    at: "NDArray[np.int64]",
) -> bool:
    """Whether all of the formulas hold at these points."""
    import numpy as np

    axes = {"h": np.array(heads)[:, None, None], "q": at[:, None], "k": at[None, :]}
    try:
        return all(np.all(evaluate(x, {**env, **axes, "b": batch})) for x in needs)
    except InputError:
        return False


def _formula(
    name: str,
    found: Gathered,
    env: Mapping[str, Any],
    batch: int,
    heads: range,
    at: "NDArray[np.int64]",
) -> "NDArray[np.bool_]":
    """The values (head, query, key), each case at its own points."""
    import numpy as np

    grid = np.meshgrid(np.array(heads), at, at, indexing="ij")
    flat = {x: part.ravel() for x, part in zip(INDICES[1:], grid, strict=True)}
    flat["b"] = np.full_like(flat["q"], batch)
    result = np.zeros(len(flat["q"]), dtype=bool)
    try:
        for path in found.paths:
            own = np.arange(len(result))
            for condition in path.conditions:
                own = own[_at(condition, env, flat, own)] if len(own) else own
            if len(own):
                result[own] = _at(path.term, env, flat, own)
    except InputError as error:
        outside = "reads outside of a tensor where torch counts from its end"
        told = outside if "index" in error.parts else "has no value where torch has one"
        raise TraceError(f"{name} {told}: {error}", because=error) from None
    return result.reshape(grid[0].shape)


def _at(
    term: Term, env: Mapping[str, Any], flat: "Mapping[str, NDArray[np.int64]]", own: Any
) -> Any:
    return evaluate(term, {**env, **{x: part[own] for x, part in flat.items()}})


def _same(
    name: str,
    found: Gathered,
    torch_says: "NDArray[np.bool_]",
    formula: "NDArray[np.bool_]",
    batch: int,
    heads: range,
    at: "NDArray[np.int64]",
) -> None:
    import numpy as np

    wrong = np.argwhere(torch_says != formula)
    if not len(wrong):
        return
    h, q, k = (int(x) for x in wrong[0])
    place = (batch, heads[h], int(at[q]), int(at[k]))
    raise TraceError(
        f"{name} is {bool(torch_says[h, q, k])} at (b, h, q, k) = {place}, and its formula is "
        f"{bool(formula[h, q, k])}: {found.term!r}",
        place=place,
    )


def _fits(
    name: str,
    found: Gathered,
    env: Mapping[str, Any],
    formula: "NDArray[np.bool_]",
    batch: int,
    heads: range,
    at: "NDArray[np.int64]",
) -> None:
    """The formula on unbounded integers is that on 64 bits, at a few small positions."""
    small = [i for i, x in enumerate(at) if x < _SMALL]
    corners = sorted({*small[:2], *small[-1:]})
    for h, q, k in product(range(len(heads)), corners, corners):
        place = (batch, heads[h], int(at[q]), int(at[k]))
        values = {**env, **dict(zip(INDICES, place, strict=True))}
        for path in found.paths:
            if all(evaluate(condition, values) for condition in path.conditions):
                if bool(evaluate(path.term, values)) != bool(formula[h, q, k]):
                    raise TraceError(
                        f"{name} leaves 64 bits at (b, h, q, k) = {place}, and its formula speaks "
                        f"of unbounded integers: {found.term!r}; keep numbers below 2**63",
                        place=place,
                    )
                break


def _limits(found: Gathered) -> list[int | None]:
    """Bounds on positions to try, widest first: sizes of the tensors that are read."""
    sizes = {size for x in found.tensors.values() for size in x.values.shape}
    smaller = {part for size in sizes for part in (size, size - 1, size // 2, 1) if part > 0}
    return [None, *sorted(smaller, reverse=True)] if sizes else [None]


def _positions(found: Gathered, most: int) -> list[int]:
    """Small positions, and those around constants and the sizes of tensors."""
    marks: dict[int, None] = dict.fromkeys(range(min(8, most // 2)))
    terms = [x for path in found.paths for x in (*path.conditions, path.term)]
    sizes = [size for x in found.tensors.values() for size in x.values.shape]
    for mark in sorted({*sizes, *_constants(terms)}):
        marks |= dict.fromkeys((mark - 1, mark, mark + 1, 2 * mark + 1))
    marks |= dict.fromkeys(range(8, most))
    return sorted([x for x in marks if 0 <= x < _LARGEST][:most])


def _constants(terms: Sequence[Term]) -> set[int]:
    found: set[int] = set()

    def combine(node: Term, parts: list[None]) -> None:
        if node.op == "int" and node.value is not None and 1 < node.value < _LARGEST:
            found.add(node.value)

    for term in terms:
        fold(term, combine)
    return found
