"""Parameters are integers of Python to a rule, and none to the tracer: where it matters is seen."""

from typing import Any

import pytest

import attnproof as ap
from attnproof.errors import InputError
from attnproof.numeric.trace.constants import watched

torch = pytest.importorskip("torch")

TABLE = {128: 7}
SEG = torch.zeros(8, dtype=torch.uint8)
LOW = torch.tensor([-3])


def in_a_set(w: int) -> Any:
    return lambda b, h, q, k: k <= q + (5 if w in {100, 131} else 0)


def in_a_table(w: int) -> Any:
    extra = TABLE.get(w, 0)
    return lambda b, h, q, k: k <= q + extra


def by_kind(w: int) -> Any:
    wide = isinstance(w, int) and w > 64
    return lambda b, h, q, k: k <= q + (1 if wide else 0)


def by_sum(w: int) -> Any:
    return lambda b, h, q, k: k <= q + ((w > 64) + (w > 32)) // 2


@pytest.mark.parametrize("make", [in_a_set, in_a_table, by_kind, by_sum])
def test_what_a_tensor_does_not_do_as_an_integer_does_is_refused(make: Any) -> None:
    """The formula is compared at the integers that the code looks for, and at usual sizes."""
    with pytest.raises(InputError, match="and its formula is"):
        ap.verify(make, all_n=True, symbolic="w", causal=True)


def test_integers_of_the_code_come_first() -> None:
    """Of nested functions, of what they hold, and of globals."""
    assert set(watched(in_a_set)[:2]) == {100, 131}
    assert 128 in watched(in_a_table)
    assert set(watched(lambda w: None)) >= {64, 128, 1024}


def test_integers_of_two_widths_are_not_compared() -> None:
    """torch compares them in the narrow one under vmap."""
    rule = lambda b, h, q, k: (k <= q) | ((SEG[k] < LOW[0]) & (LOW[0] < 0))  # noqa: E731
    with pytest.raises(InputError, match=r"compares torch.uint8 with torch.int64"):
        ap.verify(rule, all_n=True, causal=True)


def test_a_tensor_type_is_no_dtype() -> None:
    """Its name says a dtype that the formula would not have."""
    rule = lambda b, h, q, k: k.type(torch.ByteTensor) <= q  # noqa: E731
    with pytest.raises(InputError, match="converts by the name of a tensor type"):
        ap.verify(rule, all_n=True, causal=True)
