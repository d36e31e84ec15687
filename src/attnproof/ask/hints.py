"""Hints: true statements about a mask that fails, which name the mistake it looks like.

Each is checked on the mask before it is said; many by judging the corrected mask.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attnproof.symbolic.evidence import Leak, Unequal
from attnproof.symbolic.masks.additive import listed
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.components import transpose
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge, reached_relation
from attnproof.symbolic.order.properties import Documents, Property
from attnproof.symbolic.verdict import Verdict
from attnproof.values import Report

#: Hints judge corrected masks anew; longer masks get none.
LENGTH = 1024


def hints(report: Report) -> tuple[str, ...]:
    """Sentences for the report of a square mask that leaks, or is not equal to another.

    >>> import attnproof as ap
    >>> hints(ap.verify([".11", "..1", "..."], causal=True))[0]
    'the mask is the exact complement of causal: is its polarity reversed?'
    """
    flow, (first, *others) = report.flow, report.flow.setting.layers
    if not isinstance(flow, Flow):
        return ()
    if others or not first.queries == first.keys == report.n or not 1 < report.n <= LENGTH:
        return ()
    evidence = [judgement.evidence for judgement in report.judgements]
    known = [
        (one.b.layers[0].name or "the other mask", one.b.layers[0].rows.bits())
        for one in evidence
        if isinstance(one, Unequal)
    ]
    broken = [
        one.property for one in evidence if isinstance(one, Leak) and one.property.name != "task"
    ]
    rows = first.rows.bits()
    causal = tuple((2 << q) - 1 for q in range(report.n))
    said = [next(_of_another(rows, *one), None) for one in known]
    if broken:
        said.append(next(_of_the_mask(flow, rows, causal, broken), None))
        documents = [one for one in broken if isinstance(one, Documents)]
        said += [next(_of_documents(flow, rows == causal, one), None) for one in documents]
        said.append(_confined(flow, broken))
    return tuple(dict.fromkeys(one for one in said if one is not None))


def _of_another(rows: Sequence[int], name: str, other: Sequence[int]) -> Iterator[str]:
    if list(rows) == _complement(other):
        yield f"the mask is the exact complement of {name}: is its polarity reversed?"
    if list(rows) == transpose(other):
        yield f"the mask is the transpose of {name}: is it indexed [key, query]?"


def _of_the_mask(
    flow: Flow, rows: Sequence[int], causal: Sequence[int], broken: Sequence[Property]
) -> Iterator[str]:
    """What the mask as a whole looks like, the likeliest first."""
    n = len(rows)
    yield from _of_another(rows, "causal", causal)
    if all(row == (1 << n) - 1 for row in rows):
        yield "every query reads every key: the mask blocks nothing"
    blind = not any(row >> q & 1 for q, row in enumerate(rows))
    if blind and _would_hold(flow, _complement(rows), broken):
        yield (
            "no query reads its own key, and the complement of the mask does not leak: is its "
            "polarity reversed?"
        )
    if not any(later & ~row for later, row in zip(_complement(causal), rows, strict=True)):
        yield (
            "every query reads every key after it, k > q is unrestricted: is a bound missing, or "
            "a comparison reversed?"
        )
    about_order = any(one.name in ("causal", "next-token") for one in broken)
    if about_order and _would_hold(flow, transpose(rows), broken):
        yield "the transpose of the mask does not leak: is it indexed [key, query]?"
    block = rows[0].bit_length()
    if block > 1 and all(
        row == (1 << min(n, q - q % block + block)) - 1 for q, row in enumerate(rows)
    ):
        yield (
            f"the mask is causal on whole blocks of {block} positions: is it the block table of a "
            "causal mask?"
        )
    if all(row.bit_length() == min(n, q + 2) for q, row in enumerate(rows)):
        yield "the last key that a query reads is the one after it: is the diagonal off by one?"


def _of_documents(flow: Flow, causal: bool, documents: Documents) -> Iterator[str]:
    ids = documents.ids
    first = next(i for i in range(1, len(ids)) if ids[i] != ids[i - 1])
    if causal:
        yield (
            "the mask is causal across documents; position ids that start again do not keep them "
            "apart: they are not part of the flow"
        )
    earlier, later = (*ids[1:], ids[-1]), (ids[0], *ids[:-1])
    if set(earlier) == set(ids) and _would_hold(flow, None, [Documents(earlier)]):
        yield (
            "with each document starting one position earlier nothing leaks: does token "
            f"{first - 1} belong to the document before it or after it?"
        )
    if set(later) == set(ids) and _would_hold(flow, None, [Documents(later)]):
        yield (
            "with each document starting one position later nothing leaks: does token "
            f"{first} belong to the document before it or after it?"
        )


def _confined(flow: Flow, broken: Sequence[Property]) -> str | None:
    """Few queries leak, each in one layer, and nobody else is reached from them."""
    reached, layer = reached_relation(flow), flow.closure.layer
    leaking = {q for q, row in enumerate(reached) for one in broken if row & one.forbidden(q)}
    if any(reached[q] & ~layer[q] & one.forbidden(q) for q in leaking for one in broken):
        return None
    outside = [row for q, row in enumerate(flow.closure.rows) if q not in leaking]
    if 2 * len(leaking) >= len(reached) or any(not leaking.isdisjoint(members(r)) for r in outside):
        return None
    who = "query " if len(leaking) == 1 else "queries "
    return f"nobody else reads {who}{listed(sorted(leaking))}, so the leak stays there"


def _complement(rows: Sequence[int]) -> list[int]:
    return [(1 << len(rows)) - 1 & ~row for row in rows]


def _would_hold(flow: Flow, rows: Sequence[int] | None, wanted: Sequence[Property]) -> bool:
    """Would a mask of these rows, or this one, have the properties?"""
    if rows is not None:
        mask = Mask.of(Bits(tuple(rows), len(rows)))
        flow = Flow(replace(flow.setting, layers=(mask,)))
    return all(judge(flow, one, most=1).verdict is Verdict.HOLDS for one in wanted)
