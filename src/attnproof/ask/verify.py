"""verify: what a mask lets through when layers are stacked, and whether that was intended."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attnproof.ask import intent
from attnproof.ask.elements import Element, elements
from attnproof.ask.hints import hints
from attnproof.ask.judges import Intent, judges, read_equal
from attnproof.ask.replay import all_replay, walks
from attnproof.flow import flow_of
from attnproof.keywords import keywords
from attnproof.parameters import Assumptions
from attnproof.render.ranges import spans
from attnproof.render.text import GRID
from attnproof.source import Reading, read
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import Evidence, Unequal
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.verdict import Finding, Verdict
from attnproof.values import Report

if TYPE_CHECKING:
    from attnproof.symbolic.order.flow import Flow
    from attnproof.symbolic.order.run_flow import RunFlow
    from attnproof.symbolic.tasks.task import Task

#: Notes on heads and batch elements that were not evaluated.
_UNSEEN = ("one_head", "one_batch")
_WEIGHED = (
    "without a residual the flow follows what keys bring; a query that carries a token and reads "
    "two keys or more still weighs them by it"
)


@keywords()
def verify(
    *sources: object,
    n: int | None = None,
    causal: bool = False,
    next_token: bool = False,
    documents: object = None,
    forbid: object = None,
    task: object = None,
    equals: object = None,
    properties: Sequence[str] = (),
    layers: int | None = None,
    per_layer: bool = False,
    encoding: str = "auto",
    q_offset: int | None = None,
    params: Mapping[str, object] | None = None,
    heads: int | None = None,
    batches: int | None = None,
    batch: int | None = None,
    layout: str | None = None,
    queries: int | None = None,
    residual: bool | None = None,
    empty_row: str | None = None,
    max_findings: int = 100,
    width: bool = False,
    all_n: bool = False,
    symbolic: str | Sequence[str] = (),
    assume: Assumptions | None = None,
    split: bool = False,
    budget: int | None = None,
    before: Callable[[Setting], None] | None = None,
) -> Report:
    """What a mask lets through, and a verdict on each property asked for.

    A source is a NumPy or torch array, an :class:`~attnproof.Mask`, a FlexAttention ``mask_mod``,
    ``score_mod`` or ``BlockMask``, a list of row strings, the name of a mask, or a path. Arrays
    are ``(q, k)``, ``(b, q, k)`` or ``(b, h, q, k)``; ``mask[q, k]`` is true when query ``q`` reads
    key ``k``. ``n`` is the length at which a rule or a named mask is evaluated, in tokens.

    Properties: ``causal`` (no query is reached from a later key), ``next_token`` (query q is not
    reached from q + 1), ``documents`` (lengths ``"3,3"``, or ids), ``forbid`` (pairs (reader,
    source), or a predicate of (q, k)), ``task`` (labels and inputs), ``equals`` (another source:
    the same pairs, as given) and the structural ``properties`` reflexive, transitive,
    antisymmetric, no-empty-rows, ``depth=c``. Each holds at any depth; with ``layers``, after
    exactly so many. With ``per_layer`` the sources are the masks of successive layers, repeated.

    With ``all_n`` a rule, a factory or a named mask is proved for every length, and the answer is a
    :class:`~attnproof.LengthReport`. ``symbolic`` names parameters that are any integer of at least
    1; captured tensors are any that fulfil what ``assume`` says, ``{"ids": "nondecreasing"}`` or
    ``["ids=nondecreasing"]``; ``documents="@ids"`` names one; ``split`` follows both branches of an
    ``if``; ``budget`` counts solver steps, in all. ``before`` is called with the setting of each
    distinct mask before anything is computed.

    >>> import attnproof as ap
    >>> ap.verify("window", n=8, params={"keys": 3}, forbid=[(7, 0)]).findings[0]
    Finding: token 0 reaches query 7 in 4 layers: 0 -> 1 -> 3 -> 5 -> 7
    >>> ap.verify("window", n=8, params={"keys": 3}, forbid=[(7, 0)], layers=3).verdict
    <Verdict.HOLDS: 'holds'>

    Raises :class:`~attnproof.errors.InputError` for what cannot be read or contradicts itself.
    Law: a property fails exactly when a forbidden pair is in the product of the layers. Source:
    the limit of stacked layers as a preorder is the paper's (arXiv 2606.09951); the verdicts ours.
    """
    _check_flags(
        causal=causal, next_token=next_token, per_layer=per_layer, width=width, all_n=all_n
    )
    named = intent.structure(properties)
    only = {"symbolic": symbolic, "assume": assume, "split": split, "budget": budget is not None}
    if all_n:
        from attnproof.ask.all_lengths import verify_lengths
        from attnproof.ask.length_asked import Intended

        given = {
            "n": n,
            "task": task,
            "encoding": encoding != "auto",
            "q_offset": q_offset,
            "queries": queries,
            "batches": batches not in (None, 1),
            "batch": batch,
            "layout": layout,
            "empty_row": empty_row not in (None, "zero"),
            "width": width,
        }
        _refuse(given, "belongs to one length; leave it out, or leave out all_n (--all-n)")
        return verify_lengths(
            sources,
            Intended(causal, next_token, documents, forbid, equals, named),
            symbolic=symbolic,
            assume=assume,
            params=params,
            layers=layers,
            per_layer=per_layer,
            heads=1 if heads is None else heads,
            residual=residual is not False,
            split=split,
            budget=budget,
        )
    _refuse(only, "is for every length; add all_n=True (--all-n), or leave it out")
    known_task = None if task is None else intent.task(task, masked=not sources)
    emptied = known_task.empty_row.value if empty_row is None and known_task else empty_row
    if max_findings < 1:
        raise InputError(f"max_findings is {max_findings}; list at least 1")
    readings = [
        read(
            source,
            n=n,
            encoding=encoding,
            q_offset=q_offset,
            params=params or {},
            heads=heads,
            batches=batches,
            batch=batch,
            layout=layout,
            queries=queries,
            empty_row=emptied,
        )
        for source in sources
    ]
    if not readings and known_task is None:
        raise InputError("no mask was given; name a source, or a task that has one")
    if len(readings) > 1 and not per_layer:
        raise InputError(
            f"{len(readings)} sources were given; with per_layer (--per-layer) they are successive "
            "layers, without it give one"
        )
    each = list(
        elements(readings, known_task, layers=layers, residual=residual, empty_row=empty_row)
    )
    other = None
    if equals is not None:
        count = sum(len(element.batch) for element in each)
        how = {"heads": heads, "batches": batches, "batch": batch}
        other = read_equal(equals, each[0].setting, n, elements=count, **how)
    intended = Intent(causal, next_token, documents, forbid, known_task, other, named, params or {})
    if before is not None:
        for element in each:
            before(element.setting)
    reports = []
    for element in each:
        flow = flow_of(element.setting)
        shown = element.setting.size <= GRID
        most = max(max_findings, shown * GRID**2)
        asked = judges(intended, element.setting, most, element.batch)
        if width:
            flow.width(even_if_expensive=True)
        judgements = tuple(judge(flow) for judge in asked)
        read_too = [] if other is None else [note for note in other.notes if note.kind in _UNSEEN]
        reports.append(
            _report(readings, known_task, element, flow, judgements, max_findings, read_too)
        )
    worst, *others = sorted(reports, key=_badness)
    return replace(worst, others=tuple(others))


def _check_flags(**flags: object) -> None:
    """Refuse what is neither true nor false."""
    for name, value in flags.items():
        if not isinstance(value, bool) and str(getattr(value, "dtype", "")) != "bool":
            raise InputError(f"{name} is {value!r:.40}; give True or False", option=name)


def _refuse(given: Mapping[str, object], why: str) -> None:
    """Refuse options that say nothing here."""
    for name, value in given.items():
        if value is not None and value is not False and value != () and value != {}:
            raise InputError(f"{name} {why}", option=name)


def _badness(report: Report) -> tuple[int, int, tuple[int, ...]]:
    order = (Verdict.FAILS, Verdict.UNKNOWN, Verdict.HOLDS, None)
    return order.index(report.verdict), -report.findings_total, report.batch


def _report(
    readings: Sequence[Reading],
    task: "Task | None",
    element: Element,
    flow: "Flow | RunFlow",
    judgements: tuple[Judgement, ...],
    most: int,
    read_too: Sequence[Finding],
) -> Report:
    comments = [comment for reading in readings for comment in reading.comments]
    noted = [*(finding for reading in readings for finding in reading.notes), *read_too]
    claims = [_as_read(claim, element) for reading in readings for claim in reading.claims]
    if not flow.setting.residual:
        comments.append(_WEIGHED)
    empty = _empty_rows(flow)
    if empty is not None and empty.severity == "error":
        judged = judge_structure(flow, "no-empty-rows", most=1)
        if judged.property in (judgement.property for judgement in judgements):
            empty = None
        elif judged.evidence is not None:
            claims.append(judged.evidence)
    noted += [empty] if empty is not None else []
    replays = [
        element.reads is None or all_replay(judgement, element.setting, element.reads)
        for judgement in judgements
    ]
    if not all(replays):
        comments.append(
            "a path that was found does not replay on the mask as given, so nothing is claimed; "
            "does it answer differently each time it is asked?"
        )
    report = Report(
        source=" then ".join(reading.name for reading in readings)
        or (task.name if task is not None and task.name else "task"),
        encoding=readings[0].encoding if readings else "attend",
        flow=flow,
        judgements=tuple(
            judgement if good else Judgement(judgement.property, Verdict.UNKNOWN)
            for judgement, good in zip(judgements, replays, strict=True)
        ),
        noted=tuple(noted),
        comments=tuple(dict.fromkeys(comments)),
        parameters=_params(readings),
        most=most,
        replayed=any(walks(one) for one, good in zip(judgements, replays, strict=True) if good),
        claims=tuple(claims),
        batch=element.batch,
    )
    return replace(report, comments=(*report.comments, *hints(report)))


def _as_read(claim: Evidence, element: Element) -> Evidence:
    """A claim of the reading, with how the mask was read."""
    if not isinstance(claim, Unequal):
        return claim
    return replace(claim, a=replace(claim.a, origin=element.setting.origin))


def _params(readings: Sequence[Reading]) -> Mapping[str, object]:
    given = readings[0].parameters["params"] if readings else {}
    return given if isinstance(given, Mapping) else {}


def _empty_rows(flow: "Flow | RunFlow") -> Finding | None:
    """One note for all rows that read nothing; an error where their output is NaN."""
    rows = flow.empty_rows
    if not rows:
        return None
    one = len(rows) == 1
    what = {
        EmptyRow.ZERO: "zero",
        EmptyRow.UNIFORM: "the mean over every key, so everything is read",
        EmptyRow.NAN: "NaN, which every later reader inherits",
    }[flow.setting.empty_row]
    message = f"{'query' if one else 'queries'} {spans(rows)} read{'s' if one else ''} nothing: "
    message += f"the output there is {what}"
    if flow.setting.empty_row is EmptyRow.NAN:
        return Finding("structure", message, property="no-empty-rows", reader=min(rows))
    details = {"rows": list(rows[:100])}
    return Finding("empty_row", message, "note", reader=min(rows), details=details)
