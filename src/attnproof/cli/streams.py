"""Standard streams that are closed, full, or that nobody reads any more."""

import contextlib
import os
import sys


def open_closed() -> None:
    """Give a stream that was closed before the start to the null device: its number would
    otherwise be that of the next file opened."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def silence() -> None:
    """Drop what standard output still holds, which Python would write again when it leaves."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
