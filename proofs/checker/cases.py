"""Refutation of formulas over the integers by cases and by sums of inequalities.

A branch holds literals ``p <= 0`` and disjunctions. It is closed where two literals exclude each
other, or one has no variable and is false. Three kinds of steps are followed, branch after branch:

    i                   a case for each part of disjunction i that is not excluded yet; in each the
                        literals among the parts before it are false
    [[i, c], ...]       the sum of the literals i, each times c >= 0, rounded as integers are
                        (Farkas, and Chvatal and Gomory), is one more literal
    ["split", formula]  a case where the formula holds, and one where it does not

Every step is sound, so that when all branches are closed the formulas contradict each other.
"""

from collections.abc import Iterable, Sequence

from .envelope import Invalid, array, integer, need
from .formulas import Scope, Term
from .inequalities import Form, Literal, Normal, literal, negated, total, whole, words
from .limits import KEPT, Steps
from .linear import Normaliser


class Branch:
    """What is assumed in one case: ``literals`` and ``choices`` (disjunctions), numbered in the
    order in which they were assumed."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.literals: list[Literal] = []
        self.choices: list[tuple[Normal, ...]] = []
        self.closed = False
        self._bounds: dict[Form, int] = {}

    def copy(self) -> "Branch":
        """The same branch, to go on in another way."""
        self.steps.take(KEPT * (1 + len(self.literals) + len(self.choices)))
        found = Branch(self.steps)
        found.literals, found.choices = [*self.literals], [*self.choices]
        found._bounds = dict(self._bounds)
        return found

    def assume(self, given: Normal) -> None:
        """Add a formula."""
        self.steps.take(KEPT)
        if isinstance(given, Literal):
            self.closed = self.closed or self.value(given) is False
            self.literals.append(given)
            known = self._bounds.get(given.form)
            if known is None or known < given.constant:
                self._bounds[given.form] = given.constant
        elif given[0] == "and":
            for part in given[1]:
                self.assume(part)
        else:
            self.choices.append(given[1])

    def value(self, given: Normal) -> bool | None:
        """Whether it is true or false by the literals alone, one at a time; None where neither."""
        self.steps.take(1)
        if isinstance(given, Literal):
            self.steps.take(len(given.form))
            if not given.form:
                return given.constant <= 0
            known = self._bounds.get(given.form)
            if known is not None and known >= given.constant:
                return True
            opposite = negated(given)
            known = self._bounds.get(opposite.form)
            return False if known is not None and known >= opposite.constant else None
        op, parts = given
        values = [self.value(part) for part in parts]
        deciding = bool(op == "or")
        if deciding in values:
            return deciding
        return None if None in values else not deciding

    def cases(self, choice: int) -> list["Branch"]:
        """A branch for each part of a disjunction that is not false."""
        found: list[Branch] = []
        before: list[Literal] = []
        for part in self.choices[choice]:
            if self.value(part) is False:
                continue
            branch = self.copy()
            for one in (*before, part):
                branch.assume(one)
            found.append(branch)
            if isinstance(part, Literal):
                self.steps.take(KEPT * len(part.form))
                before.append(negated(part))
        return found

    def summed(self, parts: Iterable[tuple[int, int]]) -> Literal:
        """The sum of literals, each so many times."""
        return literal(total((self._whole(place, times), times) for place, times in parts))

    def _whole(self, place: int, times: int) -> Form:
        """The polynomial of a literal, that is multiplied so many times."""
        form = whole(self.literals[place])
        size = words(form) + times.bit_length() // 64
        self.steps.take(KEPT * len(form) * size**2)
        return form


class Refutation:
    """The formulas of an obligation, and the conditions of their atoms, as one branch."""

    def __init__(self, normaliser: Normaliser, scope: Scope) -> None:
        self.normaliser, self.scope = normaliser, scope
        self.root = Branch(normaliser.steps)
        self._sides = 0

    def assume(self, branch: Branch, *formulas: Term) -> None:
        """Add formulas to a branch, each followed by the conditions of its atoms."""
        for formula in formulas:
            self.assume_normal(branch, self.normaliser.normal(formula))

    def assume_normal(self, branch: Branch, given: Normal) -> None:
        """Add a formula in normal form, and conditions of atoms that were not added before."""
        branch.assume(given)
        for side in self.new_sides():
            branch.assume(side)

    def new_sides(self) -> Sequence[Normal]:
        """The conditions of atoms that were met since the last time."""
        found = self.normaliser.sides[self._sides :]
        self._sides = len(self.normaliser.sides)
        return found

    def split(self, branch: Branch, formula: Term) -> list[Branch]:
        """A branch where a formula holds, and one where it does not."""
        given = self.normaliser.normal(formula)
        sides = self.new_sides()
        found = [branch.copy(), branch.copy()]
        for one, assumed in zip(found, (given, negated(given)), strict=True):
            one.assume(assumed)
            for side in sides:
                one.assume(side)
        return found

    def check(self, steps: object) -> None:
        """Raise Invalid unless the steps close every branch."""
        left = [self.root] if not self.root.closed else []
        for step in array(steps, "steps"):
            need(bool(left), "there are steps after the last branch is closed")
            branch = left.pop()
            self.normaliser.steps.take(1 + len(branch.literals) + len(branch.choices))
            following = self._follow(branch, step)
            left.extend(one for one in reversed(following) if not one.closed)
        need(not left, "a case is left open")

    def _follow(self, branch: Branch, step: object) -> list[Branch]:
        if not isinstance(step, list):
            choice = integer(step, len(branch.choices), "a step")
            return branch.cases(choice)
        if step and step[0] == "split":
            need(len(step) == 2, "a split has not one formula")
            return self.split(branch, self.scope.formula(step[1], "a split"))
        parts = []
        for part in step:
            if not isinstance(part, list) or len(part) != 2:
                raise Invalid("a sum has a part that is no pair")
            place = integer(part[0], len(branch.literals), "a literal")
            times = integer(part[1], None, "a multiplier")
            parts.append((place, times))
        branch.assume(branch.summed(parts))
        return [branch]
