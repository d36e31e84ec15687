"""Program files: ``[[call]]`` tables, and the task that the program is for, strictly.

The task is named (``task = "task.toml"`` or ``"family.toml:0"``, beside the program), written out
(``[task]``, or its own keys at the top), or merged from a family (``family = "family.toml"``, or
``[family]`` with a builder or tables). ``given`` lists the atoms known at the start.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.families.family import Family
from attnproof.symbolic.tasks import families, schema
from attnproof.symbolic.tasks.keys import Table
from attnproof.symbolic.tasks.parsing import read, toml_data
from attnproof.symbolic.tasks.program import Call, Emit, Kept, Program
from attnproof.symbolic.tasks.task import Task

_PROGRAM = ("call", "calls", "given", "task", "family")
_CALL = ("name", "position", "positions", "mask", "reuse", "emit")
_WAYS = 'task = "task.toml", [task], the task\'s own keys, or [family]'


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """A program, and the task that its file names; None where it names none.

    ``others`` are the paths of the files that it names.
    """

    program: Program
    task: Task | None
    others: tuple[str, ...] = ()


def load(path: str | Path) -> ProgramFile:
    """The program of a ``.toml`` or ``.json`` file; files that it names are looked for beside it.

    Raises :class:`FileError` for a file that cannot be read and :class:`TaskError`, which names the
    key, for one that is no program.
    """
    folder = Path(path).parent
    wanted = "a file with an inference program"
    return read(path, wanted, lambda data: from_table(data, folder))


def from_toml(text: str, folder: Path = Path()) -> ProgramFile:
    """A program written in TOML.

    >>> from_toml('''
    ... given = ["x1"]
    ... [[call]]
    ... position = [{atoms = ["x1"], pos = 1}]
    ... mask = {rows = ["1"]}
    ... emit = {0 = "x2"}
    ... ''').program
    Program: 1 call, 1 position computed, 0 reused, given x1
    """
    return from_table(toml_data(text), folder)


def from_table(data: object, folder: Path = Path()) -> ProgramFile:
    """A program from a parsed table."""
    table = Table(data, "", (*_PROGRAM, *schema.TASK_KEYS), TaskError)
    calls = table.each(schema.spelling(table, "call"), _call)
    given = table.names("given") if "given" in table.data else ()
    program = Program.build(calls, given=given, name=table.text("name", ""))
    named = (table.data.get(key) for key in ("task", "family"))
    others = tuple(
        families.split_index(folder / path)[0] for path in named if isinstance(path, str)
    )
    return ProgramFile(program, _task(table, folder), others)


def _task(table: Table, folder: Path) -> Task | None:
    own = {key: value for key, value in table.data.items() if key not in _PROGRAM}
    said = [key for key in ("task", "family") if key in table.data]
    said += ["the task's own keys"] if own.keys() - {"name"} else []
    if len(said) > 1:
        raise TaskError(
            f"the file names its task twice, by {' and '.join(said)}; keep one of {_WAYS}",
            where="task",
        )
    if "task" in table.data:
        named = table.data["task"]
        if isinstance(named, str):
            return families.load_task(folder / named)
        return schema.from_table(named, "task")
    if "family" in table.data:
        named = table.data["family"]
        return _merged(
            families.load(folder / named)
            if isinstance(named, str)
            else families.from_table(
                named if isinstance(named, Mapping) and "task" in named else {"family": named}
            )
        )
    return schema.from_table(own) if said else None


def _merged(family: Family) -> Task:
    from attnproof.symbolic.tasks.merge import merge

    return merge(family).task


def _call(data: object, where: str) -> Call:
    table = Table(data, where, _CALL, TaskError)
    positions = table.each(schema.spelling(table, "position"), schema.read_position)
    mask = table.need("mask", f"[{where.partition('[')[0]}.mask] with rows or a builder")
    return Call(
        positions,
        schema.read_mask(mask, table.path("mask")),
        _reuse(table),
        _emits(table),
        table.text("name", ""),
    )


def _reuse(table: Table) -> dict[int, Kept]:
    """``{position = [call, position]}``, or tables of position, call, from."""
    value = _named(table, "reuse")
    if isinstance(value, Mapping):
        return {_index(table, "reuse", p): _kept(table, p, kept) for p, kept in value.items()}
    found: dict[int, Kept] = {}
    for p, kept in table.each("reuse", _reused):
        if p in found:
            raise table.fail("reuse", f"names position {p} twice; name it once", position=p)
        found[p] = kept
    return found


def _reused(data: object, where: str) -> tuple[int, Kept]:
    table = Table(data, where, ("position", "call", "from"), TaskError)
    return (
        table.integer("position", "the index of a position of this call"),
        (
            table.integer("call", "the index of an earlier call"),
            table.integer("from", "the index of a position of that call"),
        ),
    )


def _kept(table: Table, p: str, value: object) -> Kept:
    pair = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    numbers = [one for one in pair if isinstance(one, int) and not isinstance(one, bool)]
    if len(pair) != 2 or len(numbers) != 2:
        raise table.wrong(f"reuse.{p}", value, "[call, position], an earlier call and its position")
    return numbers[0], numbers[1]


def _emits(table: Table) -> tuple[Emit, ...]:
    """``{position = atom}``, with one atom or several, or tables of position, atom, head."""
    value = _named(table, "emit")
    if not isinstance(value, Mapping):
        return table.each("emit", _emit)
    inner = Table(value, table.path("emit"), list(value), TaskError)
    return tuple(
        Emit(_index(table, "emit", p), atom)
        for p, told in value.items()
        for atom in ([inner.text(p, "")] if isinstance(told, str) else inner.names(p))
    )


def _emit(data: object, where: str) -> Emit:
    table = Table(data, where, ("position", "atom", "head"), TaskError)
    table.need("atom", "atom = the name of an atom")
    return Emit(
        table.integer("position", "the index of a position of this call"),
        table.text("atom", ""),
        table.integer("head", least=0) if "head" in table.data else None,
    )


def _named(table: Table, key: str) -> object:
    """The table at a key, its keys as text: a table of Python may have numbers."""
    value = table.data.get(key, {})
    if not isinstance(value, Mapping):
        return value
    texts = {str(p): told for p, told in value.items()}
    if len(texts) < len(value):
        raise table.fail(key, "names a position twice, as a number and as text; name it once")
    return texts


def _index(table: Table, key: str, text: object) -> int:
    if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= 15:
        return int(text)
    raise table.fail(
        key, f"has the key {text!r}; a key is the index of a position of this call", given=text
    )
