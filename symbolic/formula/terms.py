"""Term: a formula over query ``q``, key ``k``, named parameters and captured tensors.

Operators build terms, so that a definition reads as mathematics; ``==`` compares terms as values,
and the formulas "equal" and "not equal" are written ``a.eq(b)`` and ``a.ne(b)``.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, SupportsIndex, TypeVar, Union

from attnproof.symbolic.formula.operators import Sort
from attnproof.symbolic.formula.sorts import FormulaError, sort_of

T = TypeVar("T")
Argument = Union["Term", int, bool, str]
#: What operators take beside terms: integers of any library, and truth values.
Like = Union["Term", SupportsIndex]

#: The negation of a comparison is the opposite comparison.
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}


@dataclass(frozen=True, eq=False, repr=False)
class Term:
    """The operator ``op`` applied to ``args``.

    >>> q, k = variable("q"), variable("k")
    >>> (k <= q) & (q - k < 4)
    k <= q and q - k < 4
    >>> (k <= q) == (k <= q), (k <= q) == (q >= k)
    (True, False)
    >>> k <= q < 9
    Traceback (most recent call last):
        ...
    attnproof.symbolic.formula.sorts.FormulaError: the formula `k <= q` has no truth value: \
write & | ~ for and, or, not; split chained comparisons; write a.eq(b) for a == b
    """

    op: str
    args: tuple[Argument, ...]
    sort: Sort = field(init=False)
    _hash: int = field(init=False)

    def __post_init__(self) -> None:
        sorts = [arg.sort if isinstance(arg, Term) else None for arg in self.args]
        object.__setattr__(self, "sort", sort_of(self.op, self.args, sorts))
        object.__setattr__(self, "_hash", hash((self.op, self.args)))

    @property
    def children(self) -> tuple["Term", ...]:
        """The terms it is built from."""
        return tuple(arg for arg in self.args if isinstance(arg, Term))

    @property
    def name(self) -> str:
        """The name of a variable or of a captured tensor."""
        return str(self.args[0])

    @property
    def value(self) -> int | bool | None:
        """The value of a constant, else None."""
        if self.op in ("int", "bool") and isinstance(self.args[0], int):
            return self.args[0]
        return None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Term):
            return NotImplemented
        seen: set[tuple[int, int]] = set()
        pairs: list[tuple[Term, Term]] = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            if a._hash != b._hash or a.op != b.op or len(a.args) != len(b.args):
                return False
            for x, y in zip(a.args, b.args, strict=True):
                if isinstance(x, Term) and isinstance(y, Term):
                    pairs.append((x, y))
                elif isinstance(x, Term) or isinstance(y, Term) or x != y:
                    return False
        return True

    def __reduce__(self) -> tuple[type["Term"], tuple[str, tuple[Argument, ...]]]:
        return Term, (self.op, self.args)

    def __repr__(self) -> str:
        from attnproof.symbolic.formula.printing import text

        return text(self)

    def _repr_latex_(self) -> str:
        from attnproof.symbolic.formula.printing import latex

        return f"${latex(self)}$"

    def __bool__(self) -> NoReturn:
        raise FormulaError(
            f"the formula `{self!r}` has no truth value: write & | ~ for and, or, not; split "
            "chained comparisons; write a.eq(b) for a == b",
            term=self,
        )

    def __add__(self, other: Like) -> "Term":
        return apply("+", self, other)

    def __radd__(self, other: Like) -> "Term":
        return apply("+", other, self)

    def __sub__(self, other: Like) -> "Term":
        return apply("-", self, other)

    def __rsub__(self, other: Like) -> "Term":
        return apply("-", other, self)

    def __mul__(self, other: Like) -> "Term":
        return apply("*", self, other)

    def __rmul__(self, other: Like) -> "Term":
        return apply("*", other, self)

    def __floordiv__(self, other: Like) -> "Term":
        return apply("//", self, other)

    def __rfloordiv__(self, other: Like) -> "Term":
        return apply("//", other, self)

    def __mod__(self, other: Like) -> "Term":
        return apply("%", self, other)

    def __rmod__(self, other: Like) -> "Term":
        return apply("%", other, self)

    def __lshift__(self, other: Like) -> "Term":
        return apply("<<", self, other)

    def __rlshift__(self, other: Like) -> "Term":
        return apply("<<", other, self)

    def __rshift__(self, other: Like) -> "Term":
        return apply(">>", self, other)

    def __rrshift__(self, other: Like) -> "Term":
        return apply(">>", other, self)

    def __neg__(self) -> "Term":
        return apply("neg", self)

    def __abs__(self) -> "Term":
        return apply("abs", self)

    def __and__(self, other: Like) -> "Term":
        return _join(self, other, "and", "&")

    def __rand__(self, other: Like) -> "Term":
        return _join(other, self, "and", "&")

    def __or__(self, other: Like) -> "Term":
        return _join(self, other, "or", "|")

    def __ror__(self, other: Like) -> "Term":
        return _join(other, self, "or", "|")

    def __xor__(self, other: Like) -> "Term":
        return apply("xor" if self.sort is Sort.BOOL else "^", self, other)

    def __rxor__(self, other: Like) -> "Term":
        return apply("xor" if self.sort is Sort.BOOL else "^", other, self)

    def __invert__(self) -> "Term":
        if self.sort is Sort.INT:
            return apply("~", self)
        if self.op in _OPPOSITE:
            return Term(_OPPOSITE[self.op], self.args)
        return self.children[0] if self.op == "not" else apply("not", self)

    def __lt__(self, other: Like) -> "Term":
        return apply("<", self, other)

    def __le__(self, other: Like) -> "Term":
        return apply("<=", self, other)

    def __gt__(self, other: Like) -> "Term":
        return apply(">", self, other)

    def __ge__(self, other: Like) -> "Term":
        return apply(">=", self, other)

    def eq(self, other: Like) -> "Term":
        """The formula that both are equal."""
        return apply("iff" if self.sort is Sort.BOOL else "==", self, other)

    def ne(self, other: Like) -> "Term":
        """The formula that both differ."""
        return apply("xor" if self.sort is Sort.BOOL else "!=", self, other)

    def implies(self, other: Like) -> "Term":
        """The formula that the other holds wherever this one does."""
        return apply("implies", self, other)


def constant(value: Like) -> Term:
    """An integer or a truth value as a term; a term as it is."""
    if isinstance(value, Term):
        return value
    if isinstance(value, bool):
        return Term("bool", (value,))
    try:
        return Term("int", (operator.index(value),))
    except TypeError:
        raise FormulaError(
            f"{value!r} ({type(value).__name__}) stands in a formula; give an integer, a truth "
            "value or a term",
            value=value,
        ) from None


def apply(op: str, *args: Like) -> Term:
    """The operator ``op`` of the table, or ``ite``, applied to terms or constants."""
    return Term(op, tuple(map(constant, args)))


def joined(op: str, parts: Sequence[Term]) -> Term:
    """An operator on terms, of one the term itself; ``and``, ``or`` and ``+`` take none too.

    >>> joined("or", [variable("q") < 4]), joined("and", [])
    (q < 4, True)
    """
    if not parts:
        return constant({"and": True, "or": False, "+": 0}[op])
    return parts[0] if len(parts) == 1 else Term(op, tuple(parts))


def variable(name: str) -> Term:
    """An integer by name: ``q``, ``k``, ``n``, a head, a parameter."""
    return Term("var", (name,))


def ite(condition: Like, then: Like, otherwise: Like) -> Term:
    """``then`` where the condition holds, else ``otherwise``.

    >>> ite(variable("q") < 4, 0, variable("q") - 4)
    (0 if q < 4 else q - 4)
    """
    return apply("ite", condition, then, otherwise)


def minimum(*args: Like) -> Term:
    """The least of two or more integers."""
    return apply("min", *args)


def maximum(*args: Like) -> Term:
    """The greatest of two or more integers."""
    return apply("max", *args)


def at(name: str, *index: Like) -> Term:
    """An element of a captured integer tensor: ``at("ids", q)`` is ``ids[q]``."""
    return Term("at", (name, *map(constant, index)))


def holds(name: str, *index: Like) -> Term:
    """An element of a captured Boolean tensor."""
    return Term("holds", (name, *map(constant, index)))


def fold(term: Term, combine: Callable[[Term, list[T]], T]) -> T:
    """``combine(node, results of its children)`` from the leaves up, once for each distinct term.

    Everything that walks a formula is a ``combine``: evaluation, printing, translation to a solver.

    >>> fold(variable("q") - 1 < variable("k"), lambda node, parts: 1 + sum(parts))
    5
    """
    done: dict[Term, T] = {}
    stack = [term]
    while stack:
        node = stack[-1]
        waiting = [child for child in node.children if child not in done]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if node not in done:
            done[node] = combine(node, [done[child] for child in node.children])
    return done[term]


def _join(a: Like, b: Like, logical: str, bitwise: str) -> Term:
    """``and`` and ``or`` are flat; on integers the bit operation."""
    left, right = constant(a), constant(b)
    if left.sort is right.sort is Sort.INT:
        return Term(bitwise, (left, right))
    parts = [part.args if part.op == logical else (part,) for part in (left, right)]
    return Term(logical, parts[0] + parts[1])


#: The arguments of a ``mask_mod``: batch element, head, query and key.
INDICES = ("b", "h", "q", "k")
#: The query, the key, and the number of tokens.
q, k, n = variable("q"), variable("k"), variable("n")
