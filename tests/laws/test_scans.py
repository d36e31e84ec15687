"""Laws of scans: what readers see, how few suffice, and which single recurrence does."""

import json
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.ask.scans import scans
from attnproof.proofs.checker import check_statement, check_text
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.width import width
from attnproof.symbolic.sparse import ferrers
from attnproof.symbolic.sparse.scans import Scans
from attnproof.symbolic.sparse.scans import scans as scans_of
from attnproof.symbolic.verdict import Verdict
from tests.laws.sparse_reference import all_flows, fewest_scans, tier
from tests.laws.strategies import Rows, mask_of, relations
from tests.reference import sets_of_pairs


def seen(found: Scans, n: int) -> Rows:
    """What each reader has seen of all scans, and itself."""
    rows = [1 << q for q in range(n)]
    for scan in found.chains:
        for q, count in enumerate(scan.reads):
            for k in scan.writes[:count]:
                rows[q] |= 1 << k
    return tuple(rows)


def followed(found: Scans, n: int) -> Rows:
    """What each reader has of the state that it continues, and itself; classes are single."""
    assert found.parents is not None
    rows = [1 << q for q in range(n)]
    for q in range(n):
        at = found.parents[q]
        while at is not None:
            rows[q] |= 1 << at
            at = found.parents[at]
    return tuple(rows)


@given(relations(7))
def test_scans_realise_the_order(given_rows: Rows) -> None:
    """Exactly, with no more scans than the order is wide, and a certificate that is accepted."""
    order = closure(given_rows)
    found = scans_of(order)
    assert seen(found, len(given_rows)) == order.rows
    assert found.fewest <= len(found.chains) <= len(width(order))
    (checked,) = check_text(scans(mask_of(given_rows)).certificate.text)
    assert (checked.valid, checked.reason) == (True, "")


@given(relations(7))
def test_one_scan_is_an_interval_order(given_rows: Rows) -> None:
    """One suffices exactly when the order of classes holds no 2+2."""
    order = closure(given_rows)
    needed = [row & ~(1 << c) for c, row in enumerate(order.below)]
    needed = [
        row | 1 << c if len(members) > 1 else row
        for c, (row, members) in enumerate(zip(needed, order.classes, strict=True))
    ]
    pairs = [(q, k) for q, row in enumerate(needed) for k in range(len(needed)) if row >> k & 1]
    two_and_two = any(ferrers.apart(needed, a, b) for a, b in combinations(pairs, 2))
    assert (len(scans_of(order).chains) <= 1) == (not two_and_two)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_order_of_three(n: int) -> None:
    """Number and tier of every preorder, by trying every sequence of writes."""
    for flow in all_flows(n):
        order = closure(sets_of_pairs(flow, n))
        found = scans_of(order)
        assert len(found.chains) == found.fewest == fewest_scans(flow, n, False)
        assert found.tier.value == tier(flow, n, False)
        if order.antisymmetric:
            ordered = scans_of(order, rule="gated")
            assert len(ordered.chains) == fewest_scans(flow, n, True)
            assert ordered.tier.value == tier(flow, n, True)
            if ordered.parents is not None:
                assert followed(ordered, n) == order.rows


@given(relations(4), st.booleans())
def test_orders_of_four(given_rows: Rows, gated: bool) -> None:
    """The same for some of four positions."""
    order = closure(given_rows)
    n = len(given_rows)
    flow = frozenset((q, k) for q in range(n) for k in range(n) if order.rows[q] >> k & 1)
    if gated and not order.antisymmetric:
        with pytest.raises(InputError, match="a gated rule has no order of their writes"):
            scans_of(order, rule="gated")
        return
    found = scans_of(order, rule="gated" if gated else "sum")
    assert len(found.chains) == fewest_scans(flow, n, gated)
    assert found.tier.value == tier(flow, n, gated)
    assert seen(found, n) == order.rows


@given(relations(7))
def test_gated_scans_take_the_width_of_what_is_read(given_rows: Rows) -> None:
    """Each write reads the one before; an antichain of sources shows that fewer do not suffice."""
    order = closure(given_rows)
    if not order.antisymmetric:
        return
    found = scans(mask_of(given_rows), rule="gated")
    assert seen(found.found, len(given_rows)) == order.rows
    assert found.optimal == "proved"
    assert check_text(found.certificate.text)[0].valid


@pytest.mark.parametrize(
    ("name", "parameters", "wanted", "count", "gated"),
    [
        ("causal", {"n": 6}, "in-place", 1, 1),
        ("full", {"n": 4}, "snapshot", 1, None),
        ("prefix_lm", {"n": 6, "prefix": 3}, "snapshot", 1, None),
        ("documents", {"n": 8, "lengths": [3, 3, 2]}, "in-place", 3, 3),
        ("two_stream", {"n": 4}, "in-place", 1, 1),
        ("block_two_stream", {"m": 3, "b": 2}, "forked", 3, None),
        ("tree", {"parents": [-1, 0, 1, 1, 2, 2, 3]}, "forked", 2, 2),
        ("butterfly", {"n": 6}, "several", 2, 2),
        ("crown", {"n": 6}, "several", 2, 6),
        ("comb", {"n": 9}, "forked", 3, None),
    ],
)
def test_named_masks(
    name: str, parameters: dict[str, object], wanted: str, count: int, gated: int | None
) -> None:
    """The tiers; butterfly and crown need a forward and a backward scan, a clique two passes."""
    params = {key: value for key, value in parameters.items() if key != "n"}
    n = parameters.get("n")
    assert n is None or isinstance(n, int)
    found = scans(name, n=n, params=params)
    assert (found.tier, found.scans, found.optimal) == (wanted, count, "proved")
    assert check_text(found.certificate.text)[0].valid
    if gated is None:
        with pytest.raises(InputError, match="read each other"):
            scans(name, n=n, params=params, rule="gated")
    else:
        assert scans(name, n=n, params=params, rule="gated").scans == gated


def test_an_odd_cycle_needs_three() -> None:
    """Pairs apart in an odd cycle, none of three apart: three scans, which a cycle shows."""
    rows = closure(sparse_crown(4)).rows
    cycle = ferrers.odd_cycle([row & ~(1 << q) for q, row in enumerate(rows)])
    assert cycle is not None
    assert len(cycle) % 2 == 1
    found = scans(mask_of(rows))
    assert found.scans == 3
    statement = json.loads(found.certificate.text)
    assert check_statement(statement).valid
    pairs = statement["predicate"]["least"]["pairs"]
    for i in range(len(pairs)):
        for others in (pairs[:i] + pairs[i + 1 :], pairs[:i] + pairs[i:][::-1], pairs[: 2 * i]):
            statement["predicate"]["least"]["pairs"] = others
            around = [(*a, *b) for a, b in pairwise([*others, *others[:1]])]
            apart = all(not rows[q] >> m & 1 and not rows[r] >> k & 1 for q, k, r, m in around)
            assert check_statement(statement).valid == (len(others) % 2 == 1 and apart)


def sparse_crown(n: int) -> Rows:
    """Reader i of n reads sources i and i + 1, around."""
    sources = [1 << k for k in range(n)]
    readers = [1 << n + i | 1 << i | 1 << (i + 1) % n for i in range(n)]
    return (*sources, *readers)


def test_what_no_solver_settles_is_unknown() -> None:
    """Without steps the number lies between two true bounds."""
    rows = sparse_crown(7)
    found = scans_of(closure(rows), steps=1)
    sure = scans_of(closure(rows))
    assert found.fewest <= len(sure.chains) <= len(found.chains)
    assert ferrers.search(rows, 2, 1)[0] is not Verdict.HOLDS


def test_messages() -> None:
    """What was given, what is needed, the way out."""
    with pytest.raises(InputError, match="the rule is 'delta'; choose sum or gated"):
        scans("causal", n=3, rule="delta")
    assert repr(scans(Mask.from_rows(["1.", ".1"]))) == "mask, n = 2: in-place, 0 scans"
