"""Interpolation to predicates: the net and the pairs as they stand, numbers as text."""

from collections.abc import Mapping
from hashlib import sha256

from attnproof.proofs.statement import canonical_json
from attnproof.symbolic.evidence import Infeasible, Interpolates, InterpolatesSoftmax

Json = dict[str, object]


def subject(predicate: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The net and the pairs that a predicate holds, each with the digest of its canonical JSON."""
    parts = [part for part in ("net", "pairs") if part in predicate]
    texts = (canonical_json(predicate[part]).encode() for part in parts)
    return tuple((part, sha256(text).hexdigest()) for part, text in zip(parts, texts, strict=True))


def interpolates(found: Interpolates | InterpolatesSoftmax) -> Json:
    """The net and the data."""
    return {"net": found.net.to_json(), **found.data.to_json()}


def interpolates_softmax(found: InterpolatesSoftmax) -> Json:
    """The same, and for which temperatures."""
    return {
        **interpolates(found),
        "tau": "infinity" if found.tau is None else str(found.tau),
        "below": found.below,
        "precision": found.precision,
    }


def infeasible(found: Infeasible) -> Json:
    """The data, and the pairs that show it, for "prefix" with the prefix and who shares it."""
    prefix = {"length": found.length, "sharing": list(found.sharing)}
    return {
        **found.data.to_json(),
        "because": found.because,
        "at": list(found.at),
        **(prefix if found.because == "prefix" else {}),
    }
