"""Answer: a verdict for every length, and why it should be believed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from attnproof.symbolic.formula import Term
from attnproof.symbolic.lengths.bits import SCOPE
from attnproof.symbolic.lengths.instances import Counterexample
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow, Property, Structural
from attnproof.symbolic.lengths.solvers import Proved
from attnproof.symbolic.order.judge import leak_message
from attnproof.symbolic.verdict import Finding, Verdict

#: The hint where cvc5 is not installed.
ALONE = (
    "z3 proves it, no proof for the checker was found, and one solver alone is not believed: "
    "install cvc5, pip install 'attnproof[prove]'"
)


@dataclass(frozen=True)
class Answer:
    """``verdict`` on ``property``.

    Where it holds, ``proved`` are the obligations that both solvers prove; those of a flow property
    are about ``invariant``, a relation over q and k that contains every layer and is closed. Where
    it fails, ``counterexample`` was replayed on the formula. Where it is unknown, ``tried`` says
    what was tried, and ``proved`` is what one solver :attr:`alone` proves; ``steps`` is what it
    took.
    """

    property: Property
    verdict: Verdict
    proved: tuple[Proved, ...] = ()
    invariant: Term | None = None
    counterexample: Counterexample | None = None
    tried: tuple[str, ...] = ()
    steps: int = 0

    @cached_property
    def grade(self) -> Literal["solvers-agree", "replayed"] | None:
        """How the verdict is shown before a checker has seen it."""
        if self.verdict is Verdict.UNKNOWN:
            return None
        return "replayed" if self.verdict is Verdict.FAILS else "solvers-agree"

    @cached_property
    def alone(self) -> bool:
        """Would it hold if one solver were believed? It does once the checker accepts a proof."""
        agreed = all(each.agreed for each in self.proved)
        return self.verdict is Verdict.UNKNOWN and not agreed

    @cached_property
    def scope(self) -> str:
        """Which lengths are meant: not every one where it was proved over bit vectors."""
        return "every n" if all(each.width is None for each in self.proved) else SCOPE

    @cached_property
    def obligations(self) -> tuple[Obligation, ...]:
        """What a certificate has to prove, in the terms of the mask: for a flow property that its
        formulas have a value, then init, step and safe of the invariant."""
        return tuple(each.claim for each in self.proved)

    @cached_property
    def solvers(self) -> tuple[str, ...]:
        """The solvers that proved it, by name and version."""
        return self.proved[0].solvers if self.proved else ()

    def finding(self) -> Finding | None:
        """The counterexample as a finding of a report; None where there is none.

        >>> from attnproof.symbolic.formula import k, q, variable
        >>> from attnproof.symbolic.lengths.decide import decide
        >>> from attnproof.symbolic.lengths.problem import Problem
        >>> from attnproof.symbolic.lengths.properties import causal
        >>> decide(Problem.of(k <= q + variable("ahead"), least={"ahead": 0}), causal).finding()
        Finding: at n=2, ahead=1 token 1 reaches query 0 in 1 layer: 1 -> 0
        """
        found = self.counterexample
        if found is None:
            return None
        flows = found.depth is not None and not isinstance(self.property, Structural)
        return Finding(
            "leak" if isinstance(self.property, Flow) else "structure",
            f"at {found.where} {_told(self.property, found)}",
            property=self.property.name,
            reader=found.reader,
            source=found.source,
            depth=found.depth,
            path=found.path if flows or len(found.path) == 3 else None,
            details={
                "n": found.n,
                "parameters": dict(found.parameters),
                "tensors": dict(found.tensors),
            },
        )

    def __repr__(self) -> str:
        if self.verdict is Verdict.HOLDS:
            by = "" if self.invariant is None else f", since reached pairs have {self.invariant!r}"
            return f"{self.property!r} holds for {self.scope}{by}"
        if self.counterexample is not None:
            return repr(self.counterexample)
        return f"{self.property!r} is unknown; tried: {'; '.join(self.tried) or 'nothing'}"


def _told(property: Property, found: Counterexample) -> str:
    """What is wrong there, as a sentence."""
    q, k = found.reader, found.source
    if k is None:
        what = "does not read its own position" if property.name == "reflexive" else "reads nothing"
        return f"query {q} {what}"
    if isinstance(property, Equals):
        return f"query {q} reads key {k} in one of the masks and not in the other"
    if isinstance(property, Structural) and property.name == "antisymmetric":
        return f"{k} and {q} read each other"
    if isinstance(property, Structural):
        m = found.path[1]
        return f"query {q} reads {m} and {m} reads {k}, but {q} does not read {k}"
    told = leak_message(found.depth or 0, q, k, found.path)
    late = f", not in {property.layers}" if isinstance(property, Depth) else ""
    return told + late
