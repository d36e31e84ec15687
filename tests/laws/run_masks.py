"""Masks in runs: those people hold, of any length, and settings of random ones."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import runs_of
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.setting import EmptyRow, Setting
from tests.laws.strategies import Rows, rows

SHAPES = (
    "causal",
    "window",
    "sinks",
    "documents",
    "prefix",
    "blocks",
    "diffusion",
    "shared prefix",
    "both sides",
    "sinks and both sides",
    "sinks of documents",
    "reversed",
    "comb",
    "tree",
    "global",
)


def held(given: Sequence[int]) -> Runs:
    """Square rows as runs."""
    return Runs.from_rows(map(runs_of, given), len(given))


def bits(given: Runs) -> Rows:
    """Rows as bit sets again."""
    return given.bits()


def shaped(shape: str, n: int, step: int) -> Rows:
    """A mask of ``n`` positions; ``step`` is the length of its windows, blocks and documents."""
    return tuple(_set(_keys(shape, n, step, q)) for q in range(n))


def _set(keys: Iterable[int]) -> int:
    return sum(1 << k for k in set(keys))


def _keys(shape: str, n: int, step: int, q: int) -> Iterable[int]:
    begin, half = q // step * step, n // 2
    window = range(max(0, q - step + 1), q + 1)
    around = range(max(0, q - step), min(n, q + step + 1))
    match shape:
        case "causal":
            return range(q + 1)
        case "window":
            return window
        case "sinks":
            return {*range(min(q + 1, 3)), *window}
        case "documents":
            return range(begin, q + 1)
        case "prefix":
            return range(max(q + 1, n // 4))
        case "blocks":
            return range(min(n, begin + step))
        case "diffusion":
            own = q % half if half else 0
            own -= own % step
            if q < half:
                return {*range(own, min(own + step, half)), *range(half, half + own)}
            return range(half, min(half + own + step, n))
        case "shared prefix":
            first = n // 3
            start = first + (q - first) // step * step
            return range(q + 1) if q < first else {*range(first), *range(start, q + 1)}
        case "both sides":
            return around
        case "sinks and both sides":
            return {*range(min(n, 3)), *around}
        case "sinks of documents":
            start = q // (4 * step) * 4 * step
            return {k for k in (start, start + 1, *window) if start <= k <= q}
        case "reversed":
            return range(q, min(n, q + step))
        case "comb":
            return range(q % step, n, step)
        case "tree":
            return {q, (q - 1) // step} if q else {0}
        case "global":
            return range(n) if q % step == 0 else {q, *range(0, n, step)}
        case _:
            raise ValueError(shape)


@st.composite
def relations_in_runs(draw: st.DrawFn, most: int = 40) -> Rows:
    """A relation of up to ``most`` positions: random, or of a shape people use."""
    n = draw(st.integers(1, most))
    if draw(st.booleans()):
        return draw(rows(n))
    return shaped(draw(st.sampled_from(SHAPES)), n, draw(st.integers(1, 7)))


@st.composite
def settings_in_runs(draw: st.DrawFn, most: int = 12, layers: int = 3) -> Setting:
    """Schedules of masks, square or not, with empty rows, with and without a residual."""
    n = draw(st.integers(1, most))
    masks = []
    for _ in range(draw(st.integers(1, layers))):
        queries = draw(st.integers(1, n))
        offset = draw(st.integers(0, n - queries))
        keys = n if offset + queries < n else draw(st.integers(1, n))
        given = draw(rows(n))
        emptied = draw(st.sets(st.integers(0, n - 1), max_size=2))
        kept = [0 if q in emptied else row & (1 << keys) - 1 for q, row in enumerate(given)]
        masks.append(Mask.of(Bits(tuple(kept[:queries]), keys), offset=offset))
    return Setting(
        tuple(masks),
        draw(st.one_of(st.none(), st.integers(0, 9), st.just(10**6))),
        draw(st.sampled_from([True, True, False])),
        draw(st.sampled_from(EmptyRow)),
    )
