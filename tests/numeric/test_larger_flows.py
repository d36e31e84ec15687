"""Whole models on data for which two scalars are too few, against the systems that are derived."""

import pytest
import sympy

from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.larger import derive_iid, derive_outputs
from tests.numeric.larger_flows import follow, repeated, with_outputs, with_repeats

SOME = {"alpha": 0.3, "a_d": 0.2, "a_c": -0.1, "beta": 0.4}
SCORES = {"alpha": 0.3, "b_d": 0.2, "b_c": -0.1, "b_q": 0.3}


@pytest.mark.parametrize(
    "asked",
    [
        Circuits(Parametrisation.CACO, Data(3, 2, 4, 3), 0.7, 2, 0.5),
        Circuits(Parametrisation.FACO, Data(3, 2, 3, 2), 2, imbalance_qk=0.3),
    ],
    ids=["CACO", "FACO"],
)
@pytest.mark.parametrize("start", [dict.fromkeys(SOME, 0.0), SOME], ids=["zero", "some"])
def test_labels_that_never_occur(asked: Circuits, start: dict[str, float]) -> None:
    """Four scalars are enough and two are not: common tokens learn which labels occur."""
    found = follow(with_outputs(asked, 5), derive_outputs(asked, 5), start, [3.0, 8.0])
    assert found.difference < 1e-10
    assert found.residual < 1e-12
    assert found.full[-1]["a_c"] > start["a_c"] + 0.05


@pytest.mark.parametrize(
    "asked",
    [
        Circuits(Parametrisation.CACO, Data(3, 2, 4, 1), 0.7, 2, 0.5),
        Circuits(Parametrisation.CAFO, Data(2, 1, 4, 1), 2, imbalance_ov=0.2),
    ],
    ids=["CACO", "CAFO"],
)
@pytest.mark.parametrize("start", [dict.fromkeys(SCORES, 0.0), SCORES], ids=["zero", "some"])
def test_common_tokens_that_repeat(asked: Circuits, start: dict[str, float]) -> None:
    """The scores of the query and of other common tokens separate; two quantities are conserved."""
    derived = derive_iid(asked, 2)
    found = follow(with_repeats(asked, 2), derived, start, [0.0, 5.0, 15.0])
    assert found.difference < 1e-10
    assert found.residual < 1e-12
    assert len(derived.integrals) == 2
    conserved = sympy.lambdify(derived.coordinates, derived.integrals, modules="math")
    first, *later = (conserved(*(now[x.name] for x in derived.coordinates)) for now in found.full)
    assert all(one == pytest.approx(first, abs=1e-10) for one in later)
    apart = [now["b_q"] - now["b_c"] for now in found.full]
    assert abs(apart[-1] - apart[0]) > 1e-3


def test_repeated_common_tokens() -> None:
    """Every outcome of the draws once, the query last and nowhere else."""
    few = repeated(Data(2, 2, 4, 1), draws=2)
    assert few.tokens.shape == (18, 5)
    rows = {tuple(row) for row in few.tokens.tolist()}
    assert rows == {
        (*own, a, b, 4) for own in ((0, 1), (2, 3)) for a in (5, 6, 7) for b in (5, 6, 7)
    }
    assert few.labels.tolist() == [0] * 9 + [1] * 9
    assert few.distinct.sum(1).tolist() == [2] * 18
