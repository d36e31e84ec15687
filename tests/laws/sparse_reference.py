"""Sparse masks and scans a second time, by trying everything on sets of pairs (reader, source)."""

from itertools import chain, combinations, pairwise, permutations, product

from tests.reference import Pairs, after, identity, multiplied


def strict(pairs: Pairs) -> Pairs:
    """The pairs off the diagonal."""
    return frozenset((q, k) for q, k in pairs if q != k)


def suffices(flow: Pairs, n: int, layers: int, schedule: bool, edges: int) -> bool:
    """Do so many edges make the flow? More within it never spoil it, so none are tried below."""
    slots = [(level, pair) for level in range(layers if schedule else 1) for pair in strict(flow)]
    for some in combinations(sorted(slots), min(edges, len(slots))):
        masks = [
            frozenset(pair for level, pair in some if level == one) | identity(n)
            for one in range(layers if schedule else 1)
        ]
        if after(masks, layers, n) == flow:
            return True
    return False


def fewest_edges(flow: Pairs, n: int, layers: int, schedule: bool) -> int:
    """The least number of edges that suffices."""
    return next(e for e in range(n * n + 1) if suffices(flow, n, layers, schedule, e))


def rows_of(flow: Pairs, n: int) -> list[frozenset[int]]:
    """Reader to what reaches it."""
    return [frozenset(k for q, k in flow if q == reader) for reader in range(n)]


def fewest_scans(flow: Pairs, n: int, gated: bool) -> int:
    """The least number of sequences of writes such that prefixes give every reader its row."""
    rows = rows_of(flow, n)
    every = chain.from_iterable(permutations(range(n), size) for size in range(1, n + 1))
    sequences = [
        one
        for one in every
        if not gated or all(a in rows[b] and b not in rows[a] for a, b in pairwise(one))
    ]
    seen = {_prefixes(one, rows) for one in sequences}
    wanted = strict(flow)
    return next(
        count
        for count in range(n + 1)
        for some in combinations(sorted(seen, key=sorted), count)
        if wanted <= frozenset().union(*some)
    )


def _prefixes(writes: tuple[int, ...], rows: list[frozenset[int]]) -> Pairs:
    """What each reader sees of a sequence at most: the longest prefix within its row."""
    found = set()
    for q, row in enumerate(rows):
        for k in writes:
            if k not in row:
                break
            found.add((q, k))
    return strict(frozenset(found))


def tier(flow: Pairs, n: int, gated: bool) -> str:
    """The first of the tiers that realises the flow."""
    rows = rows_of(flow, n)
    plain = len(set(rows)) == n
    if gated and not plain:
        raise ValueError
    if _in_place(rows, n):
        return "in-place"
    if not gated and fewest_scans(flow, n, False) < 2:
        return "snapshot"
    comparable = all((a in rows[b]) or (b in rows[a]) for row in rows for a in row for b in row)
    return "forked" if comparable else "several"


def _in_place(rows: list[frozenset[int]], n: int) -> bool:
    """Some order of the tokens, in which each may forget first and may be written after."""
    for order in permutations(range(n)):
        states = {frozenset[int]()}
        for q in order:
            fitting = {s for s in (*states, frozenset[int]()) if s == rows[q] - {q}}
            states = fitting | {s | {q} for s in fitting}
            if not states:
                break
        if states:
            return True
    return False


def all_flows(n: int) -> list[Pairs]:
    """Every reflexive transitive relation on ``n`` positions."""
    slots = [(q, k) for q in range(n) for k in range(n) if q != k]
    found = []
    for chosen in product((False, True), repeat=len(slots)):
        pairs = frozenset(p for p, yes in zip(slots, chosen, strict=True) if yes) | identity(n)
        if multiplied(pairs, pairs) == pairs:
            found.append(pairs)
    return found
