"""The report and the comparison for people on a terminal, from the values that JSON holds."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from attnproof.render.comparison import compare_text
from attnproof.render.labels import caption
from attnproof.render.ranges import Told, ranges
from attnproof.render.words import (
    Json,
    evidence_words,
    flow_words,
    key_counts,
    not_checked,
    reach_words,
    scope,
    tried_words,
    what_was_read,
)
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.verdict import Finding
from attnproof.symbolic.words import counted

__all__ = ["as_finding", "colour_wanted", "compare_text", "report_text"]

#: Up to so many positions a mask is shown.
GRID = 32
_OF_A_KIND = 4
_KINDS = 6
_FORBIDDEN = ("reads, forbidden", "reached through layers, forbidden")
#: What a finding says of its pair: where the mask reads it, and where it does not.
_FOUND = {
    "not_equal": ("reads, the other mask does not", "does not read, the other mask does"),
    "blocks_disagree": ("reads, mask_mod alone does not", "does not read, mask_mod alone does"),
    "transitive": ("reads", "does not read, but what it reads does"),
    "antisymmetric": ("reads and is read", "reads as an empty row, and is read"),
    "depth": ("reads, in too many layers", "reached in too many layers"),
}
_CODES = {"fails": "1;31", "holds": "1;32", "unknown": "1;33", "quiet": "2", "bold": "1"}


def colour_wanted(stream: TextIO) -> bool:
    """Is the stream a terminal that shows colours, and has nobody asked for none?"""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and stream.isatty()


def report_text(
    report: Json,
    mask: Mask | None = None,
    marked: Sequence[Json] | None = None,
    *,
    colour: bool = False,
) -> str:
    """A report as text; with ``mask``, a small one is shown with its leaks marked, those listed in
    the report or all that are ``marked``.

    >>> print(report_text({"source": "causal", "n": 2, "verdict": "holds",
    ...                    "verdicts": {"causal": "holds"}}).splitlines()[2])
    HOLDS  causal, at any depth
    """
    blocks = [
        [what_was_read(report), *(f"  {comment}" for comment in report.get("comments") or ())],
        [
            *_verdict(report, colour),
            *_findings(report, colour),
            *(f"  {line}" for line in tried_words(report)),
        ],
        _grid(report, mask, marked, colour) if mask is not None else [],
        _masks(report),
        _section("Flow", _flow(report, mask), colour),
        _section("Evidence", [*evidence_words(report), *not_checked(report)], colour),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _paint(text: str, role: str, colour: bool) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if colour else text


def _section(title: str, lines: Sequence[str], colour: bool) -> list[str]:
    return [_paint(title, "bold", colour), *(f"  {line}" for line in lines)] if lines else []


def _verdict(report: Json, colour: bool) -> list[str]:
    verdict = report.get("verdict")
    if verdict is None:
        return ["Described: no property was asked for"]
    verdicts: Mapping[str, str] = report.get("verdicts") or {}
    names = [name for name, own in verdicts.items() if own == verdict]
    others = [f"{name} {own}" for name, own in verdicts.items() if own != verdict]
    line = _paint(str(verdict).upper(), str(verdict), colour)
    if names:
        line += f"  {', '.join(names)}, {scope(report)}"
    return [line + (f"; {', '.join(others)}" if others else "")]


def _findings(report: Json, colour: bool) -> Iterator[str]:
    """The first findings of each kind and depth, many of one form as a range, and how many more
    there are."""
    listed = [as_finding(found) for found in report.get("findings") or ()]
    of_kind: dict[tuple[str, str | None, int | None], list[Finding]] = {}
    for finding in listed:
        of_kind.setdefault((finding.kind, finding.property, finding.depth), []).append(finding)
    kinds = list(of_kind.values())
    several = len({finding.property for finding in listed if finding.kind == "leak"}) > 1
    for same in kinds[:_KINDS]:
        note = same[0].severity == "note"
        name = f"{same[0].property}: " if several and same[0].kind == "leak" else ""
        told = [Told(name + caption(one), one.reader, one.source) for one in same]
        if len(told) > _OF_A_KIND + 1:
            told = ranges(told)
        shown = told if len(told) == _OF_A_KIND + 1 else told[:_OF_A_KIND]
        for one in shown:
            line = f"  {'note: ' if note else ''}{one.text}"
            yield _paint(line, "quiet", colour) if note else line
        more = len(same) - sum(one.count for one in shown)
        if more:
            depth = same[0].depth
            where = f" in {counted(depth, 'layer')}" if depth else ""
            yield f"  … and {more} more{where}"
    later = sum(map(len, kinds[_KINDS:]))
    unlisted = int(report.get("findings_total") or 0) - len(listed)
    if later + max(unlisted, 0):
        yield f"  … and {later + max(unlisted, 0)} more after these"


def as_finding(found: Json) -> Finding:
    """A finding from its JSON object.

    >>> as_finding({"kind": "leak", "message": "token 1 reaches query 0", "path": [1, 0]}).path
    (1, 0)
    """
    path: Sequence[Any] | None = found.get("path")
    steps: Any = (
        None if path is None else tuple(tuple(p) if isinstance(p, list) else p for p in path)
    )
    message = found.get("message") or _message(found)
    return Finding(
        str(found.get("kind", "finding")),
        str(message),
        found.get("severity", "error"),
        found.get("property"),
        found.get("reader"),
        found.get("source"),
        found.get("depth"),
        steps,
    )


def _message(found: Json) -> str:
    words = str(found.get("kind", "finding")).replace("_", " ")
    if found.get("reader") is not None and found.get("source") is not None:
        words += f": token {found['source']} reaches query {found['reader']}"
    return words


def _grid(report: Json, mask: Mask, found_all: Sequence[Json] | None, colour: bool) -> list[str]:
    """The mask with row = query; a pair that leaks is marked where it stands."""
    if mask.size > GRID or int(report.get("schedule") or 1) > 1:
        return []
    marked: dict[tuple[object, object], list[Json]] = {}
    listed: Sequence[Json] = report.get("findings") or ()
    for found in listed if found_all is None else found_all:
        pair = found.get("reader"), found.get("source")
        if found.get("severity", "error") == "error" and None not in pair:
            marked.setdefault(pair, []).append(found)
    width = max(len(str(mask.size - 1)), 1)
    marks: dict[str, list[str]] = {"#": ["reads"]}
    lines = ["row = query, column = key", " " * (width + 2) + " ".join(_digits(mask.size, 0))]
    if mask.size > 10:
        lines.insert(1, " " * (width + 2) + " ".join(_digits(mask.size, 1)))
    for q in range(mask.queries):
        p = mask.offset + q
        row = mask.rows.row(q)
        cells: list[str] = []
        for k in range(mask.size):
            mark, words = _mark(bool(row >> k & 1), k == p, marked.get((p, k), ()), report)
            meanings = marks.setdefault(mark, [])
            meanings += [one for one in words if one not in meanings]
            cells.append(_paint(mark, "fails", colour) if mark in "x!" else mark)
        lines.append(f"{p:>{width}}  {' '.join(cells)}".rstrip())
    legend = "   ".join(f"{mark} {', or '.join(words)}" for mark, words in marks.items())
    return [lines[0], *(f"  {line}".rstrip() for line in lines[1:]), f"  {legend}"]


def _digits(size: int, place: int) -> list[str]:
    """The digit of every key number at a decimal place."""
    return [str(k // 10**place % 10) if k >= 10**place or not place else " " for k in range(size)]


def _mark(reads: bool, own: bool, found: Sequence[Json], report: Json) -> tuple[str, list[str]]:
    """The mark of a pair, and what it says: every finding there has its say."""
    if found:
        each = [_FOUND.get(_kind(one), _FORBIDDEN)[0 if reads else 1] for one in found]
        return ("x" if reads else "!"), list(dict.fromkeys(each))
    if reads:
        return "#", ["reads"]
    if own and report.get("residual", True):
        return "+", ["added by the residual"]
    return "·", ["does not read"]


def _kind(found: Json) -> str:
    """The kind of a finding; of a structural one the property that it breaks."""
    if found.get("kind") == "structure":
        return str(found.get("property")).partition("=")[0]
    return str(found.get("kind"))


def _masks(report: Json) -> list[str]:
    masks: Sequence[Json] = report.get("masks") or ()
    if not masks:
        return []
    lines = [f"{counted(len(masks), 'distinct mask')} in the batch"]
    for one in masks:
        batch = one.get("batch")
        name = ", ".join(map(str, batch)) if isinstance(batch, list | tuple) else str(batch)
        found = counted(int(one.get("findings_total") or 0), "finding")
        lines.append(f"  batch {name}: {one.get('verdict') or 'described'}, {found}")
    return lines


def _flow(report: Json, mask: Mask | None) -> list[str]:
    flow: Json = report.get("flow") or {}
    if "relation" in flow:
        return reach_words(flow)
    if mask is None or int(report.get("schedule") or 1) > 1:
        return flow_words(flow) if flow else []
    if "empty_rows_total" in flow:
        flow = {**flow, "empty_rows": [mask.offset + q for q in mask.empty_rows]}
        flow.pop("empty_rows_total")
    return [*(flow_words(flow) if flow else []), key_counts(mask)]
