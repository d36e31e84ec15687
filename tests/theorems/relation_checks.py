"""The relation algebra behind every length: proved anew, and false variants are not."""

from collections.abc import Callable
from typing import Any

import kdrag as kd
import kdrag.smt as smt
import pytest

from tests.theorems import relations
from tests.theorems.relations import (
    THEOREMS,
    by_induction,
    every_position_reads_itself,
    held,
    k,
    n,
    one_layer_more,
    p,
    q,
    reached,
    reads,
)

#: The kernel refuses, or the prover gives up.
NOT_PROVED = (kd.kernel.LemmaError, TimeoutError)


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda one: one.__name__)
def test_theorem(theorem: Callable[[], Any]) -> None:
    """The kernel makes a proof of it, for sets of any size and every depth."""
    assert kd.kernel.is_proof(theorem())


def test_nothing_false_follows_from_the_definition() -> None:
    """z3 finds no contradiction in the definition of depth."""
    with pytest.raises(NOT_PROVED):
        kd.prove(smt.BoolVal(False), by=[relations.no_layer, one_layer_more], timeout=1000)


def test_depth_grows_only_where_positions_read_themselves() -> None:
    """Without a residual a layer may lose what was there."""
    more = smt.ForAll(
        [n, q, k], smt.Implies(smt.And(n >= 0, reached(n, q, k)), reached(n + 1, q, k))
    )
    with pytest.raises(NOT_PROVED):
        kd.prove(more, by=[one_layer_more], timeout=1000)


def test_an_invariant_must_be_kept_by_a_layer() -> None:
    """To hold at the start is not enough."""

    def inside(d: Any) -> Any:
        within = smt.ForAll([q, k], smt.Implies(reached(d, q, k), held(q, k)))
        return smt.Implies(smt.ForAll([q], held(q, q)), within)

    with pytest.raises(NOT_PROVED):
        by_induction(inside)


def test_a_mask_that_is_not_closed_reaches_more_than_it_reads() -> None:
    """Two steps of a reflexive mask need not be one."""
    two = smt.ForAll([q, p, k], smt.Implies(smt.And(reads(q, p), reads(p, k)), reads(q, k)))
    with pytest.raises(NOT_PROVED):
        kd.prove(smt.Implies(every_position_reads_itself, two), timeout=1000)
