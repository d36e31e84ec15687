"""A test that shows a finding: a file for pytest that fails as long as the mask does.

Files are named from the folder of the test, so that both may move together.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnproof.ask.length_report import LengthReport, Shown
from attnproof.ask.length_words import lists
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.verdict import Finding
from attnproof.values import Report

_WIDTH = 100
#: The end of the first line of a file that was written here.
LAST_WORDS = "; passes once it holds."


@dataclass
class _Code:
    """The lines of a test as they are written; ``folder`` is where it will stand."""

    folder: Path
    imports: dict[str, None] = field(default_factory=dict)
    opened: list[tuple[str, list[str]]] = field(default_factory=list)

    def text(self, given: str) -> str:
        """A text as an expression; one that names a file is found from the folder of the test.

        >>> _Code(Path()).text("causal")
        '"causal"'
        """
        path, colon, rest = given.rpartition(":") if ":" in given else (given, "", "")
        if not Path(path).is_file():
            return f'"{_quoted(given)}"'
        self.imports["from pathlib import Path"] = None
        there = Path(os.path.relpath(Path(path).resolve(), self.folder.resolve())).as_posix()
        within = _quoted(f"{there}{colon}{rest}").replace("{", "{{").replace("}", "}}")
        return f'f"{{HERE}}/{within}"'

    def value(self, given: Any) -> str:
        """Any value as an expression."""
        if isinstance(given, str):
            return self.text(given)
        if isinstance(given, os.PathLike):
            return self.text(os.fspath(given))
        given = given.tolist() if hasattr(given, "tolist") else given
        if isinstance(given, Mapping):
            pairs = (f'"{_quoted(str(key))}": {self.value(x)}' for key, x in given.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(given, list | tuple):
            inner = ", ".join(map(self.value, given))
            if isinstance(given, tuple):
                return f"({inner}{',' if len(given) == 1 else ''})"
            return f"[{inner}]"
        return repr(given)

    def held(
        self, source: str, tensors: Mapping[str, Any], params: Mapping[str, Any], name: str
    ) -> str:
        """A source as an expression, within a block where its tensors hold some values and that
        calls it by a name."""
        if not tensors and not params:
            return self.text(source)
        return self._opened(source, tensors, params, name)

    def predicate(self, source: str, tensors: Mapping[str, Any], params: Mapping[str, Any]) -> str:
        """A predicate as an expression, its further arguments given by name."""
        if not params:
            return self.held(source, tensors, {}, "forbidden")
        self.imports["from functools import partial"] = None
        name = self._opened(source, tensors, {}, "forbidden")
        return f"partial({name}, {', '.join(f'{x}={self.value(y)}' for x, y in params.items())})"

    def _opened(
        self, source: str, tensors: Mapping[str, Any], params: Mapping[str, Any], name: str
    ) -> str:
        self.imports["from attnproof.testing import holding"] = None
        parts = [self.text(source)]
        if tensors:
            parts.append(self.value(lists(tensors)))
        if params:
            parts.append(f"params={self.value(params)}")
        self.opened.append((name, parts))
        return name

    def blocks(self) -> tuple[list[str], str]:
        """The lines that open the blocks, and how far what stands in them is indented."""
        lines, indent = [], "    "
        for name, parts in self.opened:
            line = f"{indent}with holding({', '.join(parts)}) as {name}:"
            if len(line) <= _WIDTH:
                lines.append(line)
            else:
                inner = [f"{indent}    {part}," for part in parts]
                lines += [f"{indent}with holding(", *inner, f"{indent}) as {name}:"]
            indent += "    "
        return lines, indent


def emitted(
    report: Report, sources: Sequence[str], options: Mapping[str, object], path: str
) -> str | None:
    """The text of a test for the first error of a report; None where nothing fails.

    ``options`` are the keywords with which ``verify`` was asked, those that are not the default.
    Raises :class:`InputError` for a source that a file cannot name, such as standard input.
    """
    found = next((x for x in report.findings if x.severity == "error"), None)
    if found is None or not report.properties:
        return None
    if "-" in sources:
        raise InputError("standard input cannot be read again by a test; name a file")
    code = _Code(Path(path).absolute().parent)
    if isinstance(report, LengthReport):
        call = _of_length(report.shown[str(found.property)], sources, options, code)
    else:
        call = _call([code.text(source) for source in sources], options, code)
    return _file(report, found, call, code)


def _of_length(
    shown: Shown, sources: Sequence[str], options: Mapping[str, object], code: _Code
) -> str:
    keyword, value = shown.keyword
    masks = []
    named: dict[str, object] = {}
    for number, (source, layer) in enumerate(zip(sources, shown.layers, strict=True), 1):
        name = "mask" if len(sources) == 1 else f"layer_{number}"
        if ":" in source:
            masks.append(code.held(source, layer.tensors, layer.params, name))
        else:
            masks.append(code.text(source))
            named |= {"n": shown.n} | ({"params": layer.params} if layer.params else {})
    written = {**shown.options, **named}
    if shown.other is None:
        return _call(masks, {**written, keyword: value}, code)
    given = str(options[keyword])
    other = shown.other
    tensors, params = (other.tensors, other.params) if ":" in given else ({}, {})
    if keyword == "forbid":
        held = code.predicate(given, tensors, params)
    else:
        held = code.held(given, tensors, params, "other")
    return _call(masks, written, code, f"{keyword}={held}")


def _call(masks: Sequence[str], options: Mapping[str, object], code: _Code, *more: str) -> str:
    parts = [*masks, *(f"{name}={code.value(x)}" for name, x in options.items()), *more]
    line = f"ap.assert_no_leak({', '.join(parts)})"
    if len(line) + 4 * (1 + len(code.opened)) <= _WIDTH:
        return line
    inner = "".join(f"    {part},\n" for part in parts)
    return f"ap.assert_no_leak(\n{inner})"


def _file(report: Report, found: Finding, call: str, code: _Code) -> str:
    source = report.source.partition(" then ")[0].rpartition(":")[2]
    words = "_".join(re.findall(r"[a-z0-9]+", f"{Path(source).stem} {found.property}".lower()))
    body, indent = code.blocks()
    body += [indent + line for line in call.splitlines()]
    standard = sorted(line for line in code.imports if "attnproof" not in line)
    own = [line for line in code.imports if "attnproof" in line]
    lines = [
        f'"""{_quoted(report.source)} fails {found.property}{LAST_WORDS}"""',
        "",
    ]
    lines += [*standard, *([""] if standard else []), "import attnproof as ap", *own, ""]
    lines += ["HERE = Path(__file__).parent", ""] if standard else []
    message = " ".join(found.message.splitlines())
    message = message if len(message) < _WIDTH else f"{message[: _WIDTH - 9]} ..."
    lines += ["", f"def test_{words}() -> None:", f"    # {message}", *body, ""]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """What stands between double quotes in Python; names hold quotes and backslashes at times.

    >>> print(_quoted('a"b'))
    a\\"b
    """
    return json.dumps(text, ensure_ascii=False)[1:-1]
