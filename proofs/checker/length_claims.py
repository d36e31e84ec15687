"""Claims about every length, and the implications without quantifiers from which they follow.

What the checker derives from a claim:

    flow            a relation R contains what a layer reads and the diagonal, R(q, m) and A(m, k)
                    give R(q, k), and no pair of R is forbidden; then no depth reaches such a pair
    flow, L layers  no path of L layers ends in a forbidden pair
    depth = c       each pair of such an R, or each path of c + 1 layers, has a path of c layers
    closure         R is such a relation, and each pair of R that no layer reads has a position w
                    between with A(q, w), R(w, k), or R(q, w), A(w, k), of smaller rank >= 0
    the others      by their definition, for each layer

Layers and what a claim speaks of must have a value: divisors are positive, indices in range.

Machine-checked: ``Invariant.invariant_sound_from_below`` and
``Invariant.ranked_pairs_are_reached``, on any set of positions.
"""

from collections.abc import Sequence
from itertools import pairwise

from .envelope import Invalid, need
from .formulas import (
    MAX_SHIFT,
    TENSORS,
    Term,
    every,
    inside,
    parts_of,
    size_of,
    some,
    substitute,
    visit,
)
from .length_settings import DIAGONAL, FLOW, Claim, Obligation, Setting
from .limits import MOST_PARTS


def obligations(setting: Setting, claim: Claim) -> list[Obligation]:
    """All that has to be proved for the claim."""
    terms = [claim.formula, claim.invariant, claim.rank]
    spoken = size_of(*setting.layers, *(term for term in terms if term is not None))
    shapes = (size for tensor in setting.tensors.values() for size in tensor.shape)
    times = 8 + size_of(setting.size, *shapes) + claim.count + (setting.depth or 0)
    times += sum(1 + size_of(*one) for one in claim.between)
    need(spoken * times <= MOST_PARTS, "what has to be proved is too large")
    about = [] if claim.formula is None else [claim.formula]
    goals = [goal for term in (*setting.layers, *about) for goal in _meaning(term, setting)]
    found = [setting.obligation("meaning", ("q", "k"), (), every(goals))] if goals else []
    if claim.name in FLOW:
        return [*found, *_flow(setting, claim)]
    if claim.name == "depth":
        return [*found, *_settles(setting, claim)]
    if claim.name == "closure":
        return [*found, *_closure(setting, claim)]
    return [*found, *_structural(setting, claim)]


def _meaning(term: Term, setting: Setting) -> list[Term]:
    found: list[Term] = []

    def see(part: Term) -> None:
        if not isinstance(part, tuple):
            return
        op = part[0]
        if op in ("//", "%"):
            found.append((">", part[2], 0))
        if op in ("<<", ">>"):
            found.extend((("<=", 0, part[2]), ("<=", part[2], MAX_SHIFT)))
        if op in TENSORS:
            sizes = setting.tensors[part[1]].shape
            for index, size in zip(parts_of(part), sizes, strict=True):
                found.extend(inside(index, size))

    visit(term, see)
    return list(dict.fromkeys(found))


def _at(relation: Term, query: Term, key: Term) -> Term:
    return substitute(relation, {"q": query, "k": key})


def _inductive(setting: Setting, relation: Term) -> list[Obligation]:
    m = "between"
    read = some([setting.read, DIAGONAL])
    premises = _at(relation, "q", m), _at(setting.read, m, "k")
    return [
        setting.obligation("init", ("q", "k"), [read], relation),
        setting.obligation("step", ("q", m, "k"), premises, relation),
    ]


def _flow(setting: Setting, claim: Claim) -> list[Obligation]:
    allowed = ("not", claim.formula)
    if setting.depth is None:
        if claim.invariant is None:
            raise Invalid("any number of layers needs an invariant")
        safe = setting.obligation("safe", ("q", "k"), [claim.invariant], allowed)
        return [*_inductive(setting, claim.invariant), safe]
    executed = setting.executed
    places = ["q", *(f"between{i}" for i in range(1, setting.depth)), "k"]
    levels = range(setting.depth - 1, -1, -1)
    walked = [
        _at(executed[level % len(executed)], a, b)
        for level, (a, b) in zip(levels, pairwise(places), strict=False)
    ]
    return [setting.obligation("layers", places, walked or [DIAGONAL], allowed)]


def _settles(setting: Setting, claim: Claim) -> list[Obligation]:
    need(setting.residual and len(setting.layers) == 1, "not one layer with a residual")
    step = setting.read
    need(all(len(one) == claim.count - 1 for one in claim.between), "a path has other layers")
    paths = [_path(setting, step, one) for one in claim.between]
    goal = some([step, *paths])
    if claim.invariant is not None:
        settled = setting.obligation("settles", ("q", "k"), [claim.invariant], goal)
        return [*_inductive(setting, claim.invariant), settled]
    places = ["q", *(f"between{i}" for i in range(1, claim.count + 1)), "k"]
    walked = [_at(step, a, b) for a, b in pairwise(places)]
    return [setting.obligation("settles", places, walked, goal)]


def _path(setting: Setting, step: Term, between: Sequence[Term]) -> Term:
    within = [bound for w in between for bound in inside(w, setting.size)]
    return every([*within, *(_at(step, a, b) for a, b in pairwise(["q", *between, "k"]))])


def _closure(setting: Setting, claim: Claim) -> list[Obligation]:
    relation, rank = claim.formula, claim.rank
    need(setting.residual or len(setting.layers) == 1, "several layers without a residual")
    need(all(len(one) == 1 for one in claim.between), "not one position between")
    goals = [setting.read, DIAGONAL]
    for (w,) in claim.between:
        if rank is None:
            raise Invalid("positions between need a rank")
        here, there = ((w, "k"), ("q", w)) if claim.reader else (("q", w), (w, "k"))
        less = _at(rank, *here)
        parts = [_at(setting.read, *there), _at(relation, *here)]
        parts += [*inside(w, setting.size), ("<=", 0, less), ("<", less, rank)]
        goals.append(every(parts))
    exact = setting.obligation("exact", ("q", "k"), [relation], some(goals))
    return [*_inductive(setting, relation), exact]


def _structural(setting: Setting, claim: Claim) -> list[Obligation]:
    if claim.name == "equals":
        need(len(setting.layers) == 1, "several layers are no other mask")
        goal = ("iff", setting.layers[0], claim.formula)
        return [setting.obligation("equals", ("q", "k"), (), goal)]
    found = []
    for layer, executed in zip(setting.layers, setting.executed, strict=True):
        whole = some([executed, DIAGONAL])
        positions, premises, goal = ["q"], [], _at(layer, "q", "q")
        if claim.name == "no-empty-rows":
            need(all(len(one) == 1 for one in claim.between), "not one key")
            keys = [one[0] for one in claim.between]
            goal = some([every([*inside(w, setting.size), _at(layer, "q", w)]) for w in keys])
        elif claim.name == "antisymmetric":
            positions, premises, goal = ["q", "k"], [executed, _at(executed, "k", "q")], DIAGONAL
        elif claim.name == "transitive":
            m = "between"
            positions, goal = ["q", m, "k"], whole
            premises = [_at(whole, "q", m), _at(whole, m, "k")]
        found.append(setting.obligation(claim.name, positions, premises, goal))
    return found
