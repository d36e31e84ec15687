"""Verify for every length: a proof, or a length at which the user's own mask fails."""

from collections.abc import Mapping, Sequence

from attnproof.ask.length_asked import Intended, asked
from attnproof.ask.length_report import LengthReport
from attnproof.ask.length_run import Run
from attnproof.ask.length_sources import Reading, problem_of, subject, symbols
from attnproof.ask.length_words import comments_of, notes_of, origin_of
from attnproof.parameters import Assumptions, for_certificate, parse_assumptions
from attnproof.proofs.certify import confirmed
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import Term
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.closure import closure


def verify_lengths(
    sources: Sequence[object],
    intended: Intended,
    *,
    symbolic: str | Sequence[str] | Mapping[str, Term] = (),
    assume: Assumptions | None = None,
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
    reading = Reading(symbols(symbolic), params or {}, parse_assumptions(assume), heads, split)
    subjects = [subject(source, reading) for source in sources]
    problem = problem_of(subjects, residual=residual, heads=heads)
    questions = list(asked(intended, subjects, problem, reading))
    others = [each.other for each in questions if each.other is not None]
    run = Run(
        subjects,
        problem,
        reading,
        residual,
        layers,
        Budget(STEPS if budget is None else budget),
        questions,
    )
    for question in questions:
        run.ask(question)
    reach = None
    if not questions:
        reach = closure(problem, budget=run.budget.left)
        run.budget.spend(reach.steps)
        reach = confirmed(reach, budget=run.searched)
    return LengthReport(
        source=" then ".join(each.name for each in subjects),
        encoding="attend",
        judgements=tuple(run.judgements),
        noted=notes_of([*subjects, *others]),
        comments=comments_of(subjects, problem, others, noted=False),
        parameters=for_certificate(reading.params),
        problem=problem,
        answers=run.answers,
        shown=run.shown,
        reach=reach,
        problems=run.problems,
        certified=run.certified,
        origin=origin_of(subjects, reading),
        budget=run.searched,
        layers=layers,
        example=run.example,
    )
