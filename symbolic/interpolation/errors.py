"""What makes interpolation data unusable, and what makes it impossible to interpolate.

A map that moves every token by one rule, ``x -> g(x; set of X)``, gives equal sets of inputs equal
sets of outputs, and ``n`` distinct tokens at most ``n`` distinct outputs.
"""

from typing import TYPE_CHECKING, Literal

from attnproof.symbolic.errors import AttnproofError, InputError
from attnproof.symbolic.evidence import Infeasible

if TYPE_CHECKING:
    from attnproof.symbolic.interpolation.data import Data

Because = Literal["longer-output", "conflicting-targets", "prefix"]


class DataError(InputError):
    """The pairs are not data of the kind that is interpolated."""


class EmptyData(DataError):
    """There is no pair, or a pair has an empty side."""


class DimensionMismatch(DataError):
    """Tokens differ in their number of coordinates."""


class NonFinite(DataError):
    """A coordinate is infinite or no number."""


class DuplicateInputToken(DataError):
    """A token stands twice in one input."""


class DuplicateOutputToken(DataError):
    """A token stands twice in one output."""


class NeedsDimensionTwo(DataError):
    """The mode keeps a score in a second coordinate, and tokens have one."""


class InfeasibleData(AttnproofError):
    """No transformer of the kind that was asked for interpolates the data; ``pairs`` says which
    pairs show it.

    ``data`` holds the pairs as they were read, so that the claim can be certified.
    """

    because: Because

    def __init__(self, message: str, data: "Data", pairs: tuple[int, ...]) -> None:
        super().__init__(message, pairs=pairs)
        self.data = data
        self.pairs = pairs

    @property
    def evidence(self) -> Infeasible:
        """Why it is so, for the checker."""
        return Infeasible(self.data, self.because, self.pairs)


class OutputLongerThanInput(InfeasibleData):
    """An output holds more tokens than its input."""

    because = "longer-output"


class ConflictingTargets(InfeasibleData):
    """Two equal sets of inputs have different sets of outputs."""

    because = "conflicting-targets"
