"""A mask for every length: the formula of each layer, over positions ``0 <= q, k < size``.

``size`` is a term in ``n``, the number of tokens. Parameters are integers about which ``requires``
says what may be assumed; captured tensors are functions about which assumptions are made.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from attnproof.symbolic.errors import InputError, ParameterError, ShapeError
from attnproof.symbolic.formula import (
    Like,
    Sort,
    Term,
    constant,
    evaluate,
    fold,
    joined,
    k,
    n,
    q,
    simplify,
    substitute,
    tensors,
    variable,
    variables,
)
from attnproof.symbolic.formula.obligations import obligations as meaning
from attnproof.symbolic.lengths.assumptions import Assumption, Tensor, assumed

_POSITIONS = {"q", "k"}
#: Names that obligations, laws and facts about division give to variables and functions.
_TAKEN = re.compile(r"between\d*|[ir]\d+|(quotient|remainder)\d+")
#: Names of tokens and indices, which no tensor has.
_OF_INDICES = {"n", "b", "h", *_POSITIONS}


@dataclass(frozen=True)
class Problem:
    """Layers as formulas, with what may be assumed of lengths, parameters and tensors.

    Several ``layers`` are run in turn, again and again. With ``residual`` every position also
    keeps what it holds. ``requires`` are formulas over ``n`` and the parameters. A layer whose
    formula speaks of ``h`` has ``heads`` heads, which are united; ``b`` is any batch element.
    ``about`` are further formulas over the same tensors and parameters, as of a property.

    >>> keys = variable("keys")
    >>> Problem.of((k <= q) & (q - k < keys), least={"keys": 1})
    for every n, keys >= 1: k <= q and q - k < keys
    """

    layers: tuple[Term, ...]
    size: Term = n
    requires: tuple[Term, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    residual: bool = True
    about: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`ParameterError` where a tensor and a variable have one name."""
        for tensor in self.tensors:
            if tensor.name in {*self.parameters, *_OF_INDICES}:
                raise ParameterError(
                    f"{tensor.name} is the name of a tensor and of an integer; rename one",
                    name=tensor.name,
                )

    @staticmethod
    def of(
        mask: Term | Sequence[Term],
        *,
        size: Like = n,
        least: Mapping[str, int] | None = None,
        requires: Iterable[Term] = (),
        shapes: Mapping[str, Sequence[Like]] | None = None,
        assume: Mapping[str, str | Sequence[str]] | None = None,
        laws: Iterable[Assumption] = (),
        residual: bool = True,
        heads: int | None = None,
        about: Iterable[Term] = (),
    ) -> "Problem":
        """A problem with its parts checked.

        ``least`` gives parameters their least values; ``shapes`` gives captured tensors their
        axes, one of ``size`` where it says nothing; ``assume`` names what is assumed of them.
        ``about`` are formulas of properties, whose tensors count as captured too.

        Raises :class:`InputError` for formulas that are no truth values, parameters or tensors
        that no layer has, a tensor and a variable of one name, two-dimensional tensors without a
        shape, and heads that are not counted.
        """
        layers = (mask,) if isinstance(mask, Term) else tuple(mask)
        length = constant(size)
        if not layers:
            raise ShapeError("there is no layer; give one formula or more", layers=layers)
        for layer in layers:
            if layer.sort is not Sort.BOOL:
                raise InputError(f"`{layer!r}` is an integer; a mask is a truth value", term=layer)
        further, required = tuple(about), tuple(requires)
        for term in (*layers, *further, *required):
            _check_names(term)
        united = tuple(simplify(_united(layer, heads)) for layer in layers)
        known = tuple(_tensors((*united, *further), length, shapes or {}))
        bounds = [variable(name) >= value for name, value in (least or {}).items()]
        found = {tensor.name: tensor for tensor in known}
        taken = list(laws)
        for name, schemas in (assume or {}).items():
            if name not in found:
                names = ", ".join(found) or "none"
                raise ParameterError(
                    f"the mask captures no tensor {name!r}; it captures {names}", name=name
                )
            given = (schemas,) if isinstance(schemas, str) else schemas
            taken += [assumed(schema, found[name]) for schema in given]
        assumptions = tuple(taken)
        return Problem(united, length, (*bounds, *required), known, assumptions, residual, further)

    def __repr__(self) -> str:
        given = ", ".join(["n", *map(repr, self.requires), *map(repr, self.assumptions)])
        return f"for every {given}: {'; '.join(map(repr, self.layers))}"

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        """Every formula that it is made of."""
        laws = (assumption.law for assumption in self.assumptions)
        return (*self.layers, *self.about, self.size, *self.requires, *laws)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The integers that are free beside n and the positions, in the order of their names."""
        found = frozenset().union(*map(variables, self.formulas))
        own = {name for name in found if not _TAKEN.fullmatch(name)}
        return tuple(sorted(own - _POSITIONS - {"n"}))

    @cached_property
    def read(self) -> Term:
        """The pairs that some layer reads, position itself included with a residual."""
        read = joined("or", self.layers)
        return simplify(read | q.eq(k) if self.residual else read)

    @cached_property
    def executed(self) -> tuple[Term, ...]:
        """Each layer, with the diagonal where there is a residual."""
        return tuple(simplify(x | q.eq(k)) if self.residual else x for x in self.layers)

    def speaking_of(self, *terms: Term) -> "Problem":
        """The problem with formulas of a property; tensors that no layer has are ``size`` long."""
        for term in terms:
            _check_names(term)
        known = {tensor.name: tensor.shape for tensor in self.tensors}
        more = (t for t in _tensors(terms, self.size, known) if t.name not in known)
        about = tuple(dict.fromkeys((*self.about, *terms)))
        return replace(self, tensors=(*self.tensors, *more), about=about)

    def domain(self, *positions: Like) -> tuple[Term, ...]:
        """What is assumed of n, of parameters, and of positions.

        >>> Problem.of(k <= q).domain(q)
        (n >= 1, q >= 0, q < n)
        """
        batch = (variable("b") >= 0,) if "b" in self.parameters else ()
        return (n >= 1, *batch, *self.requires, *self.inside(*positions))

    def inside(self, *positions: Like) -> tuple[Term, ...]:
        """That terms are positions: at least 0, less than the size."""
        return tuple(part for x in positions for part in (constant(x) >= 0, x < self.size))

    @cached_property
    def meaning(self) -> tuple[tuple[Term, Term], ...]:
        """What must hold for the formulas to mean what torch computes: divisors are positive,
        indices in range, shifts small; each with the term that needs it."""
        shapes = {tensor.name: tensor.shape for tensor in self.tensors}
        needed = {
            (each.formula, each.because): None
            for term in (*self.layers, *self.about)
            for each in meaning(term, shapes)
        }
        return tuple(needed)

    def positions(self, env: Mapping[str, Any]) -> int:
        """How many positions there are for a value of n."""
        return int(evaluate(self.size, env))

    def admits(self, env: Mapping[str, Any]) -> bool:
        """Whether concrete values of n, parameters and tensors satisfy all that is assumed."""
        return all(evaluate(each, env) for each in self.domain()) and all(
            each.holds_on(env) for each in self.assumptions
        )


def at_positions(relation: Term, query: Like, key: Like) -> Term:
    """A relation over q and k at other terms.

    >>> at_positions(k <= q, q, q - 1)
    q - 1 <= q
    """
    return substitute(relation, {"q": query, "k": key})


def is_position(name: str) -> bool:
    """Whether a variable of an obligation is a position.

    >>> is_position("between1"), is_position("keys")
    (True, False)
    """
    return name in _POSITIONS or (name.startswith("between") and bool(_TAKEN.fullmatch(name)))


def _check_names(term: Term) -> None:
    for name in sorted({*variables(term), *tensors(term)}):
        if _TAKEN.fullmatch(name):
            raise ParameterError(
                f"the name {name} is one that proofs use; rename it in `{term!r}`", name=name
            )


def _united(layer: Term, heads: int | None) -> Term:
    if "h" not in variables(layer):
        return layer
    if heads is None or heads < 1:
        raise ParameterError(
            f"`{layer!r}` differs between heads, which are mixed after the layer; say how many "
            "there are with heads=H",
            heads=heads,
        )
    return joined("or", [substitute(layer, {"h": head}) for head in range(heads)])


def _tensors(
    layers: Sequence[Term], size: Term, shapes: Mapping[str, Sequence[Like]]
) -> Iterable[Tensor]:
    axes: dict[str, int] = {}
    boolean: set[str] = set()
    for layer in layers:
        axes |= tensors(layer)
        fold(layer, lambda node, _: boolean.add(node.name) if node.op == "holds" else None)
    for name, count in sorted(axes.items()):
        given = tuple(map(constant, shapes.get(name, (size,) * min(count, 1))))
        if len(given) != count:
            raise ShapeError(
                f"{name} is read with {count} indices, and its shape has {len(given)}; give "
                f"shapes={{{name!r}: ...}} one size an axis",
                name=name,
            )
        yield Tensor(name, given, name in boolean)
