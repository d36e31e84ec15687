"""One build of the project for all packaging tests, from a copy of the tracked files."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
PLACES = {  # repository -> wheel, as in [tool.hatch.build.targets.wheel.sources]
    "src/attnproof/": "attnproof/",
    "proofs/": "attnproof/proofs/",
    "symbolic/": "attnproof/symbolic/",
    "numeric/": "attnproof/numeric/",
}

LEFT_OUT = "proofs/theorems/"  # Coq


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def sources(files: Sequence[str]) -> set[str]:
    """The given repository files that belong into the wheel, under their names there."""
    return {
        new + file.removeprefix(old)
        for file in files
        for old, new in PLACES.items()
        if file.startswith(old) and not file.startswith(LEFT_OUT)
    }


def modules(files: Sequence[str]) -> list[str]:
    """The dotted names of the modules among the given repository files."""
    paths = [PurePosixPath(file) for file in sorted(sources(files)) if file.endswith(".py")]
    return [
        ".".join(path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts)
        for path in paths
        if path.name != "__main__.py"
    ]


@dataclass(frozen=True)
class Environment:
    """An environment of its own that also sees the packages of the running one, not their links."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @classmethod
    def make(cls, folder: Path) -> "Environment":
        """A new one without attnproof: ``.pth`` files are not followed from another ``.pth``."""
        venv.create(folder, symlinks=True)
        scheme = {"base": str(folder), "platbase": str(folder)}
        site = Path(sysconfig.get_path("purelib", "venv", scheme))
        (site / "outer.pth").write_text(sysconfig.get_path("purelib") + "\n")
        return cls(folder)

    def install(self, *what: str | Path) -> None:
        """pip install, without network and dependencies."""
        pip = (sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet")
        alone = ("--no-index", "--no-deps", "--ignore-installed", "--no-build-isolation")
        run(*pip, *alone, *what, cwd=self.folder)


@dataclass(frozen=True)
class Project:
    """A copy of the project with an editable install, as a developer has it, and what it builds."""

    top: Path
    files: tuple[str, ...]  # of the repository, tracked or about to be

    @property
    def folder(self) -> Path:
        """The copy."""
        return self.top / "project"

    @property
    def editable(self) -> Environment:
        """Has the copy installed editable, which makes the links in the copy."""
        return Environment(self.top / "editable")

    @property
    def installed(self) -> Environment:
        """Has the wheel installed."""
        return Environment(self.top / "installed")

    @property
    def sdist(self) -> Path:
        """Built with the links in place, as the wheel."""
        (file,) = (self.top / "from_sdist").glob("*.tar.gz")
        return file

    @property
    def wheel(self) -> Path:
        """Built from the tree."""
        (file,) = (self.top / "direct").glob("*.whl")
        return file

    @property
    def wheel_from_sdist(self) -> Path:
        """Built from the sdist."""
        (file,) = (self.top / "from_sdist").glob("*.whl")
        return file

    def make(self) -> None:
        """Copy, install editable, build, install the wheel."""
        for file in self.files:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, self.folder / file)
        Environment.make(self.editable.folder).install("--editable", self.folder)
        build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
        run(*build, self.top / "from_sdist", self.folder, cwd=self.top)
        run(*build, self.top / "direct", "--wheel", self.folder, cwd=self.top)
        Environment.make(self.installed.folder).install(self.wheel)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Project:
    """Made once; with several workers the first one makes it and the others wait."""
    if not (ROOT / ".git").exists():
        pytest.skip("git tells which files belong to the project; this is not a checkout")
    listed = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0")
    files = tuple(file for file in sorted(set(listed)) if file and (ROOT / file).is_file())
    own = tmp_path_factory.getbasetemp()
    made = Project((own if worker_id == "master" else own.parent) / "packaging", files)
    made.top.mkdir(exist_ok=True)
    with FileLock(made.top / "lock"):
        if not (made.top / "ready").exists():
            made.make()
            (made.top / "ready").touch()
    return made


def members(wheel: Path) -> dict[str, int]:
    """The files of a wheel, each with its checksum."""
    with ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist() if not entry.is_dir()}
