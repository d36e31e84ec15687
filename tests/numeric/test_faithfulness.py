"""Laws of sufficiency and comprehensiveness, and what they are on the invariant manifold."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnproof.numeric.attended import Attended
from attnproof.numeric.faithfulness import (
    SHARES,
    Removal,
    faithfulness,
    over_shares,
    ranked,
)
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError

Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]


def softmax(scores: Floats) -> Floats:
    """Over the last axis; rows of -∞ alone give NaN."""
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def manifold(
    classes: int, distinct: int, common: int, alpha: float, beta: float
) -> tuple[Attended, Callable[[object, Booleans], Floats]]:
    """One sequence a class, W_OV = α U and score β on its distinct tokens, with one padding."""
    length = distinct + common + 1
    valid = np.broadcast_to(np.arange(length) < length - 1, (classes, length))
    relevant = np.broadcast_to(np.arange(length) < distinct, (classes, length))
    values = alpha * (np.eye(classes) - 1 / classes)

    def predict(_batch: object, keep: Booleans) -> Floats:
        attention = softmax(np.where(keep, np.where(relevant, beta, 0.0), -np.inf))
        return softmax((attention * relevant).sum(1)[:, None] * values)

    attention = softmax(np.where(valid, np.where(relevant, beta, 0.0), -np.inf))
    whole = Attended(attention, valid, relevant, predict(None, valid), np.arange(classes))
    return whole, predict


@given(
    st.integers(2, 6), st.integers(1, 3), st.integers(1, 9), st.floats(0.1, 20), st.floats(-2, 5)
)
def test_oracle_on_the_manifold(
    classes: int, distinct: int, common: int, alpha: float, beta: float
) -> None:
    """With the distinct tokens as rationale: p(z) - 1/K without them, p(z) - p(α) with them."""
    whole, predict = manifold(classes, distinct, common, alpha, beta)
    odds = distinct * math.exp(beta) / common

    def p(margin: float) -> float:
        return 1 / (1 + (classes - 1) * math.exp(-margin))

    z = odds / (1 + odds) * alpha
    found = faithfulness(predict, None, whole, whole.relevant)
    assert np.allclose(found.comprehensivenesses, p(z) - 1 / classes, atol=1e-12)
    assert np.allclose(found.sufficiencies, p(z) - p(alpha), atol=1e-12)
    assert found.sufficiency <= 1e-12
    assert np.allclose(whole.masses, odds / (1 + odds))


def test_same_loss_same_comprehensiveness() -> None:
    """At loss 10⁻³ with 5 classes it is .7990, wherever α and β stand: no more than the loss."""
    z = -math.log(math.expm1(1e-3) / 4)
    for s in (0.25, 0.6, 0.98):
        beta = math.log(15 * s / (1 - s))
        whole, predict = manifold(5, 1, 15, z / s, beta)
        found = faithfulness(predict, None, whole, whole.relevant)
        assert round(found.comprehensiveness, 4) == 0.7990


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.01, 0.07, 0.1, 0.3, 0.5, 1.0]))
def test_ranked(seed: int, share: float) -> None:
    """So many as the exact decimal says, none of them padding, none outside with more attention."""
    random = np.random.default_rng(seed)
    n, length = 6, 100
    valid = np.arange(length) < random.integers(1, length + 1, n)[:, None]
    weights = np.where(valid, random.integers(1, 4, (n, length)), 0).astype(float)
    some = Attended(
        weights / weights.sum(1, keepdims=True), valid, valid, np.full((n, 2), 0.5), [0] * n
    )
    chosen = ranked(some, share)
    for row in range(n):
        wanted = sorted(np.flatnonzero(valid[row]), key=lambda t: (-some.attention[row, t], t))
        count = math.ceil(Fraction(str(share)) * len(wanted))
        assert set(np.flatnonzero(chosen[row])) == set(wanted[:count])
    assert share == 0 or chosen.any(1).all()


def test_decimal_shares() -> None:
    """0.07 of 100 positions are 7, though 0.07 · 100 is more than 7 as a float."""
    some = Attended([[0.01] * 100], [[1] * 100], [[1] * 100], [[1.0, 0.0]], [0])
    assert math.ceil(0.07 * 100) == 8
    assert ranked(some, 0.07).sum() == 7


def test_everything_and_nothing() -> None:
    """All valid positions are sufficient; with none every class is equally likely."""
    whole, predict = manifold(3, 1, 2, 4.0, 1.0)
    p = whole.probabilities.max(1)
    everything = faithfulness(predict, None, whole, whole.valid)
    assert np.allclose(everything.sufficiencies, 0)
    assert np.allclose(everything.comprehensivenesses, p - 1 / 3)
    nothing = faithfulness(predict, None, whole, np.zeros_like(whole.valid))
    assert np.allclose(nothing.sufficiencies, p - 1 / 3)
    assert np.allclose(nothing.comprehensivenesses, 0)


def test_the_prediction_is_fixed_by_the_full_input() -> None:
    """The class whose probability is followed is the one predicted, right or wrong."""
    wrong = Attended([[1.0, 0.0]], [[1, 1]], [[1, 0]], [[0.3, 0.7]], [0])
    found = faithfulness(lambda _b, keep: [[0.9, 0.1]], None, wrong, wrong.relevant)
    assert found.sufficiency == found.comprehensiveness == pytest.approx(0.6)


def test_shares_are_averaged() -> None:
    """AOPC is the mean over the shares, 0 among them."""
    whole, predict = manifold(4, 2, 5, 6.0, 1.5)
    each = [faithfulness(predict, None, whole, ranked(whole, share)) for share in SHARES]
    found = over_shares(predict, None, whole)
    assert len(SHARES) == 6
    assert found.sufficiency == pytest.approx(np.mean([one.sufficiency for one in each]))
    assert found.comprehensiveness == pytest.approx(
        np.mean([one.comprehensiveness for one in each])
    )
    part = found.of_class(whole.labels, 2)
    assert part is not None
    assert part.comprehensiveness == found.comprehensivenesses[2]
    assert found.of_class(whole.labels, 9) is None


def test_removal_is_named() -> None:
    """With zeroed embeddings the model says what nothing is; the result says which metric it is."""
    whole, _ = manifold(2, 1, 1, 3.0, 0.0)
    rationale = whole.valid
    found = faithfulness(
        lambda _b, keep: [[0.8, 0.2]] * 2, None, whole, rationale, Removal.ZEROED_EMBEDDINGS
    )
    assert found.removal is Removal.ZEROED_EMBEDDINGS
    assert found.comprehensivenesses[1] == whole.probabilities[1, 1] - 0.2
    masked = faithfulness(lambda _b, keep: [[0.8, 0.2]] * 2, None, whole, rationale)
    assert masked.comprehensivenesses[1] == whole.probabilities[1, 1] - 0.5


def test_messages() -> None:
    """Shapes, shares and NaN are refused with what was needed."""
    whole, predict = manifold(2, 1, 1, 3.0, 0.0)
    with pytest.raises(ShapeError, match=r"the rationale has shape \(2, 2\), attention has"):
        faithfulness(predict, None, whole, whole.valid[:, :2])
    with pytest.raises(ShapeError, match=r"probabilities of shape \(1, 2\); give \(2, 2\)"):
        faithfulness(lambda _b, _k: [[0.5, 0.5]], None, whole, whole.relevant)
    with pytest.raises(InputError, match="no finite probabilities for instance 1"):
        faithfulness(lambda _b, _k: [[0.5, 0.5], [math.nan, 0]], None, whole, whole.relevant)
    with pytest.raises(ParameterError, match=r"share is 1\.5; give a number from 0 to 1"):
        ranked(whole, 1.5)
    with pytest.raises(ParameterError, match="there are no shares; give one or more"):
        over_shares(predict, None, whole, ())
