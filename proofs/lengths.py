"""Claims about every length to predicates: formulas as prefix lists, and why they hold."""

from collections.abc import Mapping
from typing import Any

from attnproof.proofs.checker import length_settings
from attnproof.proofs.checker.formulas import FALSE, TRUE
from attnproof.proofs.checker.formulas import Term as Tuples
from attnproof.proofs.checker.lengths import digest
from attnproof.proofs.setting import plain
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import EveryLength
from attnproof.symbolic.formula import Term, at, k, q, to_json, variable
from attnproof.symbolic.lengths.assumptions import Assumption, assumed
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Depth,
    Equals,
    Property,
    Structural,
    causal,
    next_token,
)

Json = dict[str, object]


def every_length(found: EveryLength) -> Json:
    """The mask, what is assumed, what is claimed and why.

    >>> from attnproof.symbolic.lengths.properties import causal
    >>> every_length(EveryLength(Problem.of(k <= q), causal, {"n": 3}))["layers"]
    [['<=', 'k', 'q']]
    """
    problem = found.problem
    parameters = set(problem.parameters)
    tensors = {one.name for one in problem.tensors}
    return {
        **setting_json(problem),
        "depth": "any" if found.depth is None else found.depth,
        "claim": _claim(found.claim),
        "invariant": _json(found.invariant),
        "between": [[to_json(term) for term in one] for one in found.between],
        "rank": _json(found.rank),
        "reader": found.reader,
        "instance": {
            "n": found.instance["n"],
            "parameters": {x: _elements(found.instance[x]) for x in sorted(parameters)},
            "tensors": {x: _elements(found.instance[x]) for x in sorted(tensors)},
        },
        "proofs": None if found.proofs is None else list(found.proofs),
        "solvers": list(found.solvers),
        "below": found.below,
        "origin": plain(found.origin),
    }


def setting_json(problem: Problem) -> Json:
    """The layers and what is assumed."""
    batch = [variable("b") >= 0] if "b" in problem.parameters else []
    return {
        "layers": [to_json(one) for one in problem.layers],
        "size": to_json(problem.size),
        "residual": problem.residual,
        "requires": [to_json(one) for one in (*batch, *problem.requires)],
        "tensors": [
            {"name": one.name, "shape": list(map(to_json, one.shape)), "boolean": one.boolean}
            for one in problem.tensors
        ],
        "assumptions": [_assumption(one) for one in problem.assumptions],
    }


def digest_of(problem: Problem) -> str:
    """The digest of the mask of a problem, whatever is claimed of it."""
    fields = {**setting_json(problem), "depth": "any"}
    return digest(fields, length_settings.read_setting(fields))


def subject(predicate: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The mask of a predicate with its digest."""
    fields = dict(predicate)
    return (("mask", digest(fields, length_settings.read_setting(fields))),)


def _claim(claim: Property | Term) -> Json:
    if isinstance(claim, Term):
        return {"name": "closure", "relation": to_json(claim)}
    if isinstance(claim, Structural):
        return {"name": claim.name}
    if isinstance(claim, Depth):
        return {"name": "depth", "layers": claim.layers}
    if isinstance(claim, Equals):
        return {"name": "equals", "other": to_json(claim.other)}
    if claim in (causal, next_token):
        return {"name": claim.name}
    pairs = claim.forbidden
    if pairs.op == "!=" and pairs.children[0].op == "at" and len(pairs.children[0].children) == 1:
        name = pairs.children[0].name
        if pairs == at(name, q).ne(at(name, k)):
            return {"name": "documents", "tensor": name}
    return {"name": "forbid", "pairs": to_json(pairs)}


def _assumption(given: Assumption) -> Json:
    try:
        known = assumed(given.schema, given.tensor) == given
    except InputError:
        known = False
    return {
        "schema": given.schema if known else "law",
        "tensor": given.tensor.name,
        "law": to_json(given.law),
        "indices": given.indices,
    }


def _json(term: Term | None) -> object:
    return None if term is None else to_json(term)


def nested(term: Tuples) -> object:
    """A term of the checker as a prefix list; lists of terms as lists.

    >>> nested(("or", ("true",), ("<=", "k", "q")))
    ['or', True, ['<=', 'k', 'q']]
    """
    if term in (TRUE, FALSE):
        return bool(term == TRUE)
    return [nested(part) for part in term] if isinstance(term, (tuple, list)) else term


def _elements(value: Any) -> object:
    """Integers, truth values and nested lists of them."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        return [_elements(one) for one in value]
    return value if isinstance(value, bool) else int(value)
