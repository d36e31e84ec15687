"""project: the masks that a project names in its pyproject.toml, each against what it expects."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from attnproof.ask.verify import verify
from attnproof.config import PROJECT, Entry, entries
from attnproof.parameters import parse_assumptions, parse_parameters
from attnproof.render.ci import Checked, Wrong
from attnproof.render.places import Place, place_of
from attnproof.symbolic.errors import InputError
from attnproof.values import Report


@dataclass(frozen=True)
class Expected:
    """A report beside the verdict that its entry expects."""

    entry: Entry
    report: Report

    @property
    def checked(self) -> Checked:
        """The report beside what is expected, and where the mask stands."""
        return Checked(self.report, self.entry.expect, _place(self.entry))

    @property
    def met(self) -> bool:
        """Is the verdict the expected one? A description without findings holds."""
        return self.checked.met

    def to_json(self) -> dict[str, object]:
        """The report with what was expected of it."""
        return {**self.report.to_json(), "expect": self.entry.expect.value, "met": self.met}

    def __str__(self) -> str:
        line = f"{'ok      ' if self.met else 'NOT MET '} {self.report.summary}"
        if not self.met:
            return f"{line}: {self.checked.told}\n{self.report}"
        notes = (each.message for each in self.report.findings if each.severity == "note")
        return "\n  note: ".join((line, *notes))


@dataclass(frozen=True)
class Unusable:
    """An entry that could not be run, and why."""

    entry: Entry
    message: str

    @property
    def wrong(self) -> Wrong:
        """The source and the reason, and where the entry stands."""
        return Wrong(self.entry.source, self.message, _place(self.entry, ruled=False))

    def to_json(self) -> dict[str, object]:
        """The source and the reason."""
        return {"source": self.entry.source, "error": self.message}


def project(start: Path) -> tuple[Expected | Unusable, ...]:
    """Verify every ``[[tool.attnproof.mask]]`` of the pyproject.toml in or above a folder.

    Sources and files are found from the folder of that pyproject.toml. Raises
    :class:`~attnproof.errors.InputError` where there is no such table or an entry cannot be read;
    one that cannot be run is told beside the others.
    """
    return tuple(map(_checked, entries(start)))


def _checked(entry: Entry) -> Expected | Unusable:
    try:
        return Expected(entry, _run(entry))
    except InputError as error:
        return Unusable(entry, str(error))


def _place(entry: Entry, *, ruled: bool = True) -> Place:
    """Where the rule of an entry stands; the entry itself where its source is none."""
    sources = entry.sources if ruled else ()
    rules = (place_of(source, entry.folder) for source in sources)
    return next(filter(None, rules), None) or Place(entry.folder / PROJECT, entry.line)


def _run(entry: Entry) -> Report:
    keywords: dict[str, object] = {"params": _params(entry)}
    structure = []
    for asked in entry.properties:
        if asked.option == "property" and asked.value is not None:
            structure.append(asked.value)
        else:
            value = True if asked.value is None else asked.value
            name = asked.option.replace("-", "_")
            if name in keywords and keywords[name] != value:
                raise InputError(
                    f"{entry.where} ({entry.source}): {asked.option} is asked for twice, with "
                    "different values; give each an entry of its own",
                    option=name,
                )
            keywords[name] = value
    if entry.encoding is not None:
        keywords["encoding"] = entry.encoding
    with contextlib.chdir(entry.folder):
        try:
            return verify(
                *entry.sources,
                n=entry.n,
                properties=structure,
                layers=entry.layers,
                q_offset=entry.q_offset,
                residual=entry.residual,
                empty_row=entry.empty_row,
                all_n=entry.all_n,
                symbolic=entry.symbolic,
                assume=parse_assumptions(entry.assume),
                budget=entry.budget,
                per_layer=entry.per_layer,
                heads=entry.heads,
                batches=entry.batches,
                batch=entry.batch,
                layout=entry.layout,
                queries=entry.queries,
                split=entry.split,
                max_findings=entry.max_findings,
                **keywords,  # type: ignore[arg-type]
            )
        except InputError as error:
            raise InputError(f"{entry.where} ({entry.source}): {error}", **error.parts) from None


def _params(entry: Entry) -> dict[str, object]:
    """The parameters; ``"@ids.npy"`` is the array of that file."""
    found = dict(entry.params)
    files = [f"{k}={v}" for k, v in found.items() if isinstance(v, str) and v.startswith("@")]
    with contextlib.chdir(entry.folder):
        return {**found, **parse_parameters(files)}
