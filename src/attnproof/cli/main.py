"""The entry of the command line: streams may be closed, and an interrupt may come at once."""

import errno
import io
import sys

from attnproof.cli.streams import open_closed, silence

_NOT_WRITTEN = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG}
_INTERRUPTED = "attnproof: interrupted; nothing was written\n"


def main() -> None:
    """Run the command line; a character that the terminal cannot show becomes a question mark."""
    open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from attnproof.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write(_INTERRUPTED)
        sys.exit(130)
    except SystemExit as left:
        if isinstance(getattr(left.__context__, "__cause__", None), KeyboardInterrupt):
            sys.stderr.write(_INTERRUPTED)
        raise
    except OSError as error:
        if error.errno not in _NOT_WRITTEN:
            raise
        silence()
        sys.stderr.write(f"attnproof: the answer cannot be written ({error.strerror})\n")
        sys.exit(2)
