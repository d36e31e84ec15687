import numpy as np

import attnproof as ap


def test_window_is_causal() -> None:
    q, k = np.indices((16, 16))
    ap.assert_no_leak((k <= q) & (q - k < 4), causal=True)
