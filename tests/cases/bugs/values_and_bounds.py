"""What the values of a mask mean, and how far it reads: polarity, biases, windows, layout."""

from functools import partial
from typing import Any

import numpy as np
import torch

import attnproof as ap
from attnproof.errors import EncodingError, ShapeError
from tests.cases.bugs.held import (
    FAILS,
    HOLDS,
    MIN,
    Case,
    Differs,
    Held,
    Refused,
    additive,
    array,
    causal,
    future,
    pairs,
    rows,
)

B02 = np.triu(np.full((5, 5), MIN, np.float32), 1)
B03 = causal(4).astype(np.float32)
B23 = array("B23").astype(np.int64)
B33 = np.repeat([causal(3), np.ones((3, 3), bool)], 2, axis=0)
POLARITY = "is its polarity reversed?"


def window_of_three(b: Any, h: Any, q: Any, k: Any) -> Any:
    """Counts its own key beside three others."""
    return (k <= q) & (q - k <= 3)


def upper_bound_only(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q - k <= 2


def three_ahead(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q - k <= 2) & (k - q < 4)


def two_back(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (k <= q) & (k >= q - 2)


def inverted_twice() -> np.ndarray[Any, np.dtype[np.float32]]:
    """An additive mask read as 1 = keep: (1 - mask) * -1e9."""
    return (1 - additive(causal(4), -1e9)) * np.float32(-1e9)


def two_minima() -> np.ndarray[Any, np.dtype[np.float32]]:
    """A causal and a padding mask of finite minima, added: min + min is -inf."""
    pad = additive(np.repeat([[False, False, True, True, True]], 5, axis=0), MIN)
    with np.errstate(over="ignore"):
        return additive(causal(5), MIN) + pad


CASES: list[Case] = [
    Held(
        "B01",
        "triu(1) as a Boolean mask for SDPA",
        lambda: ap.verify(~causal(4), causal=True),
        FAILS,
        pairs("B01"),
        told=("exact complement of causal", POLARITY, "query 3 reads nothing"),
    ),
    Held(
        "B01",
        "the same mask where true is blocked",
        lambda: ap.verify(~causal(4), encoding="block", causal=True),
        HOLDS,
        (),
        told=("decoded as block: true is not read",),
    ),
    Held(
        "B02",
        "0 and finfo.min, as added to scores",
        lambda: ap.verify(B02, causal=True),
        HOLDS,
        (),
        told=("decoded as additive", "the weakest constant relied on is -3.40282e38"),
    ),
    Held(
        "B02",
        "the biases cast to Booleans",
        lambda: ap.verify(B02 != 0, causal=True),
        FAILS,
        pairs("B02"),
        told=(POLARITY, "query 4 reads nothing"),
    ),
    Refused(
        "B03",
        "tril(ones) in floats",
        lambda: ap.verify(B03, causal=True),
        EncodingError,
        told=("floats {0, 1}", "these block nothing", "--encoding keep01", "--encoding additive"),
    ),
    Held(
        "B03",
        "the same floats, added to scores",
        lambda: ap.verify(B03, encoding="additive", causal=True),
        FAILS,
        pairs("B03"),
        told=("no bias blocks, every key is read", "the mask blocks nothing"),
    ),
    Held(
        "B03",
        "the same floats, 1 = read",
        lambda: ap.verify(B03, encoding="keep01", causal=True),
        HOLDS,
        (),
    ),
    Differs(
        "B04",
        "3 keys against q - k <= 3",
        lambda: ap.compare(window_of_three, "window", n=6, params_b={"keys": 3}),
        pairs("B04", "extra_vs_intended"),
        (),
        True,
    ),
    Held(
        "B04",
        "the wider window is causal",
        lambda: ap.verify(window_of_three, n=6, causal=True),
        HOLDS,
        (),
        told=("each query reads at most 4 keys, itself included", "settles after 2 layers"),
    ),
    Held(
        "B05",
        "q - k <= 2 alone",
        lambda: ap.verify(upper_bound_only, n=6, causal=True),
        FAILS,
        pairs("B05"),
        told=("every query reads every key after it, k > q is unrestricted",),
    ),
    Differs(
        "B06",
        "right < 4 for 4 keys to the right",
        lambda: ap.compare(three_ahead, rows("B06", "intended_rows"), n=8),
        (),
        [(0, 4), (1, 5), (2, 6), (3, 7)],
        True,
    ),
    Held(
        "B06",
        "the same, asked as a property",
        lambda: ap.verify(three_ahead, n=8, equals=rows("B06", "intended_rows")),
        FAILS,
        [(0, 4), (1, 5), (2, 6), (3, 7)],
        "not_equal",
        None,
        told=("query 0 does not read key 4, which list does",),
    ),
    Held(
        "B07",
        "keys from q - 2 to q",
        lambda: ap.verify(two_back, n=5, causal=True),
        HOLDS,
        (),
        told=("each query reads at most 3 keys, itself included",),
    ),
    Differs(
        "B07",
        "2 keys against 3",
        lambda: ap.compare(two_back, "window", n=5, params_b={"keys": 2}),
        [(2, 0), (3, 1), (4, 2)],
        (),
        True,
    ),
    Held(
        "B22",
        "two finite minima added",
        lambda: ap.verify(two_minima(), forbid=pairs("B22", "forbid")),
        FAILS,
        pairs("B22"),
        told=("softmax is uniform over the largest", "nobody else reads queries 0..1"),
    ),
    Held(
        "B23",
        "XLNet's perm_mask, 1 taken as read",
        lambda: ap.verify(B23, forbid=pairs("B23", "forbid")),
        FAILS,
        pairs("B23"),
        told=(POLARITY, "query 1 reads nothing"),
    ),
    Held(
        "B23",
        "the named mask perm_mask, 1 = blocked",
        lambda: ap.verify(
            "perm_mask", params={"blocked": B23.tolist()}, n=4, forbid=pairs("B23", "forbid")
        ),
        HOLDS,
        (),
    ),
    Held(
        "B28",
        "a 4D mask, 1 = keep",
        lambda: ap.verify(B03[None, None], encoding="keep01", causal=True),
        HOLDS,
        (),
        told=("decoded as keep01: 1 is read",),
    ),
    Held(
        "B28",
        "the same file in the version that wants it inverted",
        lambda: ap.verify(B03[None, None], encoding="block", causal=True),
        FAILS,
        future(4),
        told=("decoded as block: 1 is not read", "exact complement of causal"),
    ),
    Held(
        "B31",
        "triu(diagonal=0) of -inf",
        lambda: ap.verify(additive(np.tril(causal(4), -1)), causal=True),
        HOLDS,
        (),
        told=("query 0 reads nothing: the output there is zero", "only -inf blocks"),
    ),
    Differs(
        "B31",
        "causal without its diagonal",
        lambda: ap.compare(additive(np.tril(causal(4), -1)), "causal", n=4),
        (),
        pairs("B31", "missing_vs_intended"),
        True,
    ),
    Held(
        "B32",
        "[key, query]",
        lambda: ap.verify(causal(4).T, causal=True),
        FAILS,
        pairs("B32"),
        told=("the mask is the transpose of causal: is it indexed [key, query]?",),
    ),
    Held(
        "B33",
        "batch and heads on one axis, in the order they were repeated",
        partial(ap.verify, B33, layout="(b h) q k", heads=2, batch=0, causal=True),
        HOLDS,
        (),
        told=("2 heads are united", "batch element 0 alone was read"),
    ),
    Held(
        "B33",
        "the other order mixes the samples",
        partial(ap.verify, B33, layout="(h b) q k", heads=2, batch=0, causal=True),
        FAILS,
        future(3),
    ),
    Refused(
        "B33",
        "an order that is no layout",
        partial(ap.verify, B33, layout="h b"),
        ShapeError,
        ("b h q k", "(b h) q k", "(h b) q k"),
    ),
    Held(
        "B34",
        "(1 - mask) * -1e9 of an additive mask, added to scores",
        partial(ap.verify, inverted_twice(), causal=True),
        HOLDS,
        (),
        told=("queries 0..3 hold no bias above -1e9", "softmax is uniform over the largest"),
    ),
    Held(
        "B34",
        "the same, where whatever is above -1 is read",
        partial(ap.verify, inverted_twice() > -1, properties=["no-empty-rows"]),
        FAILS,
        (),
        kind="structure",
        told=("query 0 reads nothing", "queries 0 to 3 read nothing"),
    ),
    Held(
        "B35",
        "a float padding mask taken for Booleans",
        partial(ap.verify, torch.tensor(additive(causal(4))).bool(), causal=True),
        FAILS,
        future(4),
        told=("decoded as attend: true is read", POLARITY),
    ),
    Held(
        "B35",
        "a float bias taken for Booleans is true everywhere",
        partial(ap.verify, torch.linspace(1, 2, 16).reshape(4, 4).bool(), causal=True),
        FAILS,
        future(4),
        told=("the mask blocks nothing",),
    ),
    Differs(
        "B39",
        "a sink beside a window of 2",
        lambda: ap.compare(
            "sink_window",
            "window",
            n=6,
            params_a={"sinks": 1, "keys": 2},
            params_b={"keys": 2},
        ),
        pairs("B39", "extra_vs_intended"),
        (),
        True,
    ),
    Held(
        "B39",
        "the sink leaks nothing",
        lambda: ap.verify("sink_window", n=6, params={"sinks": 1, "keys": 2}, causal=True),
        HOLDS,
        (),
        told=("settles after 4 layers",),
    ),
    Held(
        "B42",
        "q + pos <= k for two queries behind two cached keys",
        lambda: ap.verify(array("B42")[2:4], q_offset=2, causal=True),
        FAILS,
        pairs("B42"),
        told=("keys 0..1, 4..5 are cached: no query stands there, the history is not checked",),
    ),
    Refused(
        "B47",
        "Longformer's 1 and 2 in one mask",
        partial(ap.verify, [[1, 1, 2], [1, 0, 2], [1, 1, 2]]),
        EncodingError,
        ("integers other than 0 and 1", "2 at query 0, key 2", "Longformer's 2"),
    ),
]
