"""Reports for machines that run checks: annotations of GitHub, and JUnit XML."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from attnproof.render.places import Place
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from attnproof.values import Report

FORMATS = ("github", "junit")
#: So many findings of one mask are annotated; GitHub shows ten errors a step.
MOST = 3
#: Kinds of notes on what was not evaluated.
_PARTIAL = ("one_head", "one_batch")


@dataclass(frozen=True, slots=True)
class Checked:
    """A report, the verdict that was expected of it, and where its source stands."""

    report: "Report"
    expect: Verdict = Verdict.HOLDS
    place: Place | None = None

    @property
    def met(self) -> bool:
        """Is the verdict the expected one? A description without findings holds."""
        verdict = self.report.verdict
        return (Verdict.HOLDS if verdict is None else verdict) is self.expect

    @property
    def name(self) -> str:
        """The source and what was asked of it."""
        return f"{self.report.source}: {', '.join(self.report.properties) or 'described'}"

    @property
    def as_expected(self) -> str:
        """What was found, where that was expected."""
        if self.report.verdict is None:
            return "no property was asked for, and nothing is wrong"
        return f"as expected: {self.expect.value}"

    @property
    def told(self) -> str:
        """What was found, where another verdict was expected."""
        found = self.report.verdict
        return (
            f"expected {self.expect.value}, found {'described' if found is None else found.value}"
        )


def check_format(name: str) -> None:
    """Raise :class:`InputError` for a format that there is not."""
    if name not in FORMATS:
        raise InputError(f"format is {name!r}; give one of {', '.join(FORMATS)}", format=name)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A source that could not be verified, and why."""

    name: str
    why: str
    place: Place | None = None


def unreadable(error: InputError) -> Wrong:
    """That the masks of a project cannot be read, at the file that names them, and at the line of
    the entry where that is known."""
    path, line = error.parts.get("path"), error.parts.get("line")
    place = Place(Path(str(path)), line if isinstance(line, int) else None) if path else None
    return Wrong("pyproject.toml", str(error), place)


def rendered(name: str, checks: Sequence[Checked], wrong: Sequence[Wrong] = ()) -> str:
    """The reports, and what could not be verified, in a format."""
    check_format(name)
    return {"github": github, "junit": junit}[name](checks, wrong)


def github(checks: Sequence[Checked], wrong: Sequence[Wrong] = ()) -> str:
    """A workflow command for each of the first findings and one for the rest, where the mask
    stands; a notice for what holds, a warning for what was left out."""
    lines = [_command("error", _properties(each.name, each.place), each.why) for each in wrong]
    for check in checks:
        properties = _properties(check.name, check.place)
        if check.met:
            lines.append(_command("notice", properties, check.as_expected))
        else:
            lines += [_command("error", properties, each) for each in _errors(check)]
        lines += [_command("warning", properties, each) for each in left_out(check.report)]
    return "\n".join(lines)


def left_out(report: "Report") -> list[str]:
    """What a verdict does not speak of: heads and batch elements that were not evaluated."""
    return [each.message for each in report.noted if each.kind in _PARTIAL]


def _properties(name: str, place: Place | None) -> dict[str, str]:
    return {**(place.annotation() if place else {}), "title": f"attnproof {name}"}


def _errors(check: Checked) -> list[str]:
    """What is wrong: the first findings, and how many more there are."""
    found = check.report.findings
    messages = [each.message for each in found if each.severity == "error"]
    total = len(messages) + check.report.findings_total - len(found)
    if not messages:
        return [check.told]
    if total <= MOST + 1 == len(messages) or total <= MOST:
        return messages
    return [*messages[:MOST], f"… and {total - len(messages[:MOST])} more"]


def junit(checks: Sequence[Checked], wrong: Sequence[Wrong] = ()) -> str:
    """One test suite, a test case a report; what is unknown, or could not be verified, is an error
    and no failure."""
    unknown = [c for c in checks if not c.met and c.report.verdict is Verdict.UNKNOWN]
    suite = ElementTree.Element(
        "testsuite",
        name="attnproof",
        tests=str(len(checks) + len(wrong)),
        failures=str(sum(not c.met for c in checks) - len(unknown)),
        errors=str(len(unknown) + len(wrong)),
    )
    for each in wrong:
        case = ElementTree.SubElement(
            suite, "testcase", classname="attnproof", name=_legal(each.name)
        )
        ElementTree.SubElement(case, "error", message=_legal(each.why))
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname="attnproof", name=_legal(check.name)
        )
        if not check.met:
            kind = "error" if check in unknown else "failure"
            inside = ElementTree.SubElement(case, kind, message=_legal(check.told))
            inside.text = _legal(str(check.report))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode")


def _command(kind: str, properties: dict[str, str], message: str) -> str:
    """A workflow command; its parts may hold no character that ends them.

    >>> _command("error", {"title": "a: b, c"}, "100%\\nsure")
    '::error title=a%3A b%2C c::100%25%0Asure'
    """
    given = ",".join(
        f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{kind} {given}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _legal(text: str) -> str:
    """Without the characters that XML has no place for."""
    return "".join(
        c if c in "\n\t" or (ord(c) >= 32 and ord(c) not in (0xFFFE, 0xFFFF)) else "?" for c in text
    )
