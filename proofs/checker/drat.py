"""Refutations of a formula: clauses that follow one after the other, and deletions between them.

Theorem: let F be clauses and C a clause. If unit propagation from F and the negations of the
literals of C meets a conflict, each model of F is a model of C. So clauses that pass this test one
after the other, each with F and those before it, follow from F; if the last one is empty, F has no
model. Leaving clauses out of F only makes the test harder to pass.

A literal is a variable, 1, 2, ..., or its negation, -1, -2, .... A step of a refutation is a list
of literals; one that begins with 0 deletes the clause of the other literals. The clause that
conflicts with the last step need not be written.

Machine-checked: ``Refutation.follows_sound`` and ``Refutation.refuted``.
"""

from collections.abc import Iterable, Sequence

from .envelope import Invalid, array, need

Clause = list[int]


def refute(variables: int, formula: Iterable[Sequence[int]], refutation: object) -> None:
    """Raise Invalid unless the refutation, as read from JSON, shows that no model exists."""
    propagation = Propagation(variables)
    for clause in formula:
        propagation.add(clause)
    for number, step in enumerate(array(refutation, "the refutation")):
        literals = _literals(step, variables)
        if propagation.conflict:
            return
        if literals and literals[0] == 0:
            propagation.delete(literals[1:])
        elif not propagation.follows(literals):
            raise Invalid(f"step {number} of the refutation does not follow")
        else:
            propagation.add(literals)
    need(propagation.conflict, "the refutation ends without a conflict")


def _literals(value: object, variables: int) -> Clause:
    """A step: integers; 0 stands only at the beginning."""
    step = array(value, "a step of the refutation")
    need(set(map(type, step)) <= {int}, "a step of the refutation holds what is no integer")
    literals: Clause = step  # type: ignore[assignment]
    if literals:
        inside = -variables <= min(literals) and max(literals) <= variables
        need(inside and 0 not in literals[1:], "a literal of the refutation is out of range")
    return literals


class Propagation:
    """Clauses, each watched at two literals that are not false, and what follows from them alone.

    ``true[literal]`` is set when the literal is true; negative literals count from the end.
    """

    def __init__(self, variables: int) -> None:
        self.true = bytearray(2 * variables + 1)
        self.watching: list[list[Clause]] = [[] for _ in range(2 * variables + 1)]
        self.trail: list[int] = []
        self.conflict = False
        self._kept: dict[tuple[int, ...], list[Clause]] = {}

    def add(self, literals: Sequence[int]) -> None:
        """Another clause; what it implies by itself is kept."""
        if self.conflict:
            return
        true = self.true
        clause = sorted(set(literals), key=lambda one: (true[-one], one))
        self._kept.setdefault(tuple(sorted(clause)), []).append(clause)
        if any(-one in literals for one in clause):
            return
        if len(clause) > 1:
            for one in clause[:2]:
                self.watching[one].append(clause)
        if not clause or true[-clause[0]]:
            self.conflict = True
        elif (len(clause) == 1 or true[-clause[1]]) and not true[clause[0]]:
            start = len(self.trail)
            self._assign(clause[0])
            self.conflict = not self._propagate(start)

    def delete(self, literals: Sequence[int]) -> None:
        """One clause less, if it is there; what it has implied already still follows, and stays."""
        clauses = self._kept.get(tuple(sorted(set(literals))))
        if clauses:
            clauses.pop().clear()

    def follows(self, literals: Sequence[int]) -> bool:
        """Does propagation from the negations of the literals meet a conflict?"""
        if self.conflict:
            return True
        start = len(self.trail)
        met = False
        for one in literals:
            if self.true[one]:
                met = True
                break
            if not self.true[-one]:
                self._assign(-one)
        met = met or not self._propagate(start)
        for one in self.trail[start:]:
            self.true[one] = 0
        del self.trail[start:]
        return met

    def _assign(self, literal: int) -> None:
        self.true[literal] = 1
        self.trail.append(literal)

    def _propagate(self, start: int) -> bool:
        """Everything that follows from the trail; False when a clause has become false.

        A clause that watches a literal which has become false watches another one, if one is not
        false; if not, its other watched literal follows.
        """
        true, trail, watching = self.true, self.trail, self.watching
        for literal in _growing(trail, start):
            fallen = -literal
            clauses = watching[fallen]
            staying: list[Clause] = []
            for place, clause in enumerate(clauses):
                if not clause:
                    continue
                if clause[0] == fallen:
                    clause[0], clause[1] = clause[1], fallen
                first = clause[0]
                if true[first]:
                    staying.append(clause)
                    continue
                for at in range(2, len(clause)):
                    other = clause[at]
                    if not true[-other]:
                        clause[1], clause[at] = other, fallen
                        watching[other].append(clause)
                        break
                else:
                    staying.append(clause)
                    if true[-first]:
                        staying += clauses[place + 1 :]
                        watching[fallen] = staying
                        return False
                    true[first] = 1
                    trail.append(first)
            watching[fallen] = staying
        return True


def _growing(trail: list[int], start: int) -> Iterable[int]:
    """The literals of the trail from ``start`` on, those that are added meanwhile too."""
    while start < len(trail):
        yield trail[start]
        start += 1
