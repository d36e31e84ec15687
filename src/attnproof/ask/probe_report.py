"""What a probe answers: each scenario, each dependency outside the promise."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from attnproof.flow import flow_of
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding, Grade, Verdict
from attnproof.symbolic.words import counted
from attnproof.values import SCHEMA

if TYPE_CHECKING:
    from attnproof.numeric.probe.outcome import Excess, Outcome
    from attnproof.numeric.probe.promised import Promise


@dataclass(frozen=True, repr=False)
class Probed:
    """What a model depends on in each scenario, against the relation it promises.

    ``verdict`` is the worst of the scenarios that were run; ``promised`` holds the masks of the
    layers.
    """

    source: str
    n: int
    promise: "Promise"
    promised: tuple[Mask, ...]
    outcomes: tuple["Outcome", ...]
    most: int = 100

    @property
    def verdict(self) -> Verdict:
        """Fails before unknown before holds; unknown where nothing was run."""
        run = [each.verdict for each in self.outcomes if each.verdict is not None]
        worst = Verdict.worst(run)
        return Verdict.UNKNOWN if worst is None else worst

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of the one property that is judged."""
        return {self.promise.name: self.verdict}

    @cached_property
    def all_findings(self) -> tuple[Finding, ...]:
        """Every finding; errors first, then by scenario in the order in which they were run."""
        found = [one for each in self.outcomes for one in _findings(each, self.promise.name)]
        return tuple(sorted(found, key=lambda one: one.severity != "error"))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, at most ``most``."""
        return self.all_findings[: self.most]

    @property
    def grade(self) -> Grade | None:
        """``replayed`` for an effect that two runs showed, and showed again when repeated."""
        return "replayed" if self.verdict is Verdict.FAILS else None

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the structural relations rest on."""
        return tuple(dict.fromkeys(one for each in self.outcomes for one in each.conditions))

    @property
    def exit_code(self) -> int:
        """0 holds, 1 fails, 3 unknown."""
        return self.verdict.exit_code

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object, schema ``attnproof/report/v1``."""
        depth = None if self.promise.any_depth else len(self.promised)
        setting = Setting(self.promised, depth=depth)
        flow = flow_of(setting).to_json()
        return {
            "schema": SCHEMA,
            "source": self.source,
            "n": self.n,
            "scope": f"n={self.n}",
            "encoding": "attend",
            "residual": True,
            "empty_row": setting.empty_row.value,
            "layers": depth,
            "schedule": len(self.promised),
            "promise": str(self.promise),
            "verdict": self.verdict.value,
            "properties": [self.promise.name],
            "verdicts": {name: verdict.value for name, verdict in self.verdicts.items()},
            "flow": flow,
            "scenarios": [_scenario(each) for each in self.outcomes],
            "findings": [finding.to_json() for finding in self.findings],
            "findings_total": len(self.all_findings),
            "comments": list(_comments(self.promise, self.n, flow)),
            "evidence": {
                "grade": self.grade,
                "invariant": None,
                "solvers": [],
                "conditions": list(self.conditions),
            },
            "certificate": None,
        }

    def text(self, *, colour: bool = False) -> str:
        """The answer for people."""
        from attnproof.render.probe import probe_text

        return probe_text(self.to_json(), colour=colour)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a report has no truth value: compare its verdict, as in "
            "`report.verdict is Verdict.HOLDS`"
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        run = sum(each.verdict is not None for each in self.outcomes)
        return (
            f"Probe of {self.source}, n = {self.n}: {self.verdict.value} in {run} of "
            f"{counted(len(self.outcomes), 'scenario')}"
        )


def _comments(promise: "Promise", n: int, flow: Mapping[str, object]) -> list[str]:
    told = []
    if promise.any_depth and not flow["transitive"]:
        told.append(
            "at any depth the mask lets more through than in one layer; hold the model to fewer "
            "with --layers L, or --per-layer and a mask for each"
        )
    sizes = sorted({kind.size for kind in promise.layers if kind.size is not None})
    wide = [size for size in sizes if size >= n]
    if wide:
        told.append(f"at n = {n} windows and chunks of {wide[0]} are not seen; give a larger n")
    if promise.encoder:
        told.append(f"positions 0..{n - 1} are those of the encoder, the decoder's follow")
    return told


def _findings(outcome: "Outcome", name: str) -> list[Finding]:
    found = [_finding(one, outcome, name) for one in outcome.excess]
    for reader in outcome.nan:
        message = f"{outcome.scenario}: the output at {outcome.unit} {reader} is NaN"
        details = {"scenario": outcome.scenario}
        found.append(Finding("nan", message, property=name, reader=reader, details=details))
    if outcome.unread:
        reader, source = outcome.unread[0]
        message = (
            f"{outcome.scenario}: {len(outcome.unread)} pairs of the promise are never read, "
            f"{outcome.unit} {reader} does not depend on {source}"
        )
        pairs = [list(pair) for pair in outcome.unread[:100]]
        more = {"scenario": outcome.scenario, "pairs": pairs}
        found.append(Finding("unread", message, "note", name, reader, source, details=more))
    return found


def _finding(one: "Excess", outcome: "Outcome", name: str) -> Finding:
    where = (one.module or "the model") + (f" ({one.operator})" if one.operator else "")
    details: dict[str, object] = {
        "scenario": outcome.scenario,
        "module": one.module,
        "operator": one.operator,
        "type": one.type,
        "unit": outcome.unit,
        "effect": one.effect,
    }
    pair = f"{outcome.scenario}: {outcome.unit} {one.reader}"
    if one.effect is None:
        message = f"{pair} may depend on {one.source} in {where}; no run showed it"
    else:
        message = f"{pair} changes with {one.source} in {where}, by {one.effect:.2g}"
    return Finding(
        "may_leak" if one.effect is None else "leak",
        message,
        "note" if one.effect is None else "error",
        name,
        one.reader,
        one.source,
        details={key: value for key, value in details.items() if value is not None},
    )


def _scenario(outcome: "Outcome") -> dict[str, object]:
    """One scenario as a JSON object."""
    told: dict[str, object] = {
        "scenario": outcome.scenario,
        "verdict": None if outcome.verdict is None else outcome.verdict.value,
    }
    if outcome.reason:
        told["reason"] = outcome.reason
    if outcome.excess:
        first = outcome.excess[0]
        told |= {"module": first.module, "operator": first.operator, "seen": outcome.seen}
        told["excess"] = len(outcome.excess)
    structure, measured = outcome.structure, outcome.measured
    if structure is not None:
        rows = structure.relation.rows.bits()
        keys = structure.relation.keys
        told["structural"] = {
            "relation": ["".join("1" if r >> k & 1 else "." for k in range(keys)) for r in rows],
            "unread": len(outcome.unread),
            "conditions": list(outcome.conditions),
            "united": {each.operator: each.count for each in structure.united},
            "weakest": structure.weakest,
        }
    if measured is not None:
        told["numeric"] = {
            "runs": measured.runs,
            "pairs": measured.relation.rows.count(),
            "outside": len({(one.reader, one.source) for one in measured.seen}),
            "effect": max((one.effect for one in measured.seen), default=None),
        }
    if outcome.comments:
        told["comments"] = list(outcome.comments)
    return told
