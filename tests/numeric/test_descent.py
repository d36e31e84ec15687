"""Laws of descent: what a step is by each method, schedules, batches, and where it stops."""

import math

import pytest
import torch

from attnproof.numeric.circuit_data import Population
from attnproof.numeric.circuits import AttentionCircuits
from attnproof.numeric.descent import Descent, Method, descend
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.orbit import Orbit
from attnproof.symbolic.progress import listening
from tests.numeric.circuit_cases import KINDS, circuits, start


def model_of(
    kind: Parametrisation, setting: str = "plain", *, random: float | None = None
) -> AttentionCircuits:
    """A model on the manifold, or at random."""
    model = AttentionCircuits(circuits(kind, setting), seed=1)
    return model.on_manifold(*start(kind)) if random is None else model.at_random(random)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_the_velocity_times_h(kind: Parametrisation) -> None:
    """Each circuit with its own learning rate."""
    model = model_of(kind, "queries", random=0.5)
    before = model.vector()
    expected = before + 0.3 * model.velocity()(0.0, before)
    model.set_vector(before)
    descend(model, Descent(0.3), steps=1)
    assert torch.allclose(model.vector(), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("method", "batch"), [(Method.GRADIENT, 3), (Method.ADAM, 3), (Method.SIGN, None)]
)
def test_a_descent_repeats(method: Method, batch: int | None) -> None:
    """One seed gives the same parameters to the last bit, another seed another batch."""

    def end(seed: int) -> torch.Tensor:
        model = model_of(Parametrisation.FAFO, random=0.3)
        descend(model, Descent(0.1, method, batch, seed=seed), steps=12)
        return model.vector()

    assert torch.equal(end(0), end(0))
    assert torch.equal(end(0), end(1)) == (batch is None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_batch_keeps_the_manifold_and_batches_do_not(kind: Parametrisation) -> None:
    """Descent on the population moves α and β alone; noise moves everything."""
    on = descend(model_of(kind, "queries"), Descent(0.4), steps=60).last
    off = descend(model_of(kind, "queries"), Descent(0.4, batch=3), steps=60).last
    assert on.residual < 1e-13
    assert on.alpha > start(kind)[0] + 0.1
    assert off.residual > 1e-3


@pytest.mark.parametrize("rho", [0.5, 2])
def test_signs_descend_along_a_line(rho: float) -> None:
    """One-hot, one query, scale 1, from zero: β = ρ (α - one step), and no common token moves."""
    asked = Circuits(Parametrisation.CACO, Data(3, 1, 4, 1), eta_qk=rho)
    flat = Population.of(asked.data, rotated=False)
    model = AttentionCircuits(asked, population=flat)
    done = descend(model, Descent(0.01, Method.SIGN), steps=100, every=10)
    for record in done.records[1:]:
        assert record.alpha == pytest.approx(0.02 * record.steps, abs=1e-12)
        assert record.beta == pytest.approx(rho * (record.alpha - 0.02), abs=1e-12)
    assert model.w_ov[:, 3:].abs().max().item() == 0
    turned = AttentionCircuits(asked, population=Population.of(asked.data, seed=2))
    last = descend(turned, Descent(0.01, Method.SIGN), steps=100).last
    assert abs(last.beta - rho * (last.alpha - 0.02)) > 0.1


def test_adam_is_its_formula() -> None:
    """Moments, their corrections and decoupled decay written out, with a rate for each circuit."""
    model = model_of(Parametrisation.FAFO, "queries", random=0.4)
    copy = model_of(Parametrisation.FAFO, "queries", random=0.4)
    descend(model, Descent(0.01, Method.ADAM, decay=0.1), steps=4)
    first = {name: torch.zeros_like(each) for name, each in copy.named_parameters()}
    second = {name: torch.zeros_like(each) for name, each in copy.named_parameters()}
    for step in range(1, 5):
        _, found = copy.gradients()
        with torch.no_grad():
            for name, each in copy.named_parameters():
                rate = 0.01 * (2 if name in ("key", "query") else 0.5)
                first[name] = 0.9 * first[name] + 0.1 * found[name]
                second[name] = 0.999 * second[name] + 0.001 * found[name] ** 2
                mean = first[name] / (1 - 0.9**step)
                root = (second[name] / (1 - 0.999**step)).sqrt()
                each.copy_(each * (1 - 0.1 * rate) - rate * mean / (root + 1e-8))
    assert torch.allclose(model.vector(), copy.vector(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("method", Method)
def test_schedules_multiply_the_rates(method: Method) -> None:
    """A constant schedule is another step, and one of the ratio is another η_QK."""

    def end(how: Descent, eta_qk: float = 1) -> torch.Tensor:
        asked = Circuits(Parametrisation.FACO, Data(3, 1, 4, 2), eta_qk=eta_qk)
        model = AttentionCircuits(asked, seed=1).at_random(0.3)
        descend(model, how, steps=5)
        return model.vector()

    half = Descent(0.2, method, common=lambda _: 0.5)
    assert torch.allclose(end(half), end(Descent(0.1, method)), atol=1e-14)
    triple = Descent(0.2, method, ratio=lambda _: 3.0)
    assert torch.allclose(end(triple), end(Descent(0.2, method), eta_qk=3), atol=1e-14)
    late = Descent(0.2, method, common=lambda t: 1.0 if t < 0.3 else 0.0)
    model = AttentionCircuits(circuits(Parametrisation.FACO)).at_random(0.3)
    two = AttentionCircuits(circuits(Parametrisation.FACO)).at_random(0.3)
    descend(model, late, steps=5)
    descend(two, Descent(0.2, method), steps=2)
    assert torch.allclose(model.vector(), two.vector(), atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_descent_stops_at_a_loss(kind: Parametrisation) -> None:
    """At the first step at or below it; exactly there where the last step may be shorter."""
    below = descend(model_of(kind), Descent(0.2), loss=0.9)
    before = descend(model_of(kind), Descent(0.2), steps=below.last.steps - 1).last
    assert below.reached
    assert below.last.loss <= 0.9 < before.loss
    exact = descend(model_of(kind), Descent(0.2), loss=0.9, exactly=True)
    assert exact.reached
    assert exact.last.loss == pytest.approx(0.9, abs=1e-12)
    assert before.time < exact.last.time <= below.last.time
    assert exact.last.steps == below.last.steps
    orbit = Orbit(model_of(kind).circuits, *start(kind)).at_loss(0.9)
    assert exact.last.alpha == pytest.approx(orbit.alpha, rel=0.02)
    assert exact.last.attention == pytest.approx(orbit.attention, rel=0.02)
    short = descend(model_of(kind), Descent(0.2), loss=0.9, steps=5)
    assert not short.reached
    assert short.last.steps == 5


def test_batches_stop_by_the_loss_of_the_population() -> None:
    """It is looked at after every 20 steps, whatever the loss of a batch."""
    model = model_of(Parametrisation.CACO)
    done = descend(model, Descent(0.5, batch=1), loss=0.5)
    assert done.reached
    assert done.last.steps % 20 == 0
    assert model.loss().item() == done.last.loss <= 0.5


def test_single_precision() -> None:
    """A model moved to float32 descends alike, within its rounding, which is larger."""
    double = descend(model_of(Parametrisation.FAFO), Descent(0.2), steps=100).last
    single = descend(model_of(Parametrisation.FAFO).float(), Descent(0.2), steps=100).last
    assert single.alpha == pytest.approx(double.alpha, abs=1e-4)
    assert abs(single.alpha - double.alpha) > 1e-10


def test_records() -> None:
    """The start, every so many steps, and the end; each says what the model says."""
    model = model_of(Parametrisation.CAFO)
    done = descend(model, Descent(0.1), steps=10, every=4)
    assert [record.steps for record in done.records] == [0, 4, 8, 10]
    assert [record.time for record in done.records] == pytest.approx([0, 0.4, 0.8, 1])
    assert done.last.loss == model.loss().item()
    assert done.last.alpha == model.scalars().alpha
    assert done.last.least <= done.last.attention <= done.last.most
    even = descend(model, Descent(0.1), steps=8, every=4)
    assert [record.steps for record in even.records] == [0, 4, 8]
    none = descend(model, Descent(0.1), steps=0)
    assert [record.steps for record in none.records] == [0]


def test_progress() -> None:
    """Every 64 steps, and at the end."""
    heard: list[tuple[int, int]] = []
    with listening(lambda done, total: heard.append((done, total))):
        descend(model_of(Parametrisation.CACO), Descent(0.1), steps=130)
    assert heard == [(64, 130), (128, 130), (130, 130)]


def test_what_a_descent_says() -> None:
    """Method, step, batches, schedules and decay, in words."""
    assert repr(Descent(0.25)) == "gradient descent, step 0.25"
    whole = Descent(1e-3, Method.ADAM, 4, common=math.exp, decay=0.01, seed=7)
    assert repr(whole) == "Adam, step 0.001, batches of 4, seed 7, a schedule, weight decay 0.01"


def test_messages() -> None:
    """What was given, what is needed."""
    for step in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ParameterError, match=f"step is {step}; give a positive number"):
            Descent(step)
    with pytest.raises(ParameterError, match="batch is 0; give 1 or more"):
        Descent(1.0, batch=0)
    with pytest.raises(
        ParameterError, match=r"decay is 0.1 for gradient descent; give 0, or a pos"
    ):
        Descent(1.0, decay=0.1)
    model = model_of(Parametrisation.CACO)
    with pytest.raises(ParameterError, match="every is 0; give 1 or more"):
        descend(model, Descent(1.0), every=0)
    with pytest.raises(ParameterError, match="steps is -1; give 0 or more"):
        descend(model, Descent(1.0), steps=-1)
    with pytest.raises(ParameterError, match="only gradient descent on a full batch can end exac"):
        descend(model, Descent(1.0, batch=2), loss=0.5, exactly=True)
    large = model_of(Parametrisation.FAFO, random=1.0)
    with pytest.raises(InputError, match=r"the loss is nan after \d+ steps?; give a smaller step"):
        descend(large, Descent(1e200), steps=5)
