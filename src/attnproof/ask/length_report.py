"""LengthReport: the answer of ``verify`` for every length, as a public value.

A verdict that holds is about every number of tokens, every value of symbolic parameters and every
captured tensor that fulfils what is assumed of it; one that fails names a length at which it does.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from attnproof.ask.length_sources import Held
from attnproof.certificate import Certificate
from attnproof.proofs.certify import certify, certify_closure
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import EveryLength, Evidence
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.closure import Closure
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Flow
from attnproof.symbolic.verdict import Grade, Verdict
from attnproof.values import SCHEMA, Report

if TYPE_CHECKING:
    from attnproof.symbolic.order.flow import Flow as FlowOfOne
    from attnproof.symbolic.order.run_flow import RunFlow

#: The most steps in which the proof of one claim is searched.
SEARCH = 10_000
_NO_LENGTH = "nothing fails, so there is no length to show; leave out {option}"
#: What a report of every length does not have, and who has it.
_ELSEWHERE = {
    "flow": "the flow of every length is a formula: attnproof.closure gives it",
    "n": "a report for every length has no n; a finding names its own",
}


@dataclass(frozen=True)
class Shown:
    """A property that fails at ``n`` tokens: the ``report`` on the source itself, and how it was
    asked: of ``layers``, with ``options`` and a keyword with its value, which is ``other`` if there
    is one."""

    n: int
    report: Report
    layers: tuple[Held, ...]
    other: Held | None
    options: Mapping[str, object]
    keyword: tuple[str, object]


@dataclass(frozen=True, kw_only=True, repr=False)
class LengthReport(Report):
    """What was proved for every length, and where it fails.

    ``problem`` is what it speaks of, ``answers`` how each property was decided. ``shown`` has, for
    each property that fails, the report on the source itself at the length that was found.
    ``reach`` is what reaches what, where no property was asked for. ``problems`` are what each
    answer is about, ``certified`` the claims that hold because the checker accepts them, ``origin``
    tells how the sources were read, ``budget`` are the steps in which a proof is searched;
    ``example`` asks the source itself at a small length.

    >>> import attnproof as ap
    >>> report = ap.verify("window", all_n=True, symbolic=["keys"], causal=True)
    >>> report.verdict, report.answers["causal"].invariant
    (<Verdict.HOLDS: 'holds'>, k <= q)
    """

    flow: "FlowOfOne | RunFlow" = field(init=False, repr=False, compare=False)
    problem: Problem
    answers: Mapping[str, Answer] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    reach: Closure | None = None
    problems: Mapping[str, Problem] = field(default_factory=dict)
    certified: Mapping[str, EveryLength] = field(default_factory=dict)
    origin: Mapping[str, object] = field(default_factory=dict)
    budget: int = SEARCH
    layers: int | None = None
    example: Callable[[], tuple[Counterexample, Report] | None] | None = field(
        default=None, repr=False, compare=False
    )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(_ELSEWHERE.get(name, f"a report has no attribute {name!r}"))

    @property
    def n(self) -> int:
        """No number: raises AttributeError."""
        raise AttributeError(_ELSEWHERE["n"])

    @property
    def where(self) -> str:
        """Of what it speaks: every length."""
        return "every length"

    @property
    def tried(self) -> dict[str, tuple[str, ...]]:
        """What was tried in vain for each property that is unknown."""
        return {
            name: self.answers[name].tried
            for name, verdict in self.verdicts.items()
            if verdict is Verdict.UNKNOWN and name in self.answers
        }

    @property
    def solvers(self) -> tuple[str, ...]:
        """The solvers that proved what holds, by name and version."""
        proved = [answer.solvers for name, answer in self.answers.items() if self._holds(name)]
        if self.reach is not None and self.reach.sound:
            proved.append(self.reach.sound[0].solvers)
        return tuple(dict.fromkeys(solver for each in proved for solver in each))

    def _holds(self, name: str) -> bool:
        return self.verdicts.get(name) is Verdict.HOLDS

    @cached_property
    def claims_made(self) -> tuple[Evidence, ...]:
        """Evidence for each property that is decided: of those that fail at the length that was
        found, of those that hold for every length, or for what reaches what."""
        found = [judgement.evidence for judgement in self.judgements]
        for name, answer in self.answers.items():
            if name in self.certified and self._holds(name):
                found.append(self.certified[name])
            elif self._holds(name):
                depth = self.layers if isinstance(answer.property, Flow) else None
                found.append(certify(self.problems[name], answer, depth=depth, budget=self.budget))
        if self.reach is not None:
            found.append(certify_closure(self.problem, self.reach, budget=self.budget))
        named = [claim for claim in found if claim is not None]
        return tuple(
            replace(claim, origin=self.origin) if isinstance(claim, EveryLength) else claim
            for claim in named
        )

    @cached_property
    def certificate(self) -> Certificate:
        """A claim a property that is decided, with proofs that the checker accepts alone, or else
        with the solvers that agreed."""
        return Certificate.of(self.claims_made)

    def written(self, path: str) -> "LengthReport":
        """The same report, its certificate written to ``path``; no proof is searched again."""
        self.certificate.save(path)
        report = replace(self, certificate_file=path)
        vars(report)["claims_made"] = self.claims_made
        return report

    @cached_property
    def grade(self) -> Grade | None:
        """``replayed`` where it fails; where it holds ``certified`` if the checker accepts a proof
        of every property alone, else ``solvers-agree``."""
        if self.verdict is Verdict.FAILS:
            return "replayed"
        if self.verdict is Verdict.UNKNOWN or not self.solvers:
            return None
        claims = self.claims_made
        every = len(claims) == len(self.judgements) or self.reach is not None
        if claims and every and Certificate.of(claims).grade is not None:
            return "certified"
        return "solvers-agree" if len(self.solvers) > 1 else None

    def _narrower(self) -> Iterator[str]:
        """For which lengths the solvers proved what the checker does not prove for every one."""
        proved = [
            claim.claim
            for claim in self.claims_made
            if isinstance(claim, EveryLength) and claim.proofs is not None
        ]
        for name, answer in self.answers.items():
            if self._holds(name) and answer.scope != "every n" and answer.property not in proved:
                yield f"{name} is proved for {answer.scope}"

    @property
    def drawable(self) -> bool:
        """Was a length found at which something fails?"""
        return bool(self.shown)

    def draw(self, path: str, *, unrolled: int | None = None) -> None:
        """Draw the length at which the first finding was found; InputError where there is none."""
        if not self.shown:
            raise InputError(_NO_LENGTH.format(option="--draw"))
        next(iter(self.shown.values())).report.draw(path, unrolled=unrolled)

    def page(self, path: str) -> None:
        """Write a page of the length at which the first finding was found; where nothing fails, of
        a small length as an example, with what is said of every length."""
        from attnproof.ask.length_words import values_of
        from attnproof.render.page.content import length_content
        from attnproof.render.page.document import write_page

        name = next(iter(self.shown), None)
        found = None if name is None else self.answers[name].counterexample
        if found is not None:
            report, said = self.shown[found.property].report, f"{name} fails at"
        elif self._example is not None:
            (found, report), said = self._example, "drawn at"
        else:
            raise InputError(_NO_LENGTH.format(option="--report"))
        at = f"{said} {values_of(found, self.problem)}"
        write_page(path, length_content(self, report, at), self.text())

    @property
    def paged(self) -> bool:
        """Is there a length to write a page of?"""
        return self.drawable or self._example is not None

    @cached_property
    def _example(self) -> tuple[Counterexample, Report] | None:
        return None if self.example is None else self.example()

    def to_json(self) -> dict[str, object]:
        """The report as one JSON object, schema ``attnproof/report/v1``."""
        invariants = {
            name: repr(answer.invariant)
            for name, answer in self.answers.items()
            if self._holds(name) and answer.invariant is not None
        }
        first = next(iter(invariants.values()), None)
        return {
            "schema": SCHEMA,
            "source": self.source,
            "n": None,
            "scope": "all n",
            "encoding": self.encoding,
            "residual": self.problem.residual,
            "layers": self.layers,
            "schedule": len(self.problem.layers),
            "parameters": dict(self.parameters),
            "verdict": None if self.verdict is None else self.verdict.value,
            "properties": list(self.properties),
            "verdicts": {name: verdict.value for name, verdict in self.verdicts.items()},
            "flow": None if self.reach is None else reach_json(self.reach),
            "findings": [finding.to_json() for finding in self.findings],
            "findings_total": self.findings_total,
            "comments": [*self.comments, *self._narrower()],
            "tried": {name: list(tried) for name, tried in self.tried.items()},
            "evidence": {
                "grade": self.grade,
                "invariant": first if self.verdict is Verdict.HOLDS else None,
                "invariants": invariants,
                "solvers": [solver.partition(" ")[0] for solver in self.solvers],
                "versions": list(self.solvers),
            },
            "certificate": self.certificate_file,
        }

    def text(self, *, colour: bool = False) -> str:
        """The report for people."""
        from attnproof.render.text import report_text

        return report_text(self.to_json(), colour=colour)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text())}</pre>"


def reach_json(reach: Closure) -> dict[str, object]:
    """What reaches what, as JSON: a formula, whether it is proved to be all of it."""
    from attnproof.symbolic.formula import latex, to_json

    relation = reach.relation
    return {
        "relation": None if relation is None else repr(relation),
        "exact": reach.is_exact,
        "latex": None if relation is None else latex(relation),
        "formula": None if relation is None else to_json(relation),
    }
