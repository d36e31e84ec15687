"""Scans: how many recurrences, such as those of linear attention, realise the flow of a mask.

A scan writes tokens into a state, one after the other; a reader sees the state after some of these
writes. A query's own token needs no scan. So the rows of a scan are nested, and the least number of
scans with summed read-outs is that of nested relations that cover the order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Literal

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import Closure, closure
from attnproof.symbolic.order.width import width
from attnproof.symbolic.sparse import ferrers
from attnproof.symbolic.verdict import Verdict

Rule = Literal["sum", "gated"]


class Tier(Enum):
    """How a single recurrence realises an order.

    ``IN_PLACE``: one pass, each token read at its own time, with resets. ``SNAPSHOT``: what readers
    need is nested, so each reads one earlier state; an interval order. ``FORKED``: states form a
    forest, each reader reads one of them. ``SEVERAL``: no single one does.
    """

    IN_PLACE = "in-place"
    SNAPSHOT = "snapshot"
    FORKED = "forked"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class Scan:
    """State t holds ``writes[:t]``; reader ``q`` sees state ``reads[q]``, 0 the empty one.

    As a recurrence: ``S[t + 1] = S[t] + write(writes[t])``, and ``q`` reads ``S[reads[q]]``.
    """

    writes: tuple[int, ...]
    reads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scans:
    """``chains`` realise the order; no fewer than ``fewest`` do, and ``least`` shows why, unless
    it is a solver that says so.

    ``parents[q]`` is a token whose state, with it written, token ``q`` reads and continues, None
    for the empty state; ``parents`` is None unless the tier is in-place or forked.
    """

    tier: Tier
    rule: Rule
    chains: tuple[Scan, ...]
    fewest: int
    least: tuple[str, tuple[object, ...]] | None
    parents: tuple[int | None, ...] | None

    @property
    def optimal(self) -> bool:
        """Is it shown that fewer do not suffice? One solver alone shows nothing."""
        return len(self.chains) == self.fewest and self.least is not None


def scans(order: Closure, *, rule: Rule = "sum", steps: int = 20_000_000) -> Scans:
    """The scans of an order, as few as are found within solver ``steps``.

    >>> found = scans(closure((0b001, 0b010, 0b111)))
    >>> found.tier, found.chains
    (<Tier.SNAPSHOT: 'snapshot'>, (Scan(writes=(0, 1), reads=(0, 0, 2)),))

    Under the rule ``gated`` a state depends on the order of its writes, so each write must read the
    one before; raises :class:`InputError` where two positions read each other. Laws: the prefixes
    that a reader sees, united, are its row but for itself; one scan suffices exactly when the order
    holds no 2+2; no more than the width are needed. Source: interval orders, Fishburn (1970);
    covers by two nested relations, Cogis (1982); more are NP-complete, Yannakakis (1982); the tiers
    and the number for gated rules, ours.
    """
    needed, first = _needed(order)
    if rule == "gated":
        found, fewest, least = _gated(order, needed)
    else:
        found, fewest, least = _summed(needed, steps)
    chains = tuple(_scan(order, part) for part in found if any(part))
    tier = _tier(order, needed, rule)
    parents = None
    if tier in (Tier.IN_PLACE, Tier.FORKED):
        below = [covered[0] if covered else None for covered in order.covers]
        own = [None if below[c] is None else first[below[c]] for c in order.class_of]  # type: ignore[index]
        parents = tuple(own)
    return Scans(tier, rule, chains, fewest, _on_positions(least, first, order), parents)


def _needed(order: Closure) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Class to the classes that it needs, itself only where it has several positions; and the last
    position of each class."""
    rows = tuple(
        row if len(order.classes[c]) > 1 else row & ~(1 << c) for c, row in enumerate(order.below)
    )
    return rows, tuple(members[-1] for members in order.classes)


#: What shows how many scans are needed: pairs of classes, or one class each.
Least = tuple[str, Sequence[tuple[int, ...]]]
#: The parts, how many are needed, and what shows it.
Found = tuple[ferrers.Cover, int, Least | None]


def _summed(needed: Sequence[int], steps: int) -> Found:
    best = _nested(needed)
    if best is None:
        best = min(_by_chains(needed), key=len)
    chosen: Sequence[tuple[int, ...]]
    if len(best) < 2:
        return best, len(best), ("pairs", ferrers.pairs_of(needed)[: len(best)])
    if sum(map(int.bit_count, needed)) > ferrers.MOST_PAIRS:
        chosen = _two_apart(needed)
    else:
        chosen = ferrers.many_apart(needed)
    fewest = len(chosen)
    least: Least = ("pairs", chosen)
    if fewest == 2 < len(best):
        cycle = ferrers.odd_cycle(needed)
        if cycle is not None:
            fewest, least = 3, ("cycle", cycle)
    shown = fewest
    for count in range(fewest, len(best)):
        verdict, found = ferrers.search(needed, count, steps)
        if verdict is Verdict.HOLDS:
            best = found
            break
        if verdict is Verdict.FAILS and fewest == count:
            fewest = count + 1
    return best, fewest, least if shown == len(best) else None


def _nested(rows: Sequence[int]) -> ferrers.Cover | None:
    ascending = sorted(rows, key=int.bit_count)
    if any(a & ~b for a, b in pairwise(ascending)):
        return None
    return (tuple(rows),) if any(rows) else ()


def _two_apart(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Two pairs that are apart, of a relation that is not nested."""
    ascending = sorted(range(len(rows)), key=lambda q: rows[q].bit_count())
    for q, r in pairwise(ascending):
        mine, other = rows[q] & ~rows[r], rows[r] & ~rows[q]
        if mine:
            return [(q, mine.bit_length() - 1), (r, other.bit_length() - 1)]
    raise AssertionError("the rows are nested")


def _by_chains(needed: Sequence[int]) -> list[ferrers.Cover]:
    """A part for each chain of sources, and one for each chain of readers (Dilworth)."""
    written = list(members(reduce(or_, needed, 0)))
    sources = ferrers.by_sources(needed, _chains(needed, written))
    readers = _chains(needed, [q for q, row in enumerate(needed) if row])
    by_readers = tuple(
        tuple(row if q in chain else 0 for q, row in enumerate(needed)) for chain in readers
    )
    return [sources, by_readers]


def _chains(needed: Sequence[int], some: Sequence[int]) -> list[list[int]]:
    """As few chains of these classes as hold each once, sources first."""
    return [[some[i] for i in chain] for chain in width(_restricted(needed, some)).chains]


def _restricted(needed: Sequence[int], some: Sequence[int]) -> Closure:
    rows = []
    for i, q in enumerate(some):
        rows.append(sum(1 << j for j, k in enumerate(some) if needed[q] >> k & 1) | 1 << i)
    return closure(rows)


def _gated(order: Closure, needed: Sequence[int]) -> Found:
    """A scan for each chain of sources; as many as the largest antichain of them."""
    several = next((members for members in order.classes if len(members) > 1), None)
    if several is not None:
        raise InputError(
            f"positions {several[0]} and {several[1]} read each other, so a gated rule has no "
            "order of their writes; give a mask without cycles, or the rule sum",
            positions=several[:2],
        )
    some = list(members(reduce(or_, needed, 0)))
    if not some:
        return (), 0, ("antichain", [])
    found = width(_restricted(needed, some))
    chains = [[some[i] for i in chain] for chain in found.chains]
    antichain = [(c,) for c in sorted(some[i] for i in found.antichain)]
    return ferrers.by_sources(needed, chains), len(chains), ("antichain", antichain)


def _scan(order: Closure, part: Sequence[int]) -> Scan:
    """A nested relation of classes as writes and reads of positions."""
    states = sorted(set(part), key=int.bit_count)
    writes: list[int] = []
    length = {0: 0}
    before = 0
    for state in states:
        fresh = sorted(members(state & ~before), key=lambda c: order.ranks[c])
        writes += [p for c in fresh for p in order.classes[c]]
        length[state] = len(writes)
        before = state
    return Scan(tuple(writes), tuple(length[part[c]] for c in order.class_of))


def _tier(order: Closure, needed: Sequence[int], rule: Rule) -> Tier:
    if order.antisymmetric and _in_place(needed):
        return Tier.IN_PLACE
    if rule == "sum" and _nested(needed) is not None:
        return Tier.SNAPSHOT
    forest = all(len(covered) < 2 for covered in order.covers)
    return Tier.FORKED if forest else Tier.SEVERAL


def _in_place(needed: Sequence[int]) -> bool:
    """Are the sources of each connected part a chain? Then each class covers at most one other, and
    the sources that are covered are covered by at most one source."""
    written = reduce(or_, needed, 0)
    continued: set[int] = set()
    for q, row in enumerate(needed):
        if not row:
            continue
        last = max(members(row), key=lambda k: needed[k].bit_count())
        if row != needed[last] | 1 << last:
            return False
        if written >> q & 1:
            if last in continued:
                return False
            continued.add(last)
    return True


def _on_positions(
    least: Least | None, last: Sequence[int], order: Closure
) -> tuple[str, tuple[object, ...]] | None:
    """What shows the least number, in positions; a class that needs itself is read by its first
    position and written by its last."""
    if least is None:
        return None
    by, shown = least
    if by == "antichain":
        return by, tuple(last[c] for (c,) in shown)
    return by, tuple((order.classes[q][0], last[k]) for q, k in shown)
