"""What the pages show is what the package does: every example is run, in a copy of docs/examples.

```python blocks are executed, or checked as doctests when they start with ``>>>``. In ```console
blocks each line after ``$`` is a command and the lines below it are its output; ``...`` stands for
anything, and ``$ echo $?`` shows the exit code of the command before.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Document, Example
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

from tests.forking import Forking

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
PAGES.append(ROOT / "README.md")

SHOWN_ONLY = {"text", "sh", "toml", "json", "yaml", "mermaid", "dot"}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with its output."""
    parts = re.split(r"^\$ (.*)\n?", block, flags=re.MULTILINE)
    assert not parts[0].strip(), f"output without a command: {parts[0]!r}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def run(command: str, forking: Forking) -> tuple[int, str]:
    """The exit code of a command and what it prints, on either stream; a shell runs what is more
    than a call of attnproof."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
    if re.fullmatch(r"attnproof [^|&;<>$`*?(){}~#!\\]*", command) and hasattr(os, "fork"):
        ran = forking.call(shlex.split(command)[1:], Path.cwd(), env, together=True)
        return ran.code, ran.out
    done = subprocess.run(
        command,
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=env,
        check=False,
    )
    return done.returncode, done.stdout


def console(forking: Forking) -> CodeBlockParser:
    """Runs the commands of a block, up to the first whose output is not the one shown."""

    def evaluate(example: Example) -> str | None:
        code = 0
        for command, shown in commands(example.parsed):
            if command == "echo $?":
                got = f"{code}\n"
            else:
                code, got = run(command, forking)
            got = "".join(f"{line.rstrip()}\n" for line in got.strip().splitlines())
            shown = "".join(f"{line.rstrip()}\n" for line in shown.strip().splitlines())
            if not doctest.OutputChecker().check_output(shown, got, doctest.ELLIPSIS):
                return f"$ {command}\n--- shown\n{shown}--- printed\n{got}"
        return None

    return CodeBlockParser("console", evaluate)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forking: Forking
) -> None:
    """Each example of the page, in order, gives what the page shows."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    document = Document.parse(
        str(page),
        PythonCodeBlockParser(doctest_optionflags=OPTIONS),
        console(forking),
    )
    for example in document:
        example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_have_a_known_language(page: Path) -> None:
    """No example escapes: a fenced block is run, or it is of a kind that cannot be."""
    opened = re.findall(r"^```(?!`)([^\n]*)\n.*?^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    executed = {"python", "console"}
    unknown = [name for name in opened if name not in executed | SHOWN_ONLY and name[:1] != "{"]
    assert unknown == []


def test_a_wrong_page_fails(tmp_path: Path, forking: Forking) -> None:
    """A page whose output is not what is printed is reported with both."""
    page = tmp_path / "page.md"
    page.write_text("```console\n$ printf 'a\\nb\\n'\na\n...\n$ printf 'a\\n'\nb\n```\n")
    document = Document.parse(str(page), console(forking))
    with pytest.raises(AssertionError, match=r"--- shown\nb\n--- printed\na\n"):
        next(iter(document)).evaluate()
