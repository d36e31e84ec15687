"""Certificates for every length: proofs in the checker's own format, found with the help of z3.

The checker derives the obligations; for each the lemmas that z3 needs are chosen, then steps are
searched that close every case. What is out of reach is recorded as an agreement of two solvers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attnproof.proofs.arithmetic import Arithmetic
from attnproof.proofs.checker import length_claims, length_settings
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.inequalities import Normal
from attnproof.proofs.checker.laws import lemma
from attnproof.proofs.checker.lengths import KIND, check, refutation
from attnproof.proofs.checker.limits import Steps
from attnproof.proofs.checker.linear import Normaliser
from attnproof.proofs.lemmas import Lemma, lemmas
from attnproof.proofs.lengths import every_length, nested, subject
from attnproof.proofs.splitting import Splitting
from attnproof.proofs.statement import Statement
from attnproof.symbolic.evidence import EveryLength
from attnproof.symbolic.formula import Term
from attnproof.symbolic.lengths.answer import Answer
from attnproof.symbolic.lengths.bits import POSITION
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.closure import Closure
from attnproof.symbolic.lengths.ground import keys
from attnproof.symbolic.lengths.models import models
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow
from attnproof.symbolic.lengths.search import example
from attnproof.symbolic.lengths.solvers import Solvers
from attnproof.symbolic.verdict import Verdict

__all__ = ["certify", "certify_closure", "confirmed"]


def certify(
    problem: Problem, answer: Answer, *, depth: int | None = None, budget: int = STEPS
) -> EveryLength | None:
    """The evidence for a property that holds at every length; None where there is none.

    Its ``proofs`` are accepted by the checker, or None: then the ``solvers`` agreed. Of what one
    solver alone proves there is evidence only with proofs. ``depth`` is
    the number of layers that a flow property is about, None for any. ``budget`` counts steps, never
    seconds.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.decide import decide
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> window = Problem.of((k <= q) & (q - k < 4))
    >>> certify(window, decide(window, causal)).proofs is not None
    True
    """
    if answer.verdict is not Verdict.HOLDS and not answer.alone:
        return None
    asked = answer.property
    if isinstance(asked, Flow):
        problem = problem.speaking_of(asked.forbidden)
    elif isinstance(asked, Equals):
        problem = problem.speaking_of(asked.other)
    between: Sequence[Sequence[Term]] = ()
    if isinstance(asked, Depth):
        between = _paths(problem, answer, asked.layers)
    elif asked.name == "no-empty-rows":
        between = [[key] for key in keys(problem)]
    found = EveryLength(
        problem,
        asked,
        {},
        depth if answer.invariant is None else None,
        answer.invariant,
        between,
    )
    return _certified(found, answer.solvers, answer.scope != "every n", Budget(budget))


def certify_closure(
    problem: Problem, closure: Closure, *, budget: int = STEPS
) -> EveryLength | None:
    """The evidence that a relation is what is reached at every length; None where it is not exact.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.closure import closure
    >>> window = Problem.of((k <= q) & (q - k < 4))
    >>> certify_closure(window, closure(window)).proofs is not None
    True
    """
    if closure.relation is None or closure.exact is None or closure.witness is None:
        return None
    witness = closure.witness
    found = EveryLength(
        problem.speaking_of(closure.relation),
        closure.relation,
        {},
        between=[[one] for one in witness.between],
        rank=witness.rank,
        reader=witness.reader,
    )
    bits = closure.exact.width is not None
    return _certified(found, closure.exact.solvers, bits, Budget(budget))


def confirmed(closure: Closure, *, budget: int = STEPS) -> Closure:
    """What was found, or what one solver alone proves where the checker accepts a proof of it.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.closure import closure
    >>> confirmed(closure(Problem.of((k <= q) & (q - k < 4))))
    key k reaches query q exactly where k <= q
    """
    alone = closure.alone
    if alone is None or certify_closure(closure.problem, alone, budget=budget) is None:
        return closure
    return alone


def _certified(
    found: EveryLength, solvers: Sequence[str], bits: bool, budget: Budget
) -> EveryLength | None:
    instance = _instance(found.problem, budget)
    if instance is None:
        return None
    found = replace(found, instance=instance)
    predicate = every_length(found)
    proofs = _proofs_of(predicate, budget)
    if proofs is not None and _accepted({**predicate, "proofs": proofs}):
        return replace(found, proofs=proofs)
    agreeing = replace(found, solvers=tuple(solvers), below=1 << POSITION if bits else None)
    return agreeing if len(solvers) >= 2 else None


def _proofs_of(predicate: Mapping[str, object], budget: Budget) -> list[dict[str, object]] | None:
    """A proof of each obligation that the checker derives from a predicate; None where one is not
    found."""
    fields = dict(predicate)
    try:
        setting = length_settings.read_setting(fields)
        asked = length_claims.obligations(setting, length_settings.read_claim(fields, setting))
        found = []
        for obligation in asked:
            chosen = _chosen(setting, obligation, budget)
            if chosen is None:
                return None
            start = refutation(setting, obligation, chosen, Steps())
            steps = Splitting(start, Arithmetic(budget)).steps()
            if steps is None:
                return None
            found.append({"lemmas": chosen, "steps": nested(steps)})
    except Invalid:
        return None
    return found


def _chosen(
    setting: length_settings.Setting, obligation: length_settings.Obligation, budget: Budget
) -> list[Lemma] | None:
    """The lemmas that z3 needs to contradict an obligation's negation; None where it does not."""
    normaliser = Normaliser(Steps())
    formulas: list[Normal] = []
    given = (*obligation.premises, ("not", obligation.goal))
    formulas += [normaliser.normal(one) for one in given]
    formulas += normaliser.sides
    arithmetic = Arithmetic(budget)
    if arithmetic.core(formulas) is not None:
        return []
    offered = [_listed(one) for one in lemmas(setting, obligation, normaliser)]
    start = len(formulas)
    for one in offered:
        formulas.append(normaliser.normal(lemma(one, setting.laws, setting.scope)))
    formulas[start + len(offered) :] = normaliser.sides
    core = arithmetic.core(formulas)
    if core is None:
        return None
    return [offered[i - start] for i in core if start <= i < start + len(offered)]


def _listed(lemma: Lemma) -> Lemma:
    return [nested(part) for part in lemma]


def _paths(problem: Problem, answer: Answer, layers: int) -> list[list[Term]]:
    """The positions between, read off the obligation that they serve."""
    if layers == 1:
        return []
    goal = answer.obligations[-1].goal
    found = []
    for part in goal.children if goal.op == "or" else ():
        parts = part.children if part.op == "and" else (part,)
        bounds = [x for x in parts if x.op == "<" and x.children[1] == problem.size]
        if len(bounds) >= layers - 1:
            found.append([x.children[0] for x in bounds[: layers - 1]])
    return found


def _instance(problem: Problem, budget: Budget) -> Mapping[str, object] | None:
    found = example(problem, budget)
    if found is not None:
        return found.values
    for one in models(problem, None, Solvers(budget)):
        if one.values["n"] >= 3 and one.size >= 3:
            return one.values
    return None


def _accepted(predicate: Mapping[str, object]) -> bool:
    """Whether the checker accepts it."""
    statement = Statement(subject(predicate), KIND, predicate).to_json()
    digests = [digest for _, digest in subject(predicate)]
    try:
        check(statement["predicate"], digests)
    except Invalid:
        return False
    return True
