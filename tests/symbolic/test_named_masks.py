"""The named masks: the formula and the intervals of every one describe the same relation."""

import pkgutil
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

import attnproof.symbolic.named as package
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    dense,
    evaluate,
    from_json,
    latex,
    obligations,
    to_json,
    variables,
)
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.named.registry import get, names
from tests.symbolic.forms import check_runs

LENGTHS = (1, 2, 3, 5, 8, 13, 40)


def _grid(**choices: Any) -> list[dict[str, Any]]:
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


UPPER: Any = np.triu(np.ones((4, 4)), 1)
BLOCKED: Any = torch.tensor([[1, 0, 1], [0, 0, 0], [1, 1, 1]])
FOREST = [-1, 0, 1, 1, 2, 2, 3]
CROSSED = [3, 3, -1, 2, -1, 4, 0]
GRIDS: dict[str, list[dict[str, Any]]] = {
    "full": _grid(n=LENGTHS),
    "causal": _grid(n=LENGTHS),
    "window": _grid(n=LENGTHS, keys=(1, 2, 4, 50)),
    "bidirectional_window": _grid(n=LENGTHS, radius=(0, 1, 3, 50)),
    "sink_window": _grid(n=LENGTHS, sinks=(0, 1, 4), keys=(1, 3, 9)),
    "global_window": _grid(
        n=LENGTHS, radius=(0, 1, 3), global_tokens=(0, 1, 4), causal=(False, True)
    ),
    "neighborhood": _grid(n=(1, 2, 7, 40), radius=(0,)) + _grid(n=(7, 8, 40), radius=(1, 3)),
    "prefix_lm": _grid(n=LENGTHS, prefix=(0, 1, 3, 50)),
    "encoder_decoder": _grid(n=(5, 8), encoder=(0, 1, 3, 5)),
    "documents": _grid(lengths=([3, 5], [1], [2, 0, 4, 1]), causal=(True, False))
    + _grid(ids=([0, 1, 0, 1, 1, 0], [7, 7, -1, 7], np.array([2, 2, 5])), causal=(True, False))
    + _grid(positions=([0, 1, 2, 0, 1], [4, 5, 0, 0, 1, 3]), causal=(True, False)),
    "cu_seqlens": _grid(cu_seqlens=([0, 3, 8], [0, 0, 4, 4, 5], [0, 1]), causal=(True, False)),
    "prefix_documents": [
        *_grid(lengths=([3, 5], [4, 0, 1]), prefix=(0, 1, 2, 9)),
        {"lengths": [4, 3, 2], "prefix": [2, 0, 5]},
    ],
    "shared_prefix": _grid(prefix=(0, 1, 3), lengths=([3, 2], [1, 0, 4], [2])),
    "spans": [
        {"n": 8, "spans": spans}
        for spans in ([], [[0, 8]], [[5, 8], [1, 3]], [[2, 4], [4, 7]], [[0, 1]])
    ],
    "left_padded": _grid(n=LENGTHS, padding=(0, 1, 3, 50)),
    "padded": _grid(
        attention_mask=([1], [0], [0, 0, 1, 1], [1, 1, 0], [0, 1, 0, 1, 1, 0]),
        causal=(True, False),
    ),
    "chunked": _grid(n=LENGTHS, chunk=(1, 3, 4, 50))
    + _grid(
        chunk=(1, 2, 4),
        positions=([1, 1, 0, 1, 2, 3], [-2, -1, 0, 1, 2, 3], None),
        attention_mask=([0, 0, 1, 1, 1, 1], [1, 0, 1, 0, 1, 1]),
    )
    + _grid(chunk=(2,), positions=([0, 1, 2, 0, 1], [0, 3, 1, 2, 0])),
    "block_causal": _grid(n=LENGTHS, block=(1, 3, 4, 50)),
    "dilated": _grid(n=LENGTHS, keys=(1, 2, 4), dilation=(1, 2, 5)),
    "strided": _grid(n=LENGTHS, stride=(1, 2, 4, 7, 50)),
    "fixed": _grid(n=LENGTHS, stride=(3, 4, 50), summary=(1, 2, 3)),
    "log_sparse": _grid(n=LENGTHS),
    "fenwick": _grid(n=LENGTHS),
    "look_ahead": _grid(n=LENGTHS, right=(0, 1, 3, 50)),
    "bigbird": _grid(n=LENGTHS, block=(1, 3), radius=(0, 1), global_blocks=(0, 1), seed=(0, 7))
    + _grid(n=(5, 40), random=(0, 1, 9)),
    "comb": _grid(n=LENGTHS, radius=(0, 1, 2)),
    "masked_autoencoder": _grid(
        n=(6, 9),
        visible=([], [0, 3], [5, 1, 1]),
        masked=("clique", "cross"),
    ),
    "perm": [{"order": order} for order in ([0], [2, 0, 3, 1], [3, 1, 4, 2, 5], [4, 3, 2, 1, 0])],
    "perm_mask": _grid(blocked=([[0]], UPPER, BLOCKED)),
    "tree": [{"parents": parents} for parents in ([-1], [-1, -1], FOREST, CROSSED, [1, 2, -1])],
    "flat_tree": [
        *_grid(flat=([1], [1, 0, 0, 1], [1, 0, 0, 1, 1, 0, 1, 0, 1]), prefix=(0, 1, 2)),
        {"flat": [1, 1, 1, 0, 0, 1, 1, 1], "prefix": 2},
        {"flat": [[1, 0], [1, 1]], "prefix": 1},
        *_grid(flat=([1] * 15 + [0],), prefix=(6,), columns=("drafts", "keys")),
        {"flat": [], "prefix": 3},
    ],
    "two_stream": _grid(n=LENGTHS, keep_last=(False, True))
    + _grid(order=([0], [1, 0], [2, 0, 3, 1], [3, 1, 4, 2, 5]), keep_last=(False, True)),
    "block_two_stream": _grid(m=(1, 2, 4), b=(1, 2, 3), clean=("block", "token"))
    + _grid(n=LENGTHS, b=(1, 3, 4), clean=("block", "token"))
    + [{"n": 7, "m": 3, "b": 3}],
    "block_diffusion": _grid(n=LENGTHS, block=(1, 2, 3, 50)),
    "crown": _grid(n=LENGTHS),
    "butterfly": _grid(n=LENGTHS),
}


CASES = [pytest.param(name, grid, id=name) for name, grid in GRIDS.items()]


def test_every_mask_is_registered_and_tested() -> None:
    """The names are the modules that define a mask, and each has a grid here."""
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert modules - {"named", "registry", "kinds", "intervals"} == set(names())
    assert list(GRIDS) == list(names())


@pytest.mark.parametrize(("name", "grid"), CASES)
def test_the_formula_is_the_intervals(name: str, grid: list[dict[str, Any]]) -> None:
    """At every pair the formula, evaluated on whole arrays, says what the intervals say."""
    mask = get(name)
    for given in grid:
        size, values = mask.positions(**given), mask.values(**given)
        rows = list(mask.runs(**given))
        assert len(rows) == size
        for runs in rows:
            check_runs(runs, size)
        formula = mask.formula(**{x: y for x, y in given.items() if x != "n"})
        table = dense(formula, size, size, values)
        pairs = {(q, k) for q, runs in enumerate(rows) for a, b in runs for k in range(a, b)}
        assert set(map(tuple, np.argwhere(table).tolist())) == pairs, given


@pytest.mark.parametrize(("name", "grid"), CASES)
def test_the_formula_is_the_same_on_integers(name: str, grid: list[dict[str, Any]]) -> None:
    """Evaluated pair by pair on Python integers the formula gives the mask, and after JSON too."""
    mask = get(name)
    given = {"n": None, **grid[len(grid) // 2]}
    whole, values = mask.mask(**given), mask.values(**given)
    given.pop("n")
    formula = from_json(to_json(mask.formula(**given)))
    for q in range(min(whole.size, 14)):
        for k in range(min(whole.size, 14)):
            assert evaluate(formula, {**values, "q": q, "k": k}) is whole[q, k]


@pytest.mark.parametrize(("name", "grid"), CASES)
def test_obligations_hold_where_the_mask_is_asked(name: str, grid: list[dict[str, Any]]) -> None:
    """Divisors are positive and indices in range at every pair, for all parameters here."""
    mask = get(name)
    for given in grid:
        size, values = mask.positions(**given), mask.values(**given)
        shapes = {x: np.shape(y) for x, y in values.items() if np.ndim(y)}
        formula = mask.formula(**{x: y for x, y in given.items() if x != "n"})
        for needed in obligations(formula, shapes):
            assert dense(needed.formula, size, size, values).all(), (given, needed)


@pytest.mark.parametrize(("name", "grid"), CASES)
def test_the_mask_mod_is_the_mask(name: str, grid: list[dict[str, Any]]) -> None:
    """The printed mask_mod, imported and run by torch.vmap, gives the mask."""
    mask = get(name)
    for given in (grid[0], grid[-1]):
        module: dict[str, Any] = {}
        exec(mask.mask_mod_source(**given), module)
        positions = torch.arange(mask.positions(**given))
        rule = torch.vmap(module[name], in_dims=(None, None, None, 0))
        rule = torch.vmap(rule, in_dims=(None, None, 0, None))
        got = rule(torch.tensor(0), torch.tensor(0), positions, positions)
        assert Mask.from_dense(got.numpy()) == mask.mask(**given)


@pytest.mark.parametrize("name", names())
def test_a_mask_describes_itself(name: str) -> None:
    """One sentence, a source, an example that works, and a value for every name it uses."""
    mask = get(name)
    assert mask.name == name
    assert mask.doc.endswith(".")
    assert mask.source
    assert mask.mask(**mask.example).size >= 3
    parameters = {x: y for x, y in mask.example.items() if x != "n"}
    formula = mask.formula(**parameters)
    assert variables(formula) <= {"q", "k", *mask.values(**mask.example)}
    assert latex(formula)
    assert all(parameter.doc and parameter.kind.words for parameter in mask.parameters)


#: Rows drawn by hand from the definitions; the layout is part of the promise.
DRAWN: list[tuple[str, dict[str, Any], str]] = [
    ("window", {"n": 4, "keys": 2}, "1... 11.. .11. ..11"),
    ("sink_window", {"n": 5, "sinks": 1, "keys": 2}, "1.... 11... 111.. 1.11. 1..11"),
    ("global_window", {"n": 4, "radius": 0, "global_tokens": 1}, "1111 11.. 1.1. 1..1"),
    ("neighborhood", {"n": 4, "radius": 1}, "111. 111. .111 .111"),
    ("prefix_lm", {"n": 4, "prefix": 2}, "11.. 11.. 111. 1111"),
    ("documents", {"ids": [0, 1, 0, 1]}, "1... .1.. 1.1. .1.1"),
    ("documents", {"lengths": [2, 1], "causal": False}, "11. 11. ..1"),
    ("prefix_documents", {"lengths": [3, 2], "prefix": 2}, "11... 11... 111.. ...11 ...11"),
    ("shared_prefix", {"prefix": 1, "lengths": [2, 1]}, "1... 11.. 111. 1..1"),
    ("spans", {"n": 4, "spans": [[1, 3]]}, "1... 111. 111. 1111"),
    ("left_padded", {"n": 3, "padding": 1}, "... .1. .11"),
    ("padded", {"attention_mask": [0, 1, 0, 1]}, ".... .1.. .1.. .1.1"),
    ("padded", {"attention_mask": [0, 1, 1], "causal": False}, ".11 .11 .11"),
    ("documents", {"positions": [0, 1, 0]}, "1.. 11. ..1"),
    ("chunked", {"n": 5, "chunk": 2}, "1.... 11... ..1.. ..11. ....1"),
    ("chunked", {"chunk": 2, "positions": [-1, 0, 1, 2]}, "1... .1.. .11. ...1"),
    ("block_causal", {"n": 3, "block": 2}, "11. 11. 111"),
    ("dilated", {"n": 5, "keys": 2, "dilation": 2}, "1.... .1... 1.1.. .1.1. ..1.1"),
    ("strided", {"n": 6, "stride": 2}, "1..... 11.... 111... .111.. 1.111. .1.111"),
    ("fixed", {"n": 5, "stride": 2}, "1.... 11... .11.. .111. .1.11"),
    ("log_sparse", {"n": 5}, "1.... 11... 111.. .111. 1.111"),
    ("fenwick", {"n": 6}, "1..... 11.... 111... ..11.. 11111. ....11"),
    ("look_ahead", {"n": 3, "right": 1}, "11. 111 111"),
    ("comb", {"n": 4}, "1..1 .1.. ..1. 1..1"),
    ("masked_autoencoder", {"n": 3, "visible": [1]}, "111 .1. 111"),
    ("masked_autoencoder", {"n": 3, "visible": [1], "masked": "cross"}, "11. .1. .11"),
    ("perm", {"order": [2, 0, 1]}, "1.1 111 ..1"),
    ("perm_mask", {"blocked": [[0, 1], [0, 0]]}, "1. 11"),
    ("tree", {"parents": [-1, 0, 0, 1]}, "1... 11.. 1.1. 11.1"),
    ("flat_tree", {"flat": [1, 0, 0, 1], "prefix": 1}, "1.. 11. 1.1"),
    ("flat_tree", {"flat": [0, 0, 0, 1], "prefix": 3, "columns": "keys"}, "1... 11.. 111. ...1"),
    ("two_stream", {"n": 3}, "1.... 11... ..1.. 1..1. 11..1"),
    ("two_stream", {"order": [2, 0, 1]}, "11... .1... .11.. 11.1. ....1"),
    ("block_two_stream", {"m": 2, "b": 2}, "11.... 11.... ..11.. ..11.. 11..11 11..11"),
    (
        "block_two_stream",
        {"n": 3, "b": 2, "clean": "token"},
        "1.... 11... ..11. ..11. 11..1",
    ),
    ("block_diffusion", {"n": 2, "block": 1}, "1... .11. ..1. ..11"),
    ("crown", {"n": 2}, "1... .1.. .11. 1..1"),
    ("butterfly", {"n": 2}, "1... .1.. .11. 1..1"),
    (
        "butterfly",
        {"n": 3},
        "1...... 11..... ..11... ...1... ..111.. 1..1.1. 11....1",
    ),
]


@pytest.mark.parametrize(("name", "given", "rows"), DRAWN)
def test_masks_are_the_ones_drawn_by_hand(name: str, given: dict[str, Any], rows: str) -> None:
    """A small instance of each mask, row by row."""
    assert get(name).mask(**given) == Mask.from_rows(rows.split())


def test_bigbird_draws_the_same_blocks_again() -> None:
    """The draw depends on the seed alone, and takes distinct blocks outside window and globals."""
    mask = get("bigbird")
    picks = mask.values(n=16)["picks"]
    assert picks == mask.values(n=16)["picks"]
    assert picks != mask.values(n=16, seed=1)["picks"]
    for own, drawn in enumerate(picks):
        assert len(set(drawn)) == 2
        assert all(abs(own - pick) > 1 and pick >= 1 for pick in drawn)


def test_orders_may_count_from_one() -> None:
    """A permutation of 1..n is the same order as that of 0..n-1."""
    assert get("perm").mask(order=[3, 1, 2]) == get("perm").mask(order=[2, 0, 1])


def test_huge_lengths_need_no_square() -> None:
    """The rows of a window over ten million tokens are made one after the other."""
    rows = get("window").runs(n=10_000_000, keys=3)
    assert [next(rows) for _ in range(4)][-1] == ((1, 4),)


#: Masks whose parameters are integers alone, with the most that a row may hold at large values.
_WHOLE = [
    name
    for name in names()
    if name not in ("fenwick", "tree", "flat_tree", "dilated")
    and all("integer of" in one.kind.words for one in get(name).parameters)
    and get(name).parameters
]


@pytest.mark.parametrize("name", _WHOLE)
@pytest.mark.parametrize("large", [(1 << 30) - 1, 1 << 31, (1 << 40) - 1])
def test_large_parameters_do_not_wrap_around(name: str, large: int) -> None:
    """Above the length at which rows are made at once, they are those of the formula, where one
    parameter or all of them are larger than what 64 bits can multiply."""
    mask, n = get(name), 8193
    usual = {key: value for key, value in mask.example.items() if key != "n"}
    counted = [one.name for one in mask.parameters if one.name not in ("random", "seed", "first")]
    for chosen in ([one] for one in counted) if len(counted) < 2 else [counted[:1], counted]:
        params = {**usual, **dict.fromkeys(chosen, large)}
        try:
            rows, formula = mask.mask(n, **params), mask.formula(**params)
        except InputError:
            continue
        values = mask.values(n, **params)
        for q, k in product((0, 1, 4096, rows.size - 1), repeat=2):
            expected = bool(evaluate(formula, {**values, "q": q, "k": k}))
            assert rows[q, k] == expected, (params, q, k)
