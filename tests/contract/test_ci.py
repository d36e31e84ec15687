"""``verify --format``: what machines that run checks read; and what ``--version`` tells them."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import attnproof as ap
from attnproof.render.ci import Checked, github
from attnproof.symbolic.verdict import Finding
from tests.contract.conftest import Run

LEAK = ("verify", "two_layers.txt", "--forbid", "forbid.json")


def test_github_annotates_each_finding(run: Run) -> None:
    """One workflow command a finding; exit codes are those of the text."""
    done = run(*LEAK, "--format", "github")
    lines = done.out.splitlines()
    assert (done.code, done.err, len(lines)) == (1, "", 4)
    assert all(
        line.startswith("::error title=attnproof two_layers.txt%3A forbid::") for line in lines
    )
    assert lines[0].endswith("::token 6 reaches query 2 in 2 layers: 6 -> 4 -> 2")


def test_github_points_at_the_file_of_a_rule(run: Run) -> None:
    """A finding on a rule is shown where the rule stands; what holds is a notice."""
    pytest.importorskip("torch", reason="rules need the extra torch")
    failing = run("verify", "mods.py:open_future", "--n", 4, "--causal", "--format", "github")
    assert failing.out.startswith(
        "::error file=mods.py,line=4,title=attnproof mods.py%3Aopen_future%3A causal::"
    )
    holding = run("verify", "mods.py:causal", "--n", 4, "--causal", "--format", "github")
    assert holding.out == (
        "::notice file=mods.py,line=1,title=attnproof mods.py%3Acausal%3A causal::"
        "as expected: holds\n"
    )


def test_github_shows_a_few_findings_and_counts_the_others(run: Run) -> None:
    """Many findings of one mask are three annotations and a number; JSON has them all."""
    lines = run("verify", "full", "--n", 8, "--causal", "--format", "github").out.splitlines()
    assert (len(lines), lines[-1]) == (4, "::error title=attnproof full%3A causal::… and 25 more")
    told = run("verify", "full", "--n", 8, "--causal", "--json").json
    assert (len(told["findings"]), told["findings_total"]) == (28, 28)


def test_github_paths_begin_at_the_root_of_the_repository(run: Run, tmp_path: Path) -> None:
    """Also from a folder below; GITHUB_WORKSPACE goes before .git, and holds for what is in it."""
    pytest.importorskip("torch", reason="rules need the extra torch")
    below = tmp_path / "src" / "sub"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / "masks.py").write_text("\n\ndef rule(b, h, q, k):\n    return k <= q\n")
    asked = ("verify", "../masks.py:rule", "--n", 4, "--causal", "--format", "github")
    for workspace, shown in (
        (tmp_path, "src/masks.py"),
        (tmp_path / "src", "masks.py"),
        (below, "src/masks.py"),
    ):
        told = run(*asked, cwd=below, env={"GITHUB_WORKSPACE": str(workspace)})
        assert told.out.startswith(f"::notice file={shown},line=3,title="), (workspace, told)


ENTRIES = """
[[tool.attnproof.mask]]
source = "full"
n = 4
properties = ["causal"]

[[tool.attnproof.mask]]
source = "cuasal"
n = 4
"""


def test_github_points_at_the_entries_of_a_project(run: Run, tmp_path: Path) -> None:
    """A mask without a file of its own, and an entry that cannot be run, are shown where they are
    named; a project that cannot be read is an error at its file."""
    path = tmp_path / "pyproject.toml"
    path.write_text(ENTRIES)
    told = run("verify", "--format", "github", cwd=tmp_path)
    first, *rest = told.out.splitlines()
    assert told.code == 2
    assert first.startswith("::error file=pyproject.toml,line=7,title=attnproof cuasal::tool.")
    assert all(line.startswith("::error file=pyproject.toml,line=2,title=") for line in rest)
    path.write_text(ENTRIES.replace("properties", "propertis"))
    broken = run("verify", "--format", "github", cwd=tmp_path)
    assert (broken.code, broken.out.count("\n")) == (2, 1)
    assert broken.out.startswith(
        "::error file=pyproject.toml,line=2,title=attnproof pyproject.toml::"
    )
    assert "mask[0] has the unknown key 'propertis'" in broken.out
    assert "unknown key 'propertis'" in broken.err


def test_a_note_on_what_was_not_evaluated_is_a_warning() -> None:
    """What holds for one head alone is a notice with a warning beside it."""
    report = replace(
        ap.verify("causal", n=4, causal=True),
        noted=(Finding("one_head", "heads differ, and head 0 alone was evaluated", "note"),),
    )
    notice, warning = github([Checked(report)]).splitlines()
    assert notice.startswith("::notice title=")
    assert warning == (
        "::warning title=attnproof causal%3A causal::heads differ, and head 0 alone was evaluated"
    )


def test_a_note_on_a_mask_as_expected_is_told(run: Run, tmp_path: Path) -> None:
    """On a line of its own under the entry; the findings that are expected are counted alone."""
    pytest.importorskip("torch", reason="rules need the extra torch")
    (tmp_path / "rules.py").write_text("def rule(b, h, q, k):\n    return (k <= q) | (h == 1)\n")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.attnproof.mask]]\nsource = "rules.py:rule"\nn = 4\nproperties = ["causal"]\n'
        '[[tool.attnproof.mask]]\nsource = "full"\nn = 4\nproperties = ["causal"]\n'
        'expect = "fails"\n'
    )
    told = run("verify", cwd=tmp_path)
    assert (told.code, told.out) == (
        0,
        "ok       rules.py:rule: causal: holds, 1 finding\n"
        "  note: rules.py:rule reads its head index, and head 0 alone was evaluated; "
        "give --heads H, how many there are\n"
        "ok       full: causal: fails, 6 findings\n",
    )


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text + "\n\ndef test_mine() -> None:\n    assert True\n",
        lambda text: text.replace("def test", "@mark\ndef test"),
        lambda text: text.replace("two_layers", "other"),
        lambda text: text.replace("forbid", "causal"),
    ],
    ids=["a test more", "a decorator", "another source", "another property"],
)
def test_a_test_that_is_not_the_same_is_kept(
    run: Run, tmp_path: Path, changed: Callable[[str], str]
) -> None:
    """One that was added to, or of another source or property; nothing else is written then."""
    path, kept = tmp_path / "test_leak.py", tmp_path / "kept.json"
    for _ in range(2):
        assert run(*LEAK, "--emit-test", path).code == 1
    path.write_text(changed(path.read_text()))
    before = path.read_bytes()
    told = run(*LEAK, "--emit-test", path, "--certificate", kept)
    assert (told.code, told.out, path.read_bytes(), kept.exists()) == (2, "", before, False)
    assert "holds another test than the one to write, or more, so it is not written" in told.err
    assert told.err.endswith("; name another file, or delete it\n")


@pytest.mark.parametrize("name", ["leak.py", "test-leak.py", "test_leak.py", "leak_test.py"])
def test_a_name_that_pytest_does_not_collect_is_told(run: Run, tmp_path: Path, name: str) -> None:
    """The test is written all the same."""
    path = tmp_path / name
    told = run(*LEAK, "--emit-test", path)
    hint = f"pytest collects test_*.py and *_test.py; run pytest {path}\n"
    assert path.exists()
    assert (hint in told.err) is (name in ("leak.py", "test-leak.py"))


def test_a_project_reads_a_mask_as_the_command_line_does(run: Run, tmp_path: Path) -> None:
    """Batches, layers and findings are keys of an entry."""
    pytest.importorskip("torch", reason="rules need the extra torch")
    (tmp_path / "rules.py").write_text("def rule(b, h, q, k):\n    return k <= q + b\n")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.attnproof.mask]]\nsource = "rules.py:rule"\nn = 4\nbatches = 2\n'
        'max_findings = 2\nproperties = ["causal"]\nexpect = "fails"\n'
        '[[tool.attnproof.mask]]\nsource = ["causal", "full"]\nn = 4\nper_layer = true\n'
        'properties = ["causal"]\nexpect = "fails"\n'
    )
    told = run("verify", "--json", cwd=tmp_path)
    first, second = told.json["reports"]
    assert (told.code, len(first["findings"]), len(first["masks"])) == (0, 2, 2)
    assert (second["source"], second["schedule"]) == ("causal then full", 2)


def test_junit_is_xml_with_a_case_a_report(run: Run) -> None:
    """A leak is a failure with the report in it."""
    done = run(*LEAK, "--format", "junit")
    root = ElementTree.fromstring(done.out)
    suite = root.find("testsuite")
    failure = root.find("testsuite/testcase/failure")
    assert (done.code, root.tag) == (1, "testsuites")
    assert suite is not None
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["1", "1", "0"]
    assert failure is not None
    assert failure.get("message") == "expected holds, found fails"
    assert "6 -> 4 -> 2" in (failure.text or "")


def test_a_project_is_one_suite(run: Run, tmp_path: Path) -> None:
    """Without a SOURCE every entry is a case, and is a failure where it does not meet what it
    expects."""
    entries = [("causal", "holds"), ("full", "fails"), ("full", "holds")]
    (tmp_path / "pyproject.toml").write_text(
        "".join(
            f'[[tool.attnproof.mask]]\nsource = "{name}"\nn = 4\nproperties = ["causal"]\n'
            f'expect = "{expected}"\n'
            for name, expected in entries
        )
    )
    done = run("verify", "--format", "junit", cwd=tmp_path)
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert suite is not None
    assert (done.code, suite.get("tests"), suite.get("failures")) == (1, "3", "1")


def test_an_entry_that_cannot_be_run_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    """It is an error of its own in every format; the exit code is 2."""
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.attnproof.mask]]\nsource = "cuasal"\nn = 4\nproperties = ["causal"]\n'
        '[[tool.attnproof.mask]]\nsource = "full"\nn = 4\nproperties = ["causal"]\n'
    )
    done = run("verify", "--format", "junit", cwd=tmp_path)
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert suite is not None
    counts = [suite.get(key) for key in ("tests", "failures", "errors")]
    assert (done.code, counts, done.err.count("\n")) == (2, ["2", "1", "1"], 1)
    assert "cuasal" in done.err
    assert run("verify", "--format", "github", cwd=tmp_path).out.count("::error") > 1
    document = json.loads(run("verify", "--json", cwd=tmp_path).out)
    assert [len(document[key]) for key in ("reports", "unusable")] == [1, 1]


def test_options_do_not_go_with_the_masks_of_a_project(run: Run, tmp_path: Path) -> None:
    """Options without a SOURCE are refused, and where there is a project it is named."""
    bare = run("verify", "--causal", cwd=tmp_path)
    assert (bare.code, bare.err) == (
        2,
        "attnproof: no mask was given; name a source, or a task that has one\n",
    )
    (tmp_path / "pyproject.toml").write_text('[[tool.attnproof.mask]]\nsource = "full"\nn = 4\n')
    told = run("verify", "--report", "page.html", cwd=tmp_path)
    assert told.code == 2
    assert "The masks of pyproject.toml are verified by attnproof verify without" in told.err


def test_a_description_is_no_promise_kept(run: Run) -> None:
    """A notice does not say that what nobody asked for holds."""
    told = run("verify", "causal", "--n", 4, "--format", "github")
    assert told.out == (
        "::notice title=attnproof causal%3A described::"
        "no property was asked for, and nothing is wrong\n"
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--format", "xml"), "format is 'xml'; give one of github, junit"),
        (("--format", "junit", "--json"), "give one"),
    ],
)
def test_other_formats_are_refused(run: Run, options: tuple[str, ...], told: str) -> None:
    """One line, exit code 2."""
    done = run("verify", "causal", "--n", 4, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert told in done.err


def test_the_version_says_which_extras_are_there(run: Run) -> None:
    """A line an extra, with the versions, or with what installs it."""
    first, *extras = run("--version").out.splitlines()
    assert re.fullmatch(r"attnproof \d+\.\d+\.\d+", first)
    assert [line.split(":")[0].strip() for line in extras] == sorted(
        ["exact", "fast", "hf", "optimal", "plot", "prove", "torch"]
    )
    assert all(re.search(r"\d|missing", line) for line in extras)
