"""Files are written whole or not at all, and nothing that is no plain file is replaced."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

import attnproof as ap
from attnproof.ask import verify as asked
from attnproof.cli.outputs import Outputs, apart
from attnproof.errors import FileError, InputError
from attnproof.symbolic.errors import MissingExtra
from attnproof.symbolic.files import check_place, write_atomically
from attnproof.symbolic.setting import Setting


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("content", ["text, ≤ and ☃", b"\x00\xff", "", "a lone surrogate \udcff"])
def test_what_is_written_is_there(tmp_path: Path, content: str | bytes) -> None:
    """The content, and no other file; what is no text becomes a question mark."""
    path = tmp_path / "out"
    for _ in range(2):
        write_atomically(path, content)
        data = content.encode(errors="replace") if isinstance(content, str) else content
        assert path.read_bytes() == data
        assert names(tmp_path) == {"out"}


def test_a_long_name(tmp_path: Path) -> None:
    """The longest name that the file system takes is taken."""
    name = "n" * 255
    write_atomically(tmp_path / name, "x")
    assert names(tmp_path) == {name}


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    """The file behind a link is written, the link stays; a link to nothing makes its file."""
    (tmp_path / "there").write_text("old")
    for target in ("there", "new"):
        link = tmp_path / f"to-{target}"
        link.symlink_to(target)
        write_atomically(link, "content")
        assert link.is_symlink()
        assert (tmp_path / target).read_text() == "content"


def test_permissions_are_kept(tmp_path: Path) -> None:
    """A private file stays private, a new one is made as usual."""
    private, usual = tmp_path / "private", tmp_path / "usual"
    private.touch(mode=0o600)
    usual.touch()
    private.chmod(0o600)
    write_atomically(private, "x")
    write_atomically(tmp_path / "new", "x")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    """Process substitution and devices get the content; they are not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "content")
    reader.join()
    assert got == ["content"]
    assert pipe.is_fifo()
    write_atomically(os.devnull, "content")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["folder", "missing/out", "file/out", "", "n" * 256, "nul\0"])
def test_places_that_take_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One message that names the place; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="name a file") as raised:
        write_atomically(name, "content")
    assert raised.value.parts["path"] == name
    with pytest.raises(FileError) as early:
        check_place(name)
    assert str(early.value) == str(raised.value)
    assert names(tmp_path) == {"folder", "file"}
    assert names(tmp_path / "folder") == set()


@pytest.mark.parametrize(
    ("written", "read", "words"),
    [
        (["a.json", "a.json"], [], "a.json would be written twice"),
        (["a.json", "./b/../a.json"], [], "would be written twice"),
        (["m.npy"], ["m.npy"], "m.npy is read, so it is not written over"),
        (["m.npz"], ["m.npz:key"], "m.npz is read"),
        (["ids.npy"], ["ids=@ids.npy"], "ids.npy is read"),
        (["r.py"], ["causal", "r.py:rule"], "r.py is read"),
    ],
)
def test_outputs_stand_apart(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: list[str],
    read: list[str],
    words: str,
) -> None:
    """One file is one thing."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        apart(written, read)
    assert words in str(raised.value)


def test_outputs_that_stand_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, lengths and files of other names are in nobody's way."""
    monkeypatch.chdir(tmp_path)
    apart(["a.json", "a.svg", None], ["a.npy", "causal", "3,3", "keys=4", None, "pkg.mod:a"])


def test_a_place_that_takes_a_file_stays_as_it_is(tmp_path: Path) -> None:
    """Nothing is made, nothing is changed, and a pipe is not opened."""
    (tmp_path / "old").write_text("kept")
    (tmp_path / "to-new").symlink_to("new")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)
    for name in ("old", "new", "to-new", "pipe"):
        check_place(tmp_path / name)
    check_place(os.devnull)
    assert names(tmp_path) == before
    assert (tmp_path / "old").read_text() == "kept"


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (Outputs(picture="a.gif"), "a.gif names no kind of picture"),
        (Outputs(picture="a.svg", unrolled=2), "a.svg cannot hold unrolled layers"),
        (Outputs(unrolled=2), "unrolled layers are drawn into a .dot file"),
        (Outputs(certificate="no/such/a.json"), "no/such/a.json cannot be written"),
        (Outputs(certificate="a.json", picture="no/such/a.svg"), "no/such/a.svg cannot be written"),
        (Outputs(certificate="a.json", picture="a.json"), "names no kind of picture"),
        (Outputs(certificate="a.svg", picture="a.svg"), "a.svg would be written twice"),
        (Outputs(certificate="m.npy"), "m.npy is read"),
    ],
)
def test_outputs_are_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outputs: Outputs, words: str
) -> None:
    """Each file that cannot be written is one message, and none is there."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        outputs.check(["m.npy"])
    assert words in str(raised.value)
    assert names(tmp_path) == set()


def test_a_picture_without_matplotlib_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named before a mask is read."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"attnproof\[plot\]"):
        Outputs(picture="a.png").check([])


@pytest.mark.parametrize(
    ("outputs", "n", "words"),
    [
        (Outputs(picture="a.svg"), 65537, "masks are drawn for at most 65536 positions, and the "),
        (Outputs(picture="a.dot", unrolled=2), 65, "give a mask of at most 64 positions"),
        (Outputs(picture="a.dot", unrolled=65), 3, "give 0 to 64 layers"),
    ],
)
def test_a_mask_too_long_to_draw_is_refused_before_it_is_judged(
    monkeypatch: pytest.MonkeyPatch, outputs: Outputs, n: int, words: str
) -> None:
    """The length is known once the mask is read; nothing is computed of it."""

    def computed(*_: object) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(asked, "flow_of", computed)
    with pytest.raises(InputError) as raised:
        ap.verify("causal", n=n, causal=True, before=outputs.check_size)
    assert words in str(raised.value)


def test_a_mask_of_too_many_runs_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs would be listed one by one; the message says what would do."""
    monkeypatch.setattr(asked, "flow_of", None)
    with pytest.raises(InputError, match="certify a length of at most 131072") as raised:
        ap.verify("fenwick", n=1 << 20, before=Outputs(certificate="a.json").check_size)
    assert "fenwick at 1048576 positions has so many runs" in str(raised.value)


def test_what_can_be_written_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate of few runs a row may be long, and a picture of 65536 positions is drawn."""
    monkeypatch.chdir(tmp_path)
    for outputs in (Outputs("a.json", "a.svg"), Outputs("a.json"), Outputs()):
        outputs.check(["m.npy", "causal", "3,3", None])
    Outputs(certificate="a.json").check_size(Setting((ap.Mask("causal", n=65537),)))
    Outputs(picture="a.svg").check_size(Setting((ap.Mask("causal", n=65536),)))
    assert names(tmp_path) == set()
