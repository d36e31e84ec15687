"""The masks of a rule: evaluated at one length, heads united, batch elements told apart."""

from attnproof.numeric.read.callables import LENGTH, Rule, parts
from attnproof.numeric.read.elements import unasked
from attnproof.numeric.read.signature import Kind
from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.encoding import Decoded, chosen, united_comments
from attnproof.symbolic.masks.heads import HeadUnion, any_head_reads
from attnproof.symbolic.setting import EmptyRow


def decode_rule(
    rule: Rule,
    n: int,
    *,
    queries: range | None = None,
    heads: int = 1,
    batches: int = 1,
    batch: int | None = None,
    empty_row: EmptyRow = EmptyRow.ZERO,
) -> Decoded:
    """A rule at ``n`` keys, for the query indices ``queries`` or ``0 .. n - 1``, heads united.

    >>> causal = Rule(lambda b, h, q, k: q >= k, Kind.MASK_MOD, "causal")
    >>> decode_rule(causal, 2).masks
    (((0,), Bits(sets=(1, 3), keys=2)),)
    >>> decode_rule(causal, 4, queries=range(2, 4)).masks
    (((0,), Bits(sets=(7, 15), keys=4)),)
    """
    asked = range(n) if queries is None else queries
    _check_length(n, rule.name, len(asked))
    wanted = chosen(batches, batch)
    rule.pairs = len(wanted) * heads * len(asked) * n
    found: dict[tuple[int, ...], list[int]] = {}
    partly: set[int] = set()
    for b in wanted:
        union = HeadUnion(len(asked), n, empty_row)
        for part in parts(heads, len(asked), n):
            own = range(asked.start + part.start, asked.start + part.stop)
            union.add(part.start, rule.dense(b, range(heads), own, n))
        found.setdefault(union.rows(), []).append(b)
        partly |= union.partly_empty

    def replay(b: int, q: int, k: int) -> bool:
        if any(rule.at(b, h, asked.start + q, k) for h in range(heads)):
            return True
        if empty_row is not EmptyRow.UNIFORM or q not in partly:
            return False
        row = rule.dense(b, range(heads), range(asked.start + q, asked.start + q + 1), n)
        return any_head_reads(row[:, 0], k, empty_row)

    note = rule.note()
    unseen = unasked(rule, n, heads=heads == 1, batches=batches == 1 and batch is None)
    return Decoded(
        tuple((tuple(indices), Bits(sets, n)) for sets, indices in found.items()),
        "attend" if rule.kind is Kind.MASK_MOD else "additive",
        (*_told(rule, asked, n), *united_comments(heads, found.values(), batch)),
        replay,
        (*(() if note is None else (note,)), *unseen),
        partly_empty=tuple(sorted(partly)),
    )


def _check_length(n: int, name: str, queries: int) -> None:
    """Refuse lengths at which a rule has too many pairs to evaluate."""
    pairs = n * queries
    if pairs > LENGTH**2:
        raise ShapeError(
            f"{name} at n = {n} has {pairs} pairs; a rule of Python is evaluated up to n = "
            f"{LENGTH}, which is {LENGTH**2} pairs: give a smaller n, or a named mask (attnproof "
            "masks)",
            n=n,
        )


def _told(rule: Rule, queries: range, n: int) -> list[str]:
    told = ["evaluated as a mask_mod: true is read"]
    if rule.kind is Kind.SCORE_MOD:
        told = ["evaluated as a score_mod on the score 0: only -inf blocks"]
    if len(queries) < n:
        told.append(_asked(queries))
    if rule.finite <= -1000:
        told.append(
            f"the score_mod returns {rule.finite:g}, which is taken as read; return -inf to block"
        )
    return told


def _asked(queries: range) -> str:
    """A sentence on the query indices of a rectangle."""
    first, last, count = queries.start, queries.stop - 1, len(queries)
    if not first:
        return f"evaluated for q_idx 0..{last}: the rule counts its {count} queries from 0"
    return (
        f"evaluated for q_idx {first}..{last}, the positions of the queries; a rule that adds an "
        f"offset itself counts them from 0: --queries {count}"
    )
