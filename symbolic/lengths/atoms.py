"""Atoms: the comparisons of which invariants and reach relations of a mask are made.

They are the comparisons of the formula itself at (q, k) and at (k, q), the order of positions, and
what its divisors and tensors suggest: same block, same remainder, same document. Parameters are
compared with 0, 1 and each other, where masks are often of another kind.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, permutations
from math import gcd

from attnproof.symbolic.formula import (
    Sort,
    Term,
    at,
    fold,
    holds,
    k,
    q,
    simplify,
    substitute,
    variable,
    variables,
)
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.lengths.bits import bitwise
from attnproof.symbolic.lengths.draw import constants
from attnproof.symbolic.lengths.linear import combined, linear
from attnproof.symbolic.lengths.problem import Problem

_CONNECTIVES = {"and", "or", "not", "xor", "iff", "implies", "ite", "bool"}
_POSITIONS = {"q", "k"}


def atoms(problem: Problem, *more: Term) -> tuple[Term, ...]:
    """The atoms of a problem, no two of which are each other's negation in form; the first are the
    simplest.

    >>> atoms(Problem.of((k <= q) & (q - k < 4)))
    (k <= q, q == k, q - k < 4, q <= k, k - q < 4, (q - k) % 4 == 0)
    """
    found: dict[Hashable, Term] = {}
    common = gcd(*constants(problem))
    apart = [((q - k) % common).eq(0)] if common > 1 else []
    of_formulas = chain.from_iterable(_of(term) for term in (*problem.layers, *more))
    for atom in chain((k <= q, q.eq(k)), of_formulas, apart, _of_parameters(problem)):
        made = simplify(atom)
        if not _trivial(made):
            found.setdefault(_canonical(made), made)
    return tuple(found.values())


def _of_parameters(problem: Problem) -> Iterator[Term]:
    named = [variable(name) for name in problem.parameters if name != "b"]
    yield from (each <= most for each in named for most in (0, 1))
    if len(named) <= 3:
        yield from (a <= b for a, b in permutations(named, 2))


def _of(term: Term) -> Sequence[Term]:
    """Comparisons in a formula, both ways round, then those it suggests."""
    compared: list[Term] = []
    suggested: list[Term] = []

    def combine(node: Term, _: list[None]) -> None:
        if node.sort is Sort.BOOL and node.op not in _CONNECTIVES:
            compared.append(node)
        if node.op in ("//", "%"):
            suggested.extend(_blocks(node.children[1]))
        if node.op in TENSORS and len(node.children) == 1:
            suggested.extend(_elements(node))

    fold(term, combine)
    if bitwise(term):
        suggested += [(q & k).eq(k), (q & k).eq(q)]
    turned = [substitute(each, {"q": k, "k": q}) for each in compared]
    return [*compared, *turned, *suggested]


def _blocks(by: Term) -> list[Term]:
    if variables(by) & _POSITIONS:
        return []
    return [(k // by) <= (q // by), (q // by).eq(k // by), ((q - k) % by).eq(0)]


def _elements(node: Term) -> list[Term]:
    index = node.children[0]
    if not variables(index) & _POSITIONS:
        return []
    name = node.name
    there = substitute(index, {"k": q})
    here = substitute(index, {"q": k})
    if node.op == "holds":
        return [holds(name, there), holds(name, here)]
    return [at(name, there).eq(at(name, here)), at(name, here) <= at(name, there)]


def _trivial(atom: Term) -> bool:
    return atom.value is not None or (len(atom.children) == 2 and len(set(atom.children)) == 1)


def _canonical(atom: Term) -> Hashable:
    """The same for a comparison, its mirror image and its negation."""
    if atom.op in ("!=", "=="):
        return "==", frozenset(atom.children)
    if atom.op in ("<", "<=", ">", ">="):
        low, high = atom.children if atom.op in ("<", "<=") else atom.children[::-1]
        margin = combined((linear(high), 1), (linear(low), -1))
        bound = margin.pop(None, 0) - int(atom.op in ("<", ">"))
        first = min(margin, key=repr)
        if margin[first] < 0:
            margin = {term: -count for term, count in margin.items()}
            bound = -bound - 1
        return "<=", bound, frozenset(margin.items())
    return atom
