"""Structural properties of the layers: reflexive, transitive, antisymmetric, no empty row, depth.

Every layer must have them. Reflexive and no-empty-rows speak of a layer as given, transitive and
antisymmetric of the executed layer or diagonal, depth of the limit.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.evidence import Structure
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.order.closure import first_intransitive
from attnproof.symbolic.order.components import transpose
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.order.witness import first_leaks, path
from attnproof.symbolic.verdict import Finding, Path, Verdict
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.order.run_flow import RunFlow
    from attnproof.symbolic.order.run_structure import RunStructure

NAMES = ("reflexive", "transitive", "antisymmetric", "no-empty-rows", "depth=c")


def judge_structure(flow: "Flow | RunFlow", text: str, *, most: int = 100) -> Judgement:
    """Judge one of ``NAMES``; ``depth=3`` says that the flow settles within 3 layers.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> from attnproof.symbolic.setting import Setting
    >>> flow = Flow(Setting((Mask.from_rows(["1..", "11.", ".11"]),)))
    >>> judge_structure(flow, "transitive").findings[0]
    Finding: query 2 reads 1 and 1 reads 0, but 2 does not read 0
    """
    if isinstance(flow, Flow):
        return _judged(flow, BitStructure(flow), text, most)
    from attnproof.symbolic.order.run_arrays import Fragmented
    from attnproof.symbolic.order.run_structure import RunStructure

    try:
        return _judged(flow, RunStructure(flow), text, most)
    except Fragmented:
        flow = flow.in_bits("rows in very many runs are judged")
        return _judged(flow, BitStructure(flow), text, most)


def _judged(
    flow: "Flow | RunFlow", found: "BitStructure | RunStructure", text: str, most: int
) -> Judgement:
    name, _, bound_text = text.partition("=")
    bound: int | None = None
    if name == "depth" and bound_text.isdecimal():
        bound = int(bound_text)
        findings, total = _depth(flow, found, bound, most)
    elif text == "reflexive":
        findings, total = _readers(
            text, "does not read its own position", found.missing_own(), most
        )
    elif text == "no-empty-rows":
        findings, total = _readers(text, "reads nothing", flow.empty_rows, most)
    elif text == "transitive":
        findings, total = _transitive(found)
    elif text == "antisymmetric":
        findings, total = _antisymmetric(found, most)
    else:
        raise ParameterError(
            f"{text!r} is not a structural property; give one of {', '.join(NAMES)}, or ask for "
            "an intention by its own option: causal, next-token, documents, forbid",
            given=text,
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


def _readers(
    property: str, what: str, readers: Sequence[int], most: int
) -> tuple[list[Finding], int]:
    found = [_finding(property, f"query {q} {what}", reader=q) for q in readers[:most]]
    return found, len(readers)


def _transitive(structure: "BitStructure | RunStructure") -> tuple[list[Finding], int]:
    """One finding a layer; its path is in that layer alone, which a schedule's finding names."""
    layers = structure.intransitive()
    found = []
    for layer, bad in enumerate(layers, 1):
        if bad is None:
            continue
        q, k, m = bad
        message = f"query {q} reads {m} and {m} reads {k}, but {q} does not read {k}"
        parts: dict[str, object] = {"reader": q, "source": k, "depth": 2, "path": (k, m, q)}
        if len(layers) > 1:
            message = f"in layer {layer} {message}"
            parts["details"] = {"layer": layer}
        found.append(_finding("transitive", message, **parts))
    return sorted(found, key=Finding.rank), len(found)


def _antisymmetric(
    structure: "BitStructure | RunStructure", most: int
) -> tuple[list[Finding], int]:
    pairs, total = structure.mutual(most)
    return [
        _finding("antisymmetric", f"{q} and {k} read each other", reader=q, source=k)
        for q, k in pairs
    ], total


def _depth(
    flow: "Flow | RunFlow", structure: "BitStructure | RunStructure", bound: int, most: int
) -> tuple[list[Finding], int]:
    name = f"depth={bound}"
    if flow.depth is not None and flow.depth <= bound:
        return [], 0
    if not flow.setting.residual:
        settles = (
            "never settles"
            if flow.depth is None
            else f"settles after {counted(flow.depth, 'layer')}"
        )
        return [_finding(name, f"without a residual the flow {settles}, not {bound}")], 1
    late, total = structure.late(bound, most)
    found = []
    for depth, q, k, walked in late:
        message = f"token {k} reaches query {q} only in {depth} layers, not in {bound}"
        found.append(_finding(name, message, reader=q, source=k, depth=depth, path=walked))
    return found, total


class BitStructure:
    """The positions, pairs and paths that break a structural property of a flow in bit sets."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def missing_own(self) -> Sequence[int]:
        """The positions whose query does not read its own key in some layer, as given."""
        return sorted(
            {
                mask.offset + q
                for mask in self._flow.setting.layers
                for q, row in enumerate(mask.rows.bits())
                if not row >> (mask.offset + q) & 1
            }
        )

    def intransitive(self) -> list[tuple[int, int, int] | None]:
        """The least (q, k, m) of each layer; None of one that is transitive."""
        return list(map(first_intransitive, self._flow.layers))

    def mutual(self, most: int) -> tuple[list[tuple[int, int]], int]:
        """The first pairs q < k that read each other in some layer, and how many there are."""
        both = [0] * self._flow.setting.size
        for layer in self._flow.layers:
            for q, (reads, readers) in enumerate(zip(layer, transpose(layer), strict=True)):
                both[q] |= (reads & readers) >> (q + 1) << (q + 1)
        pairs = ((q, k) for q, row in enumerate(both) for k in members(row))
        return list(islice(pairs, most)), sum(row.bit_count() for row in both)

    def late(self, bound: int, most: int) -> tuple[list[tuple[int, int, int, Path]], int]:
        """The first (depth, q, k, path) that need more layers than ``bound``, and how many do."""
        layers, limit = self._flow.layers, self._flow.closure.rows
        held = reach(layers, bound, limit)
        late = [row & ~early for row, early in zip(limit, held, strict=True)]
        found = first_leaks(layers, late.__getitem__, limit, most)
        total = sum(row.bit_count() for row in late)
        return [(d, q, k, path(layers, k, q, d)) for d, q, k in found], total
