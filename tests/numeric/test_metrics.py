"""Laws of the metrics of attention, against counts written out, and their messages."""

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.numeric.attended import Attended
from attnproof.numeric.metrics import ac, acmc, by_class, dtap, focus, mc, sweep
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError

UNIT = st.floats(0, 1)


def drawn(seed: int, n: int = 12, length: int = 5, classes: int = 3) -> Attended:
    """Random instances with padding, some without a relevant position, some all relevant."""
    random = np.random.default_rng(seed)
    valid = np.arange(length) < random.integers(1, length + 1, n)[:, None]
    relevant = random.random((n, length)) < random.choice([0.0, 0.4, 1.0], n)[:, None]
    relevant[0, 0] = True
    weights = np.where(valid, random.random((n, length)) ** 4 + 1e-9, 0)
    probabilities = random.dirichlet(np.full(classes, 0.5), n)
    labels = random.integers(0, classes, n)
    return Attended(weights / weights.sum(1, keepdims=True), valid, relevant, probabilities, labels)


def pairs(some: Attended) -> list[tuple[float, float, int]]:
    """Mass, confidence and label of the instances with something relevant, one at a time."""
    found = []
    for row in range(len(some)):
        inside = [t for t in range(some.valid.shape[1]) if some.valid[row, t]]
        relevant = [t for t in inside if some.relevant[row, t]]
        if relevant:
            mass = min(1.0, sum(float(some.attention[row, t]) for t in relevant))
            label = int(some.labels[row])
            found.append((mass, float(some.probabilities[row, label]), label))
    return found


@given(st.integers(0, 10**6), UNIT, UNIT)
def test_thresholds(seed: int, tau: float, pi: float) -> None:
    """AC, MC and ACMC are shares of the same instances, so ACMC lies between its two bounds."""
    some = drawn(seed)
    a, m, both = ac(some, tau), mc(some, pi), acmc(some, tau, pi)
    assert max(0.0, a + m - 1) - 1e-12 <= both <= min(a, m)
    listed = pairs(some)
    margin = min(abs(mass - tau) for mass, _, _ in listed)
    if margin > 1e-12:
        assert a == sum(mass >= tau for mass, _, _ in listed) / len(listed)
        assert both == sum(x >= tau and p >= pi for x, p, _ in listed) / len(listed)
    assert m == sum(p >= pi for _, p, _ in listed) / len(listed)


@given(st.integers(0, 10**6))
def test_a_sweep_falls(seed: int) -> None:
    """AC and ACMC do not grow with τ, and AC at 0 is 1."""
    rows = sweep(drawn(seed), [0, 0.2, 0.5, 0.8, 1])
    assert rows[0][1] == 1
    for (_, a, both), (_, lower, fewer) in pairwise(rows):
        assert a >= lower
        assert both >= fewer


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_dtap_counts_every_instance_once(seed: int, bins: int) -> None:
    """Rows are bins of mass, columns bins of confidence; the last ones hold 1."""
    some = drawn(seed)
    expected = Counter(
        (min(math.floor(mass * bins), bins - 1), min(math.floor(p * bins), bins - 1))
        for mass, p, _ in pairs(some)
        if abs(mass * bins - round(mass * bins)) > 1e-9
    )
    found = dtap(some, bins)
    assert found.sum() == some.counted.sum() == len(pairs(some))
    assert all(found[place] >= count for place, count in expected.items())


@given(st.integers(0, 10**6))
def test_classes_are_parts(seed: int) -> None:
    """What is counted of all classes is what is counted of all, and AC is their weighted mean."""
    some = drawn(seed)
    whole, parts = focus(some), [part for part in by_class(some) if part is not None]
    assert whole is not None
    assert sum(part.instances for part in parts) == whole.instances
    for name in ("ac", "mc", "acmc", "mass"):
        total = sum(getattr(part, name) * part.instances for part in parts)
        assert math.isclose(total, getattr(whole, name) * whole.instances, abs_tol=1e-9)
    assert whole.instances + whole.excluded == len(some)


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_padding_is_never_counted(seed: int, more: int) -> None:
    """More padding, relevant or not, changes no number."""
    some = drawn(seed)
    longer = Attended(
        np.pad(some.attention, ((0, 0), (0, more))),
        np.pad(some.valid, ((0, 0), (0, more))),
        np.pad(some.relevant, ((0, 0), (0, more)), constant_values=True),
        some.probabilities,
        some.labels,
    )
    assert focus(longer) == focus(some)
    assert by_class(longer) == by_class(some)
    assert (dtap(longer) == dtap(some)).all()


def test_edges() -> None:
    """Nothing relevant: excluded and counted. All relevant: mass 1, counted; in the last bin."""
    some = Attended(
        [[0.5, 0.5], [0.3, 0.7], [1.0, 0.0], [0.5, 0.5]],
        [[1, 1], [1, 1], [1, 0], [1, 1]],
        [[0, 0], [1, 1], [1, 0], [1, 0]],
        [[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [1.0, 0.0]],
        [0, 1, 0, 0],
    )
    found = focus(some)
    assert found is not None
    assert (found.instances, found.excluded, found.whole) == (3, 1, 2)
    assert (found.ac, found.mc, found.acmc) == (1, 1, 1)
    assert ac(some, 1.0) == pytest.approx(2 / 3)
    assert dtap(some)[9, 9] == 2
    assert dtap(some)[5, 9] == 1
    rounded = Attended([[1.0]], [[1]], [[1]], [[-5e-5, 1.00005]], [0])
    assert dtap(rounded).sum(0).tolist() == [1, *[0] * 9]
    one = some.of_class(1)
    assert one is not None
    assert (focus(one), some.of_class(2)) == (by_class(some)[1], None)
    assert focus(some.only(some.labels == 0).only(np.array([True, False, False]))) is None


GOOD: dict[str, Any] = {
    "attention": [[0.5, 0.5]],
    "valid": [[1, 1]],
    "relevant": [[1, 0]],
    "probabilities": [[0.5, 0.5]],
    "labels": [0],
}


@pytest.mark.parametrize(
    ("name", "value", "error", "says"),
    [
        ("attention", np.zeros((0, 2)), InputError, "attention has shape (0, 2); give two axes"),
        ("attention", [[1.0], [0.5, 0.5]], InputError, "attention is no table of numbers; give"),
        ("attention", [["x", "y"]], InputError, "attention is no table of numbers; give rows"),
        ("attention", [[math.nan, 1]], InputError, "attention is nan in instance 0 at 0; give fin"),
        ("attention", [[0.5, 0.4]], InputError, "attention over valid positions of instance 0 sum"),
        ("attention", [[1.5, -0.5]], InputError, "with -0.5 as the least; give weights that sum"),
        ("valid", [[1, 0]], InputError, "of instance 0 sum to 0.5"),
        ("valid", [[1]], ShapeError, "valid has shape (1, 1), attention has (1, 2); give the same"),
        ("relevant", [[1], [1, 0]], ShapeError, "relevant has rows of several lengths; give shape"),
        ("relevant", [1, 0], ShapeError, "relevant has shape (2,), attention has (1, 2)"),
        ("probabilities", [[0.5, math.inf]], InputError, "probabilities is inf in instance 0 at 1"),
        ("probabilities", [[0.5, 0.4]], InputError, "probabilities of instance 0 sum to 0.9"),
        ("probabilities", [[1.0]] * 2, ShapeError, "1 rows of attention and 2 of probabilities"),
        ("labels", [[0], [0, 1]], ShapeError, "labels have rows of several lengths; give 1 int"),
        ("labels", [0.0], ShapeError, "labels are float64 of shape (1,); give 1 integers"),
        ("labels", [2], InputError, "labels run from 2 to 2; there are 2 classes, from 0"),
    ],
)
def test_messages(name: str, value: object, error: type[Exception], says: str) -> None:
    """What does not fit is refused with what was given and what was needed."""
    with pytest.raises(error) as caught:
        Attended(**{**GOOD, name: value})
    assert says in str(caught.value)


def test_thresholds_and_nothing_relevant() -> None:
    """Thresholds are in [0, 1], bins are 1 or more; where nothing is relevant there is no share."""
    some = Attended(**GOOD)
    with pytest.raises(ParameterError, match=r"tau is 1\.5; give a number from 0 to 1"):
        ac(some, 1.5)
    with pytest.raises(ParameterError, match="pi is nan; give"):
        mc(some, math.nan)
    with pytest.raises(ParameterError, match="bins is 0; give 1 or more"):
        dtap(some, 0)
    with pytest.raises(InputError, match="none of 1 instances has a relevant position"):
        ac(Attended(**{**GOOD, "relevant": [[0, 0]]}))
