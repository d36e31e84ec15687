"""The entry of the command line: streams may be closed, and an interrupt may come at once."""

import _thread
import errno
import io
import sys
import threading
import time
from types import FrameType

from attnproof.cli.streams import open_closed, silence

_NOT_WRITTEN = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG}
#: Seconds between two looks at the main thread.
_SOON = 0.01
_INTERRUPTED = "attnproof: interrupted; nothing was written\n"


def _again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt once more where an interrupt was lost: no exception leaves the callbacks of weak
    references, which imports use, nor finalizers."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Thread(target=_interrupt, daemon=True).start()
    else:
        sys.__unraisablehook__(lost)


def _interrupt() -> None:
    """Interrupt the main thread once it has left the hook, which would lose this one too."""
    while _in_hook(sys._current_frames().get(threading.main_thread().ident or 0)):
        time.sleep(_SOON)
    _thread.interrupt_main()


def _in_hook(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not _again.__code__:
        frame = frame.f_back
    return frame is not None


def main() -> None:
    """Run the command line; a character that the terminal cannot show becomes a question mark."""
    open_closed()
    sys.unraisablehook = _again
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
