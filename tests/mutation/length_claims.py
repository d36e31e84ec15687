"""Claims about every length, judged at every small one by brute force.

A claim is not true where a counterexample is found: every parameter from -1 to 4, tensors drawn at
random and all of them where they are few. Formulas are Python expressions, written from the prefix
lists.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

from tests.mutation.world import Json
from tests.reference import Pairs, closed, identity

#: Lengths, values of parameters, and how many tensors of a length are tried.
LENGTHS, PARAMETERS, DRAWN = (1, 2, 3, 4, 5, 8), range(-1, 5), 4
_MOST = 12
#: What a claim consists of; the rest of a predicate is evidence.
_CLAIM = "layers size depth residual requires tensors assumptions claim"
_BETWEEN = ["//", "%", "<<", ">>", "-", "==", "!=", "<", "<=", ">", ">=", "+", "*", "&", "|", "^"]
_WORDS = {"and", "or", "xor", "iff", "implies", "not", "ite", "min", "max", "abs", "neg"}
_JOINED = {"and": " and ", "or": " or ", "xor": "!=", "iff": "=="}

Values = dict[str, Any]
Function = Callable[[Values], Any]


def written(term: Any) -> str:
    """The Python expression of a prefix list."""
    if isinstance(term, bool | int):
        return f"({term})"
    if isinstance(term, str):
        return f"v[{term!r}]"
    op, *rest = term
    if op in ("at", "holds"):
        index = "".join(f"[at({written(part)})]" for part in rest[1:])
        return f"v[{rest[0]!r}]{index}"
    parts = [written(part) for part in rest]
    if op in _BETWEEN:
        return f"({f' {op} '.join(parts)})"
    if op in _JOINED:
        return f"({_JOINED[op].join(parts)})"
    if op in ("min", "max", "abs"):
        return f"{op}({', '.join(parts)})"
    one, *others = parts
    if op == "ite":
        return f"({others[0]} if {one} else {others[1]})"
    return {"neg": f"(-{one})", "~": f"(~{one})", "not": f"(not {one})"}.get(
        op, f"(not {one} or {others[0] if others else None})"
    )


def _index(value: int) -> int:
    if value < 0:
        raise IndexError
    return value


def function(term: Any) -> Function:
    """The value of a formula for given values."""
    return _function(json.dumps(term))


@cache
def _function(text: str) -> Function:
    code = compile(written(json.loads(text)), "formula", "eval")
    return lambda values: eval(code, {"v": values, "at": _index})


def digest_of(predicate: Json) -> str:
    """The digest of the mask."""
    text = json.dumps(predicate["layers"])
    named = [one for one in predicate["tensors"] if f'"{one["name"]}"' in text]
    parts = [predicate[key] for key in ("layers", "size", "requires", "assumptions")]
    form = json.dumps([*parts[:2], named, *parts[2:]], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(form.encode()).hexdigest()


def every_length(predicate: Json, digests: list[str]) -> bool:
    """Whether no small length, with any parameters and tensors that are drawn, contradicts it."""
    claim = json.dumps({key: predicate[key] for key in _CLAIM.split()})
    return digests == [digest_of(predicate)] and _is_true(claim)


@cache
def _is_true(text: str) -> bool:
    predicate = json.loads(text)
    return not any(_contradicts(predicate, world) for world in _worlds(predicate))


def _worlds(predicate: Json) -> Iterator[Values]:
    required = [function(one) for one in predicate["requires"]]
    laws = [(one, function(one["law"])) for one in predicate["assumptions"]]
    tensors = predicate["tensors"]
    formulas = [predicate["layers"], predicate["size"], predicate["requires"]]
    formulas += [
        [x for key, x in predicate["claim"].items() if key != "name"],
        *(one["shape"] for one in tensors),
    ]
    formulas += [one["law"] for one in predicate["assumptions"]]
    bound = {"n", "q", "k", "i0", "i1", "i2", "r0", *_WORDS, *(one["name"] for one in tensors)}
    free = sorted(set().union(*map(_strings, formulas)) - bound)
    drawn = random.Random(0)
    for n in LENGTHS:
        chosen = [dict(zip(free, x, strict=True)) for x in product(PARAMETERS, repeat=len(free))]
        for parameters in drawn.sample(chosen, min(_MOST, len(chosen))):
            values: Values = {"n": n, **parameters}
            if not all(_defined(one, values) for one in required):
                continue
            for _ in range(DRAWN if tensors else 1):
                held = {one["name"]: _tensor(one, values, drawn) for one in tensors}
                if all(_lawful(law, check, {**values, **held}, predicate) for law, check in laws):
                    yield {**values, **held}


def _strings(value: Any) -> set[str]:
    """The names in formulas."""
    if isinstance(value, list):
        return set().union(*map(_strings, value))
    return {value} if isinstance(value, str) and value.isidentifier() else set()


def _defined(check: Function, values: Values) -> bool:
    try:
        return bool(check(values))
    except (ZeroDivisionError, IndexError, ValueError):
        return False


def _shape(tensor: Json, values: Values) -> list[int]:
    return [max(0, function(one)(values)) for one in tensor["shape"]]


def _tensor(tensor: Json, values: Values, drawn: random.Random) -> Any:
    def fill(sizes: list[int]) -> Any:
        if sizes:
            return [fill(sizes[1:]) for _ in range(sizes[0])]
        return drawn.random() < 0.5 if tensor["boolean"] else drawn.randrange(-1, values["n"] + 1)

    found = fill(_shape(tensor, values))
    if not tensor["boolean"] and len(tensor["shape"]) == 1:
        kind = drawn.randrange(3)
        found = sorted(found) if kind == 0 else found
        if kind == 1:
            found = drawn.sample(range(len(found)), len(found))
    return found


def _lawful(law: Json, check: Function, values: Values, predicate: Json) -> bool:
    (tensor,) = (one for one in predicate["tensors"] if one["name"] == law["tensor"])
    *rows, last = _shape(tensor, values)
    names = [f"r{axis}" for axis in range(len(rows))]
    names += [f"i{place}" for place in range(law["indices"])]
    sizes = [*rows, *[last] * law["indices"]]
    return all(
        _defined(check, {**values, **dict(zip(names, index, strict=True))})
        for index in product(*map(range, sizes))
    )


def _contradicts(predicate: Json, values: Values) -> bool:
    """Whether the claim fails at these values, or a formula has no value there."""
    size = function(predicate["size"])(values)

    def pairs(term: Any) -> Pairs:
        code = function(term)
        return frozenset(
            (q, k)
            for q in range(size)
            for k in range(size)
            if _held(code, {**values, "q": q, "k": k})
        )

    try:
        return not _holds(predicate, size, pairs)
    except (ZeroDivisionError, IndexError, ValueError, OverflowError):
        return True


def _held(code: Function, values: Values) -> bool:
    return bool(code(values))


def _holds(predicate: Json, size: int, pairs: Callable[[Any], Pairs]) -> bool:
    layers = [pairs(one) for one in predicate["layers"]]
    diagonal = identity(size)
    executed = [one | diagonal if predicate["residual"] else one for one in layers]
    claim, name = predicate["claim"], predicate["claim"]["name"]
    forbidden = _forbidden(claim)
    reached = closed(frozenset().union(*executed), size) | diagonal
    if forbidden is not None:
        if predicate["depth"] != "any":
            reached = diagonal
            for level in range(predicate["depth"]):
                reached = _product(executed[level % len(executed)], reached)
        return not reached & pairs(forbidden)
    if name == "closure":
        return reached == pairs(claim["relation"])
    if name == "equals":
        return layers == [pairs(claim["other"])]
    if name == "depth":
        held = diagonal
        for _ in range(claim["layers"]):
            held = _product(executed[0] | diagonal, held)
        return held == reached
    return all(
        _structural(name, a, b | diagonal, size) for a, b in zip(layers, executed, strict=True)
    )


def _forbidden(claim: Json) -> Any:
    """The formula of the pairs that a claim about flow forbids; None for other claims."""
    if claim["name"] == "documents":
        return ["!=", ["at", claim["tensor"], "q"], ["at", claim["tensor"], "k"]]
    if claim["name"] == "forbid":
        return claim["pairs"]
    return {"causal": [">", "k", "q"], "next-token": ["==", "k", ["+", "q", 1]]}.get(claim["name"])


def _product(layer: Pairs, held: Pairs) -> Pairs:
    return frozenset((q, k) for q, m in layer for middle, k in held if m == middle)


def _structural(name: str, layer: Pairs, whole: Pairs, size: int) -> bool:
    if name == "reflexive":
        return identity(size) <= layer
    if name == "no-empty-rows":
        return {q for q, _ in layer} == set(range(size))
    if name == "antisymmetric":
        return not any((k, q) in whole for q, k in whole if q != k)
    return _product(whole, whole) <= whole
