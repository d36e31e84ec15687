"""Are claims about nets and pairs true? Dense matrices of fractions, and many digits."""

import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from tests.interpolation import error, interpolates
from tests.mutation.world import Json

#: Softmax is exact, or wrong by more than this.
_WRONG = mpmath.mpf(10) ** -30


def digests_of(predicate: Json) -> list[str]:
    """The digests of what a statement about nets speaks of."""
    parts = [predicate[key] for key in ("net", "pairs") if key in predicate]
    texts = [
        json.dumps(part, sort_keys=True).replace(", ", ",").replace(": ", ":") for part in parts
    ]
    return [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def _hardmax(predicate: Json, digests: list[str]) -> bool:
    return digests == digests_of(predicate) and interpolates(predicate["net"], predicate["pairs"])


def _softmax(predicate: Json, digests: list[str]) -> bool:
    tau = predicate["tau"]
    if digests != digests_of(predicate) or not predicate["pairs"]:
        return False
    if tau == "infinity":
        temperatures = [Fraction(1, 50), Fraction(1), Fraction(50)]
        asked = predicate["below"] is True
    else:
        temperatures = [Fraction(tau)]
        asked = Fraction(tau) > 0
        if predicate["below"]:
            temperatures.append(Fraction(tau) / 3)
    return asked and all(
        error(predicate["net"], predicate["pairs"], one) < _WRONG for one in temperatures
    )


def _infeasible(predicate: Json, digests: list[str]) -> bool:
    pairs = predicate["pairs"]
    sets = [
        [frozenset(tuple(map(Fraction, token)) for token in pair[side]) for pair in pairs]
        for side in ("input", "output")
    ]
    inputs, outputs = sets
    sizes = {len(token) for pair in pairs for side in pair.values() for token in side}
    at = predicate["at"]
    if digests != digests_of(predicate) or len(sizes) != 1 or min(at, default=0) < 0:
        return False
    if predicate["because"] == "longer-output":
        (j,) = at
        return len(outputs[j]) > len(inputs[j])
    if predicate["because"] == "prefix":
        return not _labelled(pairs, outputs)
    i, j = at
    distinct = all(len(pairs[k]["input"]) == len(inputs[k]) for k in at)
    conflict = inputs[i] == inputs[j] and outputs[i] != outputs[j]
    return predicate["because"] == "conflicting-targets" and distinct and conflict


def _labelled(pairs: list[Json], outputs: list[frozenset[Any]]) -> bool:
    """Can every prefix become one token so that the paths are the outputs? All ways are tried."""
    paths = [
        [tuple(tuple(map(Fraction, token)) for token in pair["input"][:i]) for i in range(1, n + 1)]
        for pair in pairs
        for n in [len(pair["input"])]
    ]
    prefixes = sorted({prefix for path in paths for prefix in path})
    allowed = [
        frozenset.intersection(
            *(output for path, output in zip(paths, outputs, strict=True) if prefix in path)
        )
        for prefix in prefixes
    ]
    return any(
        all(
            {held[prefix] for prefix in path} == output
            for path, output in zip(paths, outputs, strict=True)
        )
        for labels in product(*allowed)
        for held in [dict(zip(prefixes, labels, strict=True))]
    )


NETS: dict[str, Callable[[Json, list[str]], bool]] = {
    "interpolates": _hardmax,
    "interpolates-softmax": _softmax,
    "infeasible": _infeasible,
}
