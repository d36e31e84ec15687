"""An instance of a problem: a length, values of the parameters, and tensors, all concrete.

At an instance the flow is computed with bit sets; whatever is said to fail fails at one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attnproof.symbolic.formula import Term, dense
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import Depth, Equals, Flow, Property
from attnproof.symbolic.order.closure import closure, first_intransitive
from attnproof.symbolic.order.components import transpose
from attnproof.symbolic.order.relation import union
from attnproof.symbolic.order.schedule import Relation, ever, reach
from attnproof.symbolic.order.witness import first_leaks, path
from attnproof.symbolic.verdict import Path

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Counterexample:
    """A length, parameters and tensors at which a property fails, and what shows it.

    A leak has ``path``, from the source to the reader, after ``depth`` layers. A path of one
    position is a row, of two a pair, of three a chain k, m, q that is not shortened.
    """

    property: str
    n: int
    parameters: Mapping[str, int]
    tensors: Mapping[str, Any]
    reader: int
    source: int | None
    depth: int | None
    path: Path

    @cached_property
    def where(self) -> str:
        """The values, as in ``n=4, keys=2``."""
        values = [f"n={self.n}", *(f"{name}={x}" for name, x in self.parameters.items())]
        values += [f"{name}={_shown(x)}" for name, x in self.tensors.items()]
        return ", ".join(values)

    def __repr__(self) -> str:
        return f"{self.property} fails at {self.where}: {self.path}"


@dataclass(frozen=True)
class Instance:
    """``values`` binds n, every parameter and every tensor.

    >>> from attnproof.symbolic.formula import k, q
    >>> from attnproof.symbolic.lengths.properties import causal
    >>> at_four = Instance(Problem.of((k <= q + 1) & (q - k < 2)), {"n": 4})
    >>> at_four.failure(causal).path
    (1, 0)
    """

    problem: Problem
    values: Values

    @cached_property
    def size(self) -> int:
        """How many positions there are."""
        return self.problem.positions(self.values)

    @cached_property
    def given(self) -> tuple[Relation, ...]:
        """The layers as they are given, as bit sets."""
        return tuple(self.relation(layer) for layer in self.problem.layers)

    @cached_property
    def layers(self) -> tuple[Relation, ...]:
        """The layers as they are executed."""
        if not self.problem.residual:
            return self.given
        return tuple(tuple(row | 1 << q for q, row in enumerate(rows)) for rows in self.given)

    @cached_property
    def reached(self) -> Relation:
        """What is reached after some number of layers, by bit sets."""
        if not self.problem.residual and len(self.layers) > 1:
            return ever(self.layers)
        return closure(union(self.layers)).rows

    def relation(self, term: Term) -> Relation:
        """The pairs of a formula at this instance; raises :class:`InputError` where it has no
        value, as for an index out of range."""
        import numpy as np

        found = dense(term, self.size, self.size, self.values)
        packed = np.packbits(found, axis=1, bitorder="little")
        return tuple(int.from_bytes(row.tobytes(), "little") for row in packed)

    def failure(self, property: Property) -> Counterexample | None:
        """Where the property fails at this instance, with the least depth; None where it holds."""
        if isinstance(property, Flow):
            return self._leak(property.name, self.relation(property.forbidden), self.reached)
        if isinstance(property, Depth):
            return self._late(property)
        if isinstance(property, Equals):
            other = self.relation(property.other)
            differ = tuple(a ^ b for a, b in zip(self.given[0], other, strict=True))
            return self._pair(property.name, differ)
        return self._structural(property.name)

    def _leak(self, name: str, forbidden: Relation, where: Relation) -> Counterexample | None:
        found = first_leaks(self.layers, forbidden.__getitem__, where, 1)
        if not found:
            return None
        depth, reader, source = found[0]
        walked = path(self.layers, source, reader, depth)
        return self.counterexample(name, reader, source, depth, walked)

    def _late(self, property: Depth) -> Counterexample | None:
        held = reach(self.layers, property.layers)
        missing = tuple(row & ~now for row, now in zip(self.reached, held, strict=True))
        return self._leak(property.name, missing, self.reached)

    def _structural(self, name: str) -> Counterexample | None:
        size = self.size
        if name == "reflexive":
            absent = tuple((1 << q) & ~self._in_all(q) for q in range(size))
            return self._row(name, absent)
        if name == "no-empty-rows":
            empty = tuple(int(any(not rows[q] for rows in self.given)) for q in range(size))
            return self._row(name, empty)
        for rows in self.layers:
            if name == "antisymmetric":
                both = transpose(rows)
                pairs = enumerate(zip(rows, both, strict=True))
                found = self._pair(name, tuple(a & b & ~(1 << q) for q, (a, b) in pairs))
            else:
                found = self._chain(name, rows)
            if found is not None:
                return found
        return None

    def _in_all(self, q: int) -> int:
        row = -1
        for rows in self.given:
            row &= rows[q]
        return row

    def _row(self, name: str, bad: Relation) -> Counterexample | None:
        reader = next((q for q, row in enumerate(bad) if row), None)
        if reader is None:
            return None
        return self.counterexample(name, reader, None, None, (reader,))

    def _pair(self, name: str, bad: Relation) -> Counterexample | None:
        for q, row in enumerate(bad):
            if row:
                k = (row & -row).bit_length() - 1
                return self.counterexample(name, q, k, None, (k, q))
        return None

    def _chain(self, name: str, rows: Relation) -> Counterexample | None:
        diagonal = tuple(row | 1 << q for q, row in enumerate(rows))
        found = first_intransitive(diagonal)
        if found is None:
            return None
        q, k, m = found
        return self.counterexample(name, q, k, 2, (k, m, q))

    def counterexample(
        self, name: str, reader: int, source: int | None, depth: int | None, walked: Path
    ) -> Counterexample:
        """That a property fails here, with what shows it."""
        return Counterexample(
            name,
            self.values["n"],
            {x: int(self.values[x]) for x in self.problem.parameters},
            {x.name: _plain(self.values[x.name]) for x in self.problem.tensors},
            reader,
            source,
            depth,
            walked,
        )


def _plain(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(_plain, value)) if isinstance(value, (list, tuple)) else value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
