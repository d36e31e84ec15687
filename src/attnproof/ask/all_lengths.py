"""Verify for every length: a proof, or a length at which the user's own mask fails.

A counterexample of the formula counts only when the source itself, evaluated at that length, fails
in the same way.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from attnproof.ask.length_asked import Asked, Intended, asked
from attnproof.ask.length_report import LengthReport, Shown
from attnproof.ask.length_sources import (
    Assumed,
    Held,
    Reading,
    Subject,
    problem_of,
    subject,
    symbols,
)
from attnproof.ask.length_words import bounds_wanted, comments_of, origin_of, told_at, values_of
from attnproof.parameters import for_certificate
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import Term, k, q, variable, variables
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.closure import closure
from attnproof.symbolic.lengths.decide import decide
from attnproof.symbolic.lengths.exactly import decide_exactly
from attnproof.symbolic.lengths.ground import proved
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.obligation import obligation
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Flow
from attnproof.symbolic.lengths.solvers import Solvers
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.verdict import Verdict

_NOT_REPLAYED = (
    "a counterexample of the formula, at {at}, which the source itself does not show, so that it "
    "counts for nothing"
)


def verify_lengths(
    sources: Sequence[object],
    intended: Intended,
    *,
    symbolic: str | Sequence[str] | Mapping[str, Term] = (),
    assume: Assumed | None = None,
    params: Mapping[str, object] | None = None,
    layers: int | None = None,
    per_layer: bool = False,
    heads: int = 1,
    residual: bool = True,
    split: bool = False,
    budget: int | None = None,
) -> LengthReport:
    """What ``verify`` answers with ``all_n``.

    >>> report = verify_lengths(["causal"], Intended(causal=True))
    >>> report.verdict, report.solvers[0][:2]
    (<Verdict.HOLDS: 'holds'>, 'z3')

    Raises :class:`InputError` for a source without a formula, and for assumptions that the user's
    own tensors do not fulfil, with the first elements that do not.
    """
    if not sources:
        raise InputError("no mask was given; for every length name a rule or a named mask")
    if len(sources) > 1 and not per_layer:
        raise InputError(
            f"{len(sources)} sources were given; with per_layer they are successive layers, "
            "without it give one"
        )
    if layers is not None and layers < 0:
        raise ParameterError(f"{layers} layers were asked for; give 0 or more", layers=layers)
    reading = Reading(symbols(symbolic), params or {}, assume or {}, heads, split)
    subjects = [subject(source, reading) for source in sources]
    problem = problem_of(subjects, residual=residual, heads=heads)
    questions = list(asked(intended, subjects, problem, reading))
    run = _Run(
        subjects, problem, reading, residual, layers, Budget(STEPS if budget is None else budget)
    )
    for question in questions:
        run.ask(question)
    reach = None
    if not questions:
        reach = closure(problem, budget=run.budget.left)
        run.budget.spend(reach.steps)
    return LengthReport(
        source=" then ".join(each.name for each in subjects),
        encoding="attend",
        judgements=tuple(run.judgements),
        comments=comments_of(subjects, problem),
        parameters=for_certificate(reading.params),
        problem=problem,
        answers=run.answers,
        shown=run.shown,
        reach=reach,
        problems=run.problems,
        origin=origin_of(subjects, reading),
        budget=run.budget.left,
        layers=layers,
    )


class _Run:
    """The questions of one report, within one budget."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        problem: Problem,
        reading: Reading,
        residual: bool,
        layers: int | None,
        budget: Budget,
    ) -> None:
        self.subjects, self.problem, self.reading = subjects, problem, reading
        self.residual, self.layers, self.budget = residual, layers, budget
        self.judgements: list[Judgement] = []
        self.problems: dict[str, Problem] = {}
        self.answers: dict[str, Answer] = {}
        self.shown: dict[str, Shown] = {}
        self._lost: tuple[str, ...] | None = None

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
        if answer.counterexample is not None:
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
        if self.layers is None or not isinstance(asked, Flow) or answer.verdict is Verdict.HOLDS:
            return answer
        if self.budget.left:
            answer = decide_exactly(problem, asked, self.layers, budget=self.budget.left)
            self.budget.spend(answer.steps)
        return answer

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
        return found is not None and found.agreed

    def _problem(self, question: Asked) -> Problem:
        if question.other is None:
            return self.problem
        return problem_of(
            self.subjects,
            residual=self.residual,
            heads=self.reading.heads,
            others=[question.other],
        )

    def _at(self, found: Counterexample, question: Asked) -> Shown | InputError:
        """The report on the source itself at that length, or why there is none."""
        from attnproof.ask.verify import verify

        values = {**found.parameters, "n": found.n}
        with ExitStack() as stack:
            try:
                held = [
                    stack.enter_context(each.at(values, found.tensors)) for each in self.subjects
                ]
                keyword, value = question.at(found)
                other = None
                if question.other is not None:
                    other = stack.enter_context(question.other.at(values, found.tensors))
                    value = other.mask
                options = self._options(found, held)
                asked: dict[str, Any] = {**options, keyword: value, "max_findings": 1}
                report = verify(*(each.mask for each in held), **asked)
            except InputError as error:
                return error
        return Shown(found.n, report, tuple(held), other, options, (keyword, value))

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


def _judgement(name: str, answer: Answer) -> Judgement:
    invariant = None if answer.invariant is None else repr(answer.invariant)
    return Judgement(name, answer.verdict, invariant=invariant)


def _unknown(answer: Answer, told: str) -> Answer:
    return replace(
        answer, verdict=Verdict.UNKNOWN, counterexample=None, tried=(*answer.tried, told)
    )
