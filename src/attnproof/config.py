"""The masks of a project: ``[[tool.attnproof.mask]]`` in its pyproject.toml.

Each entry names a SOURCE, how to evaluate it, what it must satisfy and which verdict is expected::

    [[tool.attnproof.mask]]
    source = "mypkg.masks:packed"        # any SOURCE; files are found from pyproject.toml's folder
    params = { ids = "@ids.npy" }        # as --param
    n = 256                              # or all_n = true, with symbolic = ["keys"] for
                                         # parameters and assume = ["ids=nondecreasing"]
    properties = ["causal", "documents=ids.npy"]
    expect = "holds"                     # or "fails", "unknown"

A property is written as on the command line: a flag by its name (``causal``, ``next-token``), what
takes a value with ``=`` (``documents=3,3``, ``forbid=pairs.json``, ``task=task.toml``,
``equals=causal``), structure by its name (``reflexive``, ``transitive``, ``antisymmetric``,
``no-empty-rows``, ``depth=2``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.tasks.keys import Table, shown
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import suggestion

_ENTRY = (
    *("source", "params", "n", "all_n", "properties", "expect", "encoding", "q_offset", "layers"),
    *("residual", "empty_row", "symbolic", "assume", "budget"),
)
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
    """One mask of a project. Files are relative to ``folder``; None is "not given"."""

    source: str
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
    assume: tuple[str, ...] = ()
    budget: int | None = None


def entries(start: Path) -> list[Entry]:
    """The entries of the nearest pyproject.toml, in or above ``start``, with a ``tool.attnproof``.

    Raises :class:`InputError` where there is none, or an entry cannot be read.
    """
    folder = start.resolve()
    for place in (folder, *folder.parents):
        path = place / "pyproject.toml"
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
        raise InputError(f"{path}: {error}", **{**error.parts, "path": str(path)}) from None
    if not found:
        raise InputError(f"{path}: tool.attnproof names no mask; add {_EXAMPLE}", path=str(path))
    return list(found)


def _entry(data: object, where: str, folder: Path) -> Entry:
    table = Table(data, where, _ENTRY)
    table.need("source", 'source = "..."')
    entry = Entry(
        source=table.text("source", ""),
        folder=folder,
        where=where,
        params=_params(table),
        n=table.integer("n", least=1) if "n" in table.data else None,
        all_n=table.flag("all_n", False),
        properties=_properties(table),
        expect=table.choice("expect", Verdict.HOLDS),
        encoding=table.text("encoding", "") or None,
        q_offset=table.integer("q_offset", least=0) if "q_offset" in table.data else None,
        layers=table.integer("layers", least=0) if "layers" in table.data else None,
        residual=table.flag("residual", True),
        empty_row=table.text("empty_row", "") or None,
        symbolic=table.names("symbolic") if "symbolic" in table.data else (),
        assume=table.names("assume") if "assume" in table.data else (),
        budget=table.integer("budget", least=1) if "budget" in table.data else None,
    )
    if entry.all_n and entry.n is not None:
        raise table.fail("all_n", f"and n = {entry.n} are both given; keep one of them")
    if "expect" in table.data and not entry.properties:
        raise table.fail("expect", 'has no properties to hold or fail; add properties = ["causal"]')
    return entry


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
