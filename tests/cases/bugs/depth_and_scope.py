"""Leaks that need layers, groups and blocks, tasks, and what no mask can show."""

from functools import cache, partial
from typing import Any

import numpy as np
import torch
from torch.nn.attention.flex_attention import BlockMask, create_block_mask

import attnproof as ap
from attnproof.errors import InputError, ShapeError
from tests.cases.bugs.held import (
    FAILS,
    HOLDS,
    Case,
    Held,
    Refused,
    array,
    causal,
    pairs,
    rows,
)

GROUPS = torch.tensor([-1, 0, 0, -1, 0, 0])
ORDER = (2, 0, 3, 1)
PREFIX = np.arange(5) < 3
MASK_ALONE = "it speaks of the mask alone: position ids, routing and kernels are not checked"


def images(b: Any, h: Any, q: Any, k: Any) -> Any:
    """Two images in one group of tokens that read each other."""
    return (k <= q) | ((GROUPS[q] == GROUPS[k]) & (GROUPS[q] >= 0))


def lower(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k <= q


def lower_with_if(b: Any, h: Any, q: Any, k: Any) -> Any:
    if k > q:
        return False
    return q >= k


def lower_with_not(b: Any, h: Any, q: Any, k: Any) -> Any:
    return not k > q


def lower_with_item(b: Any, h: Any, q: Any, k: Any) -> Any:
    return k.item() <= q.item()


def no_boolean(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q - k) * 1.0


def streams(at_least: bool, bidirectional: bool) -> Any:
    """Noisy tokens 0 to 3, clean ones 4 to 7, blocks of 2."""

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        noisy_q, noisy_k = q < 4, k < 4
        block_q, block_k = q % 4 // 2, k % 4 // 2
        own = noisy_q & noisy_k & (block_q == block_k)
        earlier = block_k <= block_q if at_least else block_k < block_q
        clean = ~noisy_q & ~noisy_k & ((block_k <= block_q) | bidirectional)
        return own | (noisy_q & ~noisy_k & earlier) | clean

    return rule


@cache
def blocks(n: int, size: int) -> BlockMask:
    return create_block_mask(lower, None, None, n, n, device="cpu", BLOCK_SIZE=size)


@cache
def two_streams() -> ap.Task:
    """XLNet: content positions 0 to 3, queries 4 to 7 that predict the token at their place."""
    labels = {4 + i: f"x{i}" for i in range(4)}
    return ap.Task.build(["x0", "x1", "x2", "x3", *[None] * 4], labels, rows("B24-right"))


@cache
def one_stream() -> ap.Task:
    """Each row predicts the token that it carries."""
    return ap.Task.build(["x0", "x1", "x2", "x3"], {i: f"x{i}" for i in range(4)}, rows("B25"))


def prefix_task(*losses: int) -> ap.Task:
    """Five tokens, the next one predicted at each of some rows."""
    labels = {i: f"x{i + 1}" for i in losses}
    return ap.Task.build([f"x{i}" for i in range(5)], labels, "causal")


def two_readers(case: str, layers: int | None = None) -> ap.Report:
    return ap.verify(rows(case), forbid=pairs(case, "forbid"), layers=layers)


CHUNK = ap.Mask("chunked", n=6, chunk=3)
WINDOW = ap.Mask("window", n=6, keys=2)
CROSSING = [(3, 0), (3, 1), (3, 2)]

CASES: list[Case] = [
    Held(
        "B13",
        "two images in one group, one layer",
        lambda: ap.verify(images, n=6, forbid=pairs("B13", "forbid"), layers=1),
        FAILS,
        [(1, 4), (1, 5), (2, 4), (2, 5)],
    ),
    Held(
        "B13",
        "two images in one group, any number of layers",
        lambda: ap.verify(images, n=6, forbid=pairs("B13", "forbid")),
        FAILS,
        pairs("B13"),
        told=("token 4 reaches query 3 in 2 layers: 4 -> 1 -> 3",),
    ),
    Held(
        "B14",
        "the image mask that never arrived: causal is what runs",
        lambda: ap.verify("causal", n=5, causal=True),
        HOLDS,
        (),
    ),
    Held(
        "B14",
        "against the image mask",
        lambda: ap.verify("causal", n=5, equals=ap.Mask("spans", n=5, spans=[[1, 4]])),
        FAILS,
        [(1, 2), (1, 3), (2, 3)],
        "not_equal",
        None,
        told=("query 1 does not read key 2, which spans does",),
    ),
    Held(
        "B15",
        "a BlockMask of tiles of 4",
        lambda: ap.verify(blocks(8, 4), causal=True),
        HOLDS,
        (),
        told=("evaluated as a BlockMask (4×4 blocks)",),
    ),
    Held(
        "B15",
        "its tiles read as a mask",
        lambda: ap.verify(
            np.kron(np.tril(np.ones((2, 2), bool)), np.ones((4, 4), bool)), causal=True
        ),
        FAILS,
        pairs("B15"),
        told=("the mask is causal on whole blocks of 4 positions",),
    ),
    Refused(
        "B15",
        "to_dense(), one entry a tile",
        lambda: ap.verify(blocks(8, 4).to_dense(), n=8, causal=True),
        ShapeError,
        ("has 2 positions, n = 8 was asked for",),
    ),
    Held(
        "B16",
        "noisy blocks read clean blocks up to their own",
        lambda: ap.verify(streams(True, False), n=8, forbid=pairs("B16", "forbid")),
        FAILS,
        pairs("B16"),
    ),
    Held(
        "B16",
        "noisy blocks read earlier clean blocks",
        lambda: ap.verify(streams(False, False), n=8, forbid=pairs("B16", "forbid")),
        HOLDS,
        (),
    ),
    Held(
        "B17",
        "clean blocks read each other, one layer",
        lambda: ap.verify(streams(False, True), n=8, forbid=pairs("B17", "forbid"), layers=1),
        HOLDS,
        (),
    ),
    Held(
        "B17",
        "clean blocks read each other, any number of layers",
        lambda: ap.verify(streams(False, True), n=8, forbid=pairs("B17", "forbid")),
        FAILS,
        pairs("B17"),
        "leak",
        2,
        told=("token 6 reaches query 2 in 2 layers: 6 -> 4 -> 2",),
    ),
    Held(
        "B18",
        "a tree of drafts under a causal mask",
        lambda: ap.verify("causal", n=5, forbid=pairs("B18", "forbid")),
        FAILS,
        pairs("B18"),
    ),
    Held(
        "B18",
        "each draft reads its ancestors",
        lambda: ap.verify(
            "tree", params={"parents": [-1, 0, 0, 1, 2]}, forbid=pairs("B18", "forbid")
        ),
        HOLDS,
        (),
        told=("4 covers in the Hasse diagram",),
    ),
    Held(
        "B24",
        "the query stream keeps its diagonal",
        lambda: ap.verify(array("B24"), task=two_streams()),
        FAILS,
        pairs("B24"),
        told=("query 4 predicts x0, but token 0 reaches query 4",),
    ),
    Held(
        "B24",
        "the two streams that were meant",
        lambda: ap.verify(task=two_streams()),
        HOLDS,
        (),
    ),
    Held(
        "B25",
        "permutation in a single stream",
        lambda: ap.verify(task=one_stream()),
        FAILS,
        pairs("B25"),
        "own_input",
        0,
        told=("query 0 predicts x0 and holds it as its own input",),
    ),
    Held(
        "B25",
        "no mask helps",
        lambda: ap.verify("causal", n=4, task=one_stream()),
        FAILS,
        pairs("B25-causal-variant"),
        "own_input",
        0,
    ),
    Held(
        "B30",
        "chunks and windows by turns",
        lambda: ap.verify(CHUNK, WINDOW, per_layer=True, forbid=CROSSING),
        FAILS,
        CROSSING,
        "leak",
        2,
        told=("token 0 reaches query 3 in 2 layers: 0 -> 2 (layer 1) -> 3 (layer 2)",),
    ),
    Held(
        "B30",
        "the chunks alone",
        lambda: ap.verify(CHUNK, forbid=CROSSING),
        HOLDS,
        (),
    ),
    Held(
        "B36",
        "loss on row 0 and 1 of a prefix of 3",
        lambda: ap.verify("prefix_lm", n=5, params={"prefix": 3}, task=prefix_task(0, 1, 2, 3)),
        FAILS,
        pairs("B36"),
        told=("query 0 predicts x1, but token 1 reaches query 0 in 1 layer",),
    ),
    Held(
        "B36",
        "loss from the last row of the prefix on",
        lambda: ap.verify("prefix_lm", n=5, params={"prefix": 3}, task=prefix_task(2, 3)),
        HOLDS,
        (),
    ),
    Held(
        "B38",
        "a router that sees the whole sequence, under a causal mask",
        lambda: ap.verify(causal(4), causal=True),
        HOLDS,
        (),
        told=(MASK_ALONE,),
    ),
    Held(
        "B38",
        "what such a model does, as a mask",
        lambda: ap.verify(array("B38"), causal=True),
        FAILS,
        pairs("B38"),
    ),
    Refused(
        "B40",
        "a BlockMask of 16 positions used with 8",
        lambda: ap.verify(blocks(16, 4), n=8, causal=True),
        ShapeError,
        ("was built for 16 queries and 16 keys, n = 8 was asked for",),
    ),
    Held(
        "B41",
        "a kernel that is wrong for a mask that is right",
        lambda: ap.verify(lower, n=4, causal=True),
        HOLDS,
        (),
        told=(MASK_ALONE,),
    ),
    *(
        Held(
            "B43",
            f"a mask_mod with {word}",
            partial(ap.verify, rule, n=4, causal=True),
            HOLDS,
            (),
            told=("cannot be evaluated under torch.vmap", "it was called pair by pair"),
        )
        for word, rule in (
            ("if", lower_with_if),
            ("not", lower_with_not),
            (".item()", lower_with_item),
        )
    ),
    Refused(
        "B43",
        "a mask_mod of floats",
        partial(ap.verify, no_boolean, n=4),
        InputError,
        ("a mask_mod returns one Boolean for each pair",),
    ),
    Held(
        "B45",
        "a likelihood that moves with the batch size: the same mask for each element",
        lambda: ap.verify(np.stack([causal(4)] * 3), causal=True),
        HOLDS,
        (),
        told=("3 batch elements hold 1 distinct mask", MASK_ALONE),
    ),
    Held(
        "B46",
        "positions shifted by left padding",
        lambda: ap.verify("left_padded", n=5, params={"padding": 2}, causal=True),
        HOLDS,
        (),
        told=(MASK_ALONE,),
    ),
    Held(
        "B49",
        "a global token shared by two documents, one layer",
        partial(two_readers, "B49", 1),
        HOLDS,
        (),
    ),
    Held(
        "B49",
        "a global token shared by two documents",
        partial(two_readers, "B49"),
        FAILS,
        pairs("B49"),
        "leak",
        2,
        told=("token 3 reaches query 1 in 2 layers: 3 -> 0 -> 1",),
    ),
    Held(
        "B49",
        "a global token that reads nobody",
        lambda: ap.verify(["1....", *rows("B49")[1:]], forbid=pairs("B49", "forbid")),
        HOLDS,
        (),
    ),
    Held(
        "B50",
        "a readout that the task token reads",
        partial(two_readers, "B50"),
        FAILS,
        pairs("B50"),
        told=("token 2 reaches query 3 in 2 layers: 2 -> 0 -> 3",),
    ),
    Held(
        "B50",
        "the same after one layer",
        partial(two_readers, "B50", 1),
        FAILS,
        pairs("B50", "direct_leaks"),
    ),
    Held(
        "B50",
        "passive readouts",
        partial(two_readers, "B50-right"),
        HOLDS,
        (),
    ),
]
