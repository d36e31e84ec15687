"""Masks of real models and of training families have the numbers computed for them elsewhere."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import Forbidden
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Verdict
from tests.cases.real_masks import (
    MASKS,
    MORE,
    Array,
    Facts,
    Real,
    causal,
    grid,
    packed,
    streams,
    xlnet,
)

Entry = dict[str, Any]

ORDERS: Entry = json.loads(Path(__file__).with_name("orders.json").read_text())
REAL = {entry["name"]: entry for entry in ORDERS["real_masks"]}


def flow_of(mask: Array) -> Flow:
    return Flow(Setting((Mask.from_dense(mask),)))


def leaks_of(real: Real) -> Counter[int]:
    """How many leaks there are at each least depth."""
    flow = flow_of(real.mask)
    found = judge(flow, Forbidden.from_pairs(real.forbidden, len(real.mask)), most=10_000)
    assert (found.verdict is Verdict.FAILS) == bool(found.total)
    return Counter(finding.depth for finding in found.findings if finding.depth is not None)


def test_every_mask_of_the_table_is_built() -> None:
    """No entry of the table is left out, and none is made up."""
    assert set(REAL) == set(MASKS)


@pytest.mark.parametrize("name", MASKS)
def test_real_masks(name: str) -> None:
    """Transitivity, depth, classes, covers, height, width, and the leaks with their depths."""
    flow, known = flow_of(MASKS[name].mask), REAL[name]
    assert flow.transitive == known["transitive_with_residual"]
    assert flow.depth == known["L_star"]
    assert len(flow.classes) == known["classes"]
    assert len(flow.covers) == known["hasse_edges"]
    assert flow.height == known["height"]
    assert flow.width() == known["width"]
    leaks = leaks_of(MASKS[name])
    assert leaks.total() == known["leaks"]
    assert sorted(leaks) == known["leak_depths"]


@pytest.mark.parametrize("name", MORE)
def test_more_masks(name: str) -> None:
    """The masks that the table of numbers does not hold."""
    real, known = MORE[name]
    flow = flow_of(real.mask)
    found = Facts(
        transitive=flow.transitive,
        depth=flow.depth if flow.depth is not None else -1,
        classes=len(flow.classes),
        covers=len(flow.covers),
        width=flow.width(),
        leaks=tuple(sorted(leaks_of(real).items())),
    )
    assert found == known


def block_two_stream(blocks: int, b: int, clean: str) -> Array:
    """Clean tokens of all blocks but the last, then mask tokens of every block."""
    kept, n = (blocks - 1) * b, blocks * b
    q, k = np.indices((kept, kept))
    contents = q // b >= k // b if clean == "block" else q >= k
    masks, tokens = np.indices((n, kept))
    mask = streams(contents, masks // b > tokens // b)
    mask[kept:, kept:] = grid(n, lambda q, k: q // b == k // b)
    return mask


def butterfly(n: int) -> Array:
    """Forward chain of n - 1, backward chain of n - 1, centres that read both around themselves."""
    a = np.arange(1, n)
    chain = streams(packed([a[:, None] >= a, a[:, None] >= a]), np.zeros((n, 2 * n - 2), bool))
    centre = np.arange(1, n + 1)[:, None]
    backward = np.arange(n, 1, -1)
    chain[2 * n - 2 :, : 2 * n - 2] = np.hstack([a < centre, backward > centre])
    return chain


def all_permutations(n: int) -> Array:
    """One content a sequence of 1 to n - 1 tokens, one query a sequence and a token beyond it."""
    sequences = [s for length in range(n) for s in permutations(range(n), length)]
    contents = [s for s in sequences if s]
    queries = [s for s in sequences for token in range(n) if token not in s]
    reads = [[s[: len(c)] == c for c in contents] for s in contents]
    asks = [[s[: len(c)] == c for c in contents] for s in queries]
    return streams(np.array(reads), np.array(asks))


def masked_autoencoder(n: int, visible: int, cross: bool) -> Array:
    """A clique of visible positions; the others read it and, unless ``cross``, each other."""
    return grid(n, lambda q, k: (k < visible) | ((q >= visible) & (not cross)) | (q == k))


def built(entry: Entry) -> Array:
    """The mask of a family by its description, or as the table draws it."""
    n = entry["n"]
    match entry["family"]:
        case "ar":
            return causal(n - 1)
        case "ar_bidirectional_prefix":
            return packed([np.ones((size, size), bool) for size in range(1, n)])
        case "xlnet_identity":
            return xlnet(range(n))
        case "xlnet_all_permutations":
            return all_permutations(n)
        case "block_two_stream":
            return block_two_stream(entry["blocks"], entry["b"], entry["clean"])
        case "butterfly" | "butterfly_centre_labels_only":
            return butterfly(n)
        case "comb" | "comb_cyclic":
            return grid(n, lambda q, k: (q - k) % (2 * entry["r"] + 1) == 0)
        case "parity":
            return grid(n, lambda q, k: (q - k) % 2 == 0)
        case "mae_single":
            return masked_autoencoder(n, 2, cross=False)
        case "mae_single_cross":
            return masked_autoencoder(n, 2, cross=True)
        case _:
            return np.array([[x == "1" for x in row] for row in entry["mask"]])


def described(entry: Entry) -> str:
    return "-".join(str(entry[x]) for x in ("family", "n", "blocks", "clean", "r") if x in entry)


@pytest.mark.parametrize("entry", ORDERS["families"], ids=described)
def test_families(entry: Entry) -> None:
    """Positions, classes, covers, height, width, depth, density and pairs of each family's mask,
    built from its description and, where the table draws it, as drawn."""
    masks = [built(entry)]
    if "mask" in entry:
        masks.append(np.array([[x == "1" for x in row] for row in entry["mask"]]))
    for mask in masks:
        flow = flow_of(mask)
        assert {
            "N": flow.setting.size,
            "classes": len(flow.classes),
            "hasse_edges": len(flow.covers),
            "height": flow.height,
            "width": flow.width(),
            "L_star": flow.depth,
            "dense": flow.transitive,
            "mask_offdiag": flow.edges_off_diagonal,
            "closure_pairs": sum(row.bit_count() for row in flow.closure.rows),
        } == {
            key: entry[key]
            for key in (
                "N",
                "classes",
                "hasse_edges",
                "height",
                "width",
                "L_star",
                "dense",
                "mask_offdiag",
                "closure_pairs",
            )
        }
