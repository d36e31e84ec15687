"""A probe in words: each scenario with its verdict, then what was found, and why to believe it."""

from collections.abc import Iterator, Sequence

from attnproof.render.words import Json
from attnproof.symbolic.words import counted

_CODES = {"fails": "1;31", "holds": "1;32", "unknown": "1;33"}
_SHOWN = 6


def probe_text(report: Json, *, colour: bool = False) -> str:
    """A probe as text.

    >>> print(probe_text({"source": "gpt2", "n": 4, "verdict": "holds", "properties": ["promise"],
    ...                   "promise": "1 layer: the past", "scenarios": [
    ...                   {"scenario": "plain", "verdict": "holds"}]}).splitlines()[2])
    HOLDS  promise, in 1 scenario
    """
    blocks = [
        [
            f"{report['source']}: {counted(int(report['n']), 'position')}",
            f"  promises {report['promise']}",
            *(f"  {comment}" for comment in report.get("comments") or ()),
        ],
        [_verdict(report, colour)],
        list(_table(report.get("scenarios") or (), colour)),
        list(_findings(report)),
        list(_evidence(report)),
    ]
    blocks[0:2] = [[*blocks[0][:1], *blocks[0][1:], *blocks[1]]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _painted(text: str, role: str, colour: bool) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if colour and role in _CODES else text


def _verdict(report: Json, colour: bool) -> str:
    run = sum(one.get("verdict") is not None for one in report.get("scenarios") or ())
    verdict = str(report["verdict"])
    line = _painted(verdict.upper(), verdict, colour)
    return f"{line}  {', '.join(report['properties'])}, in {counted(run, 'scenario')}"


def _table(scenarios: Sequence[Json], colour: bool) -> Iterator[str]:
    """One line a scenario that was run: its verdict, what structure says, and what was seen; the
    others on one line, by their reasons."""
    run = [one for one in scenarios if one.get("verdict") is not None]
    wide = max((len(str(one["scenario"])) for one in run), default=0)
    for one in run:
        verdict = str(one["verdict"])
        painted = _painted(f"{verdict:<8}", verdict, colour)
        yield f"  {one['scenario']:<{wide}}  {painted}  {'; '.join(_told(one))}".rstrip()
        for comment in one.get("comments") or ():
            yield f"  {'':<{wide}}            {comment}"
    reasons: dict[str, list[str]] = {}
    for one in scenarios:
        if one.get("verdict") is None:
            reasons.setdefault(str(one.get("reason") or "no reason"), []).append(one["scenario"])
    if reasons:
        each = (f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
        yield f"  not run: {'; '.join(each)}"


def _told(one: Json) -> Iterator[str]:
    if one.get("module") is not None:
        operator = f" ({one['operator']})" if one.get("operator") else ""
        seen = "seen" if one.get("seen") else "possible"
        yield f"{counted(int(one['excess']), 'pair')} {seen}, first in {_place(one)}{operator}"
        return
    structural, numeric = one.get("structural"), one.get("numeric")
    if structural is not None:
        yield "structure within the promise" + (
            f", {structural['unread']} pairs never read" if structural.get("unread") else ""
        )
    if numeric is not None:
        yield f"{counted(int(numeric['runs']), 'run')} showed nothing else"


def _place(one: Json) -> str:
    return str(one.get("module") or "the model")


def _findings(report: Json) -> Iterator[str]:
    found: Sequence[Json] = report.get("findings") or ()
    for one in found[:_SHOWN]:
        note = "note: " if one.get("severity") == "note" else ""
        yield f"  {note}{one['message']}"
    more = int(report.get("findings_total") or 0) - min(len(found), _SHOWN)
    if more > 0:
        yield f"  … and {more} more"


def _evidence(report: Json) -> Iterator[str]:
    evidence: Json = report.get("evidence") or {}
    conditions: Sequence[str] = evidence.get("conditions") or ()
    if not evidence.get("grade") and not conditions:
        return
    yield "Evidence"
    if evidence.get("grade") == "replayed":
        yield "  replayed: both runs were repeated and differed again, bit by bit"
    elif report.get("verdict") == "holds":
        yield "  every operator was followed, for all weights; this is no certificate"
    for condition in conditions:
        yield f"  given: {condition}"
