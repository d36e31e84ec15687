"""study: an experiment run again from its seed, as records, tables and figures."""

import hashlib
import importlib.metadata
import io
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from attnproof.numeric.studies.study import Record, Study, Table
from attnproof.symbolic.errors import FileError, InputError, MissingExtra
from attnproof.symbolic.files import check_place, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a record may depend on, beside the seed, by the name that it is installed under.
_LIBRARIES = (
    "numpy", "torch", "transformers", "sympy", "mpmath", "python-flint", "z3-solver", "cvc5",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class StudyReport:
    """The records of a study, in the order of its points; ``data`` are the files it was given."""

    study: Study
    seed: int
    quick: bool
    records: tuple[Record, ...]
    data: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the study, and of its files."""
        return self.study.name

    @property
    def tables(self) -> Sequence[Table]:
        """What the records say together."""
        return self.study.tables(self.records)

    def figures(self) -> dict[str, bytes]:
        """The figures as SVG by name.

        Raises :class:`MissingExtra` where matplotlib is not installed.
        """
        if self.study.figures is None:
            return {}
        try:
            import matplotlib
        except ImportError:
            raise MissingExtra("a figure of a study", "plot") from None
        with matplotlib.rc_context({"svg.hashsalt": self.name, "svg.fonttype": "none"}):
            return {name: _svg(each) for name, each in self.study.figures(self.records).items()}

    def to_json(self) -> dict[str, object]:
        """Everything as one JSON object."""
        return {
            "study": self.name,
            "seed": self.seed,
            "quick": self.quick,
            "data": {name: dict(file) for name, file in self.data.items()},
            "versions": versions(),
            "records": list(self.records),
        }

    def json_text(self) -> str:
        """:meth:`to_json` as text, a line a record."""
        head = {key: value for key, value in self.to_json().items() if key != "records"}
        lines = ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in self.records)
        return f'{json.dumps(head, ensure_ascii=False)[:-1]},\n "records": [\n  {lines}\n]}}\n'

    def markdown(self) -> str:
        """The tables as a page."""
        parts = [f"## {each.title}\n\n{each.markdown()}\n" for each in self.tables]
        return "\n".join([f"# {self.name}\n\n{self.study.sentence}\n", *parts])

    def __str__(self) -> str:
        return "\n\n".join(each.text() for each in self.tables)

    def __repr__(self) -> str:
        return f"study {self.name}, seed {self.seed}: {len(self.records)} records"


def study(
    name: str,
    *,
    seed: int = 0,
    quick: bool = False,
    jobs: int = 1,
    backend: str = "loky",
    data: Mapping[str, str] | None = None,
) -> StudyReport:
    """Run a study: every point that its seed draws, or with ``quick`` a few of them.

    ``jobs`` processes run points, -1 is one a core; with the backend "dask" a Dask cluster runs
    them. ``data`` are files that the study reads, by the name of what they hold.

    Raises :class:`InputError` for a name that is not known, a negative seed, no job at all, and
    data that the study does not read; :class:`FileError` for data that cannot be read; and
    :class:`MissingExtra` for a study that needs what is not installed.

    Law: the same seed and the same data give the same records, for any number of ``jobs``, but for
    what stands under ``"seconds"``; other versions of the libraries may round otherwise.
    """
    from attnproof.numeric.studies.registry import study_of
    from attnproof.numeric.studies.running import backend_of, records

    if seed < 0:
        raise InputError(f"the seed is {seed}; give 0 or more", seed=seed)
    if jobs < 1 and jobs != -1:
        raise InputError(
            f"{jobs} jobs were asked for; give 1 or more, or -1 for one a core", jobs=jobs
        )
    asked, files = backend_of(backend), data or {}
    found = study_of(name)
    points = found.drawn(seed, quick, files)
    digests = {key: _digest(path) for key, path in files.items()}
    return StudyReport(found, seed, quick, tuple(records(name, points, jobs, asked)), digests)


def _digest(path: str) -> dict[str, str]:
    """The name of a file without its folder, and what it holds as SHA-256."""
    try:
        with open(path, "rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(
            f"{path} cannot be read ({error.strerror}); name a file that you may read", path=path
        ) from None
    return {"file": os.path.basename(path), "sha256": found}


def versions() -> dict[str, str | None]:
    """The versions that records may depend on; None for what is not installed."""
    from attnproof import __version__

    found: dict[str, str | None] = {"attnproof": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            found[library] = None
    return found


def check_folder(folder: str) -> None:
    """Raise :class:`FileError` where no files can be written to ``folder``, which may be new."""
    place = Path(folder)
    if place.is_dir():
        check_place(place / "study.json")
    elif place.exists() or not place.parent.is_dir():
        raise FileError(
            f"{folder} is no folder, nor a new one in a folder that exists; name such a folder",
            path=folder,
        )
    else:
        check_place(place)


def save(report: StudyReport, folder: str) -> list[str]:
    """Write the records and the tables to a folder, which may be new, each file whole.

    Raises :class:`FileError` where that is not possible.
    """
    check_folder(folder)
    os.makedirs(folder, exist_ok=True)
    written = []
    for suffix, content in ((".json", report.json_text()), (".md", report.markdown())):
        written.append(os.path.join(folder, report.name + suffix))
        write_atomically(written[-1], content)
    return written


def save_figures(report: StudyReport, folder: str) -> list[str]:
    """Write the figures to a folder that exists.

    Raises :class:`MissingExtra` where matplotlib is not installed.
    """
    written = []
    for name, content in report.figures().items():
        written.append(os.path.join(folder, f"{name}.svg"))
        write_atomically(written[-1], content)
    return written


def _svg(figure: "Figure") -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
