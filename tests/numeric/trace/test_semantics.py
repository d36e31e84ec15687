"""The meaning of torch's operations: dtypes, division, bits, shapes, floats that are exact."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")

import torch

from attnproof.numeric.trace import trace

BYTES = torch.tensor([1, 2, 200, 3], dtype=torch.uint8)
FLAGS = torch.tensor([True, False, True, True])
HALVES = torch.tensor([0.5, 1.5, 2.0, 3.0])
GRID = torch.arange(12).reshape(3, 4)

#: A rule and the formula that it is; every one is compared with torch when it is traced.
FORMULAS: dict[str, tuple[Callable[..., Any], str]] = {
    "Booleans add to Booleans": (
        lambda b, h, q, k: (q > k) + (k > 3) == True,  # noqa: E712
        "q > k or k > 3",
    ),
    "a Boolean and a number are a number": (
        lambda b, h, q, k: (q > k) + 1 == 2,
        "(1 if q > k else 0) + 1 == 2",
    ),
    "Booleans multiply to Booleans": (lambda b, h, q, k: (q > k) * (k > 3), "q > k and k > 3"),
    "a sum counts": (
        lambda b, h, q, k: torch.stack([q > k, k > 3]).sum() == 2,
        "(1 if q > k else 0) + (1 if k > 3 else 0) == 2",
    ),
    "a Boolean is ordered as a number": (
        lambda b, h, q, k: (q > k) <= (k > 3),
        "(1 if q > k else 0) <= (1 if k > 3 else 0)",
    ),
    "a number is true unless 0": (lambda b, h, q, k: (q % 3).bool(), "q % 3 != 0"),
    "a negative divisor": (lambda b, h, q, k: q // -3 <= -k, "-q // 3 <= -k"),
    "a negative modulus": (lambda b, h, q, k: q % -3 == k - 2, "-(-q % 3) == k - 2"),
    "the floor of a negative number": (lambda b, h, q, k: (k - q) // 2 >= -1, "(k - q) // 2 >= -1"),
    "towards zero": (
        lambda b, h, q, k: torch.div(q, 2, rounding_mode="trunc") >= k,
        "q // 2 >= k",
    ),
    "the sign of a rest": (
        lambda b, h, q, k: torch.fmod(k + 1, 3) == 0,
        "k + 1 - (k + 1) // 3 * 3 == 0",
    ),
    "reflected": (lambda b, h, q, k: 7 - q >= 20 // (k + 1), "7 - q >= 20 // (k + 1)"),
    "a power": (lambda b, h, q, k: q**2 >= k**3, "q * q >= k * k * k"),
    "an average": (lambda b, h, q, k: (q + k) / 2 >= 3, "q + k >= 6"),
    "an exact product": (lambda b, h, q, k: q * 0.25 < k, "q < k * 4"),
    "a floored quotient": (
        lambda b, h, q, k: (q / 7).floor() == (k / 7).floor(),
        "q // 7 == k // 7",
    ),
    "an integer of a quotient": (lambda b, h, q, k: (q / 4).long() == k // 4, "q // 4 == k // 4"),
    "a ceiling": (lambda b, h, q, k: torch.ceil(q / 4) > k, "-(-q // 4) > k"),
    "a captured row of floats": (
        lambda b, h, q, k: HALVES[1] * 2 <= q,
        "3 <= q",
    ),
    "bytes among themselves": (lambda b, h, q, k: BYTES[q] > BYTES[k], "BYTES[q] > BYTES[k]"),
    "bytes as integers": (
        lambda b, h, q, k: BYTES[q].long() - BYTES[k].long() > 100,
        "BYTES[q] - BYTES[k] > 100",
    ),
    "a flag": (lambda b, h, q, k: ~FLAGS[q] | (k <= q), "not FLAGS[q] or k <= q"),
    "a flag as a number": (lambda b, h, q, k: FLAGS[q] == 0, "not FLAGS[q]"),
    "xor": (lambda b, h, q, k: FLAGS[q] ^ FLAGS[k], "FLAGS[q] != FLAGS[k]"),
    "bits of numbers": (lambda b, h, q, k: (q & 3) == (k & ~4), "(q & 3) == (k & -5)"),
    "shifts": (lambda b, h, q, k: q >> 2 == k << 1, "(q >> 2) == (k << 1)"),
    "logic of numbers": (
        lambda b, h, q, k: torch.logical_xor(q % 2, k % 2),
        "(q % 2 != 0) != (k % 2 != 0)",
    ),
    "a clamp from both sides": (lambda b, h, q, k: q.clamp(1, 5) >= k, "min(max(q, 1), 5) >= k"),
    "the greater": (
        lambda b, h, q, k: torch.max(q, k) - torch.min(q, k) < 3,
        "max(q, k) - min(q, k) < 3",
    ),
    "the greatest of a row": (
        lambda b, h, q, k: torch.stack([q, k, h]).amax() == k,
        "max(q, k, h) == k",
    ),
    "a row of a table": (
        lambda b, h, q, k: (GRID[q] == k).any(),
        "GRID[q, 0] == k or GRID[q, 1] == k or GRID[q, 2] == k or GRID[q, 3] == k",
    ),
    "a column of a table": (
        lambda b, h, q, k: (GRID[:, q] == k).any(dim=0),
        "GRID[0, q] == k or GRID[1, q] == k or GRID[2, q] == k",
    ),
    "a part of a row": (
        lambda b, h, q, k: GRID[q, 1:3].sum() > k,
        "GRID_part[q, 0] + GRID_part[q, 1] > k",
    ),
    "an element of formulas": (
        lambda b, h, q, k: torch.stack([q, k, h])[h] >= k,
        "(q if h < 1 else (k if h < 2 else h)) >= k",
    ),
    "an ellipsis and a new axis": (
        lambda b, h, q, k: (q[None, ...] >= GRID[0, :2])[..., -1],
        "q >= 1",
    ),
    "no dtype is lost": (
        lambda b, h, q, k: torch.where(q > k, q, 0).to(torch.int32) >= k.to(k.dtype),
        "(q if q > k else 0) >= k",
    ),
    "ones and zeros": (
        lambda b, h, q, k: q.new_zeros(2).add(k)[1] <= torch.ones_like(q) * q,
        "k <= 1 * q",
    ),
    "a cumulative sum": (
        lambda b, h, q, k: torch.stack([q, k, h]).cumsum(0)[-1] > 9,
        "q + k + h > 9",
    ),
    "numpy numbers": (lambda b, h, q, k: q - GRID.numpy()[1, 2] <= k, "q - 6 <= k"),
    "a choice of flags": (
        lambda b, h, q, k: torch.where(h == 0, q >= k, FLAGS[k]),
        "(q >= k if h == 0 else FLAGS[k])",
    ),
    "towards zero by a negative number": (
        lambda b, h, q, k: torch.div(q, -2, rounding_mode="trunc") <= k,
        "-(q // 2) <= k",
    ),
    "no tensor at all": (lambda b, h, q, k: torch.tensor(True), "True"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_an_operation_means_what_torch_computes(name: str) -> None:
    """The formula is as expected, and equals torch at every point compared."""
    rule, expected = FORMULAS[name]
    assert repr(trace(rule).term) == expected


def test_what_is_taken_for_granted_is_noted() -> None:
    """Unbounded integers are noted always, exact floats where there are floats."""
    plain = trace(lambda b, h, q, k: q >= k).notes
    floats = trace(lambda b, h, q, k: q / 2 >= k).notes
    assert plain == ("indices are unbounded integers: torch has 32 or 64 bits",)
    assert floats[1] == "floats are exact: the integers in them stay below 2**24"


def test_the_quotient_that_torch_rounds_compares_as_the_true_one() -> None:
    """For integers below 2**24 the rounded quotient is at least a whole number where the true
    one is."""
    top = torch.randint(0, 1 << 24, (4096,), generator=torch.Generator().manual_seed(0))
    for by in (3, 7, 10, 97, 4095):
        whole = top // by
        for number in (whole, whole + 1):
            assert torch.equal(top / by >= number, top >= number * by)
        assert torch.equal((top / by).floor().long(), whole)
