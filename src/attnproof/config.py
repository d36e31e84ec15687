"""The masks of a project: ``[[tool.attnproof.mask]]`` in its pyproject.toml.

Each entry names a SOURCE, how to evaluate it, what it must satisfy and which verdict is expected::

    [[tool.attnproof.mask]]
    source = "mypkg.masks:packed"        # any SOURCE; files are found from pyproject.toml's folder
    params = { ids = "@ids.npy" }        # as --param
    n = 256                              # or all_n = true, with symbolic = ["keys"] for
                                         # parameters and assume = ["ids=nondecreasing"]
    properties = ["causal", "documents=ids.npy"]
    expect = "holds"                     # or "fails", "unknown"

The other options of ``attnproof verify`` that say how a mask is read are keys of the same name
(``heads = 8``, ``batches = 2``, ``layout = "b h q k"``, ...). With ``per_layer = true`` the source
is a list, the masks of successive layers. ``assume`` is a list of ``"ids=nondecreasing"``, or a
table.

A property is written as on the command line: a flag by its name (``causal``, ``next-token``), what
takes a value with ``=`` (``documents=3,3``, ``forbid=pairs.json``, ``task=task.toml``,
``equals=causal``), structure by its name (``reflexive``, ``transitive``, ``antisymmetric``,
``no-empty-rows``, ``depth=2``).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attnproof.parameters import Assumptions
from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.tasks.keys import Table, shown
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import suggestion

_ENTRY = (
    *("source", "params", "n", "all_n", "properties", "expect", "encoding", "q_offset", "layers"),
    *("residual", "empty_row", "symbolic", "assume", "budget", "per_layer", "heads", "batches"),
    *("batch", "layout", "queries", "split", "max_findings"),
)
PROJECT = "pyproject.toml"
_HEADER = re.compile(r"\s*\[\[\s*tool\s*\.\s*attnproof\s*\.\s*mask\s*\]\]")
_NUMBERED = re.compile(r"tool\.attnproof\.mask\[(\d+)\]")
_FLAGS = ("causal", "next-token")
_VALUED = ("documents", "forbid", "task", "equals")
_STRUCTURE = ("reflexive", "transitive", "antisymmetric", "no-empty-rows", "depth")
_EXAMPLE = '[[tool.attnproof.mask]] with source = "causal", n = 8, properties = ["causal"]'


@dataclass(frozen=True, slots=True)
class Asked:
    """A property as the option of ``attnproof verify`` that asks for it, with its value.

    >>> Asked("documents", "3,3"), Asked("property", "depth=2")
    (--documents 3,3, --property depth=2)
    """

    option: str
    value: str | None = None

    def __repr__(self) -> str:
        return f"--{self.option}" + ("" if self.value is None else f" {self.value}")


@dataclass(frozen=True)
class Entry:
    """One mask of a project, or those of its successive layers. Files are relative to ``folder``;
    None is "not given"."""

    sources: tuple[str, ...]
    folder: Path
    where: str
    params: Mapping[str, object]
    n: int | None = None
    all_n: bool = False
    properties: tuple[Asked, ...] = ()
    expect: Verdict = Verdict.HOLDS
    encoding: str | None = None
    q_offset: int | None = None
    layers: int | None = None
    residual: bool = True
    empty_row: str | None = None
    symbolic: tuple[str, ...] = ()
    assume: Assumptions = ()
    budget: int | None = None
    per_layer: bool = False
    heads: int | None = None
    batches: int | None = None
    batch: int | None = None
    layout: str | None = None
    queries: int | None = None
    split: bool = False
    max_findings: int = 100
    line: int | None = None

    @property
    def source(self) -> str:
        """The source as a report calls it."""
        return " then ".join(self.sources)


def entries(start: Path) -> list[Entry]:
    """The entries of the nearest pyproject.toml, in or above ``start``, with a ``tool.attnproof``.

    Raises :class:`InputError` where there is none, or an entry cannot be read.
    """
    folder = start.resolve()
    for place in (folder, *folder.parents):
        path = place / PROJECT
        if path.is_file():
            section = _section(path)
            if section is not None:
                return _entries(section, path)
    raise InputError(
        f"no pyproject.toml in or above {start} has a [tool.attnproof] table; name a SOURCE, or "
        f"add {_EXAMPLE}",
        start=str(start),
    )


def asked(text: str) -> Asked:
    """A property string as the option that asks for it.

    >>> asked("causal"), asked("depth=2"), asked("documents=3,3")
    (--causal, --property depth=2, --documents 3,3)
    """
    name, equals, value = text.partition("=")
    known = (*_FLAGS, *_VALUED, *_STRUCTURE)
    if name not in known:
        raise InputError(f"is {shown(text)}; {suggestion(name, known)}", property=text)
    takes = name in _VALUED or name == "depth"
    if takes and not value:
        raise InputError(f"is {shown(text)}; give its value, {name}=...", property=text)
    if equals and not takes:
        raise InputError(f"is {shown(text)}; {name} takes no value", property=text)
    if name == "depth" and not (value.isascii() and value.isdecimal()):
        raise InputError(f"is {shown(text)}; give a number of layers, depth=2", property=text)
    if name in _STRUCTURE:
        return Asked("property", text)
    return Asked(name, value if takes else None)


def _section(path: Path) -> object | None:
    import tomllib

    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}", path=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"{path} is not valid TOML: {error}", path=str(path)) from None
    tool = data.get("tool")
    return tool.get("attnproof") if isinstance(tool, dict) else None


def _entries(section: object, path: Path) -> list[Entry]:
    try:
        table = Table(section, "tool.attnproof", ["mask"])
        found = table.each("mask", lambda data, where: _entry(data, where, path.parent))
    except InputError as error:
        parts = {**error.parts, "path": str(path), "line": _line(error, section, path)}
        raise InputError(f"{path}: {error}", **parts) from None
    if not found:
        raise InputError(f"{path}: tool.attnproof names no mask; add {_EXAMPLE}", path=str(path))
    lines = _lines(path, len(found))
    return [replace(entry, line=line) for entry, line in zip(found, lines, strict=True)]


def _lines(path: Path, count: int) -> list[int] | list[None]:
    """The lines of a file on which its entries begin; None for each where that is not plain."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    return found if len(found) == count else [None] * count


def _line(error: InputError, section: object, path: Path) -> int | None:
    """The line on which the entry begins that an error is about."""
    entry = _NUMBERED.match(str(error.parts.get("where")))
    if entry is None or not isinstance(section, Mapping):
        return None
    return _lines(path, len(section["mask"]))[int(entry[1])]


def _entry(data: object, where: str, folder: Path) -> Entry:
    table = Table(data, where, _ENTRY)
    per_layer = table.flag("per_layer", False)
    entry = Entry(
        sources=_sources(table, per_layer),
        folder=folder,
        where=where,
        params=_params(table),
        n=_number(table, "n", 1),
        all_n=table.flag("all_n", False),
        properties=_properties(table),
        expect=table.choice("expect", Verdict.HOLDS),
        encoding=table.text("encoding", "") or None,
        q_offset=_number(table, "q_offset", 0),
        layers=_number(table, "layers", 0),
        residual=table.flag("residual", True),
        empty_row=table.text("empty_row", "") or None,
        symbolic=table.names("symbolic") if "symbolic" in table.data else (),
        assume=_assumed(table),
        budget=_number(table, "budget", 1),
        per_layer=per_layer,
        heads=_number(table, "heads", 1),
        batches=_number(table, "batches", 1),
        batch=_number(table, "batch", 0),
        layout=table.text("layout", "") or None,
        queries=_number(table, "queries", 1),
        split=table.flag("split", False),
        max_findings=_number(table, "max_findings", 1) or 100,
    )
    if entry.all_n and entry.n is not None:
        raise table.fail("all_n", f"and n = {entry.n} are both given; keep one of them")
    if "expect" in table.data and not entry.properties:
        raise table.fail("expect", 'has no properties to hold or fail; add properties = ["causal"]')
    return entry


def _sources(table: Table, per_layer: bool) -> tuple[str, ...]:
    """A source, or a list of those of successive layers."""
    value = table.need("source", 'source = "..."')
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise table.wrong("source", value, "a string, or with per_layer = true a list of strings")
    found = table.names("source")
    if not found:
        raise table.fail("source", "names no mask; list one for each layer")
    if not per_layer:
        raise table.fail(
            "source",
            f"is a list of {len(found)}; with per_layer = true they are the masks of successive "
            "layers, without it give one",
        )
    return found


def _number(table: Table, key: str, least: int) -> int | None:
    """An integer, or None where it is not given."""
    return table.integer(key, least=least) if key in table.data else None


def _assumed(table: Table) -> Assumptions:
    """A list of ``"NAME=FACT"``, or facts by name."""
    value = table.data.get("assume", ())
    if not isinstance(value, Mapping):
        return table.names("assume") if "assume" in table.data else ()
    facts = Table(value, table.path("assume"), value.keys())
    return {
        name: (fact,) if isinstance(fact, str) else facts.names(name)
        for name, fact in value.items()
    }


def _params(table: Table) -> dict[str, object]:
    value = table.data.get("params", {})
    if not isinstance(value, Mapping):
        raise table.wrong("params", value, "a table, { name = value }")
    return dict(value)


def _properties(table: Table) -> tuple[Asked, ...]:
    if "properties" not in table.data:
        return ()
    found = []
    for i, text in enumerate(table.names("properties")):
        try:
            found.append(asked(text))
        except InputError as error:
            raise table.fail(f"properties[{i}]", str(error), **error.parts) from None
    return tuple(found)
