"""Laws of scans: what is read is what was written before, in whatever update."""

from functools import reduce
from operator import or_
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.dependency import Method, dependency
from attnproof.numeric.scan import Chain, Group, Scan, Update, delta, gated, linear
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.named import registry
from tests.numeric.networks import close, normal, pairs_of_mask, tensor_of
from tests.reference import Pairs, identity

Groups = list[list[int]]
METHODS = (Method.JACOBIAN, Method.PERTURBATION)


@st.composite
def chains(draw: st.DrawFn, n: int) -> Chain:
    """Positions that write at any time, and read at any other, or never."""
    length = draw(st.integers(1, 4))
    times = st.lists(st.integers(0, length), min_size=n, max_size=n)
    writes, reads = draw(times), draw(times)
    return Chain(
        tuple(
            Group(
                tuple(p for p in range(n) if writes[p] == step),
                tuple(p for p in range(n) if reads[p] == step),
            )
            for step in range(length)
        )
    )


several = st.integers(1, 5).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(chains(n), min_size=1, max_size=3))
)


def measured(model: Scan, n: int, method: Method) -> Pairs:
    """The pairs (output, input) that a scan is seen to have."""
    found = dependency(model, normal(1, n, 4, seed=3), method, points=1)
    return pairs_of_mask(found.relation)


def relation_of(given: list[Chain], n: int) -> Pairs:
    """The pairs of some chain, by the times of writing and reading."""
    pairs = set()
    for chain in given:
        for late, reader in enumerate(chain.groups):
            for early in chain.groups[: late + 1]:
                pairs |= {(q, k) for q in reader.reads for k in early.writes}
    return frozenset(pairs)


@settings(max_examples=15)
@given(several, st.sampled_from(Update), st.integers(0, 99))
def test_dependency_is_the_relation_of_the_chains(
    case: tuple[int, list[Chain]], update: Update, seed: int
) -> None:
    """Linear, gated and delta, one to three scans: what some chain has, and the diagonal."""
    n, given_chains = case
    expected = relation_of(given_chains, n)
    assert pairs_of_mask(reduce(or_, (c.relation(n) for c in given_chains))) == expected
    model = Scan(given_chains, 4, update=update, seed=seed)
    for method in METHODS:
        assert measured(model, n, method) == expected | identity(n)


@settings(max_examples=15)
@given(several, st.sampled_from(Update))
def test_without_a_residual_readers_weigh_what_they_read(
    case: tuple[int, list[Chain]], update: Update
) -> None:
    """A reader's own state is in its query, so it depends on itself wherever it reads anything."""
    n, given_chains = case
    expected = relation_of(given_chains, n)
    expected |= {(q, q) for q, _ in expected}
    model = Scan(given_chains, 4, update=update, residual=False)
    assert measured(model, n, Method.PERTURBATION) == expected


@given(several)
def test_rows_of_one_chain_are_nested(case: tuple[int, list[Chain]]) -> None:
    """Of any two rows one is within the other: one scan is one Ferrers relation."""
    n, (chain, *_) = case
    rows = chain.relation(n).rows.bits()
    assert all(a & b in (a, b) for a in rows for b in rows)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_nested_rows_are_a_chain(ends: list[int]) -> None:
    """Any mask with nested rows is the relation of a chain: write in order, read in between."""
    n = len(ends)
    groups = [
        Group((step - 1,) if step else (), tuple(q for q in range(n) if ends[q] == step))
        for step in range(n + 1)
    ]
    wanted = frozenset((q, k) for q in range(n) for k in range(ends[q]))
    assert pairs_of_mask(Chain(tuple(groups)).relation(n)) == wanted


def singles(order: range) -> Groups:
    """One position a group."""
    return [[p] for p in order]


def both(n: int) -> list[Chain]:
    """Forward over what is before, backward over what is after."""
    return [Chain.exclusive(singles(range(n))), Chain.exclusive(singles(range(n)[::-1]))]


def crown(n: int) -> list[Chain]:
    """Leaves 0..n-1 write; query n + i reads the leaves before i, then those after it."""
    forward = [step for i in range(n) for step in (Group(reads=(n + i,)), Group(writes=(i,)))]
    backward = [
        step for i in range(n)[::-1] for step in (Group(reads=(n + i,)), Group(writes=(i,)))
    ]
    return [Chain(tuple(forward)), Chain(tuple(backward))]


def butterfly(n: int) -> list[Chain]:
    """f_1..f_{n-1}, then g_2..g_n, then t_1..t_n: forward over f, backward over g."""
    f, g, t = range(n - 1), range(n - 1, 2 * n - 2), range(2 * n - 2, 3 * n - 2)
    forward = [Group(reads=(t[0],))]
    forward += [Group((f[i],), (f[i], t[i + 1])) for i in range(n - 1)]
    backward = [Group(reads=(t[n - 1],))]
    backward += [Group((g[i],), (g[i], t[i])) for i in range(n - 1)[::-1]]
    return [Chain(tuple(forward)), Chain(tuple(backward))]


def two_stream(n: int) -> Chain:
    """Contents 0..n-2 write and read; query n - 1 + i reads the contents before i."""
    groups = [step for i in range(n - 1) for step in (Group(reads=(n - 1 + i,)), Group((i,), (i,)))]
    return Chain((*groups, Group(reads=(2 * n - 2,))))


def named(name: str, **parameters: Any) -> Pairs:
    """The pairs of a named mask, and the diagonal."""
    mask: Mask = registry.get(name).mask(**parameters)
    return pairs_of_mask(mask) | identity(mask.size)


CASES: dict[str, tuple[list[Chain], Pairs]] = {
    "causal": ([Chain.inclusive(singles(range(5)))], named("causal", n=5)),
    "anti-causal": (
        [Chain.inclusive(singles(range(5)[::-1]))],
        frozenset((q, k) for q in range(5) for k in range(q, 5)),
    ),
    "one group": ([Chain.inclusive([[0, 1, 2, 3]])], named("full", n=4)),
    "blocks": (
        [Chain.inclusive([[0, 1], [2, 3], [4, 5]])],
        named("block_causal", n=6, block=2),
    ),
    "prefix": (
        [Chain.inclusive([[0, 1], [2], [3], [4]])],
        named("prefix_lm", n=5, prefix=2),
    ),
    "two-stream": ([two_stream(3)], named("two_stream", n=3, order=[0, 1, 2])),
    "two documents": (
        [Chain.inclusive([[0], [1]]), Chain.inclusive([[2], [3], [4]])],
        named("documents", lengths=[2, 3]),
    ),
    "forward and backward": (both(5), named("full", n=5)),
    "crown": (crown(3), named("crown", n=3)),
    "butterfly": (butterfly(3), named("butterfly", n=3)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("update", Update)
def test_named_masks_are_scans(case: str, update: Update) -> None:
    """What one scan and two scans realise; with a residual, measured."""
    given_chains, expected = CASES[case]
    n = 1 + max(q for q, _ in expected)
    model = Scan(given_chains, 4, update=update)
    assert measured(model, n, Method.JACOBIAN) == expected
    assert measured(model, n, Method.PERTURBATION) == expected


def test_everything_but_me_needs_two_scans() -> None:
    """Rows of the crown's queries are not nested, so one chain never has them; forward and backward
    do, and a position's own input stays out of what it reads."""
    n = 4
    own = [chain.relation(n) for chain in both(n)]
    assert pairs_of_mask(own[0] | own[1]) == {(q, k) for q in range(n) for k in range(n) if q != k}
    rows = (own[0] | own[1]).rows.bits()
    assert not any(a & b in (a, b) for i, a in enumerate(rows) for b in rows[:i])


def test_a_linear_scan_is_attention_without_softmax() -> None:
    """Unnormalised scores times values, under the chain's relation as a mask."""
    state, chain = normal(2, 4, 3), Chain.inclusive([[0], [2, 3], [1]])
    model = Scan([chain], 3, residual=False)
    query, key = state @ model.query[0], state @ model.key[0]
    key = key / key.norm(dim=-1, keepdim=True)
    mask = tensor_of(tuple(chain.relation(4).rows.bits()))
    expected = (query @ key.mT * mask) @ (state @ model.value[0]) @ model.output[0]
    assert close(model(state), expected)


def test_a_delta_write_corrects_what_its_key_recalls() -> None:
    """At rate 1 the state returns the last value written under a key; the linear sum does not."""
    empty, key = torch.zeros(1, 2, 2), torch.tensor([[0.6, 0.8]])
    first, second, rate = torch.tensor([[1.0, 2.0]]), torch.tensor([[5.0, 7.0]]), torch.ones(1, 1)
    corrected = delta(delta(empty, key, first, rate), key, second, rate)
    assert close(corrected[0] @ key[0], second[0], 1e-5)
    added = linear(linear(empty, key, first), key, second)
    assert close(added[0] @ key[0], (first + second)[0], 1e-5)


def test_a_gate_of_zero_forgets() -> None:
    """A gate of zero is a reset: what was written before is gone, whatever it was."""
    key, value = normal(1, 2), normal(1, 3, seed=1)
    found = [gated(normal(1, 3, 2, seed=s), key, value, torch.zeros(1, 2)) for s in (2, 3)]
    assert torch.equal(*found)


def test_the_order_of_writes_matters_for_values() -> None:
    """Two orders in one group have one relation; gated and delta updates tell them apart."""
    state = normal(1, 3, 4)
    for update in Update:
        outputs = [
            Scan([Chain((Group(order, (2,)),))], 4, update=update)(state)
            for order in ((0, 1), (1, 0))
        ]
        assert close(*outputs) == (update is Update.LINEAR)


def test_messages() -> None:
    """What was given, what is needed."""
    with pytest.raises(ShapeError, match="position 1 writes twice in one chain; give it a second"):
        Chain((Group(writes=(1,)), Group(writes=(0, 1))))
    with pytest.raises(ShapeError, match="position 0 reads twice in one chain"):
        Chain((Group(reads=(0, 0)),))
