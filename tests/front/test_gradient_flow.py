"""The flow at the front door: larger systems, theorems by name, and what is refused."""

import pytest
import sympy

import attnproof as ap
from attnproof.errors import InputError


def test_repeated_commons_need_three_scores() -> None:
    """Drawn with repetition, distinct, drawn and query tokens have a score each, and two more
    integrals do not change along the velocity."""
    found = ap.gradient_flow("CACO", classes=3, common=4).with_repeats(2)
    assert [str(one) for one in found.coordinates] == ["alpha", "b_d", "b_c", "b_q"]
    assert len(found.integrals) == 2
    for integral in found.integrals:
        rates = zip(found.coordinates, found.velocity, strict=True)
        moved = sum((integral.diff(one) * rate for one, rate in rates), start=sympy.Integer(0))
        assert sympy.simplify(moved) == 0


def test_larger_systems_name_the_parametrisations_that_they_are_for() -> None:
    """A product where the system needs one matrix is refused."""
    with pytest.raises(InputError, match="CACO"):
        ap.gradient_flow("FAFO", classes=3, common=4).with_repeats(2)
    with pytest.raises(InputError, match="CACO"):
        ap.gradient_flow("FAFO", classes=3, common=4).with_outputs(5)


def test_theorems_are_found_by_name() -> None:
    """T1 to T4; another name is an error that lists them."""
    flow = ap.gradient_flow("CACO")
    assert [flow.theorem(name).name for name in ("T1", "T2", "T3", "T4")] == [
        "T1",
        "T2",
        "T3",
        "T4",
    ]
    with pytest.raises(InputError, match="give one of T1, T1', T2, T3, T4"):
        flow.theorem("T9")


@pytest.mark.parametrize("name", ["window", "lines"])
def test_values_show_as_latex(name: str) -> None:
    """A notebook shows each as mathematics, where it is an equation."""
    value = getattr(ap.gradient_flow("CACO", classes=3, common=4), name)
    for one in value if isinstance(value, tuple) else (value,):
        assert one._repr_latex_() is None or one._repr_latex_().startswith("$")


def test_what_does_not_move_and_what_schedules_do() -> None:
    """Forms that are conserved have no velocity in the derivation; a common schedule has a clock of
    its own and a moving ratio none; late margins and conjectures are told."""
    flow = ap.gradient_flow("CACO", classes=3, common=4)
    assert len(flow.conserved) == 4
    doubled = flow.common_schedule(sympy.Integer(2))
    assert doubled.holds()
    assert doubled.clock is not None
    assert doubled.clock.doit() == 2 * sympy.Symbol("t", positive=True)
    bent = flow.ratio_schedule(1 + sympy.Symbol("t", positive=True))
    assert (bent.clock, bent.holds()) == (None, True)
    time = sympy.Symbol("t", positive=True)
    assert sympy.limit(flow.late_margin / sympy.log(time), time, sympy.oo) == 1
    assert all(one.evidence for one in flow.conjectures)
