"""Who may import whom, where a list of forbidden names cannot say it."""

import ast
import sys
from pathlib import Path

import pytest

CHECKER = Path(__file__).resolve().parents[2] / "proofs" / "checker"


def imported(source: str) -> list[str]:
    """The modules a source file imports anywhere, relative ones with their leading dots."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    return names


@pytest.mark.parametrize("file", sorted(CHECKER.rglob("*.py")), ids=lambda file: file.name)
def test_checker_needs_only_the_standard_library(file: Path) -> None:
    """Each import of the checker is of its own folder or of the standard library."""
    depth = len(file.relative_to(CHECKER).parts)
    for name in imported(file.read_text()):
        dots = len(name) - len(name.lstrip("."))
        assert dots <= depth, f"{name} leaves the folder"
        assert dots or name.partition(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize("file", sorted(CHECKER.rglob("*.py")), ids=lambda file: file.name)
def test_checker_holds_no_assert(file: Path) -> None:
    """``python -O`` removes assert, so nothing in the checker relies on it."""
    tree = ast.parse(file.read_text())
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def test_imports_are_seen_wherever_they_stand() -> None:
    """The reader of imports finds those inside functions and keeps the dots of relative ones."""
    source = "import a.b\ndef f():\n    from ..c import d\n    from . import e\n"
    assert imported(source) == ["a.b", "..c", "."]
