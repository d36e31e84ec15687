"""Normal forms: integer terms as polynomials over atoms, formulas as and/or trees of inequalities.

Atoms are variables, elements of tensors, quotients, choices and bit operations; what is known of a
quotient, a choice or common bits is a side condition:

    B >= 1  implies  0 <= t - B * (t // B) <= B - 1,   and  t % B = t - B * (t // B) by definition
    the choice w between a and b:  (not c or w = a) and (c or w = b)
    a >= 0  implies  0 <= a & b <= a

An element that is a truth value is an integer that is at least 1 where it holds.
"""

from functools import reduce

from .envelope import need
from .formulas import TENSORS, Term
from .inequalities import (
    ZERO,
    Form,
    Literal,
    Normal,
    form_of,
    literal,
    negated,
    plus,
    total,
    words,
)
from .limits import KEPT, Steps


class Normaliser:
    """Normal forms of the terms of one proof; ``sides`` are the conditions of its atoms, in the
    order in which these were first met."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.sides: list[Normal] = []
        self.terms: list[Term] = []
        self._atoms: dict[object, int] = {}
        #: By the identity of terms, which are kept: to compare those that share parts takes long.
        self._forms: dict[int, tuple[Term, Form]] = {}
        self._normals: dict[int, tuple[Term, Normal, int]] = {}

    def form(self, term: Term) -> Form:
        """The polynomial of an integer."""
        known = self._forms.get(id(term))
        if known is None:
            known = self._forms[id(term)] = term, self._form(term)
            self._spend(len(known[1]))
        return known[1]

    def normal(self, term: Term) -> Normal:
        """The normal form of a truth value."""
        return self._sized(term)[0]

    def _sized(self, term: Term) -> tuple[Normal, int]:
        """The normal form, and how many products and connectives it holds."""
        known = self._normals.get(id(term))
        if known is None:
            known = self._normals[id(term)] = term, *self._normal(term)
        return known[1:]

    def _spend(self, count: int) -> None:
        self.steps.take(KEPT * (1 + count))

    def at_most(self, a: Form, b: Form) -> Literal:
        """``a <= b``."""
        return literal(plus(a, b, -1))

    def equal(self, a: Form, b: Form) -> Normal:
        """``a == b``."""
        return ("and", (self.at_most(a, b), self.at_most(b, a)))

    def product(self, a: Form, b: Form) -> Form:
        """``a * b``."""
        need(len(a) * len(b) <= _LARGEST, "a product is too large")
        degree = sum(max((len(key) for key, _ in form), default=0) for form in (a, b))
        self._spend(len(a) * len(b) * (1 + degree) * (words(a) + words(b) - 1) ** 2)
        found: dict[tuple[int, ...], int] = {}
        for one, c in a:
            for other, d in b:
                key = tuple(sorted(one + other))
                found[key] = found.get(key, 0) + c * d
        return form_of(found)

    def _atom(self, key: object, term: Term) -> tuple[Form, bool]:
        """The atom of this key, and whether it is a new one."""
        new = key not in self._atoms
        if new:
            self._spend(0)
            self._atoms[key] = len(self.terms)
            self.terms.append(term)
        return (((self._atoms[key],), 1),), new

    def _form(self, term: Term) -> Form:
        if isinstance(term, int):
            return form_of({(): term})
        if isinstance(term, str):
            return self._atom(term, term)[0]
        op, *parts = term
        if op in TENSORS:
            index = tuple(map(self.form, parts[1:]))
            self._spend(sum(map(len, index)))
            return self._atom((op, parts[0], index), term)[0]
        if op == "ite":
            condition = self._sized(parts[0])
            return self._choice(term, condition, self.form(parts[1]), self.form(parts[2]))
        if op in _IN_PAIRS and len(parts) > 2:
            first, *rest = parts
            for part in rest:
                first = (op, first, part)
                self.form(first)
            return self.form(first)
        return self._arithmetic(op, term, list(map(self.form, parts)))

    def _pair(self, op: str, term: Term, a: Form, b: Form) -> Form:
        """``a | b = a + b - (a & b)`` and ``a ^ b = a + b - 2 (a & b)``."""
        if op in ("|", "^"):
            both = self.form(("&", *term[1:]))
            return total([(a, 1), (b, 1), (both, -1 if op == "|" else -2)])
        less = self.at_most(a, b), len(a) + len(b)
        return self._choice(term, less, *((a, b) if op == "min" else (b, a)))

    def _arithmetic(self, op: str, term: Term, parts: list[Form]) -> Form:
        self._spend(sum(map(len, parts)))
        last = dict(parts[-1]).get((), 0) if all(not key for key, _ in parts[-1]) else None
        if op == "+":
            return total((part, 1) for part in parts)
        if op == "*":
            return reduce(self.product, parts)
        if op in _IN_PAIRS:
            return self._pair(op, term, *parts)
        if op == "abs":
            positive = self.at_most(ZERO, parts[0]), len(parts[0])
            return self._choice(term, positive, parts[0], plus(ZERO, parts[0], -1))
        if op == "-":
            return plus(parts[0], parts[1], -1)
        if op == "neg":
            return plus(ZERO, parts[0], -1)
        if op == "~":
            return plus((((), -1),), parts[0], -1)
        if op in ("//", "%"):
            return self._divided(op, ("//", *term[1:]), parts[0], parts[1])
        if op == "<<" and last is not None and 0 <= last <= 64:
            return self.product(parts[0], form_of({(): 1 << last}))
        if op == ">>" and last is not None and 0 <= last <= 64:
            quotient = ("//", term[1], 1 << last)
            return self._divided("//", quotient, parts[0], form_of({(): 1 << last}))
        if op == "&" and len(parts) == 2 and last in _LOW and last is not None:
            quotient = ("//", term[1], last + 1)
            return self._divided("%", quotient, parts[0], form_of({(): last + 1}))
        return self._common(term) if op == "&" else self._atom((op, tuple(parts)), term)[0]

    def _common(self, term: Term) -> Form:
        """The bits that all operands have: of any operand that is not negative at most its own."""
        operands: list[Term] = []
        waiting = [*term[1:]]
        while waiting:
            one = waiting.pop()
            self._spend(0)
            common = isinstance(one, tuple) and one[0] == "&"
            if common and not (isinstance(one[-1], int) and one[-1] in _LOW):
                waiting += one[1:]
            else:
                operands.append(one)
        read = [self.form(one) for one in operands]
        self._spend(sum(map(len, read)))
        forms = sorted(set(read))
        if len(forms) == 1:
            return forms[0]
        found, new = self._atom(("&", tuple(forms)), term)
        if new:
            for one in forms:
                negative = self.at_most(plus(one, form_of({(): 1})), ZERO)
                for side in (self.at_most(ZERO, found), self.at_most(found, one)):
                    self.sides.append(("or", (negative, side)))
        return found

    def _divided(self, op: str, term: Term, dividend: Form, divisor: Form) -> Form:
        quotient, new = self._atom(("//", dividend, divisor), term)
        rest = plus(dividend, self.product(divisor, quotient), -1)
        if new:
            positive = self.at_most(form_of({(): 1}), divisor)
            within = (
                self.at_most(ZERO, rest),
                self.at_most(rest, plus(divisor, form_of({(): 1}), -1)),
            )
            if not positive.form:
                self.sides += within if positive.constant <= 0 else ()
            else:
                self.sides += [("or", (negated(positive), one)) for one in within]
        return quotient if op == "//" else rest

    def _choice(self, term: Term, condition: tuple[Normal, int], a: Form, b: Form) -> Form:
        chosen, size = condition
        self._spend(size + len(a) + len(b))
        found, new = self._atom(("ite", chosen, a, b), term)
        if new:
            self.sides.append(("or", (negated(chosen), self.equal(found, a))))
            self.sides.append(("or", (chosen, self.equal(found, b))))
        return found

    def _normal(self, term: Term) -> tuple[Normal, int]:
        op, *parts = term
        if op in ("true", "false"):
            return Literal(ZERO, int(op == "false")), 1
        if op == "holds":
            return self.at_most(form_of({(): 1}), self.form(term)), 1
        if op in _COMPARED:
            a, b = self.form(parts[0]), self.form(parts[1])
            self._spend(len(a) + len(b))
            return self._compared(op, a, b), 1 + len(a) + len(b)
        sized = list(map(self._sized, parts))
        twice = 2 if op in ("ite", "iff", "xor") else 1
        size = 1 + twice * sum(one for _, one in sized)
        need(size <= _LARGEST, "a formula is too large")
        self._spend(size)
        return self._connected(op, [one for one, _ in sized]), size

    def _connected(self, op: str, found: list[Normal]) -> Normal:
        if op in ("and", "or"):
            return (op, tuple(found))
        if op == "not":
            return negated(found[0])
        if op == "implies":
            return ("or", (negated(found[0]), found[1]))
        if op == "ite":
            c, a, b = found
            return ("and", (("or", (negated(c), a)), ("or", (c, b))))
        a, b = found
        b = negated(b) if op == "xor" else b
        return ("and", (("or", (negated(a), b)), ("or", (a, negated(b)))))

    def _compared(self, op: str, a: Form, b: Form) -> Normal:
        if op in ("==", "!="):
            same = self.equal(a, b)
            return same if op == "==" else negated(same)
        if op in (">", ">="):
            op, a, b = ("<" if op == ">" else "<="), b, a
        return self.at_most(a if op == "<=" else plus(a, form_of({(): 1})), b)


#: Products and connectives of a formula in normal form, and terms of a product, that are accepted.
_LARGEST = 1 << 16
#: Operators that take two operands after another, the first ones first.
_IN_PAIRS = {"min", "max", "|", "^"}
#: Masks of low bits, by which ``&`` is a remainder.
_LOW = {(1 << bits) - 1 for bits in range(1, 64)}
_COMPARED = {"==", "!=", "<", "<=", ">", ">="}
