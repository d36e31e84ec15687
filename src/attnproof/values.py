"""Report: the answer of ``verify`` as a public value.

Positions are numbered from 0; a path runs from the source to the reader.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from attnproof.certificate import Certificate, check_layers
from attnproof.symbolic.evidence import Evidence
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.verdict import Finding, Grade, Verdict
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.order.run_flow import RunFlow

#: Certificates of at most so many positions are checked in memory for every report.
CHECKED_IN_MEMORY = 2048

SCHEMA = "attnproof/report/v1"


@dataclass(frozen=True)
class Report:
    """What a mask lets through, and what that means for the properties asked for.

    ``verdict`` is the worst of ``verdicts``; None when nothing was asked and nothing is wrong.
    ``claims`` are evidence for the errors among ``noted``, which belong to no property;
    ``replayed`` says that a leak was walked again on the mask as given.
    ``batch`` lists the batch elements that have this mask, ``others`` the reports of the other
    distinct masks of the batch.

    >>> import attnproof as ap
    >>> report = ap.verify(["1..", "111", ".11"], causal=True)
    >>> report.verdict, report.findings[0]
    (<Verdict.FAILS: 'fails'>, Finding: token 2 reaches query 1 in 1 layer: 2 -> 1)
    """

    source: str
    encoding: str
    flow: "Flow | RunFlow"
    judgements: tuple[Judgement, ...] = ()
    noted: tuple[Finding, ...] = ()
    comments: tuple[str, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    most: int = 100
    replayed: bool = False
    claims: tuple[Evidence, ...] = ()
    batch: tuple[int, ...] = (0,)
    others: tuple["Report", ...] = ()
    certificate_file: str | None = None

    @property
    def n(self) -> int:
        """How many positions there are."""
        return self.flow.setting.size

    @property
    def where(self) -> str:
        """Of what it speaks, as in ``8 positions``."""
        return counted(self.n, "position")

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that were asked for."""
        return tuple(judgement.property for judgement in self.judgements)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of each property."""
        return {judgement.property: judgement.verdict for judgement in self.judgements}

    @property
    def verdict(self) -> Verdict | None:
        """The worst verdict; an error found while reading fails by itself."""
        wrong = any(finding.severity == "error" for finding in self.noted)
        return Verdict.worst([*self.verdicts.values(), *([Verdict.FAILS] if wrong else [])])

    @cached_property
    def known_findings(self) -> tuple[Finding, ...]:
        """What was found, errors first, then by (depth, reader, source): of a mask that is shown as
        text all of it, of others as much as was asked for."""
        found = [*self.noted, *(f for judgement in self.judgements for f in judgement.findings)]
        return tuple(sorted(found, key=Finding.rank))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, in this order; at most ``most``."""
        return self.known_findings[: self.most]

    @property
    def findings_total(self) -> int:
        """How many findings there are, listed or not."""
        return len(self.noted) + sum(judgement.total for judgement in self.judgements)

    @cached_property
    def certificate(self) -> Certificate:
        """A claim a property, or where none was asked one about the whole flow, after a claim for
        each error found while reading.

        The claims of every distinct mask of the batch are included. Unknown verdicts claim nothing.
        Raises :class:`InputError` for layers of too many runs to be listed.
        """
        check_layers(self.flow.setting)
        own = [judgement.evidence for judgement in self.judgements] or [self.flow.facts()]
        evidence = [claim for claim in (*self.claims, *own) if claim is not None]
        statements = Certificate.of(evidence).statements
        for other in self.others:
            more = other.certificate.statements
            statements += tuple(one for one in more if one not in statements)
        return Certificate(statements)

    @cached_property
    def grade(self) -> Grade | None:
        """``replayed`` for a path that was walked again on the mask as given, ``certified`` when
        the checker accepted the certificate; None while neither was tried.

        Certificates are checked in memory up to ``CHECKED_IN_MEMORY`` positions, and whenever one
        is written.
        """
        if self.verdict is Verdict.FAILS and self.replayed:
            return "replayed"
        if self.verdict is Verdict.UNKNOWN or not self.certificate_wanted:
            return None
        return self.certificate.grade

    @property
    def certificate_wanted(self) -> bool:
        """Was a certificate asked for, or is it cheap enough to be checked anyway?"""
        return self.certificate_file is not None or self.n <= CHECKED_IN_MEMORY

    @property
    def invariants(self) -> dict[str, str]:
        """What shows each property, in words, where every one holds."""
        held = self.judgements if self.verdict is Verdict.HOLDS else ()
        return {each.property: each.invariant for each in held if each.invariant is not None}

    @property
    def exit_code(self) -> int:
        """0 holds or described, 1 a finding, 3 unknown."""
        return 0 if self.verdict is None else self.verdict.exit_code

    def written(self, path: str) -> "Report":
        """The same report, its certificate written to ``path``."""
        self.certificate.save(path)
        return replace(self, certificate_file=path)

    @property
    def drawable(self) -> bool:
        """Is there a length to draw? Of every length only a failure has one."""
        return True

    @property
    def paged(self) -> bool:
        """Is there a length to write a page of?"""
        return True

    def draw(self, path: str, *, unrolled: int | None = None) -> None:
        """Draw the first finding that has a path, else the whole flow; the suffix says the kind."""
        from attnproof.render.draw import draw
        from attnproof.render.of_report import report_picture

        draw(path, report_picture(self), unrolled=unrolled)

    def page(self, path: str) -> None:
        """Write a page to look at: one HTML file that loads nothing, with the mask as a grid, what
        is reached after each number of layers, the path to any cell, and the Hasse diagram.

        Raises :class:`InputError` for more than 2048 positions, and for layers of more than two
        megabytes, before anything is written.
        """
        from attnproof.render.page.content import report_content
        from attnproof.render.page.document import write_page

        write_page(path, report_content(self), self.text())

    def to_json(self) -> dict[str, object]:
        """The report as one JSON object, schema ``attnproof/report/v1``."""
        setting = self.flow.setting
        report: dict[str, object] = {
            "schema": SCHEMA,
            "source": self.source,
            "n": self.n,
            "scope": f"n={self.n}",
            "encoding": self.encoding,
            "residual": setting.residual,
            "empty_row": setting.empty_row.value,
            "layers": setting.depth,
            "schedule": len(setting.layers),
            "parameters": dict(self.parameters),
            "verdict": None if self.verdict is None else self.verdict.value,
            "properties": list(self.properties),
            "verdicts": {name: verdict.value for name, verdict in self.verdicts.items()},
            "flow": self.flow.to_json(),
            "findings": [finding.to_json() for finding in self.findings],
            "findings_total": self.findings_total,
            "comments": [*self.comments, *(j.note for j in self.judgements if j.note)],
            "evidence": {
                "grade": self.grade,
                "invariant": next(iter(self.invariants.values()), None),
                "solvers": [],
            },
            "certificate": self.certificate_file,
        }
        if self.others:
            report["masks"] = [
                {
                    "batch": list(one.batch),
                    "verdict": None if one.verdict is None else one.verdict.value,
                    "findings_total": one.findings_total,
                }
                for one in sorted((self, *self.others), key=lambda one: one.batch)
            ]
        return report

    def told(self) -> dict[str, Any]:
        """What is said to people: the JSON object, with what shows each property."""
        values: dict[str, Any] = self.to_json()
        return {**values, "evidence": {"invariants": self.invariants, **values["evidence"]}}

    def text(self, *, colour: bool = False) -> str:
        """The report for people."""
        from attnproof.render.text import report_text

        marked = [finding.to_json() for finding in self.known_findings]
        return report_text(self.told(), self.flow.setting.layers[0], marked, colour=colour)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a report has no truth value: compare its verdict, as in "
            "`report.verdict is Verdict.HOLDS`"
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Report on {self.summary}"

    @property
    def summary(self) -> str:
        """The source, what was asked of it, the verdict and the number of findings, on a line."""
        verdict = "described" if self.verdict is None else self.verdict.value
        asked = ", ".join(self.properties) or "no property"
        found = f", {counted(self.findings_total, 'finding')}" if self.findings_total else ""
        return f"{self.source}: {asked}: {verdict}{found}"

    def _repr_html_(self) -> str:
        from attnproof.render.html import report_html

        return report_html(self)
