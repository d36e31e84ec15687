"""Reach as constrained Horn clauses, for z3's fixed-point engine Spacer.

    Reach(p, T, q, q) <- domain
    Reach(p, T, q, k) <- Reach(p, T, q, m), A(m, k), domain
    Bad               <- Reach(p, T, q, k), forbidden(q, k)

Parameters p and tensors T are arguments, so that they are the same at every step; tensors are
arrays. The engine is not trusted: its invariant is proved by both solvers afterwards, and a leak
that it claims is only a reason to search.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attnproof.symbolic.formula import Term, fold, k, q, substitute, to_z3, variables
from attnproof.symbolic.formula.operators import TENSORS
from attnproof.symbolic.formula.rewriting import rebuilt
from attnproof.symbolic.lengths.assumptions import instances
from attnproof.symbolic.lengths.budget import SPACER
from attnproof.symbolic.lengths.division import Divisor, abstracted, divisors, theorems
from attnproof.symbolic.lengths.obligation import m
from attnproof.symbolic.lengths.problem import Problem, at_positions, is_position
from attnproof.symbolic.lengths.reading import Unreadable, read
from attnproof.symbolic.lengths.solvers import Solvers, resources

#: What one fixed point may take.
FIXED_POINT = 3000
#: Without these the engine rewrites the clauses, and the predicate has no invariant to ask for.
_PLAIN = ("xform.slice", "xform.inline_eager", "xform.inline_linear", "xform.coi")


def fixed_point(problem: Problem, forbidden: Term, solvers: Solvers) -> Term | None:
    """A candidate invariant that excludes the forbidden pairs; None where there is none.

    >>> from attnproof.symbolic.lengths.budget import Budget
    >>> fixed_point(Problem.of((k <= q) & (q - k < 4)), k > q, Solvers(Budget()))
    k <= q
    """
    import z3

    limit = solvers.budget.share(FIXED_POINT)
    if not limit:
        return None
    by = divisors([problem.read, forbidden, *problem.requires])
    rules = _Clauses(problem, by, _positions(problem, forbidden, by))
    context = z3.Context()
    engine = z3.Fixedpoint(ctx=context)
    engine.set(engine="spacer", rlimit=limit * SPACER)
    for option in _PLAIN:
        engine.set(option, False)
    arguments = rules.arguments(context)
    positions = [z3.Int(x, context) for x in (q.name, m.name, k.name)]
    one, middle, other = positions
    sorts = [x.sort() for x in (*arguments, one, other)]
    reach = z3.Function("Reach", *sorts, z3.BoolSort(context))
    bad = z3.Function("Bad", z3.BoolSort(context))
    engine.register_relation(reach, bad)
    engine.declare_var(*arguments, *positions)
    engine.rule(reach(*arguments, one, one), rules.body(context, (q,), ()))
    layer = rules.body(context, (q, m, k), (at_positions(problem.read, m, k),))
    engine.rule(reach(*arguments, one, other), [reach(*arguments, one, middle), *layer])
    engine.rule(bad(), [reach(*arguments, one, other), *rules.body(context, (q, k), (forbidden,))])
    try:
        answer = engine.query(bad())
    except z3.Z3Exception as error:
        if "canceled" in str(error):
            raise KeyboardInterrupt from None
        answer = z3.unknown
    solvers.budget.spend(1 + _used(engine, limit, answer == z3.unknown))
    if answer != z3.unsat:
        said = "claims a leak that no instance shows" if answer == z3.sat else "finds no invariant"
        solvers.budget.note(f"Spacer {said}")
        return None
    cover = z3.substitute_vars(engine.get_cover_delta(-1, reach), *arguments, one, other)
    try:
        return _with_division(read(cover), by)
    except Unreadable:
        solvers.budget.note("Spacer's invariant is no formula of masks")
        return None


class _Clauses:
    """Bodies of clauses, over arrays and functions in place of division."""

    def __init__(self, problem: Problem, by: Sequence[Divisor], seeds: Sequence[Term]) -> None:
        self._problem, self._by, self._seeds = problem, by, seeds
        names = {t.name: (len(t.shape), t.boolean) for t in problem.tensors}
        names |= {name: (1, False) for each in by for name in (each.quotient, each.remainder)}
        self._tensors = names

    def arguments(self, context: Any) -> list[Any]:
        """n, the parameters, and the tensors as arrays."""
        import z3

        scalars = ["n", *self._problem.parameters]
        return [
            *(z3.Int(name, context) for name in scalars),
            *(_array(name, *kind, context) for name, kind in self._tensors.items()),
        ]

    def body(self, context: Any, positions: Sequence[Term], premises: Sequence[Term]) -> list[Any]:
        """The domain, the premises, and the instances of what is assumed, at the positions."""
        problem = self._problem
        named = {x.name for x in positions}
        given = [*problem.domain(*positions), *premises]
        seeds = [x for x in self._seeds if set(filter(is_position, variables(x))) <= named]
        laws = instances(problem.assumptions, [*given, *seeds])
        made = [abstracted(x, self._by) for x in (*given, *laws)]
        facts = theorems([*made, *(abstracted(x, self._by) for x in seeds)], self._by)
        arrays: Mapping[str, Any] = {
            name: _selection(_array(name, *kind, None)) for name, kind in self._tensors.items()
        }
        terms = [*made, *facts, *(each.term >= 1 for each in self._by)]
        return [to_z3(term, arrays).translate(context) for term in terms]


def _positions(problem: Problem, forbidden: Term, by: Sequence[Divisor]) -> list[Term]:
    """Elements and quotients that speak of one position, at each of q, m and k, as equations with
    themselves: what the invariant may be about."""
    found: dict[Term, None] = {}

    def combine(node: Term, _: list[None]) -> None:
        names = variables(node) & {"q", "k"}
        divided = node.op in ("//", "%") and any(node.children[1] == each.term for each in by)
        if len(names) == 1 and (divided or node.op == "at"):
            (name,) = names
            for position in (q, m, k):
                moved = substitute(node, {name: position})
                found[moved.eq(moved)] = None

    for term in (problem.read, forbidden):
        fold(term, combine)
    return list(found)


def _with_division(term: Term, by: Sequence[Divisor]) -> Term:
    """Quotients and remainders in place of the functions that stood for them."""
    names = {each.quotient: ("//", each.term) for each in by}
    names |= {each.remainder: ("%", each.term) for each in by}

    def combine(node: Term, parts: list[Term]) -> Term:
        if node.op in TENSORS and node.name in names:
            op, divisor = names[node.name]
            return Term(op, (parts[0], divisor))
        return rebuilt(node, parts)

    return fold(term, combine)


def _array(name: str, axes: int, boolean: bool, context: Any) -> Any:
    import z3

    sort = z3.BoolSort(context) if boolean else z3.IntSort(context)
    for _ in range(axes):
        sort = z3.ArraySort(z3.IntSort(context), sort)
    return z3.Const(name, sort)


def _selection(array: Any) -> Any:
    import z3

    def element(*index: Any) -> Any:
        found = array
        for each in index:
            found = z3.Select(found, each)
        return found

    return element


def _used(engine: Any, limit: int, all_of_it: bool) -> int:
    found = resources(engine)
    return limit if all_of_it or found is None else min(limit, found // SPACER)
