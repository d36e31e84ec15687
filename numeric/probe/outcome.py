"""The outcome of a scenario: what was seen, what structure allows, and the verdict on both.

What is seen to change and must not fails. A dependency that structure allows and nothing showed is
unknown. Structure within the promise holds, under the conditions that are listed; floats that show
nothing prove nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from torch import Tensor

from attnproof.numeric.probe.case import Case, NotRun
from attnproof.numeric.probe.measured import Measured, Seen, measure
from attnproof.numeric.probe.relation import Cause, EmptySoftmax, StructuralRelation
from attnproof.numeric.probe.scenarios import Scenario
from attnproof.numeric.probe.sites import OUTPUT
from attnproof.numeric.probe.structural import structural
from attnproof.numeric.probe.subject import Subject
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Excess:
    """Row ``reader`` depends on ``source`` outside the promise, first in this module and operator.

    ``effect`` is the greatest change that was seen, None where only structure allows one.
    """

    reader: int
    source: int
    module: str
    type: str
    operator: str | None = None
    effect: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one scenario; ``verdict`` is None where it was not run, for the ``reason``.

    ``excess`` are the pairs at the first place outside the promise, seen ones or else possible
    ones. ``unread`` are the pairs that the promise has and structure has not. ``nan`` are rows with
    NaN. ``unit`` is what a reader is.
    """

    scenario: str
    verdict: Verdict | None
    reason: str = ""
    excess: tuple[Excess, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    nan: tuple[int, ...] = ()
    conditions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    unit: str = "position"
    structure: StructuralRelation | None = None
    measured: Measured | None = None

    @property
    def seen(self) -> bool:
        """Whether the excess was seen."""
        return any(one.effect is not None for one in self.excess)


@dataclass(frozen=True, slots=True)
class Methods:
    """How scenarios are judged: what is run, the bound on scores, changes for each position."""

    numeric: bool = True
    structural: bool = True
    bound: float = 4000.0
    tries: int | None = None
    path: bool = False


def run_scenario(
    subject: Subject, name: str, scenario: Scenario, methods: Methods = Methods()
) -> Outcome:
    """Run one scenario and judge it. Raises :class:`InputError` only where ``plain`` cannot run."""
    try:
        case = scenario(subject)
        found, failed = _structure(case, methods)
        measured = _measured(subject, case, found, methods) if methods.numeric else None
        if measured is None and found is None:
            raise InputError(failed)
    except NotRun as reason:
        return Outcome(name, None, str(reason))
    except InputError as error:
        if name == "plain":
            raise
        return Outcome(name, None, str(error))
    if name == "plain" and measured is not None and measured.nan:
        raise InputError(
            f"{subject.name} returns NaN at {len(measured.nan)} of {case.bound.outputs.queries} "
            "positions; a probe compares outputs, give it a model that returns numbers"
        )
    return _judged(name, case, measured, found, failed)


def _measured(
    subject: Subject, case: Case, found: StructuralRelation | None, methods: Methods
) -> Measured:
    """One change a position where structure is within the promise already, else a wider search."""
    tries = methods.tries
    if tries is None and subject.width is None:
        tries = 2 if found is None else 4 if _possible(case, found) else 1
    return measure(subject, case, tries)


def _structure(case: Case, methods: Methods) -> tuple[StructuralRelation | None, str]:
    """The structural relation, or the reason why there is none."""
    if not methods.structural:
        return None, ""
    positions = cast("Mapping[str | int, int | Tensor]", case.positions)
    try:
        with case.entered():
            return structural(
                case.run,
                dict(case.arguments),
                positions=positions,
                constants=case.constants,
                modules=[case.model],
                output_axis=case.axis,
                bound=methods.bound,
                path=methods.path,
            ), ""
    except InputError as error:
        return None, str(error)


def _judged(
    name: str, case: Case, measured: Measured | None, found: StructuralRelation | None, failed: str
) -> Outcome:
    comments: list[str] = []
    real = [one for one in measured.seen if not one.rounding] if measured else []
    small = [one for one in measured.seen if one.rounding] if measured else []
    possible = _possible(case, found) if found else ()
    flow = _control_flow(case, found) if found else ()
    nan = measured.nan if measured else ()
    excess = _told(real, possible) if real else possible
    if real and found is not None and not possible:
        comments.append("the structural relation has no such pair: one of its conditions is broken")
    if small and not real:
        comments.append(
            f"changes the size of rounding were seen, {max(x.effect for x in small):.1e} at most"
        )
    if flow:
        comments.append(flow)
    if failed:
        comments.append(f"no structural relation: {failed}")
    if real or nan:
        verdict = Verdict.FAILS
    elif found is None or possible or small or flow:
        verdict = Verdict.UNKNOWN
    else:
        verdict = Verdict.HOLDS
    return Outcome(
        name,
        verdict,
        excess=excess,
        unread=_unread(case, found) if found else (),
        nan=tuple(case.bound.output_readers[q] for q in nan),
        conditions=tuple(_conditions(found)) if found else (),
        comments=tuple(comments),
        unit=case.unit,
        structure=found,
        measured=measured,
    )


def _told(real: Sequence[Seen], possible: Sequence[Excess]) -> tuple[Excess, ...]:
    """The pairs seen at the first site, in the module and operator that structure names.

    A module that only passes on what it was given is not named, but the one around it.
    """
    first = real[0].site
    pairs = {(one.reader, one.source): one for one in real if one.site == first}
    named = {(one.reader, one.source): one for one in possible}
    told = []
    for pair, one in pairs.items():
        place = named.get(pair)
        if place is not None and (one.arises or place.module != first.module):
            told.append(replace(place, effect=one.effect))
        elif one.arises or one.site == OUTPUT:
            told.append(Excess(*pair, first.module, first.type, effect=one.effect))
        else:
            outer = first.module.rpartition(".")[0]
            told.append(Excess(*pair, outer, "", effect=one.effect))
    return tuple(told)


def _possible(case: Case, found: StructuralRelation) -> tuple[Excess, ...]:
    """The pairs outside the bound at the first module, and the operator that makes them."""
    layers = {*case.stack.layers, *case.stack.encoder}
    spans = [
        (call.module, call.first, call.last) for call in found.modules if call.module in layers
    ]
    clean = 0
    for call in found.modules:
        around = (x for x, first, last in spans if first <= call.first and call.last <= last)
        layer = call.module if call.module in layers else next(around, None)
        within = case.bound.of(layer, call.relation.queries)
        if within is None:
            continue
        pairs = tuple(_outside(call.relation.rows.bits(), within))
        if not pairs:
            clean = max(clean, call.last)
            continue
        place = _operator(found, within, clean, call.last) or (call.module, None)
        kind = _type(found, place[0]) if place[0] != call.module else call.type
        readers = case.bound.readers[call.relation.queries]
        return tuple(Excess(readers[q], k, place[0], kind, place[1]) for q, k in pairs)
    within = case.bound.outputs
    pairs = tuple(_outside(found.relation.rows.bits(), within))
    place = _operator(found, within, clean, len(found.operators)) or ("", None)
    readers = case.bound.output_readers
    return tuple(Excess(readers[q], k, place[0], "", place[1]) for q, k in pairs)


def _operator(
    found: StructuralRelation, within: Mask, first: int, last: int
) -> tuple[str, str] | None:
    """The module and name of the first operator of a span that leaves the bound."""
    for each in found.operators[first:last]:
        if len(each.relation) == within.queries and any(_outside(each.relation.sets, within)):
            return each.module, each.operator
    return None


def _type(found: StructuralRelation, module: str) -> str:
    return next((call.type for call in found.modules if call.module == module), "")


def _outside(rows: Sequence[int], within: Mask) -> Iterator[tuple[int, int]]:
    for q, (has, may) in enumerate(zip(rows, within.rows.bits(), strict=True)):
        for k in members(has & ~may):
            yield q, k


def _unread(case: Case, found: StructuralRelation) -> tuple[tuple[int, int], ...]:
    """The pairs of the promise that no weights and inputs realise."""
    within = case.bound.outputs
    pairs = _outside(within.rows.bits(), found.relation)
    return tuple((case.bound.output_readers[q], k) for q, k in pairs if q not in case.bound.free)


def _control_flow(case: Case, found: StructuralRelation) -> str:
    """Control flow that depends on positions which some row must not depend on."""
    shared = ~0
    for q, row in enumerate(case.bound.outputs.rows.bits()):
        shared &= row if q not in case.bound.free else ~0
    for each in found.conditions:
        if each.cause is Cause.ESCAPE and any(not shared >> p & 1 for p in each.positions):
            where = f" in {each.module}" if each.module else ""
            return (
                f"control flow depends on data{where} ({each.operator}): rows may depend on "
                "positions through the branch that is taken"
            )
    return ""


def _conditions(found: StructuralRelation) -> Iterator[str]:
    """What the relation of structure rests on, in words."""
    yield "exact arithmetic on finite numbers; any weights, any inputs of these shapes"
    if found.weakest is not None:
        yield (
            f"no score meets a mask constant: the weakest relied on is {-found.weakest:.4g}, and "
            "unmasked scores stay within the bound"
        )
    for each in found.conditions:
        what = {
            Cause.ESCAPE: "control flow as in this run",
            Cause.PATH: "routing as in this run",
            Cause.LIVE_ROW: "no row of a softmax is masked wholly by data",
        }[each.cause]
        yield f"{what}: {each.operator}" + (f" in {each.module}" if each.module else "")
    for rows in found.masked_rows:
        if rows.becomes is EmptySoftmax.NAN:
            yield f"rows masked wholly are NaN in {rows.module or 'the model'}"
    for name in found.unregistered:
        yield f"the tensor {name} is neither a parameter nor a buffer"
