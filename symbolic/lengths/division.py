"""Division by a parameter, as linear facts: ``t = B * (t // B) + t % B`` is not linear in B.

Quotient and remainder by one divisor become functions of the dividend about which linear theorems
are stated, at the dividends that occur. Each is a theorem for every ``B >= 1``, so that what
follows from them follows; what does not may still be true.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from attnproof.symbolic.formula import Term, at, constant, fold, ite, simplify, variables
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.rewriting import rebuilt
from attnproof.symbolic.lengths.linear import Linear, combined, from_linear, linear
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.problem import is_position

#: The functions that stand for the quotient and the remainder by a divisor.
QUOTIENT, REMAINDER = "quotient", "remainder"


@dataclass(frozen=True, slots=True)
class Divisor:
    """A divisor and the names of its two functions."""

    term: Term
    quotient: str
    remainder: str


def divisors(terms: Sequence[Term], *, constants: bool = False) -> tuple[Divisor, ...]:
    """The divisors that are no constants and speak of no position; with ``constants``, the positive
    constants.

    >>> from attnproof.symbolic.formula import q, variable
    >>> [each.term for each in divisors([(q // variable("block")).eq(q // 4)])]
    [block]
    """
    found: dict[Term, None] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op in ("//", "%"):
            by = node.children[1]
            if by.value is not None:
                wanted = constants and by.value > 0
            else:
                wanted = not constants and not any(map(is_position, variables(by)))
            if wanted:
                found[by] = None

    for term in terms:
        fold(term, combine)
    ordered = sorted(found, key=repr)
    return tuple(
        Divisor(by, f"{QUOTIENT}{place}", f"{REMAINDER}{place}") for place, by in enumerate(ordered)
    )


def abstracted(term: Term, by: Sequence[Divisor]) -> Term:
    """The formula with quotients and remainders as functions of the dividend, and multiples of
    the divisor, ``(t // B) * B``, as ``t - t % B``.

    >>> from attnproof.symbolic.formula import k, q, variable
    >>> B = variable("B")
    >>> abstracted(k >= (q // B + 1) * B, divisors([q // B]))
    k >= q + B - remainder0[q]
    """
    names = {each.term: each for each in by}

    def combine(node: Term, parts: list[Term]) -> Term:
        made = rebuilt(node, parts)
        if node.op in ("//", "%") and parts[1] in names:
            return _function(node.op, parts[0], names[parts[1]])
        if node.op == "*":
            multiple = _multiple(parts, by)
            return made if multiple is None else multiple
        return made

    return fold(term, combine)


def _function(op: str, dividend: Term, by: Divisor) -> Term:
    return at(by.quotient if op == "//" else by.remainder, from_linear(linear(dividend)))


def _multiple(factors: Sequence[Term], by: Sequence[Divisor]) -> Term | None:
    """A divisor times a sum that holds quotients by it, without the product."""
    for divisor in by:
        if len(factors) != 2 or divisor.term not in factors:
            continue
        other = factors[1] if factors[0] == divisor.term else factors[0]
        parts: list[tuple[Linear, int]] = []
        for atom, times in linear(other).items():
            if atom is None:
                parts.append((linear(divisor.term), times))
            elif atom.op in TENSORS and atom.name == divisor.quotient:
                (dividend,) = atom.children
                parts.append((linear(dividend), times))
                parts.append((linear(at(divisor.remainder, dividend)), -times))
            else:
                return None
        return from_linear(combined(*parts))
    return None


def without_division(obligation: Obligation) -> Obligation | None:
    """The obligation with linear facts in place of division by parameters; None where there is no
    such division. If it is valid, so is the obligation, for positive divisors.

    >>> from attnproof.symbolic.formula import k, q, variable
    >>> B = variable("B")
    >>> print(without_division(Obligation("same", (B >= 1, (q // B).eq(k // B)), q - k < B)).goal)
    q - k < B
    """
    terms = [*obligation.assumptions, obligation.goal]
    by = divisors(terms)
    if not by:
        return None
    made = [abstracted(term, by) for term in terms]
    facts = theorems(made, by)
    given = (*made[:-1], *(each.term >= 1 for each in by), *facts)
    return Obligation(obligation.name, tuple(dict.fromkeys(given)), made[-1])


def with_constants_defined(obligation: Obligation) -> Obligation | None:
    """The obligation with the definition of quotient and remainder in place of division by
    constants; None where there is none. Both are valid or neither is.

    >>> from attnproof.symbolic.formula import k, q
    >>> with_constants_defined(Obligation("same", ((q % 2).eq(k % 2),), (q - k).ne(1))).assumptions
    (remainder0[q] == remainder0[k], q == 2 * quotient0[q] + remainder0[q], remainder0[q] >= 0, \
remainder0[q] < 2, k == 2 * quotient0[k] + remainder0[k], remainder0[k] >= 0, remainder0[k] < 2)
    """
    terms = [*obligation.assumptions, obligation.goal]
    by = divisors(terms, constants=True)
    if not by:
        return None
    made = [abstracted(term, by) for term in terms]
    facts: list[Term] = []
    for each in by:
        for t in _dividends(made, each):
            whole, rest = at(each.quotient, t), at(each.remainder, t)
            facts += [t.eq(each.term * whole + rest), rest >= 0, rest < each.term]
    facts += _nested(made, by)
    return Obligation(obligation.name, tuple(dict.fromkeys((*made[:-1], *facts))), made[-1])


def _nested(terms: Sequence[Term], by: Sequence[Divisor]) -> Iterator[Term]:
    """Blocks of a constant in blocks of a multiple of it: ``t // a = c (t // ca) + j``, j < c."""
    for small, large in permutations(by, 2):
        times, left = divmod(int(large.term.value or 0), int(small.term.value or 1))
        if left:
            continue
        both = [*_dividends(terms, small), *_dividends(terms, large)]
        for t in dict.fromkeys(both):
            inner, outer = at(small.quotient, t), at(large.quotient, t)
            yield (times * outer <= inner) & (inner < times * outer + times)


def theorems(terms: Sequence[Term], by: Sequence[Divisor]) -> tuple[Term, ...]:
    """Linear facts about quotients and remainders at the dividends that formulas name.

    >>> from attnproof.symbolic.formula import q, variable
    >>> by = divisors([(q // variable("B")).eq(0)])
    >>> theorems([abstracted((q // variable("B")).eq(0), by)], by)[0]
    remainder0[q] >= 0 and remainder0[q] < B

    Law: each holds of quotient and remainder for every ``B >= 1``.
    """
    found: dict[Term, None] = {}
    for divisor in by:
        dividends = _dividends(terms, divisor)
        for fact in _facts(dividends, divisor):
            found[simplify(fact)] = None
    return tuple(found)


def _dividends(terms: Sequence[Term], by: Divisor) -> dict[Term, Linear]:
    found: dict[Term, Linear] = {}

    def combine(node: Term, _: list[None]) -> None:
        if node.op in TENSORS and node.name in (by.quotient, by.remainder):
            found[node.children[0]] = linear(node.children[0])

    for term in terms:
        fold(term, combine)
    return found


def _facts(dividends: Mapping[Term, Linear], divisor: Divisor) -> Iterator[Term]:
    B = divisor.term

    def whole(t: Term) -> Term:
        return at(divisor.quotient, t)

    def rest(t: Term) -> Term:
        return at(divisor.remainder, t)

    for t in dividends:
        small = (t >= 0) & (t < B)
        yield (rest(t) >= 0) & (rest(t) < B)
        yield (t >= 0).implies((whole(t) >= 0) & (whole(t) <= t))
        yield (t < 0).implies((whole(t) < 0) & (whole(t) >= t))
        yield small.implies(whole(t).eq(0) & rest(t).eq(t))
        yield ((t >= B) & (t < 2 * B)).implies(whole(t).eq(1) & rest(t).eq(t - B))
        yield ((t < 0) & (t >= -B)).implies(whole(t).eq(-1) & rest(t).eq(t + B))
        yield whole(t).eq(0).implies(small)
    for t, u in permutations(dividends, 2):
        yield (t <= u).implies(whole(t) <= whole(u))
        yield whole(t).eq(whole(u) + 1).implies((t - u).eq(B + rest(t) - rest(u)))
        yield (rest(t).eq(rest(u)) & (t < u)).implies(u - t >= B)
        yield (whole(t) < whole(u)).implies(u - t >= B + rest(u) - rest(t))
        yield (whole(t) + 1 < whole(u)).implies(u - t >= 2 * B + rest(u) - rest(t))
        yield from _shifted(t, u, dividends, B, divisor)
        yield from _from_start(t, u, dividends, B, divisor)
    for t, u in combinations(dividends, 2):
        yield whole(t).eq(whole(u)).implies((t - u).eq(rest(t) - rest(u)))
    yield from _sums(dividends, divisor)


def _shifted(
    t: Term, u: Term, dividends: Mapping[Term, Linear], B: Term, divisor: Divisor
) -> Iterator[Term]:
    """``t = u + c B`` for a constant c."""
    apart = combined((dividends[t], 1), (dividends[u], -1))
    unit = linear(B)
    times = next((apart.get(atom, 0) // c for atom, c in unit.items()), 0)
    if times > 0 and apart == {atom: times * c for atom, c in unit.items()}:
        yield at(divisor.quotient, t).eq(at(divisor.quotient, u) + times)
        yield at(divisor.remainder, t).eq(at(divisor.remainder, u))


def _from_start(
    v: Term, t: Term, dividends: Mapping[Term, Linear], B: Term, divisor: Divisor
) -> Iterator[Term]:
    """``v = t - t % B + c``, c places after the start of t's block; c speaks of no position."""
    rest = at(divisor.remainder, t)
    form = combined((dividends[v], 1), (dividends[t], -1), (linear(rest), 1))
    known = {None, *linear(B)}
    if not set(form) <= known:
        return
    c = from_linear(form)
    for blocks in (-1, 0, 1):
        inside = (c >= blocks * B) & (c < (blocks + 1) * B)
        found = at(divisor.quotient, v).eq(at(divisor.quotient, t) + blocks)
        yield inside.implies(found & at(divisor.remainder, v).eq(c - blocks * B))


def _sums(dividends: Mapping[Term, Linear], divisor: Divisor) -> Iterator[Term]:
    """``v = t + u``: quotients add up, and remainders do, but for a carry."""
    by_form = {tuple(sorted(form.items(), key=repr)): v for v, form in dividends.items()}
    for t, u in combinations(dividends, 2):
        form = combined((dividends[t], 1), (dividends[u], 1))
        v = by_form.get(tuple(sorted(form.items(), key=repr)))
        if v is None or v in (t, u):
            continue
        rests = at(divisor.remainder, t) + at(divisor.remainder, u)
        carry = rests >= divisor.term
        wholes = at(divisor.quotient, t) + at(divisor.quotient, u)
        yield at(divisor.quotient, v).eq(wholes + ite(carry, 1, 0))
        yield at(divisor.remainder, v).eq(rests - ite(carry, divisor.term, constant(0)))
