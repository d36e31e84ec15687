"""One run of a rule on indices that are names: what it has decided and read so far."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import NoReturn

from attnproof.numeric.trace.bounds import bounds
from attnproof.numeric.trace.captured import Registry
from attnproof.numeric.trace.refusal import TraceError, refuse
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import (
    INDICES,
    Obligation,
    Term,
    constant,
    simplify,
    tensors,
    to_z3,
    variables,
)

#: Steps of the solver for one question about a branch or the sign of an index.
_STEPS = 50_000
#: The most branches on one path.
_BRANCHES = 32

_CURRENT: ContextVar["Session"] = ContextVar("session")


class Session:
    """The state of one run: conditions of the path, terms with conditions of use, notes.

    ``facts`` are least values of variables; ``script`` holds the answers to the first questions
    that the code asks, for replay.
    """

    def __init__(
        self, registry: Registry, facts: Sequence[Term], split: bool, script: Sequence[bool]
    ) -> None:
        self.registry = registry
        self.facts = tuple(facts)
        self.split = split
        self.script = list(script)
        self.asked = 0
        self.path: list[Term] = []
        #: Terms that divide, shift or read a tensor, each with the path it stands on.
        self.partial: dict[tuple[Term, tuple[Term, ...]], None] = {}
        self.needs: dict[tuple[Obligation, tuple[Term, ...]], None] = {}
        self.notes: dict[str, None] = {}
        #: The sizes of abstract tensors that are as the user's.
        self.fixed: dict[str, int] = {}
        self.answer = constant(False)
        self._known: dict[tuple[Term, int], bool] = {}

    def use(self, term: Term) -> Term:
        """A term that has a value only under conditions."""
        self.partial[term, tuple(self.path)] = None
        return term

    def need(self, obligation: Obligation) -> None:
        """A condition under which what follows means what torch computes."""
        self.needs[obligation, tuple(self.path)] = None

    def note(self, text: str) -> None:
        """Something that the formula takes for granted."""
        self.notes[text] = None

    def fix(self, size: Term, number: int, text: str) -> None:
        """Give a size of an abstract tensor the value that it has."""
        self.fixed[size.name] = number
        self.note(text)

    def decide(self, condition: Term) -> bool:
        """The truth of a condition: settled, or the branch that this run follows."""
        condition = simplify(condition)
        if condition.value is not None:
            return bool(condition.value)
        if not self.split and (variables(condition) & set(INDICES) or tensors(condition)):
            _refuse_branch(condition)
        for answer, term in ((True, condition), (False, ~condition)):
            if self.proves(term):
                return answer
        if not self.split:
            _refuse_branch(condition)
        if self.asked == _BRANCHES:
            refuse(f"takes more than {_BRANCHES} branches on one path", "bound the loop")
        if self.asked == len(self.script):
            self.script.append(True)
        answer = self.script[self.asked]
        self.asked += 1
        self.path.append(condition if answer else ~condition)
        return answer

    def proves(self, term: Term) -> bool:
        """Whether a formula follows from the facts and the path, as far as a few steps show."""
        import z3

        term = simplify(term)
        if term.value is not None:
            return bool(term.value)
        key = term, len(self.path)
        if key not in self._known:
            solver = z3.Solver()
            solver.set("rlimit", _STEPS)
            try:
                solver.add(*(to_z3(fact) for fact in (*self.facts, *self.path)))
                solver.add(z3.Not(to_z3(term)))
                self._known[key] = solver.check() == z3.unsat
            except InputError:
                self._known[key] = False
        return self._known[key]

    def nonnegative(self, term: Term) -> bool:
        """Whether an integer formula is at least 0, as far as bounds and a few steps show."""
        least = {fact.children[0].name: fact.children[1].value or 0 for fact in self.facts}
        return bounds(term, self.registry.used, least)[0] >= 0 or self.proves(term >= 0)


def _refuse_branch(condition: Term) -> NoReturn:
    refuse(
        f"needs the truth value of `{condition!r}`, which is not the same for all pairs",
        "write & | ~ for and, or, not, and torch.where for if",
        condition=condition,
    )


def current() -> Session:
    """The run that indices belong to; refused outside one."""
    session = _CURRENT.get(None)
    if session is None:
        raise TraceError("an index of a traced rule is used after the rule returned")
    return session


@contextlib.contextmanager
def running(session: Session) -> Iterator[Session]:
    """Make a session the current one."""
    token = _CURRENT.set(session)
    try:
        yield session
    finally:
        _CURRENT.reset(token)


def explore(run: Callable[[Sequence[bool]], Session], most: int) -> Iterator[Session]:
    """Runs for every feasible list of answers: the last yes becomes a no, until none is left."""
    script: list[bool] = []
    for _ in range(most):
        session = run(script)
        yield session
        script = session.script[: session.asked]
        while script and not script[-1]:
            script.pop()
        if not script:
            return
        script[-1] = False
    raise TraceError(
        f"the rule has more than {most} paths; write torch.where in place of branches", most=most
    )
