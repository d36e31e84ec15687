"""The errors a user can meet; each message says what was given, what was needed, the way out."""

from attnproof.symbolic.errors import (
    AttnproofError,
    EncodingError,
    FileError,
    InputError,
    MissingExtra,
    ParameterError,
    ShapeError,
    TaskError,
)
from attnproof.symbolic.interpolation.errors import InfeasibleData

__all__ = [
    "AttnproofError",
    "EncodingError",
    "FileError",
    "InfeasibleData",
    "InputError",
    "MissingExtra",
    "ParameterError",
    "ShapeError",
    "TaskError",
]
