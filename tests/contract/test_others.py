"""``check``, ``compare``, ``masks``, ``draw`` and what all commands share."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.contract.conftest import Run


@pytest.fixture(scope="session")
def certificate(run: Run, folder: Path) -> Path:
    """A certificate that the causal mask of length 4 is causal."""
    path = folder / "causal.cert.json"
    ran = run("verify", "causal", "--n", "4", "--causal", "--certificate", str(path))
    assert ran.code == 0
    return path


def test_check(run: Run, certificate: Path) -> None:
    """A certificate that proves its claim is valid: exit 0."""
    ran = run("check", str(certificate), "--json")
    assert ran.code == 0
    assert ran.json["valid"] is True
    (claim,) = ran.json["claims"]
    assert claim["predicateType"] == "attnproof/safe/v1"
    assert claim["grade"] == "certified"


def test_check_of_this_mask(run: Run, certificate: Path) -> None:
    """It must speak of the mask presented, whatever its form; another mask is refused: exit 1."""
    assert run("check", str(certificate), "--mask", "causal").code == 0
    assert run("check", str(certificate), "--mask", "causal.npy").code == 0
    ran = run("check", str(certificate), "--mask", "full", "--json")
    assert (ran.code, ran.json["valid"]) == (1, False)


def test_check_of_a_batch(run: Run, folder: Path) -> None:
    """Where a file holds several masks a claim has to speak of each."""
    np.save(folder / "batch.npy", np.array([np.tri(4, dtype=bool), np.ones((4, 4), bool)]))
    ran = run("verify", "batch.npy", "--causal", "--certificate", "batch.cert.json")
    assert ran.code == 1
    assert run("check", "batch.cert.json", "--mask", "batch.npy").code == 0
    claims = json.loads((folder / "batch.cert.json").read_text())
    (safe,) = (one for one in claims if one["predicateType"] == "attnproof/safe/v1")
    (folder / "safe.cert.json").write_text(json.dumps(safe))
    told = run("check", "safe.cert.json", "--mask", "batch.npy")
    assert (told.code, "no claim speaks of another mask that batch.npy holds" in told.out) == (
        1,
        True,
    )


def test_check_tells_how_the_mask_was_read(run: Run, folder: Path) -> None:
    """The certificate says how; a reader sees what it chose."""
    np.save(folder / "blocked.npy", ~np.tri(4, dtype=bool))
    source = ("verify", "blocked.npy", "--causal", "--encoding", "block")
    assert run(*source, "--certificate", "blocked.cert.json").code == 0
    told = run("check", "blocked.cert.json", "--mask", "blocked.npy")
    assert told.out.endswith("speaks of blocked.npy, read with encoding=block\n")
    told = run("check", "blocked.cert.json", "--mask", "blocked.npy", "--json")
    assert told.json["read"] == ["encoding=block"]


def test_check_of_an_edited_certificate(run: Run, certificate: Path, folder: Path) -> None:
    """An edited certificate is not valid: exit 1, with the reason."""
    statement = json.loads(certificate.read_text())
    statement["predicate"]["layers"][0]["rows"][0] = [[0, 2]]
    (folder / "edited.json").write_text(json.dumps(statement))
    ran = run("check", "edited.json")
    assert ran.code == 1
    assert "INVALID" in ran.out


@pytest.mark.parametrize("name", ["missing.json", "causal.npy", "causal.txt"])
def test_check_of_something_else(run: Run, name: str) -> None:
    """What is no certificate is unreadable: exit 2, one message."""
    ran = run("check", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("attnproof: ")


def test_compare(run: Run) -> None:
    """Windows of 2 and of 3 keys: other edges, the same flow, exit 1."""
    ran = run(
        *("compare", "window", "window", "--n", "6", "--json"),
        *("--param-a", "keys=2", "--param-b", "keys=3"),
    )
    assert ran.code == 1
    answer = ran.json
    assert (answer["edges_equal"], answer["flow_equal"]) == (False, True)
    assert answer["equal_off_diagonal"] is False
    assert answer["only_in_a"] == []
    assert answer["only_in_b"] == [[2, 0], [3, 1], [4, 2], [5, 3]]
    assert answer["flow_only_in_a"] == answer["flow_only_in_b"] == []


def test_compare_equal(run: Run) -> None:
    """Edges equal as given: exit 0; equal only off the diagonal: exit 1."""
    assert run("compare", "causal.npy", "causal", "--n", "4").code == 0


def test_compare_sweep(run: Run) -> None:
    """A sweep answers for every length."""
    ran = run(
        *("compare", "window", "causal", "--sweep", "n=1..6", "--param-a", "keys=4", "--json"),
    )
    assert ran.code == 1
    assert ran.json["first_difference"] == 5
    assert [one["edges_equal"] for one in ran.json["sweep"]] == [True] * 4 + [False] * 2
    assert run("compare", "causal", "mods.py:causal", "--sweep", "n=1..5").code == 0


def test_masks(run: Run) -> None:
    """The named masks are listed with their parameters, for people and as JSON."""
    ran = run("masks")
    assert ran.code == 0
    for name in ("causal", "window", "prefix_lm", "two_stream", "butterfly", "tree", "bigbird"):
        assert f"\n{name} " in f"\n{ran.out}"
    listed = {one["name"]: one for one in run("masks", "--json").json}
    assert listed["window"]["parameters"][0]["name"] == "keys"
    assert run("masks", "no_such").code == 2


@pytest.mark.parametrize("ending", ["svg", "png", "dot", "mmd", "tex"])
def test_draw(run: Run, folder: Path, ending: str) -> None:
    """Every kind of picture is written."""
    ran = run("draw", "butterfly", "--n", "4", "--out", f"butterfly.{ending}")
    assert ran.code == 0, ran.err
    assert (folder / f"butterfly.{ending}").stat().st_size > 200


def test_help_states_the_exit_codes(run: Run) -> None:
    """--help of every command states the exit codes."""
    for command in ((), ("verify",), ("check",), ("compare",), ("masks",), ("draw",)):
        ran = run(*command, "--help")
        assert ran.code == 0
        assert "Exit codes" in ran.out


def test_version(run: Run) -> None:
    """--version prints the version."""
    assert run("--version").out.startswith("attnproof 0.")


def test_text_of_a_certificate_cannot_touch_the_terminal(run: Run, folder: Path) -> None:
    """Names that stand in it are escaped, also those of keys that do not belong there."""
    (folder / "odd.json").write_text(json.dumps({"_type": 1, "\x1b[2J\u202e": 1}))
    ran = run("check", "odd.json")
    assert ran.code == 1
    assert r"\x1b[2J\u202e" in ran.out
    assert ran.out.replace("\n", "").isprintable()


def test_no_color(run: Run) -> None:
    """NO_COLOR is honoured even where colour is forced by the terminal."""
    ran = run("verify", "look_ahead.txt", "--causal", env={"NO_COLOR": "1", "TERM": "xterm"})
    assert "\x1b" not in ran.out + ran.err
