"""Case studies: the merged mask of each family is derived, and is the one in closed form."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import comb, factorial
from pathlib import Path
from typing import Any

import pytest

from attnproof.symbolic.families.registry import build, names
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.embedding import first_broken
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Merged, Minimal
from tests.reference import closed, pairs_of_sets

TABLE = json.loads((Path(__file__).parent / "families.json").read_text())["families"]


def merged(builder: str, **parameters: Any) -> Merged:
    """The merged family of a builder."""
    return merge(build(builder, **parameters))


def said(row: dict[str, Any]) -> str:
    """A row of the table by name."""
    return f"{row['builder']} {row['parameters']}"


@pytest.mark.parametrize("row", TABLE, ids=said)
def test_the_numbers_of_the_table(row: dict[str, Any]) -> None:
    """Counts, depth and densities, no leak, proved minimal."""
    found = merged(row["builder"], **row["parameters"])
    flow = found.flow
    assert found.task.size == row["positions"]
    assert len(found.classes) == row["classes"]
    assert len(flow.covers) == row["covers"]
    assert (flow.height, flow.width(even_if_expensive=True)) == (row["height"], row["width"])
    assert (flow.depth, flow.transitive) == (row["depth"], True)
    assert flow.edges_off_diagonal == row["edges_off_diagonal"]
    assert sum(line.bit_count() for line in flow.closure.rows) == row["closure_pairs"]
    density = found.density
    for share, wanted in zip(
        (density.positions, density.tokens, density.context), row["density"], strict=True
    ):
        assert float(share) == pytest.approx(wanted, abs=1e-6)
    assert not [finding for finding in found.findings if finding.severity == "error"]
    assert found.minimal is Minimal.PROVED


@pytest.mark.parametrize("row", [row for row in TABLE if "rows" in row], ids=said)
def test_the_masks_of_the_table(row: dict[str, Any]) -> None:
    """The same rows, inputs and labels, positions matched by what lies below them."""
    found = merged(row["builder"], **row["parameters"])
    task = found.task
    listed = [(tuple(atoms), pos, kind, None) for atoms, pos, kind in row["inputs"]]
    own = [position.own_input for position in task.positions]
    wanted = Mask.from_rows(row["rows"])
    order = [
        next(
            q
            for q in range(task.size)
            if own[q] == listed[p] and _below(found.mask, own, q) == _below(wanted, listed, p)
        )
        for p in range(task.size)
    ]
    assert sorted(order) == list(range(task.size))
    assert found.mask.permute(order) == wanted
    labels = {str(order.index(label.position)): [label.atom] for label in task.labels}
    assert labels == row["labels"]


def _below(mask: Mask, inputs: list[Any], q: int) -> list[str]:
    return sorted(str(inputs[k]) for k in range(mask.keys) if mask[q, k])


def block_rule(m: int, b: int, clean: str) -> Callable[[int, int], bool]:
    """Clean tokens of all blocks but the last, then the masks; each stream has its own blocks."""
    last = (m - 1) * b

    def reads(q: int, k: int) -> bool:
        bq, bk = (i // b if i < last else (i - last) // b for i in (q, k))
        if q < last:
            return k < last and (bk <= bq if clean == "block" else k <= q)
        return bk < bq if k < last else bk == bq

    return reads


def butterfly_rule(n: int) -> Callable[[int, int], bool]:
    """f_1 .. f_{n-1}, g_2 .. g_n, t_1 .. t_n."""

    def name(i: int) -> tuple[str, int]:
        if i < n - 1:
            return "f", i + 1
        return ("g", i - n + 3) if i < 2 * n - 2 else ("t", i - 2 * n + 3)

    def reads(q: int, k: int) -> bool:
        (a, i), (c, j) = name(q), name(k)
        return {
            ("f", "f"): j <= i,
            ("g", "g"): j >= i,
            ("t", "f"): j < i,
            ("t", "g"): j > i,
            ("t", "t"): i == j,
        }.get((a, c), False)

    return reads


def two_stream_rule(z: tuple[int, ...]) -> Callable[[int, int], bool]:
    """The content of all tokens but the last of z, in sequence order; then a query each."""
    rank = {token: place for place, token in enumerate(z)}
    content = [token for token in sorted(z) if token != z[-1]]
    names = [("c", token) for token in content] + [("q", token) for token in sorted(z)]

    def reads(q: int, k: int) -> bool:
        (a, i), (c, j) = names[q], names[k]
        if c == "q":
            return q == k
        return rank[j] <= rank[i] if a == "c" else rank[j] < rank[i]

    return reads


RULES: list[tuple[str, dict[str, Any], Callable[[int, int], bool]]] = [
    *(("autoregressive", {"n": n}, lambda q, k: k <= q) for n in range(2, 9)),
    *(("butterfly", {"n": n}, butterfly_rule(n)) for n in range(1, 9)),
    *(
        ("block", {"m": m, "b": b, "clean": clean}, block_rule(m, b, clean))
        for clean in ("block", "token")
        for m, b in ((1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (4, 3), (5, 2))
    ),
    *(("permutation", {"order": z}, two_stream_rule(z)) for z in permutations(range(1, 4))),
    ("permutation", {"order": [3, 1, 4, 2, 5]}, two_stream_rule((3, 1, 4, 2, 5))),
    ("permutation", {"n": 1}, two_stream_rule((1,))),
    *(
        ("comb", {"n": n, "r": r}, lambda q, k, r=r: (q - k) % (2 * r + 1) == 0)
        for n, r in ((1, 1), (5, 1), (9, 1), (10, 2), (4, 0))
    ),
    *(
        ("crown", {"n": n}, lambda q, k, n=n: q == k or (q >= n > k and k != q - n))
        for n in range(2, 7)
    ),
]


@pytest.mark.parametrize(
    ("builder", "parameters", "reads"),
    RULES,
    ids=lambda case: "rule" if callable(case) else str(case),
)
def test_the_derived_mask_is_the_one_in_closed_form(
    builder: str, parameters: dict[str, Any], reads: Callable[[int, int], bool]
) -> None:
    """Every pair as the rule says; and the builder's own closed form was found equal."""
    found = merged(builder, **parameters)
    size = range(found.task.size)
    rows = tuple(sum(1 << k for k in size if reads(q, k)) for q in size)
    assert found.mask == Mask.of(Bits(rows, len(size)))
    assert found.closed is not None


@pytest.mark.parametrize(
    ("builder", "parameters"),
    [
        *(("bidirectional_prefix", {"n": n}) for n in range(2, 8)),
        *(("separating", {"n": n}) for n in (1, 2, 3, 4, 7, 11)),
        ("masked_autoencoder", {"n": 6, "visible": [[1, 4], [2, 3], [5]]}),
        ("masked_autoencoder", {"n": 5, "visible": [[1], [2, 3]], "masked": "cross"}),
        ("masked_autoencoder", {"n": 5, "visible": [0, 3]}),
        ("mae_ladder", {"n": 6, "visible": [[1, 4], [2], [3, 6]]}),
        ("mae_ladder", {"n": 4, "visible": [[2], [1, 2], [1, 2, 3, 4]]}),
        *(("block", {"n": n, "b": b, "clean": clean})
          for clean in ("block", "token") for n, b in ((7, 3), (5, 2), (2, 5))),
    ],
    ids=str,
)  # fmt: skip
def test_every_closed_form_is_derived(builder: str, parameters: dict[str, Any]) -> None:
    """The builder's formula is the mask that merging its tasks gives: minimal, without a leak."""
    found = merged(builder, **parameters)
    assert found.closed is not None
    assert found.closed.mask() == found.mask
    assert found.minimal is Minimal.PROVED
    apart = builder == "bidirectional_prefix" and len(found.tasks) > 1
    told = {"nothing_shared"} if apart else set()
    assert {finding.kind for finding in found.findings} == told


def test_every_builder_is_studied() -> None:
    """No builder without a case."""
    studied = {row["builder"] for row in TABLE} | {rule[0] for rule in RULES} | {"separating"}
    assert studied == set(names())


@pytest.mark.parametrize("n", range(2, 9))
def test_counts_of_chains_and_streams(n: int) -> None:
    """Causal: n - 1 prefixes. Two streams: 2n - 1 positions, 2n - 3 covers, n² pairs. Butterfly:
    3n - 2 positions, 4n - 6 covers, 2(n - 1)² edges. Crown: 2n positions, n(n - 1) covers."""
    causal, streams = merged("autoregressive", n=n), merged("permutation", n=n)
    assert (causal.task.size, len(causal.flow.covers), causal.flow.height) == (n - 1, n - 2, n - 1)
    assert (streams.task.size, len(streams.flow.covers)) == (2 * n - 1, 2 * n - 3)
    assert sum(row.bit_count() for row in streams.flow.closure.rows) == n * n
    butterfly, crown = merged("butterfly", n=n), merged("crown", n=n)
    assert (butterfly.task.size, len(butterfly.flow.covers)) == (3 * n - 2, 4 * n - 6)
    assert butterfly.flow.edges_off_diagonal == 2 * (n - 1) ** 2
    assert (crown.task.size, len(crown.flow.covers)) == (2 * n, n * (n - 1))
    assert butterfly.density.positions == butterfly.density.tokens == 1
    assert causal.density.tokens == Fraction(n - 1, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_orders_are_a_trie(n: int) -> None:
    """Contents are the sequences of distinct tokens shorter than n, queries one for each way to go
    on."""
    contents = sum(factorial(n) // factorial(n - k) for k in range(1, n))
    queries = sum(factorial(n) // factorial(n - 1 - k) for k in range(n))
    found = merged("permutation", n=n, order="all")
    assert len(found.classes) == found.task.size == contents + queries


@pytest.mark.parametrize(("m", "b"), [(1, 2), (2, 3), (3, 2), (4, 2), (5, 1)])
def test_counts_of_blocks(m: int, b: int) -> None:
    """2m - 1 classes and n² pairs with clean blocks; T + m classes with clean tokens."""
    last = (m - 1) * b
    block, token = (merged("block", m=m, b=b, clean=clean) for clean in ("block", "token"))
    pairs = [sum(row.bit_count() for row in one.flow.closure.rows) for one in (block, token)]
    assert block.task.size == token.task.size == (2 * m - 1) * b
    assert (len(block.classes), len(block.flow.covers)) == (2 * m - 1, max(0, 2 * m - 3))
    assert (block.flow.height, block.flow.width()) == (m, m)
    assert (len(token.classes), token.flow.height) == (last + m, last + 1)
    assert pairs == [(m * b) ** 2, last * (last + 1) // 2 + b * b * m * (m + 1) // 2]
    assert block.density.positions == Fraction(m, 2 * m - 1)
    assert block.density.tokens == 1


@pytest.mark.parametrize("n", [2, 3, 6, 7, 20])
def test_helpers_give_full_context(n: int) -> None:
    """Every query knows all tokens but its own, through fewest helpers."""
    found = merged("separating", n=n)
    helpers = found.task.size - n
    assert comb(helpers, helpers // 2) >= n > comb(helpers - 1, (helpers - 1) // 2)
    assert found.density.context == 1


def _variant(m: int, b: int, name: str) -> Callable[[int, int], bool]:
    last, right = (m - 1) * b, block_rule(m, b, "block")

    def stream(i: int) -> int:
        return (i if i < last else i - last) // b

    rules: dict[str, Callable[[int, int], bool]] = {
        "masks read earlier masks": lambda q, k: (
            right(q, k) or (q >= last and k >= last and stream(k) < stream(q))
        ),
        "masks read their own clean block": lambda q, k: (
            right(q, k) or (q >= last > k and stream(k) <= stream(q))
        ),
        "clean tokens read all clean tokens": lambda q, k: right(q, k) or (q < last and k < last),
    }
    return rules[name]


@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("masks read earlier masks", None),
        ("masks read their own clean block", 1),
        ("clean tokens read all clean tokens", 2),
    ],
)
def test_broken_blocks(name: str, leak: int | None) -> None:
    """Each variant embeds the tasks no longer; two of them leak, after 1 layer and after 2."""
    found = merged("block", m=3, b=2)
    size, reads = range(found.task.size), _variant(3, 2, name)
    rows = tuple(sum(1 << k for k in size if reads(q, k)) for q in size)
    broken = found.task.with_layers([Mask.of(Bits(rows, len(size)))])
    depths = [one.depth for one in broken.leak_depths() if one.depth is not None]
    assert min(depths, default=None) == leak
    changed = [
        first_broken(task, broken, mapped)
        for task, mapped in zip(found.tasks, found.maps, strict=True)
    ]
    assert changed != [None, None, None]


def test_a_family_of_orders_is_larger_than_its_orders() -> None:
    """Two orders share their common prefix, and nothing after it."""
    one, other = build("permutation", order=[1, 2, 3]), build("permutation", order=[1, 3, 2])
    assert merge([*one.tasks, *other.tasks]).task.size == 8


def test_closure_of_the_hasse_mask_is_the_order() -> None:
    """What the covers of the merged classes generate is the merged mask."""
    found = merged("butterfly", n=5)
    relation = frozenset((q, k) for k, q in found.flow.covers)
    classes = found.classes
    order = closed(relation, len(classes))
    pairs = {(classes[q][0], classes[k][0]) for q, k in order}
    assert pairs == pairs_of_sets(Flow(found.task.setting()).layers[0])
