"""Small claims about every length, each with its proof."""

import json
from collections.abc import Iterator
from typing import Any

from attnproof.proofs.certify import certify, certify_closure
from attnproof.proofs.emit import state
from attnproof.symbolic.evidence import EveryLength
from attnproof.symbolic.formula import Term, at, k, q, variable
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.closure import Closure
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Equals,
    Property,
    causal,
    documents,
    no_empty_rows,
    transitive,
)
from attnproof.symbolic.lengths.solvers import Proved
from attnproof.symbolic.lengths.witness import Witness
from attnproof.symbolic.verdict import Verdict

keys, block = variable("keys"), variable("block")
NEAR = Problem.of((k <= q) & (q - k < 2))
SOLVERS = ("one 1.0", "other 2.0")


def holds(property: Property, invariant: Term | None = None) -> Answer:
    """The answer that a property holds, by an invariant."""
    return Answer(property, Verdict.HOLDS, invariant=invariant)


def statement_of(found: EveryLength) -> Any:
    """The statement as it is read from a file."""
    return json.loads(state(found).canonical_json())


def proved(
    problem: Problem, property: Property, invariant: Term | None = None, depth: int | None = None
) -> EveryLength:
    """The evidence, which there is."""
    found = certify(problem, holds(property, invariant), depth=depth)
    if found is None or found.proofs is None:
        raise LookupError(property)
    return found


def lengths() -> Iterator[tuple[str, EveryLength]]:
    """Every case by name."""
    window = Problem.of((k <= q) & (q - k < keys), least={"keys": 1})
    yield "every window", proved(window, causal, k <= q)
    yield "every window in two layers", proved(Problem.of(k < q), causal, depth=2)
    ids = Problem.of(at("ids", q).eq(at("ids", k)), assume={"ids": "nondecreasing"})
    yield "every packing", proved(ids, documents("ids"), at("ids", q).eq(at("ids", k)))
    yield "every permutation", proved(_permuted(), transitive)
    yield (
        "every block",
        proved(Problem.of((q // block).eq(k // block), least={"block": 1}), no_empty_rows),
    )
    yield "every half", proved(Problem.of((q // 2).eq(k // 2)), Equals((k // 2).eq(q // 2)))
    yield "every closure", _closure()


def _permuted() -> Problem:
    return Problem.of(at("rank", k) <= at("rank", q), assume={"rank": "injective"})


def _closure() -> EveryLength:
    near = NEAR
    exact = Proved(Obligation("exact", (), k <= q), SOLVERS, Obligation("exact", (), k <= q))
    found = certify_closure(near, Closure(near, k <= q, (), exact, Witness((q - 1,), q - k, True)))
    if found is None or found.proofs is None:
        raise LookupError
    return found


CASES = dict(lengths())
