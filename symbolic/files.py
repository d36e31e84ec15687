"""Writing a file whole or not at all."""

import os
import tempfile
from pathlib import Path

from attnproof.symbolic.errors import FileError


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write ``content`` to ``path`` through a temporary file beside it and a rename.

    Raises :class:`FileError` when the place cannot be written; what stood there stays as it was.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise FileError(
            f"{target} cannot be written ({error.strerror}); name a file in a folder that exists "
            "and that you may write to",
            path=str(target),
        ) from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, target)
    except OSError as error:
        raise FileError(
            f"{target} cannot be written ({error.strerror}); name a file that you may write to",
            path=str(target),
        ) from None
    finally:
        if os.path.exists(name):
            os.unlink(name)
