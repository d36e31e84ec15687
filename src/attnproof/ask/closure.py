"""closure: what reaches what at any depth, for every length, as a formula that is proved.

The formula is *sound* when whatever is reached fulfils it, *exact* when nothing else does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from attnproof.ask.length_report import SEARCH, reach_json
from attnproof.ask.length_sources import Reading, problem_of, subject, symbols
from attnproof.ask.length_words import comments_of, origin_of
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.parameters import Assumptions, parse_assumptions
from attnproof.proofs.certify import certify_closure, confirmed
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import (
    INDICES,
    Term,
    latex,
    mask_mod_source,
    simplify,
    substitute,
    tensors,
    to_sympy,
    variables,
)
from attnproof.symbolic.lengths import closure as lengths
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.invariants import shorter
from attnproof.symbolic.lengths.solvers import Solvers
from attnproof.symbolic.verdict import Grade

if TYPE_CHECKING:
    from sympy import Basic


@dataclass(frozen=True)
class Closure:
    """What reaches what, for every length: query ``q`` is reached from key ``k`` where ``formula``.

    ``found`` has the proofs, for all values of the parameters. ``values`` are those of parameters,
    which the formula then has no more, and of captured tensors; :meth:`at` gives more of them.

    >>> import attnproof as ap
    >>> reach = ap.closure("window", symbolic=["keys"])
    >>> reach
    Closure of window: key k reaches query q exactly where q == k or (k <= q and keys > 1)
    >>> reach.at(keys=4)
    Closure of window with keys = 4: key k reaches query q exactly where k <= q
    >>> reach.at(keys=4).mask_mod(0, 0, 5, 2)
    True
    >>> reach.sympy
    Eq(q, k) | ((k <= q) & (keys > 1))
    """

    source: str
    found: lengths.Closure
    values: Mapping[str, Any] = field(default_factory=dict)
    comments: tuple[str, ...] = ()
    origin: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def formula(self) -> Term | None:
        """The relation over q and k, with the values that are known; None where nothing was proved.

        It prints as Python and shows as LaTeX; :attr:`sympy` is the same to calculate with.
        """
        relation, given = self.found.relation, self._given()
        if relation is None or not given:
            return relation
        put = simplify(substitute(relation, given))
        return shorter(self.found.problem, put, Solvers(Budget(STEPS)))

    @property
    def sympy(self) -> "Basic":
        """The formula as a Boolean of SymPy in plain symbols; :func:`to_sympy
        <attnproof.symbolic.formula.algebra.to_sympy>` says what becomes of captured tensors."""
        return to_sympy(self._known())

    @property
    def sound(self) -> bool:
        """Is it proved that whatever is reached, at any depth and length, fulfils the formula?"""
        return self.formula is not None

    @property
    def exact(self) -> bool:
        """Is it proved that, besides, whatever fulfils it is reached?"""
        return self.found.is_exact

    @property
    def optimal(self) -> Literal["proved", "unknown"]:
        """``proved`` where the formula is exact."""
        return "proved" if self.exact else "unknown"

    @cached_property
    def certificate(self) -> Certificate:
        """The claim that the formula is what is reached, where it is exact, with a proof that the
        checker accepts alone, or else with the solvers that agreed."""
        claim = certify_closure(self.found.problem, self.found, budget=SEARCH)
        return Certificate.of([] if claim is None else [replace(claim, origin=self.origin)])

    @property
    def grade(self) -> Grade | None:
        """``certified`` where the checker accepts a proof that it is exact, else
        ``solvers-agree``; None where nothing is proved."""
        if not self.sound:
            return None
        return self.certificate.grade or "solvers-agree"

    @property
    def latex(self) -> str:
        r"""The formula in LaTeX, as ``k \le q``."""
        return latex(self._known())

    @property
    def free(self) -> tuple[str, ...]:
        """The parameters and captured tensors that have no value yet."""
        return tuple(sorted(_names(self._known()) - set(self.values)))

    def at(self, **values: Any) -> "Closure":
        """The same with values of parameters, of ``n`` and of captured tensors.

        Raises :class:`~attnproof.errors.ParameterError` for a name that the formula does not have,
        and for values that the proof does not speak of.
        """
        known = _names(self.found.relation)
        for name in values:
            if name not in known:
                raise ParameterError(
                    f"the formula has no {name!r}; it has {', '.join(sorted(known)) or 'none'}",
                    name=name,
                )
        made = replace(self, values={**self.values, **values})
        for each in self.found.problem.requires:
            if simplify(substitute(each, made._given())).value is False:
                raise ParameterError(f"the formula is for {each!r}; give values that fulfil it")
        return made

    @cached_property
    def mask_mod(self) -> Callable[..., Any]:
        """The relation as a FlexAttention ``mask_mod(b, h, q, k)``.

        Raises :class:`~attnproof.errors.ParameterError` while a parameter has no value.
        """
        namespace: dict[str, Any] = {}
        exec(compile(self.mask_mod_source(), f"<closure of {self.source}>", "exec"), namespace)
        made: Callable[..., Any] = namespace["reached"]
        return made

    def mask_mod_source(self, name: str = "reached") -> str:
        """The text of an importable file that defines the relation as a ``mask_mod``."""
        if self.free:
            first = self.free[0]
            raise ParameterError(
                f"{', '.join(self.free)} of the closure of {self.source} has no value; give it, as "
                f"in closure.at({first}=...)",
                free=self.free,
            )
        kind = "exactly" if self.exact else "at most"
        doc = f"What {self._subject()} lets through at any depth, {kind}; proved for every length."
        left = {x: y for x, y in self.values.items() if x in _names(self.formula)}
        return mask_mod_source(name, self._known(), left, doc=doc)

    def _given(self) -> dict[str, int]:
        """The values of variables of the formula."""
        relation = self.found.relation
        names = frozenset() if relation is None else variables(relation) - set(INDICES)
        return {name: self.values[name] for name in sorted(names & set(self.values))}

    def _subject(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self._given().items())
        return f"{self.source} with {values}" if values else self.source

    def _now(self) -> lengths.Closure:
        """What was found, with the formula as it is for the values given."""
        return replace(self.found, relation=self.formula)

    def _known(self) -> Term:
        if self.formula is None:
            raise InputError(
                f"no relation was proved for {self.source}; give a larger budget, or read `found` "
                "for what was tried"
            )
        return self.formula

    def to_json(self) -> dict[str, object]:
        """The relation as one JSON object; ``mask_mod`` is null while a parameter has no value."""
        solvers = self.found.sound[0].solvers if self.found.sound else ()
        ready = self.sound and not self.free
        return {
            "source": self.source,
            "scope": "all n",
            **reach_json(self._now()),
            "sound": self.sound,
            "mask_mod": self.mask_mod_source() if ready else None,
            "free": list(self.free) if self.sound else [],
            "comments": list(self.comments),
            "tried": [] if self.exact else list(self.found.tried),
            "evidence": {
                "grade": self.grade,
                "solvers": [solver.partition(" ")[0] for solver in solvers],
                "versions": list(solvers),
            },
        }

    def __repr__(self) -> str:
        told = "every query is reached from every key"
        everything = self.exact and self._known().value is True
        return f"Closure of {self._subject()}: {told if everything else repr(self._now())}"

    def __str__(self) -> str:
        lines = [repr(self), *(f"  {comment}" for comment in self.comments)]
        if not self.sound:
            return "\n".join([*lines, *(f"  tried: {each}" for each in self.found.tried)])
        if self.grade == "certified":
            told = "certified: the checker accepted a proof that this is what is reached"
        else:
            solvers = " and ".join(x.partition(" ")[0] for x in self.found.sound[0].solvers)
            rest = "that all of it is" if self.exact else "not that all of it is"
            told = f"solvers agree: {solvers} prove that nothing else is reached, {rest}"
        lines.append(f"  {told}")
        if not self.free:
            lines += ["", self.mask_mod_source().rstrip()]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        return f"${self.latex}$" if self.sound else repr(self)


def _names(relation: Term | None) -> frozenset[str]:
    """The parameters and captured tensors of a formula, and n."""
    if relation is None:
        return frozenset()
    return (variables(relation) | set(tensors(relation))) - set(INDICES)


@keywords()
def closure(
    source: object,
    *,
    symbolic: str | Sequence[str] = (),
    assume: Assumptions | None = None,
    params: Mapping[str, object] | None = None,
    heads: int = 1,
    residual: bool = True,
    split: bool = False,
    budget: int | None = None,
) -> Closure:
    """What reaches what at any depth, for every length: a formula, with proofs.

    ``source`` is a ``mask_mod``, a factory of one with ``params`` or ``symbolic`` parameters (any
    integer of at least 1), or the name of a mask. Of captured tensors only what ``assume`` names is
    used. ``budget`` counts solver steps. Several heads are united.

    >>> import attnproof as ap
    >>> reach = ap.closure("prefix_lm", symbolic=["prefix"])
    >>> reach.formula, reach.exact
    (k <= q or k < prefix, True)

    Raises :class:`~attnproof.errors.InputError` for a source that has no formula. Law: at every
    length the formula contains the closure of the mask, and is equal to it where it is exact.
    Source: ours.
    """
    reading = Reading(symbols(symbolic), params or {}, parse_assumptions(assume), heads, split)
    one = subject(source, reading)
    problem = problem_of([one], residual=residual, heads=heads)
    found = confirmed(
        lengths.closure(problem, budget=STEPS if budget is None else budget), budget=SEARCH
    )
    values = {**(one.held or {}), **{x: y for x, y in reading.params.items() if isinstance(y, int)}}
    kept = {name: value for name, value in values.items() if name in _names(found.relation)}
    told = comments_of([one], problem)
    return Closure(one.name, found, kept, told, origin_of([one], reading))
