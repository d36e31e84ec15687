"""Faithfulness of a rationale R_i: what the prediction loses without it, and what it keeps alone.

With j_i = argmax p_i on the full input, kept fixed: *sufficiency* is the mean of
p_i(j_i | x) - p_i(j_i | keep R_i), good when low, and *comprehensiveness* the mean of
p_i(j_i | x) - p_i(j_i | remove R_i), good when high. Both lie in [-1, 1]. To remove a token is to
mask its key, so that attention is renormalised, while the query vector stays as it is; with every
key removed the classes are equally likely. Where embeddings become zero instead, tokens keep their
attention: that is another metric, and :class:`Removal` names it. Source: the ERASER benchmark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from attnproof.numeric.attended import Attended
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Booleans = NDArray[np.bool_]

#: Shares of the valid positions over which :func:`over_shares` takes the mean.
SHARES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)


class Predict(Protocol):
    """A model: class probabilities (N, K) of a batch when only ``keep`` (N, T) is left."""

    def __call__(self, batch: Any, keep: "Booleans", /) -> Any:
        """Rows of ``keep`` that are all false may give anything, NaN too, when keys are masked."""


class Removal(Enum):
    """What a model does with tokens that are removed."""

    MASKED_KEYS = "masked keys"
    ZEROED_EMBEDDINGS = "zeroed embeddings"


@dataclass(frozen=True, slots=True, eq=False)
class Faithfulness:
    """Sufficiency and comprehensiveness of each instance (N,), and how tokens were removed."""

    removal: Removal
    sufficiencies: "Floats"
    comprehensivenesses: "Floats"

    @property
    def sufficiency(self) -> float:
        """The mean."""
        return float(self.sufficiencies.mean())

    @property
    def comprehensiveness(self) -> float:
        """The mean."""
        return float(self.comprehensivenesses.mean())

    def of_class(self, labels: "NDArray[np.int64]", label: int) -> "Faithfulness | None":
        """That of the instances with a label, None where there is none."""
        chosen = labels == label
        if not chosen.any():
            return None
        return Faithfulness(
            self.removal, self.sufficiencies[chosen], self.comprehensivenesses[chosen]
        )


def ranked(instances: Attended, share: float) -> "Booleans":
    """The ⌈share · |V_i|⌉ valid positions with most attention, at least one unless share is 0.

    Of equal ones the first is taken. The share is the decimal number that is written: 0.07 of 100
    positions are 7.

    >>> tie = Attended([[0.25, 0.5, 0.25]], [[1, 1, 1]], [[1, 0, 0]], [[1.0, 0.0]], [0])
    >>> ranked(tie, 0.5).tolist()
    [[True, True, False]]
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"share is {share}; give a number from 0 to 1", share=share)
    order = np.argsort(np.where(instances.valid, -instances.attention, np.inf), 1, kind="stable")
    exact = Fraction(str(share))
    counts = [ceil(exact * int(n)) for n in instances.valid.sum(1)]
    chosen = np.zeros(instances.valid.shape, bool)
    first = np.arange(instances.valid.shape[1]) < np.asarray(counts)[:, None]
    np.put_along_axis(chosen, order, first, 1)
    return chosen


def faithfulness(
    predict: Predict,
    batch: Any,
    instances: Attended,
    rationale: "Booleans",
    removal: Removal = Removal.MASKED_KEYS,
) -> Faithfulness:
    """Both metrics of a rationale (N, T), of which padding is no part.

    >>> def attends_first(batch, keep):
    ...     return [[0.9, 0.1] if row[0] else [0.5, 0.5] for row in keep]
    >>> one = Attended([[1.0, 0.0]], [[1, 1]], [[1, 0]], [[0.9, 0.1]], [0])
    >>> found = faithfulness(attends_first, None, one, np.array([[True, False]]))
    >>> found.sufficiency, found.comprehensiveness
    (0.0, 0.4)

    Laws: a rationale of all valid positions has sufficiency 0, an empty one comprehensiveness 0.
    With the distinct tokens of the invariant manifold as rationale, comprehensiveness is
    p - 1/K: no more than the loss says. Raises :class:`ShapeError` for another shape.
    """
    rationale = np.asarray(rationale, bool)
    if rationale.shape != instances.valid.shape:
        raise ShapeError(
            f"the rationale has shape {rationale.shape}, attention has {instances.valid.shape}; "
            "give the same"
        )
    kept, rest = instances.valid & rationale, instances.valid & ~rationale
    return Faithfulness(
        removal,
        _drop(predict, batch, instances, kept, removal),
        _drop(predict, batch, instances, rest, removal),
    )


def over_shares(
    predict: Predict,
    batch: Any,
    instances: Attended,
    shares: Sequence[float] = SHARES,
    removal: Removal = Removal.MASKED_KEYS,
) -> Faithfulness:
    """The area over the perturbation curve (AOPC): both metrics of ranked rationales, averaged.

    The mean is over ``shares``, of which 0 is one: then nothing is kept, and nothing removed.
    """
    if not shares:
        raise ParameterError("there are no shares; give one or more", shares=())
    each = [
        faithfulness(predict, batch, instances, ranked(instances, share), removal)
        for share in shares
    ]
    return Faithfulness(
        removal,
        np.mean([one.sufficiencies for one in each], axis=0),
        np.mean([one.comprehensivenesses for one in each], axis=0),
    )


def _drop(
    predict: Predict, batch: Any, instances: Attended, keep: "Booleans", removal: Removal
) -> "Floats":
    """p_i(j_i | x) - p_i(j_i | keep) of every instance."""
    full = instances.probabilities
    left = np.array(predict(batch, keep), np.float64)
    if left.shape != full.shape:
        raise ShapeError(
            f"the model gave probabilities of shape {left.shape}; give {full.shape}, as for the "
            "full input"
        )
    if removal is Removal.MASKED_KEYS:
        left[~keep.any(1)] = 1 / full.shape[1]
    if not np.isfinite(left).all():
        row = int((~np.isfinite(left)).any(1).argmax())
        raise InputError(
            f"the model gave no finite probabilities for instance {row}; give finite numbers",
            instance=row,
        )
    rows, best = np.arange(len(full)), full.argmax(1)
    return np.asarray(full[rows, best] - left[rows, best])
