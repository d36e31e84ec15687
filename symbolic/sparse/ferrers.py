"""Covers of a relation by nested ones (Ferrers relations), as few as possible.

Convention: ``rows[q]`` is the set of sources that reader ``q`` needs. In a nested relation the rows
form a chain of sets. Two pairs (reader, source) are *apart* when neither reader needs the source of
the other: no nested part of the relation holds both.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.verdict import Verdict

Pair = tuple[int, int]
Cover = tuple[tuple[int, ...], ...]

#: Pairs up to which pairs that are apart are looked for.
MOST_PAIRS = 1 << 11
#: Pairs up to which a cover is searched.
_SEARCHED = 400


def pairs_of(rows: Sequence[int]) -> list[Pair]:
    """The pairs (reader, source)."""
    return [(q, k) for q, row in enumerate(rows) for k in members(row)]


def apart(rows: Sequence[int], a: Pair, b: Pair) -> bool:
    """Can no nested part of the relation hold both pairs?

    >>> apart((0b01, 0b10), (0, 0), (1, 1))
    True
    """
    return not rows[a[0]] >> b[1] & 1 and not rows[b[0]] >> a[1] & 1


def many_apart(rows: Sequence[int]) -> list[Pair]:
    """Pairs of which every two are apart, chosen greedily: as many nested parts are needed."""
    best: list[Pair] = []
    pairs = pairs_of(rows)
    readers = [0] * max((row.bit_length() for row in rows), default=0)
    for q, k in pairs:
        readers[k] |= 1 << q
    pairs.sort(key=lambda pair: rows[pair[0]].bit_count() + readers[pair[1]].bit_count())
    for start in pairs[: 1 + MOST_PAIRS // (len(pairs) + 1)]:
        chosen = [start]
        for pair in pairs:
            if all(apart(rows, pair, one) for one in chosen):
                chosen.append(pair)
        best = max(best, chosen, key=len)
    return best


def odd_cycle(rows: Sequence[int]) -> list[Pair] | None:
    """An odd cycle of pairs, each apart from the next; None where there is none.

    Where there is none two nested parts suffice (Cogis 1982).
    """
    pairs = pairs_of(rows)
    if len(pairs) > MOST_PAIRS:
        return None
    colour: dict[Pair, int] = {}
    parent: dict[Pair, Pair | None] = {}
    for start in pairs:
        if start in colour:
            continue
        colour[start], parent[start] = 0, None
        queue = [start]
        for pair in queue:
            for other in pairs:
                if not apart(rows, pair, other):
                    continue
                if other not in colour:
                    colour[other], parent[other] = 1 - colour[pair], pair
                    queue.append(other)
                elif colour[other] == colour[pair]:
                    return _closed(pair, other, parent)
    return None


def _closed(a: Pair, b: Pair, parent: dict[Pair, Pair | None]) -> list[Pair]:
    """The cycle of the edge between ``a`` and ``b`` and the tree paths to where they meet."""
    up: list[list[Pair]] = []
    for pair in (a, b):
        path: list[Pair] = []
        at: Pair | None = pair
        while at is not None:
            path.append(at)
            at = parent[at]
        up.append(path)
    first, second = up
    while len(first) > 1 and len(second) > 1 and first[-2] == second[-2]:
        first.pop()
        second.pop()
    return first + second[-2::-1]


def by_sources(rows: Sequence[int], chains: Sequence[Sequence[int]]) -> Cover:
    """One nested part for each chain of sources, in which whoever needs a source needs those
    before it."""
    parts = []
    for chain in chains:
        held = sum(1 << k for k in chain)
        parts.append(tuple(row & held for row in rows))
    return tuple(parts)


def search(rows: Sequence[int], count: int, steps: int) -> tuple[Verdict, Cover]:
    """Is there a cover by ``count`` nested parts? With one where there is; unknown where solver
    ``steps`` do not suffice.

    Of two pairs in one part, one reader also has the source of the other.

    >>> search((0b01, 0b10), 1, 10_000), search((0b01, 0b10), 2, 10_000)[0]
    ((<Verdict.FAILS: 'fails'>, ()), <Verdict.HOLDS: 'holds'>)
    """
    pairs = pairs_of(rows)
    if len(pairs) > _SEARCHED:
        return Verdict.UNKNOWN, ()
    import z3

    number = {pair: i for i, pair in enumerate(pairs)}
    clauses = list(_clauses(rows, number, count))
    solver = z3.Solver()
    solver.set("rlimit", steps)
    solver.set("random_seed", 0)
    head = f"p cnf {len(pairs) * count} {len(clauses)}\n"
    solver.from_string(head + "".join(f"{' '.join(map(str, one))} 0\n" for one in clauses))
    found = solver.check()
    if found != z3.sat:
        return Verdict.FAILS if found == z3.unsat else Verdict.UNKNOWN, ()
    model = solver.model()
    parts = [[0] * len(rows) for _ in range(count)]
    for known in model.decls():
        if z3.is_true(model[known]):
            part, at = divmod(int(known.name()[2:]) - 1, len(pairs))
            q, k = pairs[at]
            parts[part][q] |= 1 << k
    return Verdict.HOLDS, tuple(map(tuple, parts))


def _clauses(rows: Sequence[int], number: dict[Pair, int], count: int) -> Iterator[list[int]]:
    def held(part: int, pair: Pair) -> int:
        return part * len(number) + number[pair] + 1

    for pair in number:
        yield [held(part, pair) for part in range(count)]
    for a, b in combinations(number, 2):
        (q, k), (r, m) = a, b
        if q == r or k == m:
            continue
        ways = [pair for pair in ((q, m), (r, k)) if pair in number]
        for part in range(count):
            yield [-held(part, a), -held(part, b), *(held(part, pair) for pair in ways)]
