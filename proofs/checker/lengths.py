"""lengths/v1: a mask, given as a formula, has a property at every length, for all parameters and
captured tensors that satisfy what is assumed.

What has to be proved is derived here from the claim; the negation of each implication is refuted by
cases and sums. What is assumed is satisfied by an instance of three positions or more, else
everything would follow. Where ``proofs`` is null, two solvers found what is derived here to hold;
that is recorded, and not re-checked by this folder.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from .cases import Refutation
from .envelope import Fields, Invalid, Undecided, array, integer, need, record, string
from .formulas import evaluate, tensors_of
from .laws import lemma
from .length_claims import obligations
from .length_settings import (
    EVIDENCE,
    FIELDS,
    Obligation,
    Setting,
    read_claim,
    read_setting,
)
from .limits import Steps
from .linear import Normaliser

KIND = "attnproof/lengths/v1"
#: The fewest tokens, and positions, of the instance.
_LEAST = 3
_KEYS = FIELDS | EVIDENCE | {"origin", "instance", "proofs", "solvers", "below"}


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the claim is proved, Undecided where only solvers say so."""
    fields = record(predicate, _KEYS, "the predicate")
    need(isinstance(fields["origin"], dict), "origin is not an object")
    setting = read_setting(fields)
    need(list(digests) == [digest(fields, setting)], "the digest is of another mask")
    steps = Steps()
    _check_satisfied(setting, fields["instance"], steps)
    asked = obligations(setting, read_claim(fields, setting))
    solvers = [string(one, "a solver") for one in array(fields["solvers"], "solvers")]
    below = fields["below"]
    if fields["proofs"] is None:
        need(len(set(solvers)) == len(solvers) >= 2, "there are not two solvers")
        need(below is None or integer(below, None, "below") > 0, "below is no limit")
        raise Undecided("two solvers agreed on this, which this folder does not re-check")
    need(not solvers and below is None, "solvers are named beside a proof")
    proofs = array(fields["proofs"], "proofs")
    need(len(proofs) == len(asked), "there is not one proof for each obligation")
    for obligation, proof in zip(asked, proofs, strict=True):
        parts = record(proof, {"lemmas", "steps"}, "a proof")
        given = array(parts["lemmas"], "lemmas")
        try:
            refutation(setting, obligation, given, steps).check(parts["steps"])
        except Invalid as error:
            raise Invalid(f"{obligation.name}: {error}") from None


def refutation(
    setting: Setting, obligation: Obligation, lemmas: Sequence[object], steps: Steps
) -> Refutation:
    """The premises, the negated goal and the lemmas, to be refuted."""
    found = Refutation(Normaliser(steps), setting.scope)
    found.assume(found.root, *obligation.premises, ("not", obligation.goal))
    for one in lemmas:
        found.assume(found.root, lemma(one, setting.laws, setting.scope))
    return found


def digest(fields: Fields, setting: Setting) -> str:
    """The digest of a mask for every length: its layers, the tensors they read, its size, and what
    is assumed."""
    read = tensors_of(*setting.layers)
    named = [one for one in array(fields["tensors"], "tensors") if _name(one) in read]
    parts = [fields["layers"], fields["size"], named, fields["requires"], fields["assumptions"]]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _name(tensor: object) -> object:
    return tensor.get("name") if isinstance(tensor, dict) else None


def _check_satisfied(setting: Setting, value: object, steps: Steps) -> None:
    fields = record(value, {"n", "parameters", "tensors"}, "the instance")
    n = integer(fields["n"], None, "n")
    parameters = fields["parameters"]
    if not isinstance(parameters, dict) or {"n", "q", "k"} & parameters.keys():
        raise Invalid("the parameters of the instance are no object, or name a position")
    values: dict[str, int] = {**parameters, "n": n}
    need(all(type(one) is int for one in values.values()), "a parameter is no integer")
    given = fields["tensors"]
    if not isinstance(given, dict) or given.keys() != setting.tensors.keys():
        raise Invalid("the instance does not hold the tensors")
    need(not values.keys() & given.keys(), "a parameter is called as a tensor is")
    tensors: dict[str, Any] = {}
    for name, tensor in setting.tensors.items():
        sizes = [evaluate(size, values, {}, steps) for size in tensor.shape]
        tensors[name] = _held(given[name], tensor.holds, sizes)
    long = n >= _LEAST and evaluate(setting.size, values, {}, steps) >= _LEAST
    need(long, "the instance is too short")
    admitted = all(evaluate(one, values, tensors, steps) for one in setting.domain)
    need(admitted, "the instance is not admitted")
    kept = all(law.holds_on(values, tensors, steps) for law in setting.laws)
    need(kept, "the instance breaks a law")


def _held(value: object, holds: bool, sizes: Sequence[int]) -> Any:
    """The elements of a tensor of these sizes, as nested tuples."""

    def read(part: object, axis: int) -> Any:
        if axis == len(sizes):
            need(type(part) is (bool if holds else int), "an element is of another sort")
            return part
        elements = array(part, "a tensor")
        need(len(elements) == sizes[axis], "a tensor has another shape")
        return tuple(read(one, axis + 1) for one in elements)

    return read(value, 0)
