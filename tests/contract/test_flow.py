"""``flow``: the JSON, the text, exit codes, and what is refused."""

import json
from math import exp, log

import pytest
import sympy

from tests.contract.conftest import Run

KEYS = {
    "alpha", "beta", "attention", "odds", "loss", "ode", "first_integral", "asymptotics",
}  # fmt: skip
FIVE = ("--classes", 5, "--common", 15, "--ratio", 0.15)


@pytest.mark.parametrize(
    ("name", "attention"),
    [("CACO", 0.8106), ("FACO", 0.9827), ("CAFO", 0.2992), ("FAFO", 0.2451)],
)
def test_a_state_at_a_loss(run: Run, name: str, attention: float) -> None:
    """Attention at loss 1e-3 for K = 5, r = 1, M = 15, ratio 0.15: values integrated elsewhere."""
    done = run("flow", name, *FIVE, "--loss", 1e-3, "--json")
    answer = json.loads(done.out)
    assert (done.code, done.err, set(answer) >= KEYS) == (0, "", True)
    assert answer["attention"] == pytest.approx(attention, abs=1e-4)
    assert answer["loss"] == pytest.approx(1e-3, rel=1e-12)
    assert answer["odds"] == pytest.approx(exp(answer["beta"]) / 15, rel=1e-12)


def test_the_text_of_expressions_is_read_by_sympy(run: Run) -> None:
    """Along the ode, as printed, the first integral, as printed, does not change."""
    answer = json.loads(run("flow", "CACO", "--json").out)
    names = {name: sympy.Symbol(name) for name in ("alpha", "beta", *"KrMQ")}
    integral, first, second, law = (
        sympy.sympify(text, locals=names)
        for text in (
            answer["first_integral"],
            *answer["ode"].values(),
            answer["asymptotics"]["alpha"],
        )
    )
    drift = integral.diff(names["alpha"]) * first + integral.diff(names["beta"]) * second
    assert sympy.simplify(drift) == 0
    assert law.has(sympy.log)
    assert answer["alpha"] is None


def test_starts_default_by_parametrisation(run: Run) -> None:
    """alpha0 = 0 (CO) or 0.01 (FO), beta0 = 0 (CA) or 1e-4 (FA); the state is that of the start."""
    found = {}
    for name in ("CACO", "FAFO"):
        answer = json.loads(run("flow", name, "--classes", 2, "--common", 1, "--json").out)
        found[name] = (answer["alpha"], answer["beta"], answer["time"])
        assert answer["loss"] == pytest.approx(log(2), abs=0.01)
    assert found == {"CACO": (0.0, 0.0, 0.0), "FAFO": (0.01, 1e-4, 0.0)}


def test_a_time_and_a_loss_are_two_names_of_one_state(run: Run) -> None:
    """The loss at a time has that time."""
    once = json.loads(run("flow", "CAFO", "--time", 50, "--json").out)
    again = json.loads(run("flow", "CAFO", "--loss", once["loss"], "--json").out)
    assert again["time"] == pytest.approx(50, rel=1e-9)


def test_latex(run: Run) -> None:
    """One aligned block on stdout."""
    done = run("flow", "FACO", "--latex")
    assert done.code == 0
    assert done.out.startswith("\\begin{aligned}\n")
    assert done.out.endswith("\\end{aligned}\n")
    for part in (
        r"\dot{\alpha} &= \frac{e s}{r \left(K - 1\right)}",
        r"\text{where}\quad s &= \frac{r}{M \exp{\left(- \beta \right)} + r}",
        r"y &= \frac{s}{1 - s}",
        r"L &= - \log{\left(1 - e \right)}",
        r"\alpha &= \log{\left(\frac{1}{r} \right)} + \log{\left(t \right)} + o(1)",
        r"\text{from } \beta_0 > 0",
    ):
        assert part in done.out
    assert r"\alpha &\sim" not in done.out


def test_training_agrees_with_the_flow(run: Run) -> None:
    """The full model, trained with three steps, ends where the flow does, and the error is told."""
    pytest.importorskip("torch", reason="training needs the extra torch")
    done = run("flow", "FACO", "--classes", 2, "--common", 1, "--loss", 0.3, "--train", "--json")
    trained = json.loads(done.out)["train"]
    assert (done.code, trained["agrees"]) == (0, True)
    assert max(map(abs, trained["difference"])) < trained["estimate"]


def test_a_flow_that_rests_has_no_order(run: Run) -> None:
    """From 0 a balanced product does not move: the model agrees, and there is no order to tell."""
    done = run("flow", "FAFO", "--alpha0", 0, "--time", 3, "--train", "--json")
    trained = json.loads(done.out, parse_constant=pytest.fail)["train"]
    assert (done.code, trained["agrees"], trained["order"]) == (0, True, None)


def test_laws_come_with_their_conditions(run: Run) -> None:
    """The text says from which starts the laws for large t hold, where no start is known."""
    assert "if     beta0 > 0: a balanced product" in run("flow", "FACO").out
    assert "if   " not in run("flow", "FACO", "--classes", 3).out
    assert "if   " not in run("flow", "CACO", "--beta0", -1).out


def test_a_start_that_meets_no_law_gets_none(run: Run) -> None:
    """In text, JSON and LaTeX what is missing stands in the place of the laws."""
    asked = ("flow", "FACO", "--beta0", -1, "--time", 1e9)
    needed = "these laws are not met by this start: they need beta0 > 0, and it is -1"
    text = run(*asked).out
    assert needed in text
    assert "log(t)" not in text
    assert "beta 0," in text
    answer = json.loads(run(*asked, "--json").out)
    assert answer["unmet"] == ["beta0 > 0, and it is -1"]
    assert answer["asymptotics"] == dict.fromkeys(("alpha", "beta", "odds", "loss"))
    latex = run(*asked, "--latex").out
    assert r"\beta_0 > 0\text{, and it is }-1" in latex
    assert r"\sim" not in latex


def test_training_without_a_goal_ends_at_a_loss(run: Run) -> None:
    """The goal that --train has by default stands in its help, and the state is that of it."""
    pytest.importorskip("torch", reason="training needs the extra torch")
    assert "to loss 0.1 unless" in " ".join(run("flow", "--help").out.split())
    done = run("flow", "CACO", "--classes", 2, "--common", 1, "--train", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["loss"]) == (0, pytest.approx(0.1))
    assert answer["train"]["agrees"]


@pytest.mark.parametrize("goal", [("--time", 1e6), ("--loss", 1e-6)])
def test_a_training_without_an_end_is_foreseen(run: Run, goal: tuple[object, ...]) -> None:
    """Where no step that is tried is short enough, it is refused, with the way out."""
    pytest.importorskip("torch", reason="training needs the extra torch")
    done = run("flow", "CACO", *goal, "--train")
    assert (done.code, done.out) == (2, "")
    assert "steps are too long to tell; ask for less time, or for a greater loss" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("XX",), "parametrisation is 'XX'; give one of CACO, FACO, CAFO, FAFO"),
        (("CACO", "--classes", 1), "classes is 1; give 2 or more"),
        (("CACO", "--common", 2, "--queries", 3), "queries is 3"),
        (("CACO", "--ratio", "fast"), "ratio is 'fast'; give a number"),
        (("CACO", "--ratio", 0), "ratio is 0; give a positive number"),
        (("CACO", "--ratio", "1e99999999"), "ratio is '1e99999999'; give a number"),
        (("CACO", "--classes", 10**5, "--loss", 1, "--train"), "give fewer"),
        (("CACO", "--loss", 3), "the flow only lowers the loss"),
        (("CACO", "--loss", 0), "give a positive number"),
        (("CACO", "--time", -1), "give 0 or more"),
        (("CACO", "--loss", 0.1, "--time", 3), "give one of them"),
        (("CACO", "--json", "--latex"), "so give one"),
        (("CAFO", "--alpha0", -1, "--loss", 0.1), "never reached"),
        (("FACO", "--beta0", "nan", "--loss", 0.1), "give a finite number"),
    ],
)
def test_what_is_refused(run: Run, arguments: tuple[object, ...], told: str) -> None:
    """One line that says what was given and what was needed, exit code 2."""
    done = run("flow", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1
