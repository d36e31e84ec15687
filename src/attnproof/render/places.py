"""Where the source of a mask stands: a file and a line, for annotations.

Convention: paths are relative to the root of the repository, with forward slashes.
"""

import ast
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and the line of it where that is known."""

    path: Path
    line: int | None = None

    def annotation(self) -> dict[str, str]:
        """The file and line as a workflow command has them."""
        line = {} if self.line is None else {"line": str(self.line)}
        return {"file": shown(self.path), **line}


def place_of(source: str, folder: Path) -> Place | None:
    """The definition of a rule that is named as ``path/file.py:name`` or ``pkg.mod:name``.

    A file is read, and not run; a module is known where it was imported. None for other sources.
    """
    owner, _, name = source.rpartition(":")
    if owner.endswith(".py"):
        path = folder / owner
    else:
        file = getattr(sys.modules.get(owner), "__file__", None)
        if file is None:
            return None
        path = Path(file)
    return Place(path, _line(path, name))


def shown(path: Path) -> str:
    """A path relative to the root of the repository that it is in, else to the current folder.

    The root is ``GITHUB_WORKSPACE``, or the nearest folder above with ``.git``.
    """
    whole = path.resolve()
    workspace = os.environ.get("GITHUB_WORKSPACE")
    roots = [Path(workspace).resolve()] if workspace else []
    roots += [folder for folder in whole.parents if (folder / ".git").exists()][:1]
    for root in (*roots, Path.cwd()):
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return whole.as_posix()


def _line(path: Path, name: str) -> int | None:
    """The line that defines a name, with attributes after dots, or binds it at all."""
    try:
        inside: list[ast.stmt] = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return None
    line = None
    for part in name.split("."):
        bound = [each for each in inside if part in _binds(each)]
        if not bound:
            break
        line = bound[-1].lineno
        inside = bound[-1].body if isinstance(bound[-1], ast.ClassDef) else []
    return line


def _binds(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value to."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {x.id for each in targets for x in ast.walk(each) if isinstance(x, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {each.asname or each.name for each in names}
        case _:
            return set()
