"""The questions of a report for every length; what fails is asked of the source again.

A counterexample of the formula counts only when the source itself, evaluated at that length, fails
in the same way.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from attnproof.ask.length_asked import Asked
from attnproof.ask.length_report import SEARCH, Shown
from attnproof.ask.length_sources import Held, Reading, Subject, problem_of
from attnproof.ask.length_words import bounds_wanted, told_at, values_of
from attnproof.proofs.certify import certify
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import EveryLength
from attnproof.symbolic.formula import Term, constant, k, q, variable, variables
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.budget import Budget
from attnproof.symbolic.lengths.decide import decide
from attnproof.symbolic.lengths.draw import drawn, with_tensors
from attnproof.symbolic.lengths.exactly import decide_exactly
from attnproof.symbolic.lengths.ground import proved
from attnproof.symbolic.lengths.instances import Counterexample, Instance
from attnproof.symbolic.lengths.obligation import obligation
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Flow
from attnproof.symbolic.lengths.solvers import Solvers
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.verdict import Verdict
from attnproof.values import Report

#: Lengths of an example, the first that fulfils what is assumed, and how many of one are drawn.
_EXAMPLES, _DRAWN = (8, 12, 6, 4, 3, 2, 1), 48
#: The longest tensor of the user's own that an example has.
_HELD = 64
#: Positions beyond which the source is not evaluated at every pair.
_EVALUATED = 1 << 13
_TOO_FAR = (
    "a counterexample of the formula, {pair} at {at}; the source is not evaluated at so many "
    "positions here: ask it with n={n} (--n {n})"
)
_NOT_REPLAYED = (
    "a counterexample of the formula, at {at}, which the source itself does not show, so that it "
    "counts for nothing"
)


class Run:
    """The questions of one report, within one budget."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        problem: Problem,
        reading: Reading,
        residual: bool,
        layers: int | None,
        budget: Budget,
        questions: Sequence[Asked],
    ) -> None:
        self.subjects, self.problem, self.reading = subjects, problem, reading
        self.residual, self.layers, self.budget = residual, layers, budget
        self.questions = questions
        self.judgements: list[Judgement] = []
        self.problems: dict[str, Problem] = {}
        self.certified: dict[str, EveryLength] = {}
        self.answers: dict[str, Answer] = {}
        self.shown: dict[str, Shown] = {}
        self._lost: tuple[str, ...] | None = None

    @property
    def searched(self) -> int:
        """The steps in which the proof of one claim is searched; 1 where none are left."""
        return max(1, min(self.budget.left, SEARCH))

    def ask(self, question: Asked) -> None:
        """Decide one property; what fails is asked of the source, what holds has a meaning."""
        answer = self._decided(question)
        name = question.property.name
        found = None
        if answer.verdict is Verdict.UNKNOWN:
            hints = bounds_wanted(self.problems.get(name, self.problem), answer.tried)
            answer = replace(answer, tried=(*answer.tried, *hints))
        if answer.verdict is Verdict.HOLDS and (lost := self._meant()):
            answer = replace(answer, verdict=Verdict.UNKNOWN, tried=(*answer.tried, *lost))
        if answer.counterexample is not None and (far := self._too_far(answer.counterexample)):
            answer = _unknown(answer, far)
        elif answer.counterexample is not None:
            shown = self._at(answer.counterexample, question)
            if isinstance(shown, Shown) and shown.report.verdict is Verdict.FAILS:
                self.shown[name] = shown
                names = [each.name for each in self.subjects]
                found = told_at(shown, answer.counterexample, self.problem, names)
            else:
                told = _NOT_REPLAYED.format(at=values_of(answer.counterexample, self.problem))
                why = f" ({shown})" if isinstance(shown, InputError) else ""
                answer = _unknown(answer, told + why)
        self.answers[name] = answer
        self.judgements.append(found or _judgement(name, answer))

    def _decided(self, question: Asked) -> Answer:
        if not self.budget.left:
            spent = f"the budget of {self.budget.steps} steps is used up by what was asked before"
            return Answer(question.property, Verdict.UNKNOWN, tried=(spent,))
        problem, asked = self._problem(question), question.property
        self.problems[asked.name] = problem
        answer = decide(problem, asked, budget=self.budget.left)
        self.budget.spend(answer.steps)
        answer = self._confirmed(problem, answer)
        if self.layers is None or not isinstance(asked, Flow) or answer.verdict is Verdict.HOLDS:
            return answer
        if self.budget.left:
            answer = decide_exactly(problem, asked, self.layers, budget=self.budget.left)
            self.budget.spend(answer.steps)
        return self._confirmed(problem, answer)

    def _confirmed(self, problem: Problem, answer: Answer) -> Answer:
        """The answer; what one solver alone proves holds where the checker accepts a proof."""
        if not answer.alone:
            return answer
        depth = self.layers if isinstance(answer.property, Flow) else None
        claim = certify(problem, answer, depth=depth, budget=self.searched)
        if claim is None:
            return answer
        self.certified[answer.property.name] = claim
        return replace(answer, verdict=Verdict.HOLDS)

    def _meant(self) -> tuple[str, ...]:
        """What is not shown of what the formulas need to mean what the sources compute."""
        if self._lost is None:
            proved_anyway = {formula for formula, _ in self.problem.meaning}
            solvers = Solvers(Budget(max(1, self.budget.left)))
            self._lost = tuple(
                f"not shown: {each.kind}, {each.formula!r}, for `{each.because!r}`"
                for subject in self.subjects
                for each in subject.needed
                if each.formula not in proved_anyway and not self._shown(solvers, each.formula)
            )
            self.budget.spend(solvers.budget.used)
        return self._lost

    def _shown(self, solvers: Solvers, needed: Term) -> bool:
        used = variables(needed)
        h = variable("h")
        given = [h >= 0, h < self.reading.heads] if "h" in used else []
        positions = [x for x in (q, k) if x.name in used]
        found = proved(solvers, obligation(self.problem, "meaning", positions, given, needed))
        if found is None or found.agreed:
            return found is not None
        everywhere = Flow("forbid", ~needed)
        alone = Answer(everywhere, Verdict.UNKNOWN, (found,), invariant=constant(True))
        problem = replace(self.problem, requires=(*self.problem.requires, *given))
        return certify(problem, alone, budget=self.searched) is not None

    def _problem(self, question: Asked) -> Problem:
        return self.problem if question.other is None else self._with([question.other])

    def _with(self, others: Sequence[Subject]) -> Problem:
        """The problem with further formulas, of which properties speak."""
        return problem_of(
            self.subjects, residual=self.residual, heads=self.reading.heads, others=others
        )

    def example(self) -> tuple[Counterexample, Report] | None:
        """The source itself at a small length that fulfils what is assumed, and which: that of the
        tensors that it holds where they do. None where none was found or the source cannot be asked
        there."""
        others = [each.other for each in self.questions if each.other is not None]
        problem = self._with(others)
        own = with_tensors(problem, _EXAMPLES[0], _DRAWN, _held([*self.subjects, *others]))
        for found in (own, *(drawn(problem, n, _DRAWN) for n in _EXAMPLES)):
            instances = [x for x in found if x.size <= 2 * x.values["n"]]
            if instances:
                telling = max(instances, key=_telling)
                at = telling.counterexample("example", 0, None, None, ())
                try:
                    return at, self._shown_at(at, self.questions).report
                except InputError:
                    return None
        return None

    def _too_far(self, found: Counterexample) -> str | None:
        """That the source is not asked at so many positions; None where it is."""
        size = self.problem.positions({**found.parameters, "n": found.n})
        if size <= _EVALUATED:
            return None
        pair = f"key {found.source} and query {found.reader}"
        return _TOO_FAR.format(pair=pair, at=values_of(found, self.problem), n=found.n)

    def _at(self, found: Counterexample, question: Asked) -> Shown | InputError:
        """The report on the source itself at that length, or why there is none."""
        try:
            return self._shown_at(found, [question], max_findings=1)
        except InputError as error:
            return error

    def _shown_at(self, found: Counterexample, questions: Sequence[Asked], **more: Any) -> Shown:
        from attnproof.ask.verify import verify

        values = {**found.parameters, "n": found.n}
        with ExitStack() as stack:
            held = [stack.enter_context(each.at(values, found.tensors)) for each in self.subjects]
            asked: dict[str, Any] = {}
            other = None
            for question in questions:
                keyword, value = question.at(found)
                if question.other is not None:
                    other = stack.enter_context(question.other.at(values, found.tensors))
                    value = other.mask
                before = asked.get(keyword, ())
                asked[keyword] = (*before, *value) if isinstance(value, tuple) else value
            options = self._options(found, held)
            report = verify(*(each.mask for each in held), **options, **asked, **more)
        first = next(iter(asked.items()), ("", None))
        return Shown(found.n, report, tuple(held), other, options, first)

    def _options(self, found: Counterexample, held: Sequence[Held]) -> dict[str, Any]:
        """How ``verify`` is asked at that length; what is the default is left out."""
        options: dict[str, Any] = {}
        if not all(isinstance(each.mask, Mask) for each in held):
            options["n"] = found.n
        if self.reading.heads > 1:
            options["heads"] = self.reading.heads
        if batch := found.parameters.get("b", 0):
            options |= {"batches": batch + 1, "batch": batch}
        if not self.residual:
            options["residual"] = False
        if len(self.subjects) > 1:
            options["per_layer"] = True
        if self.layers is not None:
            options["layers"] = self.layers
        return options


def _held(subjects: Sequence[Subject]) -> dict[str, Any]:
    """The user's own tensors that are of a length to look at."""
    import numpy as np

    held = {name: np.asarray(x) for one in subjects for name, x in (one.held or {}).items()}
    return {name: x for name, x in held.items() if max(x.shape, default=0) <= _HELD}


def _telling(instance: Instance) -> tuple[int, int, int]:
    """How much a picture of an instance shows: parameters stand between one and half the length,
    rows differ, and neither nothing nor everything is read."""
    size, values = instance.size, instance.values
    chosen = [x for name, x in values.items() if name != "n" and isinstance(x, int)]
    usual = sum(2 <= x <= size // 2 for x in chosen)
    read = sum(row.bit_count() for row in instance.reached)
    return usual, len(set(instance.reached)), min(read, size**2 - read)


def _judgement(name: str, answer: Answer) -> Judgement:
    invariant = None if answer.invariant is None else repr(answer.invariant)
    return Judgement(name, answer.verdict, invariant=invariant)


def _unknown(answer: Answer, told: str) -> Answer:
    return replace(
        answer, verdict=Verdict.UNKNOWN, counterexample=None, tried=(*answer.tried, told)
    )
