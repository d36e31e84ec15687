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
        assert getattr(one, "equation", one) is None or "$" in one._repr_latex_()


@pytest.mark.parametrize("kind", ["CACO", "FACO", "CAFO", "FAFO"])
def test_values_show_in_a_few_lines(kind: str) -> None:
    """Laws, lines, theorems, schedules and conjectures print what they say."""
    flow = ap.gradient_flow(kind)
    theorems = [flow.theorem(name) for name in ("T1", "T1'", "T2", "T3", "T4")]
    told = (flow.common_schedule(), flow.ratio_schedule(), *flow.conjectures)
    for one in (flow.asymptotics, *flow.lines, *theorems, *told):
        shown = repr(one)
        assert len(shown) < 1000
        assert shown.count("\n") <= 6
        assert "Circuits(" not in shown
    for one in theorems:
        assert all(part in repr(one) for part in (one.name, one.statement, *one.hypotheses))
        assert "by SymPy in check(), argument in words in proof" in repr(one)
        assert all(part in one._repr_latex_() for part in (one.statement, f"$${one.latex}$$"))


def test_a_derivation_has_no_empty_subscripts() -> None:
    """One direction has no number, and exponentials are not the error e."""
    shown = ap.gradient_flow("FACO").derivation._repr_latex_()
    assert "_{}" not in shown
    assert "e^{" not in shown
    assert "U(k" in shown


def test_the_start_is_in_the_closed_form() -> None:
    """Numbers take the place of alpha_0 and beta_0; starts it does not cover are refused."""
    shown = ap.gradient_flow("CAFO", classes=3, common=4, beta0=-1).closed_form
    assert {str(one) for one in shown.alpha.free_symbols} == {"y", "alpha_0"}
    start = ap.gradient_flow("FACO", classes=3, common=4, alpha0=0, beta0=-1)
    with pytest.raises(InputError, match="beta0 is -1, and the closed form needs one above 0"):
        _ = start.closed_form
    with pytest.raises(InputError, match="the late margin needs beta0 > 0, and it is -1"):
        _ = start.late_margin
    with pytest.raises(
        InputError, match="alpha0 is -1, and the closed form needs one of 0 or more"
    ):
        _ = ap.gradient_flow("CACO", alpha0=-1).closed_form


def test_the_closed_form_from_a_negative_score_is_that_of_the_orbit() -> None:
    """From beta0 = -1 one matrix W_QK has the odds that Lambert W gives."""
    flow = ap.gradient_flow("CACO", classes=3, common=4, alpha0=0, beta0=-1)
    at = flow.at_loss(0.1)
    alpha = sympy.Symbol("alpha", real=True)
    assert flow.closed_form.odds is not None
    assert float(flow.closed_form.odds.subs(alpha, at.alpha)) == pytest.approx(at.odds, rel=1e-9)
    assert flow.closed_form.time.limits[0][0] != flow.closed_form.time.limits[0][2]
    assert r"\, du" in flow.closed_form._repr_latex_()


def test_numbers_may_be_text() -> None:
    """Imbalances, starts and schedules take text as ratios do, exactly."""
    flow = ap.gradient_flow(
        "FAFO",
        classes=3,
        common=4,
        imbalance_qk="1/3",
        imbalance_ov="0.1",
        alpha0="0.05",
        beta0="1e-2",
    )
    assert flow.circuits.imbalance_qk == sympy.Rational(1, 3)
    assert flow.orbit.alpha0 == 0.05
    assert flow.window.beta0 == sympy.Rational(1, 100)
    assert flow.common_schedule("1/2").ode[0] == flow.velocity[0] / 2
    for name in ("imbalance_qk", "alpha0", "beta0"):
        with pytest.raises(InputError, match=f"{name} is 'much'; give a number, as 0.15 or 3/20"):
            ap.gradient_flow("FAFO", **{name: "much"})


def test_training_has_a_goal_of_its_own() -> None:
    """Without a loss and a time the model is trained to loss 0.1, as the docstring says."""
    pytest.importorskip("torch", reason="training needs the extra torch")
    report = ap.gradient_flow("CACO", classes=2, common=1).train()
    assert (report.loss, report.time, report.agrees) == (0.1, None, True)


def test_the_window_of_symbols() -> None:
    """Without numbers the window is in K, r, M, Q and a start of symbols."""
    for kind in ("CACO", "FAFO"):
        found = ap.gradient_flow(kind).window
        names = {str(one) for one in found.beta.free_symbols}
        assert names == {"K", "r", "M", "Q", "t", "alpha_0", "beta_0"}
        assert not found.beta.has(sympy.Abs)


def test_any_symbol_of_the_name_t_is_the_time() -> None:
    """A schedule in a plain t is no constant, and one that is not positive is refused."""
    time = sympy.Symbol("t", positive=True)
    flow = ap.gradient_flow("CACO", classes=3, common=4)
    clock = flow.common_schedule(1 / (1 + sympy.Symbol("t"))).clock
    assert clock is not None
    assert clock.doit() == sympy.log(1 + time)
    assert flow.ratio_schedule(1 + sympy.Symbol("t")).ode == flow.ratio_schedule(1 + time).ode
    with pytest.raises(InputError, match="factor is -1; give a positive number"):
        flow.common_schedule(-1)


def test_what_does_not_move_and_what_schedules_do() -> None:
    """Forms that are conserved have no velocity in the derivation; a common schedule has a clock of
    its own and a moving ratio none; late margins and conjectures are told."""
    flow = ap.gradient_flow("CACO", classes=3, common=4)
    found = {
        k: ap.gradient_flow(k, classes=3, common=4).conserved for k in ("FACO", "CAFO", "FAFO")
    }
    assert found == {"FACO": flow.conserved[:3], "CAFO": flow.conserved[3:], "FAFO": ()}
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
