"""Operator rules against measurement: what an element does depend on is in its set."""

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

import torch

from attnproof.numeric.probe.structural import structural
from tests.numeric.probe_expressions import CONSTANTS, EXACT, MODULES, SOUND, Expression

Rows = tuple[int, ...]

#: Operators without a rule; their full union is what they have.
UNITED = {
    "_cdist_forward",
    "histc",
    "linalg_cholesky_ex",
    "linalg_inv_ex",
    "linalg_matrix_exp",
    "searchsorted",
}


def structure(function: Expression) -> tuple[Rows, set[str]]:
    """The set of each output element, and the operators that were united."""
    found = structural(
        function,
        torch.randn(4, 4, dtype=torch.float64),
        positions={0: torch.arange(16).view(4, 4)},
        constants=CONSTANTS,
        modules=MODULES,
        output_axis=None,
    )
    return found.relation.rows.bits(), {each.operator for each in found.united}


def measured(function: Expression, sets: Rows, points: int) -> Rows:
    """The elements whose change was seen in each output element, around random points.

    It ends early when all of ``sets`` were seen.
    """
    seen = [0] * len(sets)
    with torch.no_grad():
        for _ in range(points):
            x = torch.randn(4, 4, dtype=torch.float64)
            before = function(x.clone()).reshape(-1)
            for p in range(16):
                changed = x.clone()
                changed.view(-1)[p] = torch.randn((), dtype=torch.float64) * 2
                after = function(changed).reshape(-1)
                different = (after != before) & ~(after.isnan() & before.isnan())
                for i in different.nonzero().reshape(-1).tolist():
                    seen[i] |= 1 << p
            if tuple(seen) == sets:
                break
    return tuple(seen)


@pytest.mark.parametrize("name", EXACT)
def test_exact(name: str) -> None:
    """The sets are those measured: nothing is missing and nothing is too much."""
    torch.manual_seed(1)
    sets, united = structure(EXACT[name])
    assert sets == measured(EXACT[name], sets, points=12)
    assert united <= UNITED


@pytest.mark.parametrize("name", SOUND)
def test_sound(name: str) -> None:
    """Every measured dependency is in the sets."""
    torch.manual_seed(1)
    sets, united = structure(SOUND[name])
    seen = measured(SOUND[name], sets, points=4)
    assert not any(found & ~held for found, held in zip(seen, sets, strict=True))
    assert united <= UNITED
