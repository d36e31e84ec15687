"""Whole models on data for which two scalars are too few, against the larger systems."""

from dataclasses import replace

import pytest

from attnproof.numeric.larger_check import check_outputs, check_repeats
from attnproof.numeric.larger_systems import derived_system, repeats_system
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.larger import derive_iid

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
    report = check_outputs(asked, 5, start, [3.0, 8.0])
    assert report.agrees
    assert report.difference < 1e-10
    assert report.residual < 1e-12
    assert report.full[-1]["a_c"] > start["a_c"] + 0.05
    assert not replace(report, reduced=report.reduced[::-1]).agrees
    assert "full and reduced flow agree up to time 8: alpha " in repr(report)


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
    report = check_repeats(asked, 2, start, [5.0, 15.0])
    assert report.agrees
    assert report.difference < 1e-10
    assert max(report.drifts.values()) < 1e-10
    apart = [each["b_q"] - each["b_c"] for each in report.full]
    assert abs(apart[-1] - apart[0]) > 1e-3
    assert "(M-1)/n exp(-b_c) - exp(-b_q) drifts" in repr(report)


def test_the_derivation_by_machine_is_followed_too() -> None:
    """The rates that SymPy derives from the loss are those of whole models."""
    asked = Circuits(Parametrisation.CAFO, Data(2, 1, 4, 1), eta_qk=2)
    derived, ours = derived_system(derive_iid(asked, 2)), repeats_system(asked, 2)
    assert check_repeats(asked, 2, SCORES, [6.0], system=derived).agrees
    assert derived(SCORES) == pytest.approx(ours(SCORES), rel=1e-12)


def test_messages() -> None:
    """What was given, what is needed."""
    both = Circuits(Parametrisation.FAFO, Data(2, 1, 3, 1))
    with pytest.raises(
        ParameterError, match=r"FAFO, and W_OV moves .* one matrix; give CACO or FAC"
    ):
        check_outputs(both, 3, SOME, [1.0])
    with pytest.raises(
        ParameterError, match=r"FAFO, and W_QK moves .* one matrix; give CACO or CAF"
    ):
        check_repeats(both, 2, SCORES, [1.0])
    one = Circuits(Parametrisation.CACO, Data(2, 1, 3, 1))
    with pytest.raises(
        ParameterError, match=r"outputs is 2, one for each class, .* give 3 or more"
    ):
        check_outputs(one, 2, SOME, [1.0])
    with pytest.raises(ParameterError, match="the start gives alpha; give alpha, a_d, a_c, beta"):
        check_outputs(one, 3, {"alpha": 1.0}, [1.0])
