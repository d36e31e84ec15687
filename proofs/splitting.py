"""The search for steps that close every branch: cases, sums, and splits where both do not suffice.

At each branch z3 names formulas that contradict each other. Where all of them are literals a sum
shows it, after a cut where integers are needed; else the disjunction with the fewest open parts
makes cases.
"""

from collections.abc import Sequence
from math import gcd

from attnproof.proofs.arithmetic import Arithmetic
from attnproof.proofs.checker.cases import Branch, Refutation
from attnproof.proofs.checker.formulas import Term
from attnproof.proofs.checker.inequalities import Form, Literal, plus

#: Branches of one proof, and moduli by which sums are rounded.
NODES, MODULI = 1500, 6
Steps = list[object]


class Splitting:
    """The search for one refutation; ``steps`` is what it has found.

    ``nodes`` counts branches. The steps are those of the checker's own format.
    """

    def __init__(self, refutation: Refutation, arithmetic: Arithmetic, most: int = NODES) -> None:
        self.refutation, self.arithmetic = refutation, arithmetic
        self.left = most

    def steps(self) -> Steps | None:
        """The steps that close all branches; None where the search ends without."""
        root = self.refutation.root
        found: Steps = []
        stack: list[tuple[Branch, Sequence[int]]] = []
        if not root.closed:
            stack.append((root, range(len(root.choices))))
        while stack:
            branch, relevant = stack.pop()
            self.left -= 1
            if self.left < 0:
                return None
            following = self._follow(branch, relevant, found)
            if following is None:
                return None
            stack.extend((one, kept) for one, kept in reversed(following) if not one.closed)
        return found

    def _follow(
        self, branch: Branch, relevant: Sequence[int], found: Steps
    ) -> list[tuple[Branch, Sequence[int]]] | None:
        open_ = [i for i in relevant if branch.value(("or", branch.choices[i])) is not True]
        for i in open_:
            if branch.value(("or", branch.choices[i])) is False:
                found.append(i)
                return []
        literals = list(dict.fromkeys(branch.literals))
        formulas = [*literals, *(("or", branch.choices[i]) for i in open_)]
        core = self.arithmetic.core(formulas)
        if core is None:
            return None
        needed = [open_[i - len(literals)] for i in core if i >= len(literals)]
        if not needed:
            return self._closed(branch, [literals[i] for i in core], found)
        choice = min(needed, key=lambda i: (self._open(branch, i), i))
        found.append(choice)
        kept = [i for i in needed if i != choice]
        return [
            (one, [*kept, *range(len(branch.choices), len(one.choices))])
            for one in branch.cases(choice)
        ]

    def _open(self, branch: Branch, choice: int) -> int:
        return sum(branch.value(part) is not False for part in branch.choices[choice])

    def _closed(
        self, branch: Branch, literals: list[Literal], found: Steps
    ) -> list[tuple[Branch, Sequence[int]]] | None:
        """Close a branch by its literals alone."""
        places = [branch.literals.index(one) for one in literals]
        plain = self.arithmetic.farkas(literals)
        if plain is not None:
            found.append([[places[i], c] for i, c in plain])
            return []
        for modulus in _moduli(literals):
            strengthened = self.arithmetic.cut(literals, modulus)
            if strengthened is not None:
                cut, total = strengthened
                *rest, (last, times) = total
                found.append([[places[i], c] for i, c in cut])
                places.append(len(branch.literals))
                content = _content(literals, cut) // modulus
                branch.assume(branch.summed((places[i], c) for i, c in cut))
                if not branch.closed:
                    found.append([[places[i], c] for i, c in [*rest, (last, times * content)]])
                return []
        return self._split(branch, literals, found)

    def _split(
        self, branch: Branch, literals: list[Literal], found: Steps
    ) -> list[tuple[Branch, Sequence[int]]] | None:
        point = self.arithmetic.point(literals)
        for key, (above, below) in sorted((point or {}).items()):
            if below != 1:
                formula: Term = ("<=", self._product(key), above // below)
                found.append(["split", formula])
                return [(one, ()) for one in self.refutation.split(branch, formula)]
        return None

    def _product(self, key: tuple[int, ...]) -> Term:
        terms = [self.refutation.normaliser.terms[i] for i in key]
        return terms[0] if len(terms) == 1 else ("*", *terms)


def _content(literals: Sequence[Literal], parts: Sequence[tuple[int, int]]) -> int:
    """The common divisor of the coefficients of a sum, by which the checker divides it."""
    total: Form = ()
    for i, c in parts:
        total = plus(total, literals[i].form, c)
    return gcd(*(c for _, c in total)) if total else 0


def _moduli(literals: Sequence[Literal]) -> list[int]:
    """Numbers above 1 that are coefficients."""
    found = {abs(c) for one in literals for _, c in one.form if abs(c) > 1}
    return sorted(found)[:MODULI]
