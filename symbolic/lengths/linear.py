"""Linear forms: an integer term as a sum of atoms with integer coefficients."""

from collections.abc import Mapping

from attnproof.symbolic.formula import Term, constant, fold

#: Atom to coefficient, none of them zero; the constant stands under None.
Linear = Mapping[Term | None, int]


def linear(term: Term) -> Linear:
    """The coefficients of a term; products of two atoms, quotients and elements are atoms.

    >>> from attnproof.symbolic.formula import k, q
    >>> linear(2 * (q - k) - (q + 1))
    {q: 1, k: -2, None: -1}

    Law: two terms of one linear form are equal.
    """

    def combine(node: Term, parts: list[Linear]) -> Linear:
        if node.op == "int":
            return {None: int(node.value)} if node.value else {}
        if node.op == "+":
            return combined(*((part, 1) for part in parts))
        if node.op == "-":
            return combined((parts[0], 1), (parts[1], -1))
        if node.op == "neg":
            return combined((parts[0], -1))
        if node.op == "*":
            factor, rest = 1, []
            for part in parts:
                if set(part) <= {None}:
                    factor *= part.get(None, 0)
                else:
                    rest.append(part)
            if len(rest) <= 1:
                return combined((rest[0] if rest else {None: 1}, factor))
        return {node: 1}

    return fold(term, combine)


def from_linear(form: Linear) -> Term:
    """A term of this linear form, positive coefficients first.

    >>> from attnproof.symbolic.formula import k, q
    >>> from_linear(linear(q - k + 1))
    q + 1 - k
    """
    total: Term | None = None
    for atom, times in sorted(form.items(), key=lambda item: (item[1] < 0, item[0] is None)):
        size = abs(times)
        part = constant(size) if atom is None else atom if size == 1 else size * atom
        if total is None:
            total = part if times > 0 else -part
        else:
            total = total + part if times > 0 else total - part
    return constant(0) if total is None else total


def combined(*forms: tuple[Linear, int]) -> dict[Term | None, int]:
    """The sum of linear forms, each taken so many times.

    >>> from attnproof.symbolic.formula import k, q
    >>> combined((linear(q + 1), 2), (linear(k), -1))
    {q: 2, None: 2, k: -1}
    """
    found: dict[Term | None, int] = {}
    for form, times in forms:
        for atom, count in form.items():
            found[atom] = found.get(atom, 0) + count * times
    return {atom: count for atom, count in found.items() if count}
