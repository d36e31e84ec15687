"""Writing a file whole or not at all."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attnproof.symbolic.errors import FileError


def write_atomically(path: str | os.PathLike[str], content: str | bytes | Iterable[str]) -> None:
    """Write ``content`` to ``path`` through a temporary file beside it and a rename.

    Text in pieces is written piece by piece. A link keeps pointing where it points, and a file
    keeps its permissions; a device or a pipe is written to, never replaced. Raises
    :class:`FileError` when the place cannot be written; what stood there stays as it was.
    """
    pieces: Iterable[str | bytes] = [content] if isinstance(content, str | bytes) else content
    data = (one.encode(errors="replace") if isinstance(one, str) else one for one in pieces)
    with _refusing(path):
        _write(Path(path), data)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise :class:`FileError` where ``path`` cannot be written, before there is a content.

    Nothing is written, and what stands there stays as it is.
    """
    with _refusing(path):
        there = _mode(Path(path))
        if there is None or stat.S_ISREG(there):
            tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
        elif stat.S_ISDIR(there):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """An error of the file system becomes a :class:`FileError` that names the place."""
    if not os.fspath(path):
        raise FileError("the name of the file to write is empty; name a file", path="")
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FileError(
            f"{path} cannot be written ({reason}); name a file in a folder that exists and that "
            "you may write to",
            path=os.fspath(path),
        ) from None


def _write(path: Path, data: Iterable[bytes]) -> None:
    there = _mode(path)
    if there is not None and not (stat.S_ISREG(there) or stat.S_ISDIR(there)):
        with path.open("wb", buffering=0) as out:
            out.writelines(data)
        return
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=".attnproof.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.writelines(data)
        os.chmod(name, _new_file() if there is None else stat.S_IMODE(there))
        os.replace(name, target)
    finally:
        if os.path.exists(name):
            os.unlink(name)


def _mode(path: Path) -> int | None:
    """The kind and the permissions of what stands there; None where nothing does."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _new_file() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
