"""The checker's two representations of relations, and small ones held as if they were large."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from attnproof.proofs.checker import limits
from attnproof.proofs.checker.bit_rows import BitRows
from attnproof.proofs.checker.run_rows import RunRows
from attnproof.proofs.checker.runs import Runs
from attnproof.symbolic.masks.rows import runs_of

FORMS = ("bits", "runs")


def bits(rows: Sequence[int]) -> BitRows:
    """One integer a row."""
    return BitRows(tuple(rows))


def runs(rows: Sequence[int]) -> RunRows:
    """Maximal runs."""
    return RunRows(Runs.of(map(runs_of, rows)))


#: Name of a representation to what makes it.
HOLDERS = {"bits": bits, "runs": runs}


@contextmanager
def held_as(form: str) -> Iterator[None]:
    """Within the context certificates are written and checked as those of many positions are,
    where ``form`` is "runs"."""
    with pytest.MonkeyPatch.context() as patch:
        if form == "runs":
            patch.setattr(limits, "MOST_BITS", 0)
        yield
