"""Reports for machines that run checks: annotations of GitHub, and JUnit XML."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from attnproof.values import Report

FORMATS = ("github", "junit")


@dataclass(frozen=True, slots=True)
class Checked:
    """A report, and the verdict that was expected of it."""

    report: "Report"
    expect: Verdict = Verdict.HOLDS

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


#: A source that could not be verified, and why.
Wrong = tuple[str, str]


def rendered(name: str, checks: Sequence[Checked], wrong: Sequence[Wrong] = ()) -> str:
    """The reports, and what could not be verified, in a format."""
    check_format(name)
    return {"github": github, "junit": junit}[name](checks, wrong)


def github(checks: Sequence[Checked], wrong: Sequence[Wrong] = ()) -> str:
    """A workflow command a finding, on the file that holds the mask; a notice for what holds."""
    lines = [_command("error", {"title": f"attnproof {name}"}, why) for name, why in wrong]
    for check in checks:
        properties = {"title": f"attnproof {check.name}"}
        path, colon, _ = check.report.source.rpartition(".py:")
        if colon:
            properties = {"file": f"{path}.py", **properties}
        if check.met:
            lines.append(_command("notice", properties, check.as_expected))
            continue
        messages = [each.message for each in check.report.findings if each.severity == "error"]
        lines.extend(_command("error", properties, each) for each in messages or [check.told])
        if messages and check.report.findings_total > len(check.report.findings):
            more = f"{check.report.findings_total} findings in all"
            lines.append(_command("error", properties, more))
    return "\n".join(lines)


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
    for name, why in wrong:
        case = ElementTree.SubElement(suite, "testcase", classname="attnproof", name=_legal(name))
        ElementTree.SubElement(case, "error", message=_legal(why))
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
