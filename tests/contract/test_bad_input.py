"""Bad input: exit 2, one message on stderr, nothing on stdout, nothing half-written."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run

BAD: list[tuple[str, tuple[str, ...], str]] = [
    ("not square", ("rectangular.npy",), "--q-offset"),
    ("nan", ("nan.npy",), "NaN"),
    ("objects", ("objects.npy",), "object"),
    ("zero-one floats", ("floats01.npy",), "--encoding"),
    ("empty file", ("empty.npy",), "empty"),
    ("truncated zip", ("cut.npz",), "cut.npz"),
    ("missing file", ("missing.npy",), "missing.npy"),
    ("npz without key", ("masks.npz",), "good"),
    ("raising mask_mod", ("mods.py:raising", "--n", "4"), "no such table"),
    ("mask_mod of floats", ("mods.py:floats", "--n", "4"), "floats"),
    ("n missing", ("mods.py:causal",), "--n"),
    ("n missing, named", ("causal",), "--n"),
    ("n zero", ("causal", "--n", "0"), "n is 0"),
    ("n negative", ("causal", "--n", "-3"), "-3"),
    ("n too long", ("causal", "--n", "100000000"), "100000000"),
    ("unknown name", ("casual", "--n", "4"), "causal"),
    ("unknown parameter", ("causal", "--n", "4", "--param", "keys=2"), "keys"),
    ("length as a parameter", ("causal", "--param", "n=4"), "--n"),
    ("bad parameter", ("window", "--n", "4", "--param", "keys"), "key=value"),
    ("missing parameter", ("window", "--n", "4"), "keys"),
    ("bad documents", ("causal", "--n", "4", "--documents", "3,3"), "4"),
    ("bad forbid", ("causal", "--n", "4", "--forbid", "missing.json"), "missing.json"),
    ("forbid out of range", ("causal", "--n", "4", "--forbid", "forbid.json"), "0 to 3"),
    ("bad property", ("causal", "--n", "4", "--property", "nice"), "nice"),
    ("bad encoding", ("causal.npy", "--encoding", "maybe"), "maybe"),
    ("bad empty row", ("causal.npy", "--empty-row", "maybe"), "maybe"),
    ("bad picture", ("causal.npy", "--draw", "mask.gif"), ".svg"),
    ("unwritable certificate", ("causal.npy", "--certificate", "no/such/c.json"), "no/such"),
    ("unwritable picture", ("causal.npy", "--draw", "no/such/mask.svg"), "no/such"),
    ("unwritable picture beside a certificate",
     ("causal.npy", "--certificate", "c.json", "--draw", "no/such/mask.svg"), "no/such"),
    ("too long to draw",
     ("causal", "--n", "65537", "--causal", "--certificate", "c.json", "--draw", "c.svg"),
     "at most 65536 positions"),
    ("two sources", ("causal.npy", "causal.txt"), "per_layer"),
    ("layers of two sizes", ("causal.npy", "causal.txt", "--per-layer"), "positions"),
    ("no such option", ("causal.npy", "--nice"), "--nice"),
    ("no source", (), "source"),
    ("other length", ("causal.npy", "--equals", "causal.txt"), "3"),
    ("negative layers", ("causal.npy", "--layers", "-1"), "-1"),
    ("no findings listed", ("causal.npy", "--max-findings", "0"), "0"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "told"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_input(run: Run, folder: Path, args: tuple[str, ...], told: str) -> None:
    """The message says what was given; stdout stays empty and no file appears."""
    before = sorted(folder.iterdir())
    ran = run("verify", *args, "--json")
    assert ran.code == 2, ran.out
    assert ran.out == ""
    assert told in ran.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("positions = 1", "x"), ""),
        (('name = "predict-3"', 'nmae = "predict-3"'), "nmae"),
        (('rows = ["1.", "11"]', 'rows = ["1..", "11.", "111"]'), "3"),
        (("position = 1", "position = 7"), "7"),
        (('atom = "x3"', 'atom = "x9"'), "x9"),
    ],
)
def test_bad_task(run: Run, folder: Path, change: tuple[str, str], told: str) -> None:
    """A task that contradicts its schema: exit 2, and the message names the key."""
    text = (folder / "task.toml").read_text().replace(*change)
    if not told:
        text += "\nnonsense ="
    (folder / "bad_task.toml").write_text(text)
    ran = run("verify", "--task", "bad_task.toml")
    (folder / "bad_task.toml").unlink()
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_nothing_is_lost_when_a_write_fails(run: Run, folder: Path) -> None:
    """A file that stood there stays as it was when the new one cannot be made."""
    old = folder / "old.cert.json"
    old.write_text("kept")
    ran = run("verify", "missing.npy", "--certificate", "old.cert.json")
    assert ran.code == 2
    assert old.read_text() == "kept"
    old.unlink()
