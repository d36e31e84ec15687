"""How large a merged task is, for every length: sums over its classes, carried out symbolically.

A builder's merged task is described strand by strand: classes with an index ``i`` that runs from a
first to a last value, each with its positions, what it reads and what it covers as expressions in
``i``. The numbers of the whole are the sums of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.families.registry import get, names
from attnproof.symbolic.named import registry as masks
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True, slots=True)
class Strand:
    """The classes ``first`` to ``last``; all but the name are expressions, most of them in ``i``.

    A class has ``size`` positions, each of which reads ``reads`` positions, itself among them. It
    covers ``below`` classes, and ``level`` classes are in the longest chain that ends with it:
    never fewer as ``i`` grows, or never more where the strand ``falls``. There are ``times``
    classes of each index. The classes of the strands that are ``widest`` are an antichain, and the
    order is covered by as many chains.
    """

    name: str
    first: "Expr"
    last: "Expr"
    reads: "Expr"
    below: "Expr"
    level: "Expr"
    size: "Expr | int" = 1
    times: "Expr | int" = 1
    widest: bool = False
    falls: bool = False


@dataclass(frozen=True, slots=True)
class Strands:
    """A merged task: its strands over the ``index``, for parameters of at least ``least``; ``sums``
    are numbers whose sums SymPy does not carry out."""

    name: str
    index: "Expr"
    strands: tuple[Strand, ...]
    least: "Mapping[Expr, Expr | int]"
    sums: "Mapping[str, Expr]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Counts:
    """The numbers of a merged task, in SymPy, in the parameters of its builder.

    ``edges`` are the pairs of the dense mask, the diagonal included: ``edges_off_diagonal`` are
    those of two positions. The expressions hold where each parameter is at least what ``least``
    says, in its order.
    """

    name: str
    positions: "Expr"
    classes: "Expr"
    covers: "Expr"
    height: "Expr"
    width: "Expr"
    edges: "Expr"
    least: "Mapping[str, Expr]"

    @property
    def edges_off_diagonal(self) -> "Expr":
        """The pairs of two different positions."""
        from sympy import expand

        return expand(self.edges - self.positions)

    def at(self, **values: int) -> "Counts":
        """The numbers for some values of the parameters.

        >>> counts("butterfly").at(n=4).covers
        10
        """
        from sympy import Symbol, sympify

        known: dict[Any, Any] = {}
        for name, least in self.least.items():
            if name not in values:
                continue
            value, bound = sympify(values[name]), sympify(least).subs(known)
            if bound.free_symbols:
                wanted = " and ".join(sorted(map(str, bound.free_symbols)))
                raise ParameterError(
                    f"{self.name}: {name} is to be {bound} or more; give {wanted} too", name=name
                )
            if not value.is_integer or value < bound:
                raise ParameterError(
                    f"{self.name}: {name} is {values[name]}; give an integer, {bound} or more",
                    name=name,
                    value=values[name],
                )
            known[Symbol(name)] = value
        changed = {name: getattr(self, name).subs(known).doit() for name in _NUMBERS}
        left = {
            name: sympify(least).subs(known)
            for name, least in self.least.items()
            if name not in values
        }
        return replace(self, **changed, least=left)

    def __repr__(self) -> str:
        told = [self._told(name) for name in ("position", "class", "cover")]
        told += [f"height {self.height}", f"width {self.width}", self._told("edge")]
        least = ", ".join(f"{name} >= {least}" for name, least in self.least.items())
        return f"{self.name}: {', '.join(told)}" + (f" ({least})" if least else "")

    def _told(self, one: str) -> str:
        several = counted(2, one).removeprefix("2 ")
        number = getattr(self, several)
        return f"{number} {one if number == 1 else several}"

    def _repr_latex_(self) -> str:
        from sympy import latex

        rows = [rf"\text{{{name}}} &= {latex(getattr(self, name))}" for name in _NUMBERS]
        rows += [rf"{name} &\ge {latex(least)}" for name, least in self.least.items()]
        inside = r" \\ ".join(rows)
        return rf"$\begin{{aligned}} {inside} \end{{aligned}}$"


_NUMBERS = tuple(each.name for each in fields(Counts) if each.name not in ("name", "least"))
#: What the parameters stand for.
_MEANS = {
    "n": "tokens",
    "m": "blocks, or steps",
    "b": "tokens of a block, or of a step",
    "r": "radius",
    "v": "visible tokens",
    "h": "helpers",
}


def counts(name: str, **given: Any) -> Counts:
    """The numbers of the merged task of a builder, in its parameters, or for given values.

    Parameters are numbers, as many as the sums are in: ``n`` tokens; ``block`` has ``m`` blocks of
    ``b``, ``comb`` radius ``r``, ``separating`` ``h`` helpers (the least that serve ``n`` tokens).
    Where the builder takes which tokens are visible, ``masked_autoencoder`` has ``v`` of them, and
    ``mae_ladder`` ``m`` steps of ``b`` new ones each, some tokens hidden to the end. ``block``
    takes ``clean`` ("block", "token"), ``permutation`` ``order`` ("one", "all", where
    one sum is left, ``floor(e n!) - 1``),
    ``masked_autoencoder`` ``masked`` ("clique", "cross"). Edges count the diagonal.

    >>> counts("butterfly")
    butterfly: 3*n - 2 positions, 3*n - 2 classes, 4*n - 6 covers, height n, width n, 2*n**2 - n \
edges (n >= 2)
    >>> counts("block", clean="token", b=3).classes
    4*m - 3

    Raises :class:`ParameterError` for a builder or a parameter that is not known, and for a value
    for which the expressions do not hold. Law: they are the numbers of the merged mask. Source: the
    sums are ours.
    """
    from attnproof.symbolic.families.strands import DESCRIPTIONS

    if name in masks.names() and name not in names():
        raise ParameterError(
            f"{name} is a mask, and these are counts of merged tasks; what it reaches at every "
            f"length is attnproof.closure({name!r}), and in how many layers attnproof verify "
            f"{name} --all-n --property depth=2",
            name=name,
        )
    describe, variants = DESCRIPTIONS[get(name).name]
    chosen = {key: legal[0] for key, legal in variants.items()}
    for key in variants.keys() & given.keys():
        chosen[key] = given.pop(key)
        if chosen[key] not in variants[key]:
            raise ParameterError(
                f"{name}: {key} is {chosen[key]!r}; give {' or '.join(map(repr, variants[key]))}",
                name=key,
                value=chosen[key],
            )
    found = summed(describe(**chosen))
    for key in given:
        if key not in found.least:
            choices = [f"{x} ({' or '.join(map(repr, legal))})" for x, legal in variants.items()]
            known = ", ".join([*choices, *(f"{x} ({_MEANS[x]})" for x in found.least)])
            raise ParameterError(f"counts of {name} have no {key!r}; they take {known}", name=key)
    return found.at(**given) if given else found


def summed(described: Strands) -> Counts:
    """The numbers of a description.

    Classes, positions, covers and edges are sums over the classes; the height is the greatest
    level, which a strand has at one of its ends; the width is that of the widest antichain.
    """
    from sympy import Symbol, expand, sympify

    strands = described.strands
    plain = {symbol: Symbol(str(symbol)) for symbol in described.least}

    def told(expression: Any) -> Any:
        return expand(sympify(expression)).xreplace(plain)

    def total(number: str, each: Sequence[Any], among: Sequence[Strand] = strands) -> Any:
        if number in described.sums:
            return told(described.sums[number])
        pairs = zip(each, among, strict=True)
        return told(sum(_sum(described.index, one * strand.times, strand) for one, strand in pairs))

    widest = [strand for strand in strands if strand.widest]
    return Counts(
        described.name,
        positions=total("positions", [strand.size for strand in strands]),
        classes=total("classes", [1] * len(strands)),
        covers=total("covers", [strand.below for strand in strands]),
        height=told(_greatest([_highest(described, one) for one in strands], described.least)),
        width=total("width", [1] * len(widest), widest),
        edges=total("edges", [one.size * one.reads for one in strands]),
        least={str(symbol): told(least) for symbol, least in described.least.items()},
    )


def _sum(index: Any, each: Any, strand: Strand) -> Any:
    from sympy import Sum, expand, sympify

    value = expand(sympify(each))
    if strand.first == strand.last:
        return value.subs(index, strand.first)
    return Sum(value, (index, strand.first, strand.last)).doit()


def _highest(described: Strands, strand: Strand) -> Any:
    from sympy import sympify

    end = strand.first if strand.falls else strand.last
    return sympify(strand.level).subs(described.index, end)


def _greatest(values: Sequence[Any], least: "Mapping[Expr, Expr | int]") -> Any:
    """The greatest of some values: one that, in all parameters above their least values, is never
    below another one."""
    from sympy import Dummy, Max, expand

    def above(value: Any) -> bool:
        for symbol, bound in reversed(list(least.items())):
            value = value.subs(symbol, bound + Dummy(integer=True, nonnegative=True))
        return bool(expand(value).is_nonnegative)

    return next((a for a in values if all(above(a - b) for b in values)), Max(*values))
