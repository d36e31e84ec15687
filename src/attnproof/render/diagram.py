"""What a Hasse diagram shows: every class, or, when they are many, an abridged order that says so.

Convention: a cover is ``(source class, reader class)``; node ``i`` stands for the classes
``holds[i]``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attnproof.render.labels import class_label
from attnproof.render.ranks import Edge, ranks

#: The most classes that are drawn one by one.
MOST = 200
_CHAIN = 5
_LINKS = 8


@dataclass(frozen=True)
class Limits:
    """How many classes a picture holds, in all, one above another, and side by side."""

    most: int = MOST
    tallest: int = MOST
    widest: int = MOST


@dataclass(frozen=True)
class Diagram:
    """Nodes with labels, covers between them, and dashed links to classes that are not drawn."""

    labels: tuple[str, ...]
    covers: tuple[Edge, ...]
    holds: tuple[tuple[int, ...], ...]
    links: tuple[Edge, ...] = ()
    note: str = ""


def diagram(
    classes: Sequence[Sequence[int]], covers: Sequence[Edge], limits: Limits | None = None
) -> Diagram:
    """The diagram of an order, abridged only where ``limits`` ask for it.

    Long chains are drawn as their ends; if that is not enough, the lowest ranks are kept.

    >>> diagram([(0,), (1, 2)], [(0, 1)]).labels
    ('0', '{1,2}')
    >>> chain = diagram([(i,) for i in range(9)], [(i, i + 1) for i in range(8)], Limits(6))
    >>> chain.labels
    ('0', '1', '… 5 classes in a chain …', '7', '8')
    """
    limits = limits or Limits()
    whole = Diagram(
        labels=tuple(class_label(members) for members in classes),
        covers=tuple(sorted(covers)),
        holds=tuple((c,) for c in range(len(classes))),
    )
    if _fits(whole, limits):
        return whole
    short = _contract_chains(whole)
    return short if _fits(short, limits) else _keep_lowest(short, limits)


def _fits(drawn: Diagram, limits: Limits) -> bool:
    if len(drawn.labels) > limits.most:
        return False
    rank = ranks(len(drawn.labels), drawn.covers)
    counts = [0] * (max(rank, default=-1) + 1)
    for r in rank:
        counts[r] += 1
    return len(counts) <= limits.tallest and max(counts, default=0) <= limits.widest


def _contract_chains(whole: Diagram) -> Diagram:
    """Draw the two ends of every long run of classes with one cover below and one above."""
    count = len(whole.labels)
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for source, reader in whole.covers:
        below[reader].append(source)
        above[source].append(reader)
    inner = [len(below[v]) == 1 and len(above[v]) == 1 for v in range(count)]
    stands_for = list(range(count))
    folded: dict[int, list[int]] = {}
    for v in range(count):
        if not inner[v] or inner[below[v][0]]:
            continue
        run = [v]
        while inner[above[run[-1]][0]]:
            run.append(above[run[-1]][0])
        if len(run) >= _CHAIN:
            middle = run[1:-1]
            folded[middle[0]] = middle
            for m in middle:
                stands_for[m] = middle[0]
    kept = [v for v in range(count) if stands_for[v] == v]
    node = {v: i for i, v in enumerate(kept)}
    edges = {(node[stands_for[a]], node[stands_for[b]]) for a, b in whole.covers}
    hidden = sum(map(len, folded.values()))
    return Diagram(
        labels=tuple(
            f"… {len(folded[v])} classes in a chain …" if v in folded else whole.labels[v]
            for v in kept
        ),
        covers=tuple(sorted((a, b) for a, b in edges if a != b)),
        holds=tuple(tuple(folded.get(v, [v])) for v in kept),
        note=f"Abridged: {hidden} of {count} classes stand in chains that are drawn as their ends."
        if hidden
        else "",
    )


def _keep_lowest(short: Diagram, limits: Limits) -> Diagram:
    """Keep whole ranks from below, at most ``widest`` nodes of each; one node is all the rest."""
    rank = ranks(len(short.labels), short.covers)
    per_rank: dict[int, int] = {}
    kept: list[int] = []
    for v in sorted(range(len(rank)), key=lambda v: (rank[v], v)):
        taken = per_rank.get(rank[v], 0)
        if len(kept) + 1 < limits.most and rank[v] + 1 < limits.tallest and taken < limits.widest:
            per_rank[rank[v]] = taken + 1
            kept.append(v)
    kept.sort()
    node = {v: i for i, v in enumerate(kept)}
    rest = tuple(c for v in range(len(rank)) if v not in node for c in short.holds[v])
    more = len(kept)
    total = sum(map(len, short.holds))
    links = {
        (node[a] if a in node else node[b], more)
        for a, b in short.covers
        if (a in node) != (b in node)
    }
    note = f"Abridged: {len(rest)} of {total} classes are not drawn"
    if len(links) > _LINKS:
        links = set()
        note += ", nor the covers that lead to them"
    elif links:
        note += "; dashed lines lead to them"
    return Diagram(
        labels=(*(short.labels[v] for v in kept), f"… {len(rest)} more classes …"),
        covers=tuple(
            sorted((node[a], node[b]) for a, b in short.covers if a in node and b in node)
        ),
        holds=(*(short.holds[v] for v in kept), rest),
        links=tuple(sorted(links)),
        note=f"{short.note} {note}.".strip(),
    )
