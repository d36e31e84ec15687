"""Instances: what a model attends, what is relevant there, what it predicts, and what is right."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attnproof.symbolic.errors import InputError, ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Booleans = NDArray[np.bool_]

#: Sums of attention and of probabilities may differ from 1 by this much.
ROUNDING = 1e-4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attended:
    """N instances: what is attended, what is relevant, what is predicted.

    ``attention`` (N, T) sums to 1 over ``valid`` (N, T), the positions that are no padding;
    ``relevant`` (N, T); ``probabilities`` (N, K) of the classes; ``labels`` (N,) in 0..K-1.

    >>> one = Attended([[0.75, 0.25]], [[True, True]], [[True, False]], [[0.1, 0.9]], [1])
    >>> one.masses.tolist(), one.confidences.tolist()
    ([0.75], [0.9])

    Raises :class:`InputError` for no instance at all, for NaN, and where sums are not 1;
    :class:`ShapeError` where axes do not fit.
    """

    attention: "Floats"
    valid: "Booleans"
    relevant: "Booleans"
    probabilities: "Floats"
    labels: "NDArray[np.int64]"

    def __init__(
        self, attention: Any, valid: Any, relevant: Any, probabilities: Any, labels: Any
    ) -> None:
        self._set("attention", _floats("attention", attention))
        for name, given in (("valid", valid), ("relevant", relevant)):
            self._set(name, _booleans(name, given, self.attention.shape))
        self._set("probabilities", _floats("probabilities", probabilities))
        n, classes = self.probabilities.shape
        if n != len(self.attention):
            raise ShapeError(
                f"there are {len(self.attention)} rows of attention and {n} of probabilities; give "
                "one of each for an instance"
            )
        self._set("labels", _labels(labels, n, classes))
        _sums("attention over valid positions", np.where(self.valid, self.attention, 0))
        _sums("probabilities", self.probabilities)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Attended({len(self)} instances, {self.probabilities.shape[1]} classes)"

    @property
    def masses(self) -> "Floats":
        """A_i^S in [0, 1] for every instance, 0 where nothing is relevant."""
        inside = np.where(self.relevant & self.valid, self.attention, 0).sum(1)
        return np.asarray(np.clip(inside, 0, 1))

    @property
    def confidences(self) -> "Floats":
        """P_i in [0, 1] for every instance."""
        found = self.probabilities[np.arange(len(self)), self.labels]
        return np.asarray(np.clip(found, 0, 1))

    @property
    def counted(self) -> "Booleans":
        """The instances that have a relevant valid position."""
        return np.asarray((self.relevant & self.valid).any(1))

    @property
    def whole(self) -> "Booleans":
        """The instances of which every valid position is relevant: their mass is 1 whatever A."""
        return np.asarray(self.counted & (self.relevant | ~self.valid).all(1))

    def of_class(self, label: int) -> "Attended | None":
        """The instances with a label, None where there is none."""
        chosen = self.labels == label
        return self.only(chosen) if chosen.any() else None

    def only(self, chosen: "Booleans") -> "Attended":
        """Some of the instances."""
        return Attended(
            self.attention[chosen],
            self.valid[chosen],
            self.relevant[chosen],
            self.probabilities[chosen],
            self.labels[chosen],
        )


def _floats(name: str, given: Any) -> "Floats":
    try:
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no table of numbers; give rows of one length") from None
    if found.ndim != 2 or not found.size:
        raise InputError(
            f"{name} has shape {found.shape}; give two axes, with an instance a row and one or more"
        )
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0].tolist()
        raise InputError(
            f"{name} is {found[row, column]} in instance {row} at {column}; give finite numbers",
            instance=row,
        )
    return found


def _booleans(name: str, given: Any, shape: tuple[int, ...]) -> "Booleans":
    try:
        found = np.asarray(given, bool)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} has rows of several lengths; give shape {shape}") from None
    if found.shape != shape:
        raise ShapeError(f"{name} has shape {found.shape}, attention has {shape}; give the same")
    return found


def _labels(given: Any, n: int, classes: int) -> "NDArray[np.int64]":
    try:
        found = np.asarray(given)
    except ValueError:
        raise ShapeError(f"labels have rows of several lengths; give {n} integers") from None
    if found.shape != (n,) or found.dtype.kind not in "iu":
        raise ShapeError(
            f"labels are {found.dtype} of shape {found.shape}; give {n} integers, one an instance"
        )
    if found.min() < 0 or found.max() >= classes:
        raise InputError(
            f"labels run from {found.min()} to {found.max()}; there are {classes} classes, from 0"
        )
    return found.astype(np.int64)


def _sums(what: str, rows: "Floats") -> None:
    sums = rows.sum(1)
    off = (np.abs(sums - 1) > ROUNDING) | (rows < -ROUNDING).any(1)
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"{what} of instance {row} sum to {sums[row]:.6g}, with {rows[row].min():.3g} as the "
            "least; give weights that sum to 1",
            instance=row,
        )
