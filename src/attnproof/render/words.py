"""A report in plain words: what was read, how information flows, why to believe it.

Values are those of the JSON schema ``attnproof/report/v1``; a query reads, a token reaches.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attnproof.render.ranges import spans
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.words import counted

Json = Mapping[str, Any]

#: The longest formula that is shown whole, in characters.
_LONGEST = 400
_READ_AS = {
    "attend": "true means reads",
    "block": "true means blocked",
    "keep01": "1 means reads",
    "additive": "additive, by the row-maximum rule",
}


def what_was_read(report: Json) -> str:
    """The source, its size and how its values were understood.

    >>> what_was_read({"source": "mask.npy", "n": 8, "encoding": "attend"})
    'mask.npy: 8 positions, read as attend (true means reads)'
    """
    words = f"{report.get('source', 'mask')}"
    if report.get("n") is not None:
        words += f": {counted(int(report['n']), 'position')}"
    encoding = report.get("encoding")
    if encoding:
        meaning = _READ_AS.get(str(encoding))
        words += f", read as {encoding}" + (f" ({meaning})" if meaning else "")
    if int(report.get("schedule") or 1) > 1:
        words += f", a schedule of {report['schedule']} masks"
    if report.get("residual") is False:
        words += ", no residual"
    if report.get("scope") == "all n":
        words += ", for every length"
    return words


def scope(report: Json) -> str:
    """How many layers a verdict speaks of.

    >>> scope({"layers": 3}), scope({"scope": "all n"})
    ('through exactly 3 layers', 'at any depth, for every length')
    """
    layers = report.get("layers")
    depth = "at any depth" if layers is None else f"through exactly {counted(int(layers), 'layer')}"
    everywhere = report.get("scope") == "all n" and report.get("verdict") != "fails"
    return depth + (", for every length" if everywhere else "")


def not_checked(report: Json) -> list[str]:
    """What a property that holds does not speak of.

    >>> not_checked({"verdict": "fails"}), len(not_checked({"verdict": "holds"}))
    ([], 1)
    """
    said = "it speaks of the mask alone: position ids, routing and kernels are not checked"
    return [said] if report.get("verdict") == "holds" else []


def key_counts(mask: Mask) -> str:
    """How many keys a query reads, and whether that counts its own.

    >>> key_counts(Mask.from_rows(["1...", "11..", ".11.", "..11"]))
    'each query reads at most 2 keys, itself included'
    >>> key_counts(Mask.from_rows([".1", "1."]))
    'each query reads 1 key, itself not included'
    """
    least, most, own = _counted_keys(mask)
    if not most:
        return "no query reads any key"
    reads = f"{'' if least == most else 'at most '}{counted(most, 'key')}"
    if own == mask.queries:
        return f"each query reads {reads}, itself included"
    if not own:
        return f"each query reads {reads}, itself not included"
    return (
        f"each query reads {reads}; {mask.queries - own} of {mask.queries} do not read themselves"
    )


def _counted_keys(mask: Mask) -> tuple[int, int, int]:
    """The least and the greatest number of keys of a query, and how many queries read their own."""
    if isinstance(mask.rows, Bits):
        sizes = [row.bit_count() for row in mask.rows.sets]
        own = sum(row >> (mask.offset + q) & 1 for q, row in enumerate(mask.rows.sets))
        return min(sizes, default=0), max(sizes, default=0), own
    from attnproof.symbolic.order.run_survey import survey

    found = survey(mask)
    return found.least, found.most, found.own


def flow_words(flow: Json) -> list[str]:
    """The facts of a flow, one sentence a line.

    >>> flow_words({"depth": 3, "antisymmetric": True, "classes": 8, "covers": 7, "height": 8,
    ...             "width": 1, "empty_rows": [0, 1]})[0]
    'information settles after 3 layers'
    """
    missing: Mapping[str, str] = flow.get("not_computed") or {}
    lines = [] if "depth" in missing else [_depth_words(flow.get("depth"))]
    if "classes" not in missing:
        classes = int(flow.get("classes", 0))
        apart = flow.get("antisymmetric")
        each = "no two positions" if apart else "positions of one class"
        lines.append(f"{counted(classes, 'class')}: {each} reach each other")
    if "covers" not in missing:
        width = flow.get("width")
        wide = f"width {width}" if width is not None else "width not computed (--width)"
        lines.append(
            f"{counted(int(flow.get('covers', 0)), 'cover')} in the Hasse diagram, "
            f"height {flow.get('height')}, {wide}"
        )
    for why in dict.fromkeys(missing.values()):
        names = ", ".join(name for name, reason in missing.items() if reason == why)
        lines.append(f"not computed: {names}; {why}")
    empty: Sequence[int] = flow.get("empty_rows") or ()
    if empty:
        unlisted = int(flow.get("empty_rows_total", len(empty))) - len(empty)
        lines.append(f"rows that read nothing: {spans(empty, unlisted=unlisted)}")
    return lines


def _depth_words(depth: object) -> str:
    if depth is None:
        return "information never settles: without a residual the powers keep changing"
    if depth == 0:
        return "nothing moves between positions"
    if depth == 1:
        return "one layer lets through all that any number of layers does"
    return f"information settles after {depth} layers"


def shortened(formula: str) -> str:
    """A formula, the middle of a long one left out.

    >>> shortened("k <= q"), len(shortened("k <= q and " * 100)) < 500
    ('k <= q', True)
    """
    if len(formula) <= _LONGEST:
        return formula
    half = _LONGEST // 2
    left = len(formula) - 2 * half
    return f"{formula[:half]} ... {formula[-half:]} ({left} characters are left out)"


def reach_words(flow: Json) -> list[str]:
    """What reaches what at every length, where a formula says it.

    >>> reach_words({"relation": "k <= q", "exact": True})
    ['key k reaches query q, at any depth, exactly where k <= q']
    """
    relation = flow.get("relation")
    if relation is None:
        return ["no relation was proved to contain what is reached"]
    if relation == "True":
        return ["every query is reached from every key"]
    kind = "exactly" if flow.get("exact") else "at most"
    return [f"key k reaches query q, at any depth, {kind} where {relation}"]


def tried_words(report: Json) -> list[str]:
    """What was tried for each property that is unknown.

    >>> tried_words({"tried": {"causal": ["small lengths"]}})
    ['tried: small lengths']
    """
    tried: Mapping[str, Sequence[str]] = report.get("tried") or {}
    named = len(tried) > 1
    return [
        f"{f'{name}: ' if named else ''}tried: {each}"
        for name, listed in tried.items()
        for each in listed
    ]


def evidence_words(report: Json) -> list[str]:
    """Why to believe the verdict, and how to check it again.

    >>> evidence_words({"verdict": "fails", "evidence": {"grade": "replayed"}})[0]
    'replayed: the leak was walked again on the mask as given'
    """
    evidence: Json = report.get("evidence") or {}
    grade = evidence.get("grade")
    if report.get("scope") == "all n" and grade is None:
        return []
    solvers = " and ".join(str(solver) for solver in evidence.get("solvers") or ())
    unchecked = ["not checked: no certificate was asked for"] if report.get("verdict") else []
    again = "the leak was walked again on the mask as given"
    if report.get("scope") == "all n":
        again = "the source itself, evaluated at that length, fails"
    lines = {
        "replayed": [f"replayed: {again}"],
        "certified": ["certified: the checker accepted the certificate"],
        "solvers-agree": [f"solvers agree: {solvers or 'two solvers'} found the same"],
    }.get(str(grade), unchecked)
    shown = evidence.get("invariants") or {}
    if len(set(shown.values())) > 1 or len(shown) < len(report.get("properties") or ()):
        lines.extend(f"what shows {name}: {shortened(told)}" for name, told in shown.items())
    elif evidence.get("invariant"):
        lines.append(f"what shows it: {shortened(str(evidence['invariant']))}")
    file = report.get("certificate")
    if file:
        lines.append(f"re-check: attnproof check {file}")
    else:
        lines.append("to keep and re-check it: --certificate FILE, then attnproof check FILE")
    return lines
