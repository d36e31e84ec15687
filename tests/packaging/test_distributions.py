"""Wheel, sdist, wheel from sdist and editable install hold the same modules."""

import tarfile

import pytest

from tests.packaging.conftest import Project, members, run, sources


def test_wheel_is_the_tree(project: Project) -> None:
    """Every tracked source is in the wheel under its place, and nothing else but the metadata."""
    inside = members(project.wheel)
    metadata = {name for name in inside if name.split("/")[0].endswith(".dist-info")}
    assert set(inside) - metadata == sources(project.files)
    assert "attnproof/py.typed" in inside
    assert any(name.endswith("/licenses/LICENSE") for name in metadata)


def test_wheel_from_sdist_is_the_wheel(project: Project) -> None:
    """The sdist is enough to build the same wheel, byte by byte."""
    built, direct = members(project.wheel_from_sdist), members(project.wheel)
    assert set(built) == set(direct)
    assert {name for name in direct if built[name] != direct[name]} == set()


def test_sdist_holds_tests_and_docs(project: Project) -> None:
    """Who has the sdist has what the tests, the docs and the commands need."""
    with tarfile.open(project.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    hidden = {file for file in project.files if file.startswith(".")}
    assert set(project.files) - hidden - names == set()


def test_editable_install_sees_new_modules(project: Project) -> None:
    """A module or a subpackage written after an editable install is importable at once."""
    added = [
        "symbolic/written_later.py",
        "numeric/written_later/__init__.py",
        "proofs/checker/written_later.py",
        "src/attnproof/written_later.py",
    ]
    for file in added:
        (project.folder / file).parent.mkdir(exist_ok=True)
        (project.folder / file).write_text("HERE = __file__\n")
    try:
        statement = "; ".join(
            f"import {name}; print({name}.HERE)"
            for name in (
                "attnproof.symbolic.written_later",
                "attnproof.numeric.written_later",
                "attnproof.proofs.checker.written_later",
                "attnproof.written_later",
            )
        )
        printed = run(project.editable.python, "-c", statement, cwd=project.editable.folder)
        assert len(printed.split()) == len(added)
    finally:
        for file in added:
            (project.folder / file).unlink()


@pytest.mark.parametrize("kind", ["installed", "editable"])
def test_rooms_are_no_packages_of_their_own(project: Project, kind: str) -> None:
    """``import symbolic`` finds nothing, so that no other package of that name is shadowed."""
    environment = project.installed if kind == "installed" else project.editable
    find = "import importlib.util as u; print([u.find_spec(x) for x in ('symbolic', 'numeric')])"
    assert run(environment.python, "-c", find, cwd=environment.folder) == "[None, None]\n"
