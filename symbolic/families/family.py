"""Family: tasks to be merged, and, where a builder knows it, the merged mask in closed form.

Tokens are counted from 1: token ``i`` is the atom ``x<i>`` at position id ``i``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.formula import Term, dense, mask_mod_source
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.named import registry
from attnproof.symbolic.named.named import REQUIRED, Parameter
from attnproof.symbolic.tasks.masks import Built
from attnproof.symbolic.tasks.task import Label, Position, Task
from attnproof.symbolic.words import counted

#: Positions of all tasks together that are built.
MOST = 1 << 20


@dataclass(frozen=True)
class ClosedForm:
    """The merged mask as a formula over ``q`` and ``k``; ``values`` are those of its names.

    ``places[t][p]`` is where position ``p`` of task ``t`` stands in it.
    """

    name: str
    formula: Term
    values: Mapping[str, Any]
    places: tuple[tuple[int, ...], ...]
    doc: str = ""
    pieces: Mapping[str, Term] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many positions there are."""
        return 1 + max(place for row in self.places for place in row)

    def mask(self) -> Mask:
        """The mask that the formula says."""
        return Mask.from_dense(dense(self.formula, self.size, self.size, self.values))

    def mask_mod_source(self) -> str:
        """The text of a module with the mask as a FlexAttention ``mask_mod``."""
        return mask_mod_source(
            self.name, self.formula, self.values, doc=self.doc, pieces=self.pieces
        )


@dataclass(frozen=True, repr=False)
class Family:
    """Tasks that one network is to do.

    >>> from attnproof.symbolic.families.registry import build
    >>> build("block", m=3, b=2)
    Family block: 3 tasks, 12 positions
    """

    name: str
    tasks: tuple[Task, ...]
    closed: ClosedForm | None = None

    def __repr__(self) -> str:
        positions = counted(sum(task.size for task in self.tasks), "position")
        return f"Family {self.name}".rstrip() + f": {counted(len(self.tasks), 'task')}, {positions}"


@dataclass(frozen=True)
class Builder:
    """A family for every length and parameters; ``make(**parameters)`` builds it."""

    name: str
    doc: str
    source: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., Family]

    def build(self, given: Mapping[str, Any]) -> Family:
        """The family. Raises :class:`ParameterError` for parameters that do not fit."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}; it takes {', '.join(known)}", name=name
                )
        return self.make(**{name: self._value(known[name], given.get(name)) for name in known})

    def _value(self, parameter: Parameter, given: Any) -> Any:
        wanted = f"{parameter.name} = {parameter.kind.words} ({parameter.doc})"
        if given is None:
            if parameter.default is REQUIRED:
                raise ParameterError(f"{self.name} needs {wanted}", name=parameter.name)
            return parameter.default
        try:
            return parameter.kind.read(given)
        except (ValueError, TypeError):
            raise ParameterError(
                f"{self.name}: {parameter.name} is {given!r}; give {wanted}",
                name=parameter.name,
                value=given,
            ) from None


def named(
    name: str, places: Iterable[Sequence[int]], n: int | None = None, **params: Any
) -> ClosedForm:
    """The closed form that a named mask has."""
    mask = registry.get(name)
    return ClosedForm(
        mask.name,
        mask.formula(**params),
        mask.values(n, **params),
        tuple(map(tuple, places)),
        mask.doc,
        mask.pieces(),
    )


def check_size(name: str, positions: int) -> None:
    """Raise :class:`ParameterError` for tasks that have too many positions together."""
    if positions > MOST:
        raise ParameterError(
            f"{name}: the tasks have about {positions} positions together, and at most {MOST} are "
            "built; give fewer tokens",
            positions=positions,
        )


def token(i: int, kind: str = "tok") -> Position:
    """The position that is given token ``i``.

    >>> token(3).own_input
    (('x3',), 3, 'tok', None)
    """
    return Position((f"x{i}",), i, kind)


def query(i: int) -> Position:
    """The position that is given the place of token ``i`` and no token."""
    return Position((), i, "mask")


def task(
    name: str,
    n: int,
    positions: Sequence[Position],
    labels: Mapping[int, int],
    mask: str | Iterable[int],
) -> Task:
    """A task on the tokens 1 to ``n``: index of a position to the token it predicts.

    ``mask`` is the name of a mask, or one bit set a query.
    """
    size = len(positions)
    return Task(
        atoms=tuple(f"x{i}" for i in range(1, n + 1)),
        positions=tuple(positions),
        labels=tuple(Label(p, f"x{i}") for p, i in labels.items()),
        mask=Built(mask) if isinstance(mask, str) else Mask.of(Bits(tuple(mask), size)),
        name=name,
    )


def first(count: int) -> int:
    """The bit set of the first positions.

    >>> bin(first(3))
    '0b111'
    """
    return (1 << count) - 1


def tokens_said(name: str, given: Sequence[int], n: int) -> tuple[int, ...]:
    """Distinct token numbers, 1 to ``n``; a list that holds 0 is counted from 0.

    >>> tokens_said("visible", [1, 4], 6), tokens_said("visible", [0, 3], 6)
    ((1, 4), (1, 4))
    """
    shift = 1 if 0 in given else 0
    found = tuple(i + shift for i in given)
    if len(set(found)) < len(found) or not all(1 <= i <= n for i in found):
        raise ParameterError(
            f"{name} is {list(given)}; give distinct numbers of the {n} tokens, 1 to {n} as in x1 "
            f"(or 0 to {n - 1}, with a 0 among them)",
            name=name,
            value=tuple(given),
        )
    return found
