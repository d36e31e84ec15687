"""Random relations, masks, schedules and forbidden pairs; sparse ones as often as dense ones."""

from collections.abc import Sequence

from hypothesis import strategies as st

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import Setting
from tests.reference import Pair, Pairs, identity, pairs_of_sets, sets_of_pairs

Rows = tuple[int, ...]

#: Sizes on both sides of the word, byte and fast-path boundaries.
BORDERS = (1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 511, 513, 600)


def sizes(most: int = 8) -> st.SearchStrategy[int]:
    """A number of positions."""
    return st.integers(1, most)


@st.composite
def rows(draw: st.DrawFn, n: int) -> Rows:
    """A relation on ``n`` positions: few pairs, intervals, triangular, permuted or any."""
    position = st.integers(0, n - 1)
    shape = draw(st.sampled_from(["sparse", "intervals", "lower", "upper", "permuted", "any"]))
    if shape == "sparse":
        return sets_of_pairs(draw(st.lists(st.tuples(position, position), max_size=2 * n)), n)
    if shape == "intervals":
        ends = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for _ in range(n)]
        return tuple((1 << stop) - (1 << start) for start, stop in ends)
    full = tuple(draw(st.integers(0, (1 << n) - 1)) for _ in range(n))
    if shape == "any":
        return full
    lower = frozenset((q, k) for q, k in pairs_of_sets(full) if k <= q)
    if shape == "upper":
        return sets_of_pairs({(k, q) for q, k in lower}, n)
    to = draw(st.permutations(range(n))) if shape == "permuted" else range(n)
    return sets_of_pairs({(to[q], to[k]) for q, k in lower}, n)


@st.composite
def relations(draw: st.DrawFn, most: int = 8) -> Rows:
    """A relation of any small size."""
    return draw(rows(draw(sizes(most))))


@st.composite
def reflexive(draw: st.DrawFn, most: int = 8) -> Rows:
    """An executed layer that keeps the residual."""
    return with_diagonal(draw(relations(most)))


@st.composite
def schedules(draw: st.DrawFn, most: int = 6, layers: int = 3) -> tuple[Rows, ...]:
    """Successive layers as given, one to ``layers`` of them, on the same positions."""
    n = draw(sizes(most))
    return tuple(draw(rows(n)) for _ in range(draw(st.integers(1, layers))))


@st.composite
def forbidden(draw: st.DrawFn, n: int) -> frozenset[Pair]:
    """Forbidden pairs (reader, source); those of a position with itself among them."""
    return pairs_of_sets(draw(rows(n)))


@st.composite
def wide_rows(draw: st.DrawFn) -> tuple[int, Rows]:
    """A number of keys near a border of the representation, and some rows of that many keys."""
    keys = draw(st.sampled_from(BORDERS))
    several = draw(
        st.lists(
            st.one_of(
                st.just(0),
                st.just((1 << keys) - 1),
                st.integers(0, keys - 1).map(lambda k: 1 << k),
                st.integers(0, (1 << keys) - 1),
            ),
            min_size=1,
            max_size=6,
        )
    )
    return keys, tuple(several)


def with_diagonal(given: Rows) -> Rows:
    """The relation and every position's own key."""
    return sets_of_pairs(pairs_of_sets(given) | identity(len(given)), len(given))


def mask_of(given: Sequence[int]) -> Mask:
    """A square mask."""
    return Mask.of(Bits(tuple(given), len(given)))


def setting_of(layers: Sequence[Rows], depth: int | None = None, residual: bool = True) -> Setting:
    """A setting of square masks."""
    return Setting(tuple(map(mask_of, layers)), depth=depth, residual=residual)


def executed(given: Rows, residual: bool = True) -> Pairs:
    """The executed layer of a square mask, as pairs."""
    return pairs_of_sets(given) | (identity(len(given)) if residual else frozenset())
