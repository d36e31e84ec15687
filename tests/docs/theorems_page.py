"""``python -m tests.docs.theorems_page``: docs/theorems.md from the Coq files, the checker, and
docs/theorems.toml.

A statement in words is the comment that stands before a theorem in its file.
"""

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnproof.symbolic.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COQ = ROOT / "proofs/theorems"
CHECKER = ROOT / "proofs/checker"

_NAMED = re.compile(
    r"^\(\*\*(?P<words>(?:(?!\*\)).)*)\*\)\n"
    r"(?P<code>(?P<kind>Theorem|Corollary|Lemma|Definition|Fixpoint|Record|Inductive)"
    r" (?P<name>\w+).*?\.)(?=\s*(?:\Z|\n(?:\n|Proof|Section|End|Argument)))",
    re.MULTILINE | re.DOTALL,
)
_STATED = re.compile(r"``(\w+\.\w+)``")


@dataclass(frozen=True)
class Entry:
    """A definition or a statement of a Coq file; ``code`` is its text without a proof."""

    kind: str
    name: str
    words: str
    code: str


def main() -> None:
    """Write the page."""
    write_atomically(DOCS / "theorems.md", page())


def entries(file: str) -> list[Entry]:
    """What a Coq file defines and states, in its order."""
    text = (COQ / f"{file}.v").read_text()
    return [
        Entry(found["kind"], found["name"], _words(found["words"]), found["code"])
        for found in _NAMED.finditer(text)
    ]


def opening(file: str) -> str:
    """The first comment of a Coq file."""
    text = (COQ / f"{file}.v").read_text()
    return _words(text[len("(**") : text.index("*)")])


def table() -> dict[str, Any]:
    """docs/theorems.toml."""
    return tomllib.loads((DOCS / "theorems.toml").read_text())


def kernels() -> dict[str, tuple[str, ...]]:
    """Module of the checker to the theorems that its docstring names."""
    found = {}
    for file in sorted(CHECKER.glob("*.py")):
        _, _, after = (ast.get_docstring(ast.parse(file.read_text())) or "").partition(
            "Machine-checked:"
        )
        if after:
            found[file.stem] = tuple(_STATED.findall(after))
    return found


def python(name: str) -> str:
    """The text of a function of the checker: ``module.function`` or ``module.Class.method``."""
    module, *path = name.split(".")
    text = (CHECKER / f"{module}.py").read_text()
    node: ast.AST = ast.parse(text)
    for part in path:
        (node,) = (
            one
            for one in ast.iter_child_nodes(node)
            if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == part
        )
    assert isinstance(node, ast.FunctionDef)
    lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
    return "\n".join(line[node.col_offset :] for line in lines)


def page() -> str:
    """The whole page."""
    data = table()
    statements = sum(
        entry.kind in ("Theorem", "Corollary")
        for section in data["section"]
        for file in section["file"]
        for entry in entries(file["name"])
    )
    return f"""# Theorems

The checker decides whether a certificate proves its claim about one mask. Why its tests are enough
is mathematics about all masks, and {statements} theorems and corollaries of it are written in Coq,
in `proofs/theorems`, with the finite types of mathcomp or over Coq's rationals, and without an
axiom. `make theorems` compiles them, asks Coq of every statement that it rests on no axiom, has the
separate checker `coqchk` read them again, and runs the functions that the theorems speak of beside
the checker's kernels, on every mask of up to four positions and on larger ones drawn at random.

In all of them `A q k` says that query `q` may read key `k`, and the head of a list of layers is the
layer that runs last. Positions are any finite set; where a theorem needs no finiteness, it says so.

What claims about every length rest on, depth and invariants on any set, is proved a second time by
z3, through knuckledragger: `tests/theorems`, a part of `make test`.

Not in Coq, because it is about real numbers: that a softmax attends to its keys with the weights it
should, exactness with softmax, and the gradient flow. Coq's reals are themselves axioms.

{_sections(data)}
## The kernels

The module of the checker, and the theorems that make its tests sufficient. What a kernel adds of
its own is said in words where it does so; kernels that replay a claim step by step need no theorem.

| kernel | theorems |
|---|---|
{_kernels()}

## The same in Coq and in Python

Coq speaks of relations, the checker is Python. These definitions must mean the same; that they do
is a matter of reading, and of the comparison that `make theorems` runs.

{_definitions(data)}"""


def _sections(data: dict[str, Any]) -> str:
    parts = []
    for section in data["section"]:
        parts.append(f"## {section['title']}\n")
        for file in section["file"]:
            name = file["name"]
            rows = "\n".join(
                f"| `{entry.name}` | {entry.words} |"
                for entry in entries(name)
                if entry.kind in ("Theorem", "Corollary")
            )
            listed = f"| theorem | says |\n|---|---|\n{rows}\n" if rows else ""
            parts.append(
                f"### {name}\n\n{opening(name)}\n\n"
                f"*Source*: {file['source']}. *Gives the checker*: {file['gives']}.\n"
            )
            if listed:
                parts.append(listed)
    return "\n".join(parts)


def _kernels() -> str:
    return "\n".join(
        f"| `{module}` | {', '.join(f'`{name}`' for name in names)} |"
        for module, names in kernels().items()
    )


def _definitions(data: dict[str, Any]) -> str:
    return "\n".join(_definition(one) for one in data["definition"])


def _definition(pair: dict[str, str]) -> str:
    return (
        f"### {pair['coq']} and {pair['python']}\n\n{pair['why']}\n\n"
        f"```{{code-block}} coq\n{_coq(pair['coq'])}\n```\n\n"
        f"```{{code-block}} py\n{python(pair['python'])}\n```\n"
    )


def _coq(name: str) -> str:
    file, wanted = name.split(".")
    (found,) = (entry.code for entry in entries(file) if entry.name == wanted)
    return found


def _words(comment: str) -> str:
    """A comment as one line of Markdown, its [code] quoted."""
    text = " ".join(comment.split()).replace("|", "\\|")
    return re.sub(r"\[([^\]]+)\]", r"`\1`", text)


if __name__ == "__main__":
    main()
