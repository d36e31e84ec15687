"""What each call of torch does with a mask: one measured line each, printed in docs/backends.md."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from attnproof.numeric.attention import Backend, Blocking, native_attention
from tests.numeric.networks import close, normal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "backends.md"
N, WIDTH = 3, 4
#: Query 0 reads key 0, query 1 nothing, query 2 everything.
READS = torch.tensor([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).bool()
Call = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def native(backend: Backend, blocking: Blocking = Blocking.BOOLEAN) -> Call:
    """A kernel as it is: ``(query, key, value, mask)`` of one batch element and one head."""
    return lambda q, k, v, mask: native_attention(q, k, v, mask, backend=backend, blocking=blocking)


def added(low: float) -> Call:
    """SDPA with a constant added to the scores of keys that are not read."""

    def call(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, low)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

    return call


def multihead(*, weights: bool, blocks: bool = True) -> Call:
    """``nn.MultiheadAttention`` with projections that change nothing; true blocks, or is meant to
    read."""

    def call(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        width = q.shape[-1]
        module = nn.MultiheadAttention(width, 1, bias=False, batch_first=True, dtype=q.dtype)
        same = torch.eye(width, dtype=q.dtype)
        with torch.no_grad():
            module.in_proj_weight.copy_(torch.cat([same] * 3))
            module.out_proj.weight.copy_(same)
            given = ~mask if blocks else mask
            found = module(q[:, 0], k[:, 0], v[:, 0], attn_mask=given, need_weights=weights)[0]
        assert isinstance(found, Tensor)
        return found[:, None]

    return call


def weights_of(call: Call, mask: Tensor, dtype: torch.dtype = torch.float64) -> Tensor:
    """The weight ``(q, k)`` of each value, read off unit vectors in place of values."""
    queries, keys = mask.shape
    width = max(WIDTH, keys)
    query, key = normal(1, 1, queries, width), normal(1, 1, keys, width, seed=1)
    value = torch.eye(keys, width, dtype=dtype)[None, None]
    return call(query.to(dtype), key.to(dtype), value, mask)[0, 0, :, :keys]


def own_scores(queries: int, keys: int) -> Tensor:
    """The weights without any mask."""
    return weights_of(native(Backend.PLAIN), torch.ones(queries, keys, dtype=torch.bool))


def empty_row(call: Call, dtype: torch.dtype = torch.float64) -> str:
    """What the query that reads nothing returns."""
    row = weights_of(call, READS, dtype)[1].double()
    if row.isnan().all():
        return "NaN"
    if not row.any():
        return "0"
    if close(row, torch.full_like(row, 1 / N), 1e-6):
        return "the mean of all values"
    return "all values, by score" if close(row, own_scores(N, N)[1], 1e-6) else "something else"


def polarity(call: Call) -> str:
    """Whether true in a mask means that the key is read; rows without empty ones on either side."""
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).bool()
    seen = weights_of(call, mask) != 0
    if torch.equal(seen, mask):
        return "true reads"
    return "true blocks" if torch.equal(seen, ~mask) else "neither"


def alignment(call: Call, queries: int = 2, keys: int = 4) -> str:
    """Which keys a causal mask of fewer queries than keys lets them read."""
    seen = weights_of(call, torch.ones(queries, keys, dtype=torch.bool)) != 0
    whole = torch.ones(queries, keys, dtype=torch.bool)
    for name, diagonal in (("top left", 0), ("bottom right", keys - queries)):
        if torch.equal(seen, whole.tril(diagonal)):
            return f"{name}: query 0 reads {diagonal + 1} key" + "s" * bool(diagonal)
    return "neither"


def flex_causal(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    """FlexAttention with ``q_idx >= kv_idx``."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    block = create_block_mask(lambda b, h, i, j: i >= j, 1, 1, q.shape[2], k.shape[2], device="cpu")
    found = flex_attention(q, k, v, block_mask=block)
    assert isinstance(found, Tensor)
    return found


def unread_nan(call: Call, *, in_key: bool) -> str:
    """Which outputs become NaN when a key or value that one query alone reads is NaN."""
    query, key = normal(1, 1, N, WIDTH), normal(1, 1, N, WIDTH, seed=1)
    value = normal(1, 1, N, WIDTH, seed=2)
    (key if in_key else value)[:, :, 2] = torch.nan
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
    spoilt = call(query, key, value, mask)[0, 0].isnan().all(1).tolist()
    return {(True,) * 3: "every query", (False, False, True): "the query that reads it"}.get(
        tuple(spoilt), "something else"
    )


def gradient(call: Call) -> str:
    """The gradient at the queries, keys and values when an empty row is among the outputs."""
    state = normal(1, 1, N, WIDTH).requires_grad_()
    try:
        output = call(state, state, state, READS)
        (found,) = torch.autograd.grad(output[:, :, [0, 2]].sum(), state)
    except (NotImplementedError, RuntimeError) as error:
        return "none: " + str(error).partition(".")[0]
    return "finite" if found.isfinite().all() else "NaN"


def repaired(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """The softmax by hand, NaN replaced by 0 afterwards."""
    scores = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(~mask, -torch.inf)
    weights: Tensor = scores.softmax(-1).nan_to_num(0.0)
    return weights @ v


def floats_of_zero_and_one(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """SDPA with a mask of floats, 1 where a key is to be read."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))


def math(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """SDPA by its formula rather than its fused kernel."""
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def both_masks(backend: SDPBackend) -> str:
    """What SDPA reads under a mask and ``is_causal`` together."""
    mask = torch.tensor([[1, 0, 1], [1, 1, 0], [0, 1, 1]]).bool()

    def call(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)

    try:
        seen = weights_of(call, mask) != 0
    except RuntimeError as error:
        return "refused: " + str(error).partition(": ")[2]
    return "what both let it read" if torch.equal(seen, mask.tril()) else "something else"


def sdpa_causal(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    """SDPA with ``is_causal``."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def with_bias(make: Callable[[int, int], Tensor]) -> Call:
    """SDPA with one of the causal biases of ``torch.nn.attention.bias``."""
    return lambda q, k, v, _: F.scaled_dot_product_attention(
        q, k, v, attn_mask=make(q.shape[2], k.shape[2])
    )


PLAIN, SDPA, FLEX = map(native, Backend)
MINIMUM, INFINITY = Blocking.MINIMUM, Blocking.MINUS_INFINITY


@dataclass(frozen=True)
class Line:
    """One line of the table: a question, a call, its measured answer, and how to measure it."""

    asked: str
    call: str
    answer: str
    measure: Callable[[], str]


EMPTY, TRUE, CAUSAL = "a query that reads nothing", "true in the mask", "causal, 2 queries, 4 keys"
SPREAD_V, SPREAD_K = "NaN in a value is seen by", "NaN in a key is seen by"
GRADIENT = "gradient beside an empty row"
CAUSAL_AND_MASK = "`is_causal=True` and a mask"
LINES = [
    Line(EMPTY, "`softmax(masked_fill(-inf))` by hand", "NaN", lambda: empty_row(PLAIN)),
    Line(
        EMPTY,
        "`softmax(scores + finfo.min)` by hand",
        "the mean of all values",
        lambda: empty_row(native(Backend.PLAIN, MINIMUM)),
    ),
    Line(EMPTY, "SDPA, Boolean mask", "0", lambda: empty_row(SDPA)),
    Line(EMPTY, "SDPA, Boolean mask, `SDPBackend.MATH`", "0", lambda: empty_row(math)),
    Line(EMPTY, "SDPA, float mask of -inf", "0", lambda: empty_row(native(Backend.SDPA, INFINITY))),
    Line(
        EMPTY,
        "SDPA, float mask of `finfo.min`",
        "the mean of all values",
        lambda: empty_row(native(Backend.SDPA, MINIMUM)),
    ),
    Line(
        EMPTY,
        "SDPA, float mask of -1e9, float32",
        "the mean of all values",
        lambda: empty_row(added(-1e9), torch.float32),
    ),
    Line(
        EMPTY,
        "SDPA, float mask of -1e9, float64",
        "all values, by score",
        lambda: empty_row(added(-1e9)),
    ),
    Line(
        EMPTY,
        "SDPA, float mask of -1e4, float32",
        "all values, by score",
        lambda: (
            "all values, by score"
            if close(
                weights_of(added(-1e4), READS, torch.float32)[1].double(), own_scores(N, N)[1], 1e-3
            )
            else "something else"
        ),
    ),
    Line(EMPTY, "`flex_attention`, `mask_mod`", "0", lambda: empty_row(FLEX)),
    Line(
        EMPTY,
        "`flex_attention`, `score_mod` of -inf",
        "0",
        lambda: empty_row(native(Backend.FLEX, INFINITY)),
    ),
    Line(
        EMPTY,
        "`flex_attention`, `score_mod` of `finfo.min`",
        "the mean of all values",
        lambda: empty_row(native(Backend.FLEX, MINIMUM)),
    ),
    Line(
        EMPTY,
        "`nn.MultiheadAttention`, `need_weights=True`",
        "NaN",
        lambda: empty_row(multihead(weights=True)),
    ),
    Line(
        EMPTY,
        "`nn.MultiheadAttention`, `need_weights=False`",
        "0",
        lambda: empty_row(multihead(weights=False)),
    ),
    Line(TRUE, "SDPA, Boolean mask", "true reads", lambda: polarity(SDPA)),
    Line(TRUE, "`flex_attention`, `mask_mod`", "true reads", lambda: polarity(FLEX)),
    Line(
        TRUE,
        "`nn.MultiheadAttention`, Boolean `attn_mask`",
        "true blocks",
        lambda: polarity(multihead(weights=False, blocks=False)),
    ),
    Line(
        TRUE,
        "SDPA, float mask of 0 and 1",
        "neither",
        lambda: polarity(floats_of_zero_and_one),
    ),
    Line(
        CAUSAL,
        "SDPA, `is_causal=True`",
        "top left: query 0 reads 1 key",
        lambda: alignment(sdpa_causal),
    ),
    Line(
        CAUSAL,
        "SDPA, `causal_upper_left`",
        "top left: query 0 reads 1 key",
        lambda: alignment(with_bias(causal_upper_left)),
    ),
    Line(
        CAUSAL,
        "SDPA, `causal_lower_right`",
        "bottom right: query 0 reads 3 keys",
        lambda: alignment(with_bias(causal_lower_right)),
    ),
    Line(
        CAUSAL,
        "`flex_attention`, `q_idx >= kv_idx`",
        "top left: query 0 reads 1 key",
        lambda: alignment(flex_causal),
    ),
    Line(
        CAUSAL_AND_MASK,
        "SDPA, fused kernel",
        "what both let it read",
        lambda: both_masks(SDPBackend.FLASH_ATTENTION),
    ),
    Line(
        CAUSAL_AND_MASK,
        "SDPA, `SDPBackend.MATH`",
        "refused: Explicit attn_mask should not be set when is_causal=True",
        lambda: both_masks(SDPBackend.MATH),
    ),
    Line(SPREAD_V, "by hand", "every query", lambda: unread_nan(PLAIN, in_key=False)),
    Line(SPREAD_V, "SDPA, Boolean mask", "every query", lambda: unread_nan(SDPA, in_key=False)),
    Line(
        SPREAD_V,
        "`flex_attention`, `mask_mod`",
        "every query",
        lambda: unread_nan(FLEX, in_key=False),
    ),
    Line(
        SPREAD_K,
        "`softmax(masked_fill(-inf))` by hand",
        "the query that reads it",
        lambda: unread_nan(PLAIN, in_key=True),
    ),
    Line(SPREAD_K, "SDPA, Boolean mask", "every query", lambda: unread_nan(SDPA, in_key=True)),
    Line(
        SPREAD_K,
        "SDPA, Boolean mask, `SDPBackend.MATH`",
        "every query",
        lambda: unread_nan(math, in_key=True),
    ),
    Line(
        SPREAD_K,
        "`flex_attention`, `mask_mod`",
        "the query that reads it",
        lambda: unread_nan(FLEX, in_key=True),
    ),
    Line(GRADIENT, "`softmax(masked_fill(-inf))` by hand", "NaN", lambda: gradient(PLAIN)),
    Line(
        GRADIENT,
        "the same, `nan_to_num` after the softmax",
        "finite",
        lambda: gradient(repaired),
    ),
    Line(GRADIENT, "SDPA, Boolean mask", "finite", lambda: gradient(SDPA)),
    Line(
        GRADIENT,
        "`flex_attention` on a CPU",
        "none: FlexAttention does not support backward on CPU",
        lambda: gradient(FLEX),
    ),
]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("line", LINES, ids=[f"{line.asked}-{line.call}" for line in LINES])
def test_line(line: Line) -> None:
    """The call answers as its line in the table says."""
    assert line.measure() == line.answer


def test_the_page_has_these_lines_and_no_others() -> None:
    """docs/backends.md prints exactly what is measured above, in this order."""
    printed = [text for text in PAGE.read_text().splitlines() if text.startswith("| ")]
    assert printed == [
        "| what is asked | call | measured |",
        *(f"| {line.asked} | {line.call} | {line.answer} |" for line in LINES),
    ]
