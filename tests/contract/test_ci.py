"""``verify --format``: what machines that run checks read; and what ``--version`` tells them."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
        "::error file=mods.py,title=attnproof mods.py%3Aopen_future%3A causal::"
    )
    holding = run("verify", "mods.py:causal", "--n", 4, "--causal", "--format", "github")
    assert holding.out == (
        "::notice file=mods.py,title=attnproof mods.py%3Acausal%3A causal::as expected: holds\n"
    )


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
