"""Streams that are closed, full or no longer read, interrupts, and files that must not be lost."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.contract.conftest import Run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="streams and signals of POSIX")

ATTNPROOF = (sys.executable, "-m", "attnproof")
SLOW = """
import pathlib, time
def rule(b, h, q, k):
    pathlib.Path("started").touch()
    time.sleep(0.05)
    return bool(q >= k)
"""


def shell(redirected: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A call with its streams redirected by the shell."""
    return subprocess.run(
        ("sh", "-c", f'exec "$@" {redirected}', "sh", *ATTNPROOF, *args),
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


@pytest.mark.parametrize(
    ("redirected", "args", "code"),
    [
        (">&-", ("verify", "causal.npy", "--causal", "--json"), 0),
        (">&-", ("verify", "look_ahead.txt", "--causal"), 1),
        ("2>&-", ("verify", "missing.npy"), 2),
        (">&- 2>&- <&-", ("verify", "missing.npy"), 2),
        ("<&-", ("verify", "-"), 2),
    ],
)
def test_closed_streams(folder: Path, redirected: str, args: tuple[str, ...], code: int) -> None:
    """The exit code says what there is to say; nothing is raised."""
    done = shell(redirected, *args, cwd=folder)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a device that is full")
@pytest.mark.parametrize("args", [("verify", "causal.npy", "--causal"), ("--help",)])
def test_a_full_device(folder: Path, args: tuple[str, ...]) -> None:
    """One message, exit 2: an answer that is not whole is no answer."""
    done = shell("> /dev/full", *args, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("attnproof: the answer cannot be written (")
    assert "Traceback" not in done.stderr
    ran = shell("", "verify", "causal.npy", "--certificate", "/dev/full", cwd=folder)
    assert ran.returncode == 2
    assert Path("/dev/full").is_char_device()


def test_a_reader_that_goes_away_changes_nothing(folder: Path) -> None:
    """``| head`` keeps the exit code of the finding, and stays quiet."""
    process = subprocess.Popen(
        (*ATTNPROOF, "verify", "full", "--n", "300", "--causal", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert error == b""


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C in the middle: exit 130, one line, no file."""
    (tmp_path / "slow.py").write_text(SLOW)
    process = subprocess.Popen(
        (*ATTNPROOF, "verify", "slow.py:rule", "--n", "60", "--certificate", "slow.json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not (tmp_path / "started").exists() and process.poll() is None:
        threading.Event().wait(0.02)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert process.returncode == 130
    assert out == b""
    assert error.decode().splitlines()[-1] == "attnproof: interrupted; nothing was written"
    assert b"Traceback" not in error
    assert {path.name for path in tmp_path.iterdir()} <= {"slow.py", "started", "__pycache__"}


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        (("verify", "causal.npy", "--certificate", "causal.npy"), "causal.npy"),
        (("verify", "masks.npz:good", "--certificate", "./masks.npz"), "masks.npz"),
        (("verify", "mods.py:causal", "--n", "4", "--certificate", "mods.py"), "mods.py"),
        (("verify", "causal", "--n", "4", "--forbid", "f.svg", "--draw", "f.svg"), "f.svg"),
        (("verify", "perm_mask", "--param", "blocked=@causal.npy", "--certificate", "causal.npy"),
         "causal.npy"),
        (("verify", "causal.npy", "--certificate", "f.svg", "--draw", "./f.svg"), "f.svg"),
        (("draw", "link.svg", "--out", "f.svg"), "f.svg"),
    ],
)  # fmt: skip
def test_what_is_read_is_not_written_over(
    run: Run, folder: Path, args: tuple[str, ...], kept: str
) -> None:
    """A file that the command reads, or writes already, is refused as output: exit 2."""
    (folder / "f.svg").write_text("[[0, 1]]")
    if not (folder / "link.svg").exists():
        (folder / "link.svg").symlink_to("f.svg")
    before = (folder / kept).read_bytes()
    ran = run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert (folder / kept).read_bytes() == before


def test_nothing_decided_nothing_certified(run: Run, folder: Path) -> None:
    """Unknown is exit 3; there is no claim, so no certificate is written."""
    (folder / "first.txt").write_text("...\n...\n.1.\n")
    (folder / "second.txt").write_text("...\n1..\n...\n")
    (folder / "far.json").write_text("[[2, 0]]")
    ran = run(
        *("verify", "first.txt", "second.txt", "--per-layer", "--no-residual"),
        *("--forbid", "far.json", "--json", "--certificate", "unknown.json"),
    )
    assert ran.code == 3, ran.err
    assert ran.json["verdict"] == "unknown"
    assert ran.json["certificate"] is None
    assert ran.json["evidence"]["grade"] is None
    assert "no certificate was written: nothing was decided" in ran.err
    assert not (folder / "unknown.json").exists()
    turned = run(
        *("verify", "second.txt", "first.txt", "--per-layer", "--no-residual"),
        *("--forbid", "far.json", "--json"),
    )
    assert (turned.code, turned.json["findings"][0]["path"]) == (1, [[0, 0], [1, 1], [2, 2]])


def test_names_that_are_no_text(run: Run, folder: Path) -> None:
    """A file name of bytes that are no UTF-8 is read, told, certified and checked."""
    name = os.fsdecode(b"m\xffask.npy")
    try:
        np.save(folder / name, np.tri(3, dtype=bool))
    except OSError:
        pytest.skip("this file system has only names that are text")
    ran = run("verify", name, "--causal", "--certificate", "bytes.json", "--draw", "bytes.svg")
    assert ran.code == 0, ran.err
    assert run("check", "bytes.json", "--mask", name).code == 0
    (folder / name).unlink()
