"""Lemmas that a proof may need: laws of tensors at elements that are read, equal elements at equal
indices, and products of quotients with the divisor, which is what linear arithmetic lacks.

With ``t = B * (t // B) + t % B`` at hand, that ``d - e >= c`` implies ``B * (d - e) >= B * c`` for
quotients d and e by one divisor B orders blocks and tells how far they are apart.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from attnproof.proofs.checker.formulas import TENSORS, Term, parts_of, visit
from attnproof.proofs.checker.inequalities import Form, plus
from attnproof.proofs.checker.laws import Law
from attnproof.proofs.checker.length_settings import Obligation, Setting
from attnproof.proofs.checker.linear import Normaliser

#: Lemmas of one obligation, and rounds in which laws may name new elements.
MOST, ROUNDS = 3000, 2
_BITS = {"&", "<<", ">>"}
Lemma = list[object]


def lemmas(setting: Setting, obligation: Obligation, normaliser: Normaliser) -> list[Lemma]:
    """The lemmas that may serve an obligation, each once."""
    terms = [*obligation.premises, obligation.goal]
    found: list[Lemma] = []
    known: set[str] = set()
    for _ in range(ROUNDS if setting.laws else 1):
        read = _elements(terms, normaliser)
        for number, law in enumerate(setting.laws):
            for lemma, instance in _instances(number, law, read, setting):
                if str(lemma) not in known and len(found) < MOST:
                    known.add(str(lemma))
                    found.append(lemma)
                    terms.append(instance)
    elements = _elements(terms, normaliser)
    for alike in elements.values():
        found += [["same", a, b] for a, b in combinations(alike, 2)]
    found += [["same", a, b] for a, b in _common_bits(elements.get(("&", 3), []))]
    found += [["product", a, b] for a, b in _products(terms, normaliser)]
    return found[:MOST]


def _elements(terms: Sequence[Term], normaliser: Normaliser) -> dict[object, list[Term]]:
    """What is read of each tensor, and what bit operations give, no two of one normal form."""
    found: dict[object, dict[Form, Term]] = {}

    def see(part: Term) -> None:
        if isinstance(part, tuple) and part[0] in (*TENSORS, *_BITS) and parts_of(part):
            key = part[1] if part[0] in TENSORS else (part[0], len(part))
            found.setdefault(key, {}).setdefault(normaliser.form(part), part)

    for term in terms:
        visit(term, see)
    return {key: list(read.values()) for key, read in found.items()}


def _instances(
    number: int, law: Law, read: dict[object, list[Term]], setting: Setting
) -> Iterator[tuple[Lemma, Term]]:
    names = [name for name, tensor in setting.tensors.items() if tensor is law.tensor]
    by_row: dict[tuple[Term, ...], list[Term]] = {}
    for name in names:
        for element in read.get(name, []):
            *rows, index = parts_of(element)
            by_row.setdefault(tuple(rows), []).append(index)
    for rows_of, places in by_row.items():
        for index_of in product(places, repeat=law.indices):
            made = law.instance(rows_of, index_of)
            yield ["law", number, list(rows_of), list(index_of)], made


def _common_bits(common: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """``(a & b) & c`` and ``a & c``, equal where b has all bits of a; ``a & b`` and ``b & b``."""
    operands = dict.fromkeys(part for one in common for part in parts_of(one))
    for one in common:
        yield one, ("&", one[2], one[2])
        for kept, other in product(parts_of(one), operands):
            if other not in parts_of(one):
                yield ("&", one, other), ("&", kept, other)


def _products(terms: Sequence[Term], normaliser: Normaliser) -> Iterator[tuple[Term, Term]]:
    for divisor, multiples in _quotients(terms, normaliser):
        for d, _ in multiples:
            yield d, ("-", divisor, 1)
            yield ("neg", d), ("-", divisor, 1)
        for apart in _differences(multiples, normaliser):
            for c in (0, 1, 2):
                yield (("-", apart, c) if c else apart), divisor


def _differences(
    multiples: Sequence[tuple[Term, Form | None]], normaliser: Normaliser
) -> Iterator[Term]:
    """Quotients, their differences, and what a sum of dividends leaves, either way round."""
    for d, _ in multiples:
        yield d
        yield ("neg", d)
    for (d, _), (e, _) in combinations(multiples, 2):
        yield ("-", d, e)
        yield ("-", e, d)
    divided = [(d, t) for d, t in multiples if t is not None]
    for (d, t), (e, u) in combinations(divided, 2):
        for f, v in divided:
            if f not in (d, e) and plus(t, u) == v:
                yield ("-", f, ("+", d, e))
                yield ("-", ("+", d, e), f)


def _quotients(
    terms: Sequence[Term], normaliser: Normaliser
) -> list[tuple[Term, list[tuple[Term, Form | None]]]]:
    """Divisors that are no constants, each with its quotients and what it is multiplied by."""
    found: dict[Form, tuple[Term, dict[Form, tuple[Term, Form | None]]]] = {}
    factors: list[tuple[Term, ...]] = []

    def see(part: Term) -> None:
        if not isinstance(part, tuple):
            return
        if part[0] in ("//", "%"):
            divisor = normaliser.form(part[2])
            if any(key for key, _ in divisor):
                quotient = ("//", part[1], part[2])
                _, multiples = found.setdefault(divisor, (part[2], {}))
                entry = quotient, normaliser.form(part[1])
                multiples.setdefault(normaliser.form(quotient), entry)
        if part[0] == "*" and len(part) == 3:
            factors.append((part[1], part[2]))

    for term in terms:
        visit(term, see)
    for a, b in factors:
        for one, other in ((a, b), (b, a)):
            form = normaliser.form(other)
            if normaliser.form(one) in found and any(key for key, _ in form):
                found[normaliser.form(one)][1].setdefault(form, (other, None))
    return [(divisor, list(multiples.values())) for divisor, multiples in found.values()]
