"""Mistakes a user can make. Each message says what was given, what was needed and the way out.

The front door turns every :class:`InputError` into one line on stderr and exit code 2.
"""


class AttnproofError(Exception):
    """Base of all errors of this package; ``parts`` holds what the message speaks of.

    >>> AttnproofError("n is 0; a mask needs at least one position", n=0).parts
    {'n': 0}
    """

    def __init__(self, message: str, **parts: object) -> None:
        super().__init__(message)
        self.parts = parts


class InputError(AttnproofError):
    """The input cannot be read, is ambiguous, or contradicts itself."""


class EncodingError(InputError):
    """The values of an array do not say which keys are read."""


class ShapeError(InputError):
    """Axes or sizes do not fit."""


class FileError(InputError):
    """A file is missing, damaged, or cannot be written."""


class TaskError(InputError):
    """A task contradicts its schema; ``parts['where']`` names the key."""


class ParameterError(InputError):
    """A parameter of a named mask or a factory is missing, unknown or out of range."""


class MissingExtra(InputError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the extra '{extra}': pip install 'attnproof[{extra}]'",
            what=what,
            extra=extra,
        )
