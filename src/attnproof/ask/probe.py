"""probe: does a model depend on what its mask lets it depend on, and on nothing else?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from attnproof.flow import flow_of
from attnproof.source import name_of, read
from attnproof.symbolic.errors import InputError, MissingExtra, ParameterError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding, Grade, Verdict
from attnproof.symbolic.words import counted
from attnproof.values import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnproof.numeric.probe.outcome import Excess, Outcome
    from attnproof.numeric.probe.promised import Promise

METHODS = ("both", "numeric", "structural")


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
            "flow": flow_of(setting).to_json(),
            "scenarios": [_scenario(each) for each in self.outcomes],
            "findings": [finding.to_json() for finding in self.findings],
            "findings_total": len(self.all_findings),
            "comments": list(_comments(self.promise, self.n)),
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
            f"{len(self.outcomes)} scenarios"
        )


def probe(
    model: object,
    n: int = 12,
    *,
    causal: bool = False,
    mask: object = None,
    params: "Mapping[str, object] | None" = None,
    layers: int | None = None,
    per_layer: bool = False,
    width: int | None = None,
    packed: bool = False,
    scenarios: Sequence[str] = (),
    method: str = "both",
    bound: float = 4000.0,
    seed: int = 0,
    max_findings: int = 100,
) -> Probed:
    """Does a model depend on what its mask lets it depend on, and on nothing else?

    ``model`` is a torch module, the name of a small one with random weights (``"gpt2"``), or
    ``pkg.mod:name`` or ``path/file.py:name`` of a module or of a function that makes one. A model
    of transformers promises what its configuration says; any model can be held to ``causal``, or to
    a ``mask`` in any form that :func:`attnproof.verify` reads, at any depth or through ``layers``
    layers. With ``per_layer`` the mask is a list, one for each layer. ``packed`` adds the promise
    that position ids that start again keep documents apart. A module of your own is
    called with token ids ``(b, n)``, or with vectors ``(b, n, width)``, and returns
    ``(b, n, ...)``.

    Every scenario that the model supports is run, or those that are named. ``method`` is "numeric"
    (positions are changed, outputs compared bit by bit), "structural" (every operator is followed,
    for all weights) or "both". ``bound`` is the greatest absolute value of a score that meets a
    finite mask.

    A dependency that was seen fails; one that only structure allows is unknown; structure within
    the promise holds, under the conditions that are listed.

    >>> import attnproof as ap, torch
    >>> print(repr(ap.probe(torch.nn.Embedding(8, 4), 4, causal=True, scenarios=["plain"])))
    Probe of Embedding, n = 4: holds in 1 of 1 scenarios

    Raises :class:`~attnproof.errors.InputError` for a model that cannot be built or run, returns
    NaN, or promises nothing. Source: ours; the numeric part is the audit by two passes.
    """
    from attnproof.numeric.probe.models import check_name, subject_of
    from attnproof.numeric.read.objects import names_object

    if isinstance(model, str) and not names_object(model):
        check_name(model)
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("a probe", "torch") from None
    from attnproof.numeric.probe.outcome import Methods, run_scenario
    from attnproof.numeric.probe.scenarios import SCENARIOS

    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}; give one of {', '.join(METHODS)}")
    chosen = tuple(scenarios) or tuple(SCENARIOS)
    for name in chosen:
        if name not in SCENARIOS:
            known = ", ".join(SCENARIOS)
            raise ParameterError(f"there is no scenario {name!r}; there are {known}", name=name)
    promise = _promise(causal, mask, params, layers, per_layer)
    module = _model(model, seed)
    subject = subject_of(module, promise, n=n, width=width, seed=seed, name=_name(model))
    if packed:
        subject = replace(subject, promise=replace(subject.promise, packed=True))
    methods = Methods(method != "structural", method != "numeric", bound)
    promised = _promised(subject.promise, n)
    outcomes = tuple(run_scenario(subject, each, SCENARIOS[each], methods) for each in chosen)
    return Probed(subject.name, n, subject.promise, promised, outcomes, max_findings)


def _name(model: object) -> str:
    return model if isinstance(model, str) else type(model).__name__


def _model(model: object, seed: int) -> Any:
    """The module that is named or given; a function of no arguments makes one."""
    from torch import nn

    from attnproof.numeric.probe.models import make
    from attnproof.numeric.read.objects import names_object, resolve
    from attnproof.numeric.read.user_code import user_code

    found, name = model, _name(model)
    if isinstance(model, str):
        if not names_object(model):
            return make(model, seed)
        found = resolve(model)
    if not isinstance(found, nn.Module) and callable(found):
        with user_code(name):
            found = found()
    if not isinstance(found, nn.Module):
        raise InputError(
            f"{name} is no torch module (its type is {type(found).__name__}); give a module, or a "
            "function without arguments that makes one"
        )
    return found


def _promise(
    causal: bool,
    mask: object,
    params: "Mapping[str, object] | None",
    layers: int | None,
    per_layer: bool,
) -> "Promise | None":
    """The relation that was asked for, or None for that of the configuration."""
    from attnproof.numeric.probe.promised import CAUSAL, LayerKind, Promise, Reads

    if layers is not None and layers < 1:
        raise ParameterError(f"layers is {layers}; give 1 or more", layers=layers)
    if causal and mask is not None:
        raise InputError("causal and a mask both say what the model may read; leave one out")
    if not causal and mask is None:
        if layers is not None or per_layer:
            raise InputError("layers belong to --causal or --mask; give one of them")
        return None
    sources = list(mask) if per_layer and isinstance(mask, list | tuple) else [mask]

    def kind(source: object) -> LayerKind:
        return LayerKind(Reads.GIVEN, given=lambda n: _mask(source, n, params or {}))

    kinds = [CAUSAL] if causal else [kind(source) for source in sources]
    count = layers if layers is not None else len(kinds) if per_layer else None
    stacked = tuple(kinds[place % len(kinds)] for place in range(count or len(kinds)))
    name = "causal" if causal else "mask"
    return Promise(stacked, any_depth=count is None, name=name)


def _mask(source: object, n: int, params: "Mapping[str, object]") -> Mask:
    reading = read(source, n=n, params=params)
    if len(reading.masks) != 1:
        raise InputError(f"{name_of(source)} has {len(reading.masks)} distinct masks; give one")
    mask = reading.masks[0][1]
    if (mask.queries, mask.keys, mask.offset) != (n, n, 0):
        raise InputError(
            f"{reading.name} is {mask.queries}×{mask.keys}, the model has "
            f"{counted(n, 'position')}; give a mask of as many, or another --n"
        )
    return mask


def _promised(promise: "Promise", n: int) -> tuple[Mask, ...]:
    from attnproof.numeric.probe.bounds import schedule
    from attnproof.numeric.probe.scenarios import decoded

    return schedule(promise, n, decoded(n))


def _comments(promise: "Promise", n: int) -> list[str]:
    told = []
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
        kind, severity = "may_leak", "note"
    else:
        message = f"{pair} changes with {one.source} in {where}, by {one.effect:.2g}"
        kind, severity = "leak", "error"
    return Finding(
        kind,
        message,
        "error" if severity == "error" else "note",
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
