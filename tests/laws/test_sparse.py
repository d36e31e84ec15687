"""Laws of sparse masks: the flow in K layers, the reduction, optima, and their refutations.

The values of paths and of other orders were computed once by MaxSAT, outside this package.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.ask.sparsify import sparsify
from attnproof.proofs import refute
from attnproof.proofs.checker import check_text
from attnproof.symbolic.errors import InputError, MissingExtra, ShapeError
from attnproof.symbolic.named.registry import get
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.relation import relation
from attnproof.symbolic.order.schedule import product, reach
from attnproof.symbolic.sparse import bounds, maxsat, midpoint
from attnproof.symbolic.sparse.explicit import edges, explicit
from attnproof.symbolic.sparse.layered import layered
from attnproof.symbolic.sparse.reduction import fewest, reduction
from tests.laws.sparse_reference import fewest_edges
from tests.laws.strategies import Rows, mask_of, relations
from tests.reference import closed, pairs_of_sets

#: (n, layers) to the fewest edges of one causal mask, off the diagonal.
PATH = {
    2: [1, 2, 4, 6, 8, 10, 13, 16, 19, 22, 25, 28],
    3: [1, 2, 3, 5, 6, 8, 10, 12, 14, 16, 18, 20],
    4: [1, 2, 3, 4, 6, 7, 9, 10, 12],
    5: [1, 2, 3, 4, 5, 7, 8, 9, 11],
}
#: The same for a mask a layer, edges added.
SCHEDULE = {2: [1, 2, 4, 6, 8, 10, 13, 16], 3: [1, 2, 3, 5, 7, 9, 11], 4: [1, 2, 3, 4, 6, 8, 10]}
#: Named masks to the fewest edges in 1, 2, 3 and any number of layers.
OTHERS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("butterfly", {"n": 3}, [8, 6, 6, 6]),
    ("butterfly", {"n": 4}, [18, 12, 10, 10]),
    ("two_stream", {"n": 4}, [9, 6, 5, 5]),
    ("two_stream", {"n": 5}, [16, 9, 8, 7]),
    ("block_two_stream", {"m": 2, "b": 2}, [10, 8, 7, 7]),
    ("full", {"n": 3}, [6, 3, 3, 3]),
    ("full", {"n": 4}, [12, 6, 4, 4]),
    ("full", {"n": 5}, [20, 8, 7, 5]),
]


def causal(n: int) -> Rows:
    """The rows of the causal mask."""
    return tuple((2 << q) - 1 for q in range(n))


def within(layers: tuple[Rows, ...], rows: Rows) -> bool:
    """Does no layer exceed the relation?"""
    return all(a & ~b == 0 for layer in layers for a, b in zip(layer, rows, strict=True))


@given(relations(6))
def test_the_reduction_is_least(given_rows: Rows) -> None:
    """Its closure is the order, it lies within it, and without any of its edges it is not."""
    order = closure(given_rows)
    found = reduction(order)
    assert closure(found).rows == order.rows
    assert within((found,), order.rows)
    assert edges((found,)) == fewest(order)
    for q, row in enumerate(found):
        for k in range(len(found)):
            if k != q and row >> k & 1:
                less = (*found[:q], row ^ 1 << k, *found[q + 1 :])
                assert closure(less).rows != order.rows


@given(relations(6), st.integers(1, 4), st.booleans())
def test_what_is_built_has_the_flow(given_rows: Rows, layers: int, schedule: bool) -> None:
    """After so many layers exactly the closure, from masks within it."""
    order = closure(given_rows)
    found = explicit(order, layers, schedule)
    assert len(found) == (layers if schedule else 1)
    assert reach(list(found), layers) == order.rows
    assert within(found, order.rows)


@given(relations(5), st.integers(1, 3), st.booleans())
@settings(max_examples=40)
def test_what_is_found_has_the_flow_and_a_certificate(
    given_rows: Rows, layers: int, per_layer: bool
) -> None:
    """The masks have the flow; the checker accepts them, and that fewer edges do not suffice."""
    found = sparsify(mask_of(given_rows), layers=layers, per_layer=per_layer)
    rows = closure(given_rows).rows
    masks = tuple(mask.rows.bits() for mask in found.masks)
    assert reach(list(masks), layers) == rows
    assert within(masks, rows)
    assert found.optimal == "proved"
    (checked,) = check_text(found.certificate.text)
    assert (checked.valid, checked.reason) == (True, "")
    assert checked.predicateType == "attnproof/optimum/v1"


@given(relations(4), st.integers(1, 3), st.booleans())
@settings(max_examples=40)
def test_nothing_smaller_does(given_rows: Rows, layers: int, per_layer: bool) -> None:
    """By trying every set of edges."""
    n = len(given_rows)
    per_layer = per_layer and n < 4
    found = sparsify(mask_of(given_rows), layers=layers, per_layer=per_layer)
    flow = closed(pairs_of_sets(given_rows), n)
    assert found.edges_off_diagonal == fewest_edges(flow, n, layers, per_layer and layers > 1)


@pytest.mark.parametrize("layers", PATH)
def test_paths(layers: int) -> None:
    """The values, from decisions and, where it is quick, from MaxSAT."""
    for n, wanted in enumerate(PATH[layers], 2):
        found = sparsify("causal", n=n, layers=layers)
        assert (found.edges_off_diagonal, found.optimal) == (wanted, "proved")
        if n < 10:
            assert maxsat.sparsest(causal(n), layers, False, 10_000).fewest == wanted


@pytest.mark.parametrize("layers", SCHEDULE)
def test_schedules_of_paths(layers: int) -> None:
    """The same with a mask a layer; two layers need no more edges together than one mask alone."""
    for n, wanted in enumerate(SCHEDULE[layers], 2):
        found = sparsify("causal", n=n, layers=layers, per_layer=True)
        assert (found.edges_off_diagonal, found.optimal) == (wanted, "proved")
        if n < 8:
            assert maxsat.sparsest(causal(n), layers, True, 10_000).fewest == wanted


@pytest.mark.parametrize(("name", "parameters", "wanted"), OTHERS)
def test_other_orders(name: str, parameters: dict[str, Any], wanted: list[int]) -> None:
    """Named masks: one, two, three layers, and any number of them."""
    n = parameters.get("n")
    params = {key: value for key, value in parameters.items() if key != "n"}
    for layers, edges_wanted in zip((1, 2, 3), wanted, strict=False):
        found = sparsify(name, n=n, params=params, layers=layers)
        assert (found.edges_off_diagonal, found.optimal) == (edges_wanted, "proved")
    rows = relation(get(name).mask(n, **params))
    assert fewest(closure(rows)) == wanted[3]


@pytest.mark.parametrize(("n", "layers", "schedule"), [(7, 2, False), (6, 3, True), (5, 4, False)])
def test_another_solver_agrees(n: int, layers: int, schedule: bool) -> None:
    """Z3, on the same hard clauses."""
    import z3

    hard, variables = maxsat.clauses(causal(n), layers, schedule)
    search = z3.Optimize()
    for clause in hard:
        literals = [z3.Bool(abs(x)) if x > 0 else z3.Not(z3.Bool(abs(x))) for x in clause]
        search.add(z3.Or(literals))
    for layer in variables:
        for variable in layer.values():
            search.add_soft(z3.Not(z3.Bool(variable)))
    assert search.check() == z3.sat
    model = search.model()
    chosen = [v for layer in variables for v in layer.values() if z3.is_true(model[z3.Bool(v)])]
    assert len(chosen) == maxsat.sparsest(causal(n), layers, schedule, 10_000).fewest


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 64, 100, 128])
def test_midpoints(n: int) -> None:
    """Two layers are causal; the number of edges is the sum of floor(log2 j), in its closed form.

    The named mask fenwick has the same where n is a power of two, and at most n more.
    """
    one, (first, last) = midpoint.midpoint(n).bits(), midpoint.midpoint_schedule(n)
    assert product(one, one) == causal(n) == product(last.bits(), first.bits())
    wanted = sum(j.bit_length() - 1 for j in range(1, n + 1))
    assert edges((one,)) == edges((first.bits(), last.bits())) == wanted == midpoint.edges(n)
    fenwick = get("fenwick").mask(n).rows.bits()
    assert wanted <= edges((fenwick,)) <= wanted + n
    assert n & (n - 1) or edges((fenwick,)) == wanted


@given(st.integers(1, 60), st.integers(1, 6))
def test_layers_with_separators(n: int, layers: int) -> None:
    """Their product is causal."""
    assert reach(list(layered(n, layers)), layers) == causal(n)


@pytest.mark.parametrize("layers", [2, 3])
def test_lower_bounds_of_long_paths(layers: int) -> None:
    """They are below the optima where these are known, and never above what is built."""
    known = [0, 0, *PATH[layers]]
    for n in range(2, len(known)):
        assert bounds.at_least(n, layers, known[:6]) <= known[n]
    found = sparsify("causal", n=200, layers=layers, budget=200)
    assert found.optimal == "unknown"
    assert found.fewest < found.edges_off_diagonal
    (checked,) = check_text(found.certificate.text)
    assert (checked.valid, checked.predicateType) == (True, "attnproof/spans/v1")


def test_more_layers_than_positions() -> None:
    """One mask needs no more than its reduction, whatever the number of layers."""
    found = sparsify("causal", n=9, layers=10**12)
    assert (found.edges_off_diagonal, found.optimal) == (8, "proved")
    assert check_text(found.certificate.text)[0].valid


def test_any_order_of_the_positions() -> None:
    """A path may run through the positions in any order."""
    order = [2, 0, 3, 1, 5, 4]
    mask = get("causal").mask(6).permute(order)
    found = sparsify(mask, layers=2)
    assert (found.edges_off_diagonal, found.optimal) == (8, "proved")
    assert check_text(found.certificate.text)[0].valid


def test_a_budget_that_does_not_suffice() -> None:
    """Nothing is claimed to be optimal, and both bounds are true."""
    for mask in (get("causal").mask(14), get("full").mask(6)):
        found = sparsify(mask, layers=3, budget=1)
        assert found.optimal == "unknown"
        better = sparsify(mask, layers=3)
        assert found.fewest <= better.edges_off_diagonal <= found.edges_off_diagonal


def test_a_refutation_refutes_one_edge_less_only() -> None:
    """The formula of as many edges as needed has a model."""
    rows = causal(6)
    assert refute.without(rows, 2, False, 8, 1000) is not None
    assert refute.without(rows, 2, False, 9, 1000) is None


def test_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was given, what is needed, the way out."""
    with pytest.raises(InputError, match="layers is 0; give 1 or more"):
        sparsify("causal", n=4, layers=0)
    with pytest.raises(InputError, match="the budget is -1; give 0 or more conflicts"):
        sparsify("causal", n=4, layers=2, budget=-1)
    with pytest.raises(ShapeError, match="9000 positions; this question takes at most 8192"):
        sparsify("causal", n=9000, layers=2)
    with pytest.raises(ShapeError, match="100000 masks of 4 positions have 400000 rows"):
        sparsify("causal", n=4, layers=100_000, per_layer=True)
    for module in (refute, maxsat):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    for name in ("causal", "butterfly"):
        with pytest.raises(MissingExtra, match=r"needs the extra 'optimal': pip install"):
            sparsify(name, n=6, layers=2)
    assert sparsify("causal", n=4, layers=1).optimal == "proved"
