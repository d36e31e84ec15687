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

ROOT = Path(__file__).resolve().parents[2]
PLACES = {  # repository -> wheel, as in [tool.hatch.build.targets.wheel.sources]
    "src/attnproof/": "attnproof/",
    "proofs/": "attnproof/proofs/",
    "symbolic/": "attnproof/symbolic/",
    "numeric/": "attnproof/numeric/",
}


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
        if file.startswith(old)
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

    files: tuple[str, ...]  # of the repository, tracked or about to be
    folder: Path
    editable: Environment
    sdist: Path
    wheel: Path
    wheel_from_sdist: Path
    installed: Environment  # from the wheel


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Copied, installed editable (which makes the links), then built, links and all."""
    if not (ROOT / ".git").exists():
        pytest.skip("git tells which files belong to the project; this is not a checkout")
    listed = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0")
    files = tuple(file for file in sorted(set(listed)) if file and (ROOT / file).is_file())
    top = tmp_path_factory.mktemp("packaging")
    folder = top / "project"
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, folder / file)

    editable = Environment.make(top / "editable")
    editable.install("--editable", folder)

    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    run(*build, top / "both", folder, cwd=top)
    run(*build, top / "direct", "--wheel", folder, cwd=top)
    (sdist,) = (top / "both").glob("*.tar.gz")
    (wheel_from_sdist,) = (top / "both").glob("*.whl")
    (wheel,) = (top / "direct").glob("*.whl")

    installed = Environment.make(top / "installed")
    installed.install(wheel)
    return Project(files, folder, editable, sdist, wheel, wheel_from_sdist, installed)


def members(wheel: Path) -> dict[str, int]:
    """The files of a wheel, each with its checksum."""
    with ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist() if not entry.is_dir()}
