"""Packed documents, padding, rectangles and rows that read nothing."""

from functools import partial

import numpy as np
import torch

import attnproof as ap
from attnproof.errors import ShapeError
from tests.cases.bugs.held import (
    FAILS,
    HOLDS,
    MIN,
    Bools,
    Case,
    Differs,
    Held,
    Refused,
    additive,
    array,
    causal,
    pairs,
    rows,
)

IDS_REUSED = np.array([0, 0, 1, 1, 0, 0])
MASK_REUSED = causal(6) & (IDS_REUSED[:, None] == IDS_REUSED)
PADS = np.array([True, True, False, False, False, False])
PREFIX = np.arange(6) <= 3
TOP_LEFT = torch.ones(2, 5).tril().bool()
BOTTOM_RIGHT = np.tril(np.ones((2, 5), dtype=bool), 3)
LEFT_PADDED = array("B21")


def blocked_row(blocked: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Causal, and query 1 of 3 fully blocked."""
    reads = causal(3)
    reads[1] = False
    return additive(reads, blocked)


def batch_of_mappings() -> Bools:
    """Two sequences; only the first says what its last query reads."""
    masks = np.stack([causal(4), causal(4)])
    masks[1, -1] = False
    return masks


def paligemma(unmask_last: bool) -> Bools:
    """Padding, then a prefix that is read by all; or the prefix first."""
    prefixed: Bools = causal(6) | PREFIX
    prefixed &= ~PADS
    return prefixed | PREFIX if unmask_last else prefixed


CASES: list[Case] = [
    Held(
        "B08",
        "two samples of 3 packed under a causal mask",
        lambda: ap.verify("causal", n=6, causal=True, documents="3,3"),
        FAILS,
        pairs("B08"),
        told=("FAILS  documents, at any depth; causal holds", "token 0 reaches query 3 in 1 layer"),
    ),
    Held(
        "B08",
        "the same samples kept apart",
        lambda: ap.verify(
            "documents", n=6, params={"lengths": [3, 3]}, documents=[0, 0, 0, 1, 1, 1]
        ),
        HOLDS,
        (),
    ),
    Held(
        "B09",
        "position ids that start again, and no other mask",
        lambda: ap.verify(causal(6), documents=np.array([0, 0, 0, 1, 1, 1])),
        FAILS,
        pairs("B08"),
        told=(
            "position ids that start again do not keep them apart: they are not part of the flow",
        ),
    ),
    Held(
        "B10",
        "the separator given to the document on its right",
        lambda: ap.verify(rows("B10"), documents="3,3"),
        FAILS,
        [(3, 2), (4, 2)],
        told=(
            "with each document starting one position earlier nothing leaks",
            "does token 2 belong to the document before it or after it?",
        ),
    ),
    Differs(
        "B10",
        "against the separator that ends its document",
        lambda: ap.compare(rows("B10"), "documents", n=6, params_b={"lengths": [3, 3]}),
        pairs("B10", "extra_vs_intended"),
        pairs("B10", "missing_vs_intended"),
        False,
    ),
    Held(
        "B11",
        "an all-ones 4D mask for a prefix of 3",
        lambda: ap.verify(torch.ones(1, 1, 6, 6, dtype=torch.bool), forbid=pairs("B11", "forbid")),
        FAILS,
        pairs("B11"),
        told=("the mask blocks nothing",),
    ),
    Held(
        "B11",
        "the prefix mask that was meant",
        lambda: ap.verify(
            "prefix_lm", n=6, params={"prefix": 3}, forbid=lambda q, k: k > max(q, 2)
        ),
        HOLDS,
        (),
    ),
    Held(
        "B12",
        "the prefix unmasked after the padding",
        lambda: ap.verify(paligemma(True), forbid=pairs("B12", "forbid")),
        FAILS,
        pairs("B12"),
    ),
    Differs(
        "B12",
        "training against inference",
        lambda: ap.compare(paligemma(True), paligemma(False)),
        pairs("B12", "extra_vs_intended"),
        (),
        False,
    ),
    Refused(
        "B19",
        "2 queries, 5 keys, no offset",
        partial(ap.verify, TOP_LEFT, causal=True),
        ShapeError,
        ("2 queries, 5 keys", "--q-offset 3 when the queries are the last ones"),
    ),
    Held(
        "B19",
        "is_causal aligned at the top left",
        partial(ap.verify, TOP_LEFT, q_offset=3, equals=BOTTOM_RIGHT),
        FAILS,
        [(3, 1), (3, 2), (3, 3), (4, 2), (4, 3), (4, 4)],
        "not_equal",
        None,
        told=("query 3 does not read key 1", "keys 0..2 are cached"),
    ),
    Held(
        "B19",
        "and yet it leaks nothing",
        partial(ap.verify, TOP_LEFT, q_offset=3, causal=True),
        HOLDS,
        (),
    ),
    Held(
        "B20",
        "a row of false",
        partial(ap.verify, np.isfinite(blocked_row(-np.inf)), causal=True),
        HOLDS,
        (),
        told=("query 1 reads nothing: the output there is zero",),
    ),
    Held(
        "B20",
        "a row of -inf, softmax gives NaN",
        partial(ap.verify, blocked_row(-np.inf), empty_row="nan", causal=True),
        FAILS,
        (),
        kind="structure",
        told=("query 1 reads nothing: the output there is NaN", "causal holds"),
    ),
    Held(
        "B20",
        "a row of finite minima reads everything",
        partial(ap.verify, blocked_row(MIN), causal=True),
        FAILS,
        [(1, 2)],
        told=("query 1 holds no bias above -3.40282e38", "so it reads every key that has it"),
    ),
    Held(
        "B20",
        "a row of false where the kernel returns the mean",
        partial(ap.verify, np.isfinite(blocked_row(-np.inf)), empty_row="uniform", causal=True),
        FAILS,
        [(1, 2)],
        told=("the mean over every key, so everything is read",),
    ),
    Held(
        "B21",
        "two left pads, Booleans",
        lambda: ap.verify(LEFT_PADDED, forbid=pairs("B21", "forbid")),
        HOLDS,
        (),
        told=("queries 0, 1 read nothing: the output there is zero",),
    ),
    Held(
        "B21",
        "two left pads, finite minima",
        lambda: ap.verify(additive(LEFT_PADDED, MIN), forbid=pairs("B21-finite-min", "forbid")),
        FAILS,
        pairs("B21-finite-min"),
        told=("nobody else reads queries 0..1, so the leak stays there",),
    ),
    Held(
        "B26",
        "target_mapping set for the first of two sequences",
        lambda: ap.verify(batch_of_mappings(), properties=["no-empty-rows"]),
        FAILS,
        (),
        kind="structure",
        told=("query 3 reads nothing", "batch 0: holds, 0 findings", "batch 1: fails"),
    ),
    Held(
        "B26",
        "the first sequence alone",
        lambda: ap.verify(batch_of_mappings(), batch=0, properties=["no-empty-rows"]),
        HOLDS,
        (),
        told=("batch element 0 alone was read",),
    ),
    Differs(
        "B27",
        "chunks of 4 counted from the padding",
        lambda: ap.compare("chunked", rows("B27", "intended_rows"), n=8, params_a={"chunk": 4}),
        pairs("B27", "extra_vs_intended"),
        pairs("B27", "missing_vs_intended"),
        False,
    ),
    Held(
        "B27",
        "the pads that are read",
        lambda: ap.verify(rows("B27"), forbid=lambda q, k: k < 2 <= q),
        FAILS,
        [(2, 0), (2, 1), (3, 0), (3, 1)],
    ),
    Held(
        "B29",
        "two answers to one prompt under a causal mask",
        lambda: ap.verify("causal", n=6, forbid=pairs("B29", "forbid")),
        FAILS,
        pairs("B29"),
    ),
    Held(
        "B29",
        "the answers kept apart",
        lambda: ap.verify(
            "shared_prefix",
            n=6,
            params={"prefix": 2, "lengths": [2, 2]},
            forbid=pairs("B29", "forbid"),
        ),
        HOLDS,
        (),
        told=("position ids, routing and kernels are not checked",),
    ),
    Held(
        "B37",
        "a document id used twice in a row",
        lambda: ap.verify(MASK_REUSED, documents="2,2,2"),
        FAILS,
        pairs("B37"),
    ),
    Held(
        "B37",
        "the ids as they are",
        lambda: ap.verify(MASK_REUSED, documents=IDS_REUSED),
        HOLDS,
        (),
    ),
    Held(
        "B44",
        "pads read by a model that ignores its mask, pads forbidden",
        lambda: ap.verify("full", n=4, forbid=lambda q, k: q < 2 <= k),
        FAILS,
        [(0, 2), (0, 3), (1, 2), (1, 3)],
        told=("the mask blocks nothing",),
    ),
    Held(
        "B44",
        "pads are tokens",
        lambda: ap.verify("full", n=4, documents="4"),
        HOLDS,
        (),
    ),
    Held(
        "B48",
        "pad id 0 taken for none: pads 3 and 4 are read",
        lambda: ap.verify(causal(5), forbid=lambda q, k: k >= 3 and q != k),
        FAILS,
        [(4, 3)],
    ),
    Differs(
        "B48",
        "against the mask that hides the pads",
        lambda: ap.compare(causal(5), rows("B48", "intended_rows")),
        pairs("B48", "extra_vs_intended"),
        (),
        False,
    ),
]
