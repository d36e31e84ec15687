"""Inference program: calls of a model, one after the other, with what they keep and what they emit.

A call is given positions and a mask on them, as a task is. It may take the state of a position from
an earlier call (a key-value cache), and it emits atoms that it predicts at positions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.tasks import building
from attnproof.symbolic.tasks.keys import shown
from attnproof.symbolic.tasks.masks import MaskSpec
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.building import Inputs, MaskLike

#: (call, position of it)
Kept = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Emit:
    """An atom is predicted at a position; ``head`` names the prediction head, None any of them."""

    position: int
    atom: str
    head: int | None = None


@dataclass(frozen=True, repr=False)
class Call:
    """Positions with the mask between them; ``reuse[p]`` says which earlier state stands at ``p``.

    Reused positions are among the positions, with the inputs and the row that they would have if
    they were computed again.

    >>> Call.build(["x1", "x2"], "causal", reuse={0: (0, 0)}, emit={1: "x3"})
    Call: 2 positions, 1 reused, emits x3
    """

    positions: tuple[Position, ...]
    mask: MaskSpec
    reuse: Mapping[int, Kept] = field(default_factory=dict)
    emits: tuple[Emit, ...] = ()
    name: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.positions, self.emits))

    @classmethod
    def build(
        cls,
        inputs: "Inputs",
        mask: "MaskLike",
        *,
        reuse: Mapping[int, Kept] | None = None,
        emit: Mapping[int, str | Sequence[str]] | Sequence[Emit] = (),
        name: str = "",
    ) -> Self:
        """A call from short forms: inputs and mask as those of :meth:`Task.build`; ``emit`` maps a
        position to an atom or to several."""
        return cls(
            building.positions(inputs),
            building.mask(mask),
            {p: (int(call), int(at)) for p, (call, at) in (reuse or {}).items()},
            _emits(emit),
            name,
        )

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.positions)

    @property
    def computed(self) -> tuple[int, ...]:
        """The positions whose state is not reused."""
        return tuple(p for p in range(self.size) if p not in self.reuse)

    def under(self, task: Task) -> Task:
        """The call as a task without labels, run by the model of another task."""
        return replace(task, positions=self.positions, labels=(), mask=self.mask, name=self.name)

    def __repr__(self) -> str:
        told = [counted(self.size, "position")]
        told += [f"{len(self.reuse)} reused"] if self.reuse else []
        told += [f"emits {', '.join(emit.atom for emit in self.emits)}"] if self.emits else []
        return f"Call {self.name}".rstrip() + f": {', '.join(told)}"


def _emits(given: Mapping[int, str | Sequence[str]] | Sequence[Emit]) -> tuple[Emit, ...]:
    if isinstance(given, Mapping):
        labels = building.labels(given, "emit")
        return tuple(Emit(label.position, label.atom) for label in labels)
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    if not all(isinstance(one, Emit) for one in found):
        raise TaskError(
            f"emit is {shown(given)}; give a mapping from a position to an atom, as in "
            '{1: "x3"}, or a list of Emit',
            where="emit",
        )
    return found


@dataclass(frozen=True, repr=False)
class Program:
    """Calls in order; ``given`` are the atoms that are known before the first.

    >>> Program.build([Call.build(["x1"], ["1"], emit={0: "x2"}),
    ...                Call.build(["x1", "x2"], "causal", reuse={0: (0, 0)}, emit={1: "x3"})],
    ...               given=["x1"])
    Program: 2 calls, 2 positions computed, 1 reused, given x1

    Raises :class:`TaskError` for a reused state that no earlier call has, and for what a call says
    of a position that it lacks.
    """

    calls: tuple[Call, ...]
    given: frozenset[str] = frozenset()
    name: str = ""

    def __post_init__(self) -> None:
        if not self.calls:
            raise TaskError("the program has no call; give one [[call]] or more", where="call")
        for c, call in enumerate(self.calls):
            self._check(c, call)

    @classmethod
    def build(cls, calls: Iterable[Call], *, given: Iterable[str] = (), name: str = "") -> Self:
        """A program of some calls."""
        return cls(tuple(calls), frozenset(given), name)

    def _check(self, c: int, call: Call) -> None:
        if not call.positions:
            raise TaskError(
                f"call[{c}] has no position; give one [[call.position]] or more",
                where=f"call[{c}].position",
            )
        for p, (earlier, at) in call.reuse.items():
            where = f"call[{c}].reuse"
            _in_range(call, p, where)
            if not 0 <= earlier < c:
                raise TaskError(
                    f"{where} takes position {p} from call {earlier}; "
                    + (f"give an earlier call, 0 to {c - 1}" if c else "the first call has none"),
                    where=where,
                    call=earlier,
                )
            _in_range(self.calls[earlier], at, where, f" of call {earlier}")
        for emit in call.emits:
            _in_range(call, emit.position, f"call[{c}].emit")
        if len(set(call.emits)) < len(call.emits):
            raise TaskError(
                f"call[{c}].emit names an atom twice at one position; name it once",
                where=f"call[{c}].emit",
            )

    def __repr__(self) -> str:
        computed = counted(sum(len(call.computed) for call in self.calls), "position")
        reused = sum(len(call.reuse) for call in self.calls)
        told = [counted(len(self.calls), "call"), f"{computed} computed", f"{reused} reused"]
        told += [f"given {', '.join(sorted(self.given))}"] if self.given else []
        return f"Program {self.name}".rstrip() + f": {', '.join(told)}"


def _in_range(call: Call, p: int, where: str, of: str = "") -> None:
    if not 0 <= p < call.size:
        raise TaskError(
            f"{where} names position {p}{of}; give one from 0 to {call.size - 1}",
            where=where,
            position=p,
            positions=call.size,
        )
