"""Running code of the user: what it prints stays off stdout, what it raises becomes one message."""

import contextlib
import site
import sys
import sysconfig
import traceback
from collections.abc import Iterator

from attnproof.symbolic.errors import InputError

#: Extras by the modules that a file of the user may import.
_EXTRAS = {"torch": "torch", "transformers": "hf"}


@contextlib.contextmanager
def user_code(what: str, **parts: object) -> Iterator[None]:
    """Run a block that calls code of the user.

    Raises :class:`InputError` with the type, message and line of whatever the code raises.
    Standard output goes to standard error, so that a report stays one document.

    >>> with user_code("mask.py:rule"):
    ...     int("x")
    Traceback (most recent call last):
    attnproof.symbolic.errors.InputError: mask.py:rule raised ValueError: invalid literal ...
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InputError(f"{what} raised {described(error)}", **parts) from None


def described(error: BaseException) -> str:
    """Type, first sentence of the message, and the line of the user's file.

    >>> described(ValueError("no such mask"))
    'ValueError: no such mask'
    """
    lines = str(error).strip().splitlines()
    sentence = lines[0].split(". ")[0][:200] if lines else ""
    told = f"{type(error).__name__}: {sentence}" if sentence else type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        return f"{told}: pip install 'attnproof[{_EXTRAS[error.name]}]'"
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    place = _place(error)
    return f"{told} ({place})" if place else told


def _place(error: BaseException) -> str:
    """File and line of the innermost frame that is neither ours nor an installed library's."""
    libraries = (sysconfig.get_paths()["stdlib"], *site.getsitepackages(), "<")
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module, file = str(frame.f_globals.get("__name__")), frame.f_code.co_filename
        if module.partition(".")[0] != "attnproof" and not file.startswith(libraries):
            place = f"{file}, line {line}"
    return place
