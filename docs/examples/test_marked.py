import pytest


@pytest.mark.no_leak(causal=True, n=64)
@pytest.mark.parametrize("keys", [2, 4])
def test_window(keys):
    return lambda b, h, q, k: (k <= q) & (q - k < keys)


@pytest.mark.no_leak(documents=[3, 3])
def test_packed():
    return ["1.....", "11....", "111...", "...1..", "...11.", "...111"]
