"""Structural properties of the layers: reflexive, transitive, antisymmetric, no empty row, depth.

Every layer must have them. Reflexive and no-empty-rows speak of a layer as given, transitive and
antisymmetric of the executed layer or diagonal, depth of the limit.
"""

from itertools import islice

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.evidence import Structure
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import first_intransitive
from attnproof.symbolic.order.components import transpose
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.order.witness import first_leaks, path
from attnproof.symbolic.verdict import Finding, Verdict

NAMES = ("reflexive", "transitive", "antisymmetric", "no-empty-rows", "depth=c")


def judge_structure(flow: Flow, text: str, *, most: int = 100) -> Judgement:
    """Judge one of ``NAMES``; ``depth=3`` says that the flow settles within 3 layers.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.setting import Setting
    >>> flow = Flow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> judge_structure(flow, "transitive").findings[0]
    Finding: query 2 reads 1 and 1 reads 0, but 2 does not read 0
    """
    name, _, bound_text = text.partition("=")
    checks = {
        "reflexive": _reflexive,
        "transitive": _transitive,
        "antisymmetric": _antisymmetric,
        "no-empty-rows": _no_empty_rows,
    }
    bound: int | None = None
    if name == "depth" and bound_text.isdecimal():
        bound = int(bound_text)
        findings, total = _depth(flow, bound, most)
    elif text in checks:
        findings, total = checks[text](flow, most)
    else:
        raise ParameterError(
            f"{text!r} is not a structural property; give one of {', '.join(NAMES)}", given=text
        )
    holds = not findings
    witness = None if holds else _witness(findings[0])
    evidence = Structure(flow.setting, name, holds, bound, witness)
    verdict = Verdict.HOLDS if holds else Verdict.FAILS
    return Judgement(text, verdict, tuple(findings[:most]), total, evidence)


def _witness(finding: Finding) -> tuple[int, ...]:
    if finding.path is not None:
        return tuple(step if isinstance(step, int) else step[0] for step in finding.path)
    return tuple(x for x in (finding.reader, finding.source) if x is not None)


def _finding(property: str, message: str, **parts: object) -> Finding:
    return Finding("structure", message, property=property, **parts)  # type: ignore[arg-type]


def _reflexive(flow: Flow, most: int) -> tuple[list[Finding], int]:
    missing = sorted(
        {
            mask.offset + q
            for mask in flow.setting.layers
            for q, row in enumerate(mask.rows.bits())
            if not row >> (mask.offset + q) & 1
        }
    )
    return [
        _finding("reflexive", f"query {q} does not read its own position", reader=q)
        for q in missing[:most]
    ], len(missing)


def _no_empty_rows(flow: Flow, most: int) -> tuple[list[Finding], int]:
    empty = flow.empty_rows
    return [
        _finding("no-empty-rows", f"query {q} reads nothing", reader=q) for q in empty[:most]
    ], len(empty)


def _transitive(flow: Flow, most: int) -> tuple[list[Finding], int]:
    found = []
    for layer in flow.layers:
        bad = first_intransitive(layer)
        if bad is not None:
            q, k, m = bad
            message = f"query {q} reads {m} and {m} reads {k}, but {q} does not read {k}"
            found.append(
                _finding("transitive", message, reader=q, source=k, depth=2, path=(k, m, q))
            )
    return found, len(found)


def _antisymmetric(flow: Flow, most: int) -> tuple[list[Finding], int]:
    both = [0] * flow.setting.size
    for layer in flow.layers:
        for q, (reads, readers) in enumerate(zip(layer, transpose(layer), strict=True)):
            both[q] |= (reads & readers) >> (q + 1) << (q + 1)
    found = [
        _finding("antisymmetric", f"{q} and {k} read each other", reader=q, source=k)
        for q, k in islice(((q, k) for q, row in enumerate(both) for k in members(row)), most)
    ]
    return found, sum(row.bit_count() for row in both)


def _depth(flow: Flow, bound: int, most: int) -> tuple[list[Finding], int]:
    name = f"depth={bound}"
    if flow.depth is not None and flow.depth <= bound:
        return [], 0
    if not flow.setting.residual:
        settles = "never settles" if flow.depth is None else f"settles after {flow.depth} layers"
        return [_finding(name, f"without a residual the flow {settles}, not {bound}")], 1
    limit = flow.closure.rows
    held = reach(flow.layers, bound, limit)
    late = [row & ~early for row, early in zip(limit, held, strict=True)]
    total = sum(row.bit_count() for row in late)
    found = []
    for depth, q, k in first_leaks(flow.layers, late.__getitem__, limit, most):
        walked = path(flow.layers, k, q, depth)
        message = f"token {k} reaches query {q} only in {depth} layers, not in {bound}"
        found.append(_finding(name, message, reader=q, source=k, depth=depth, path=walked))
    return found, total
