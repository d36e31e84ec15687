"""For every length and parameter: the formula of a mask is membership in its intervals.

z3 proves each; the intervals of the proof are those the code makes, compared on small lengths.
"""

from itertools import product
from typing import Any, NamedTuple

import pytest
import z3

from attnproof.symbolic.formula import (
    Like,
    Term,
    constant,
    evaluate,
    k,
    maximum,
    minimum,
    n,
    q,
    substitute,
    to_z3,
    variable,
)
from attnproof.symbolic.named.registry import get


class Claim(NamedTuple):
    """``k`` is read where it is in one of ``intervals``, for ``q`` where ``case`` holds."""

    case: Term
    intervals: list[tuple[Like, Like]]


keys, sinks, prefix, block = map(variable, ("keys", "sinks", "prefix", "block"))
always = constant(True)
token = q - n
own, own_clean = q // block * block, token // block * block

#: Positions are below the last entry.
CLAIMS: dict[str, tuple[list[Claim], list[Term], Term]] = {
    "causal": ([Claim(always, [(0, q + 1)])], [], n),
    "window": ([Claim(always, [(maximum(0, q - keys + 1), q + 1)])], [keys >= 1], n),
    "sink_window": (
        [Claim(always, [(0, minimum(sinks, q + 1)), (maximum(0, q - keys + 1), q + 1)])],
        [keys >= 1, sinks >= 0],
        n,
    ),
    "prefix_lm": ([Claim(always, [(0, minimum(n, maximum(prefix, q + 1)))])], [prefix >= 0], n),
    "block_diffusion": (
        [
            Claim(q < n, [(own, minimum(n, own + block)), (n, n + own)]),
            Claim(q >= n, [(n, n + minimum(n, own_clean + block))]),
        ],
        [block >= 1],
        2 * n,
    ),
}


def _read(intervals: list[tuple[Like, Like]]) -> Term:
    return any_of([(k >= start) & (k < stop) for start, stop in intervals])


def any_of(parts: list[Term]) -> Term:
    """One disjunction."""
    result = parts[0]
    for part in parts[1:]:
        result = result | part
    return result


def _quotients(solver: z3.Solver, divisor: Any, dividends: list[Any]) -> None:
    """Division by a positive unknown, as the linear facts that a proof needs.

    A quotient ``t`` has ``t * divisor <= x < t * divisor + divisor``; of two quotients the one
    that is less is less by a whole divisor or more.
    """
    for x in dividends:
        solver.add(x / divisor * divisor <= x, x < x / divisor * divisor + divisor)
    for x, y in product(dividends, repeat=2):
        less = x / divisor < y / divisor
        solver.add(z3.Implies(less, x / divisor * divisor + divisor <= y / divisor * divisor))


@pytest.mark.parametrize("name", list(CLAIMS))
def test_the_intervals_hold_for_all_lengths(name: str) -> None:
    """No length, parameter, query and key where formula and intervals differ."""
    claims, assumed, size = CLAIMS[name]
    formula = get(name).formula(**{x: y for x, y in get(name).example.items() if x != "n"})
    for claim in claims:
        solver = z3.Solver()
        solver.set("rlimit", 50_000_000)
        for fact in [*assumed, claim.case, q >= 0, q < size, k >= 0, k < size, n >= 1]:
            solver.add(to_z3(fact))
        dividends = [to_z3(x) for x in (q, k, q - n, k - n)] if name == "block_diffusion" else []
        _quotients(solver, to_z3(block), dividends)
        assert solver.check() == z3.sat
        solver.add(to_z3(formula.ne(_read(claim.intervals))))
        assert solver.check() == z3.unsat


@pytest.mark.parametrize("name", list(CLAIMS))
def test_the_intervals_are_those_of_the_code(name: str) -> None:
    """Evaluated on small lengths the intervals of the proof are the rows."""
    claims, _, _ = CLAIMS[name]
    mask = get(name)
    chosen = [parameter.name for parameter in mask.parameters]
    for length, *values in product((1, 2, 5, 9), *([1, 2, 3, 11] for _ in chosen)):
        given = dict(zip(chosen, values, strict=True))
        for row, runs in enumerate(mask.runs(length, **given)):
            env = {"n": length, "q": row, **given}
            (claim,) = (claim for claim in claims if evaluate(claim.case, env))
            bounds = [
                (evaluate(constant(a), env), evaluate(constant(b), env)) for a, b in claim.intervals
            ]
            read = {x for start, stop in bounds for x in range(start, stop)}
            assert read == {x for start, stop in runs for x in range(start, stop)}


def test_a_wrong_interval_is_refuted() -> None:
    """A window one key longer than it says is told apart."""
    solver = z3.Solver()
    solver.add(to_z3((keys >= 1) & (k >= 0) & (q >= 0)))
    solver.add(to_z3(get("window").formula(keys=4).ne(_read([(q - keys, q + 1)]))))
    assert solver.check() == z3.sat


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("causal", {}),
        ("prefix_lm", {"prefix": 3}),
        ("documents", {"ids": [0]}),
        ("perm", {"order": [0]}),
        ("tree", {"parents": [-1]}),
    ],
)
def test_dense_masks_are_transitive_for_all_lengths(name: str, given: dict[str, Any]) -> None:
    """What q reads through m it reads itself, whatever parameters and captured tensors hold."""
    m = variable("m")
    reads = get(name).formula(**given)
    first, second = substitute(reads, {"k": m}), substitute(reads, {"q": m})
    solver = z3.Solver()
    solver.add(to_z3(first & second & ~reads))
    assert solver.check() == z3.unsat


def test_a_window_is_not_transitive_for_all_lengths() -> None:
    """The solver finds three tokens of a window that are not."""
    m = variable("m")
    reads = get("window").formula(keys=4)
    solver = z3.Solver()
    solver.add(to_z3(substitute(reads, {"k": m}) & substitute(reads, {"q": m}) & ~reads))
    assert solver.check() == z3.sat
    found = {str(name): solver.model()[name].as_long() for name in solver.model()}
    assert found["q"] - found["k"] >= found["keys"] > found["q"] - found["m"]


def test_spans_in_pieces_would_not_be_transitive() -> None:
    """With ids that are not contiguous two layers carry more than one, so spans are intervals."""
    m = variable("m")
    reads = get("spans").formula(spans=[])
    solver = z3.Solver()
    solver.add(to_z3(substitute(reads, {"k": m}) & substitute(reads, {"q": m}) & ~reads))
    assert solver.check() == z3.sat
