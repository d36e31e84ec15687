"""What depth does to relations on any set, finite or not: proved by z3, joined by knuckledragger.

``reads(q, k)`` is one layer, ``reached(n, q, k)`` says that n layers carry k to q. A proof is an
object that only the kernel makes; each function returns the one that its first line states. The
axioms are the definition of ``reached``, and induction, asked for one predicate at a time.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import kdrag as kd
import kdrag.smt as smt

Position = smt.DeclareSort("Position")
reads = smt.Function("reads", Position, Position, smt.BoolSort())
reached = smt.Function("reached", smt.IntSort(), Position, Position, smt.BoolSort())
held = smt.Function("held", Position, Position, smt.BoolSort())
forbidden = smt.Function("forbidden", Position, Position, smt.BoolSort())
m, n = smt.Ints("m n")
q, k, p, r = smt.Consts("q k p r", Position)

Predicate = Callable[[Any], Any]

no_layer = kd.axiom(smt.ForAll([q, k], reached(0, q, k) == (q == k)))
one_layer_more = kd.axiom(
    smt.ForAll(
        [n, q, k],
        smt.Implies(
            n >= 0,
            reached(n + 1, q, k) == smt.Exists([p], smt.And(reads(q, p), reached(n, p, k))),
        ),
    )
)
every_position_reads_itself = smt.ForAll([q], reads(q, q))


def by_induction(predicate: Predicate, *facts: Any) -> Any:
    """The predicate holds of every n >= 0, when it holds of 0 and passes from n to n + 1."""
    step = smt.ForAll([n], smt.Implies(smt.And(n >= 0, predicate(n)), predicate(n + 1)))
    every = smt.ForAll([n], smt.Implies(n >= 0, predicate(n)))
    induction = kd.axiom(smt.Implies(smt.And(predicate(smt.IntVal(0)), step), every))
    facts = (no_layer, one_layer_more, *facts)
    proofs = [kd.prove(goal, by=facts) for goal in (predicate(smt.IntVal(0)), step)]
    return kd.prove(every, by=[induction, *proofs])


@cache
def depth_grows() -> Any:
    """Where every position reads itself, one layer more reaches at least as much."""
    more = smt.ForAll(
        [n, q, k], smt.Implies(smt.And(n >= 0, reached(n, q, k)), reached(n + 1, q, k))
    )
    return kd.prove(smt.Implies(every_position_reads_itself, more), by=[one_layer_more])


@cache
def a_repeated_power_is_the_last() -> Any:
    """If layer m + 1 reaches nothing new, no later layer does."""
    settled = smt.ForAll([q, k], reached(m + 1, q, k) == reached(m, q, k))

    def stays(d: Any) -> Any:
        same = smt.ForAll([q, k], reached(m + d, q, k) == reached(m, q, k))
        return smt.Implies(smt.And(m >= 0, settled), same)

    return by_induction(stays)


@cache
def layers_compose() -> Any:
    """What n layers carry to q of what m layers carry to p, n + m layers carry to q."""

    def passes(d: Any) -> Any:
        below = smt.And(m >= 0, reached(d, q, p), reached(m, p, k))
        return smt.ForAll([m, q, p, k], smt.Implies(below, reached(d + m, q, k)))

    return by_induction(passes)


def inductive() -> Any:
    """``held`` holds every pair (q, q), and a pair (q, k) where q reads p and (p, k) is held."""
    return smt.And(
        smt.ForAll([q], held(q, q)),
        smt.ForAll([q, p, k], smt.Implies(smt.And(reads(q, p), held(p, k)), held(q, k))),
    )


@cache
def an_invariant_holds_at_every_depth() -> Any:
    """An inductive relation holds all that any number of layers reaches."""

    def inside(d: Any) -> Any:
        within = smt.ForAll([q, k], smt.Implies(reached(d, q, k), held(q, k)))
        return smt.Implies(inductive(), within)

    return by_induction(inside)


@cache
def an_invariant_keeps_apart() -> Any:
    """If it meets no forbidden pair, no depth reaches one."""
    avoids = smt.ForAll([q, k], smt.Implies(held(q, k), smt.Not(forbidden(q, k))))
    safe = smt.ForAll(
        [n, q, k], smt.Implies(smt.And(n >= 0, reached(n, q, k)), smt.Not(forbidden(q, k)))
    )
    claim = smt.Implies(smt.And(inductive(), avoids), safe)
    return kd.prove(claim, by=[an_invariant_holds_at_every_depth()])


@cache
def closed_masks_need_one_layer() -> Any:
    """A reflexive transitive mask reaches at every depth what it reads."""
    closed = smt.ForAll([q, p, k], smt.Implies(smt.And(reads(q, p), reads(p, k)), reads(q, k)))

    def read(d: Any) -> Any:
        within = smt.ForAll([q, k], smt.Implies(reached(d, q, k), reads(q, k)))
        return smt.Implies(smt.And(every_position_reads_itself, closed), within)

    return by_induction(read)


@cache
def mutual_reading_is_a_congruence() -> Any:
    """Positions of a preorder that read each other read, and are read by, the same."""
    mutual = smt.And(reads(q, r), reads(r, q))
    preorder = smt.And(
        every_position_reads_itself,
        smt.ForAll([q, p, k], smt.Implies(smt.And(reads(q, p), reads(p, k)), reads(q, k))),
    )
    same = smt.And(reads(q, k) == reads(r, k), reads(k, q) == reads(k, r))
    return kd.prove(smt.Implies(preorder, smt.ForAll([q, r, k], smt.Implies(mutual, same))))


THEOREMS = (
    depth_grows,
    a_repeated_power_is_the_last,
    layers_compose,
    an_invariant_holds_at_every_depth,
    an_invariant_keeps_apart,
    closed_masks_need_one_layer,
    mutual_reading_is_a_congruence,
)
