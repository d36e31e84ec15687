"""Files are written whole or not at all, and nothing that is no plain file is replaced."""

import os
import stat
import threading
from pathlib import Path

import pytest

from attnproof.cli.outputs import apart
from attnproof.errors import FileError, InputError
from attnproof.symbolic.files import write_atomically


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
