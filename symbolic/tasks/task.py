"""Task: which position carries what, which position predicts what, and the mask between them.

A position carries atoms (data variables), never values. A label says which atom a position must
predict, so it must not be reached from a position that carries that atom.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Self

from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.tasks.atoms import Items
from attnproof.symbolic.tasks.masks import MaskSpec, resolve
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.building import Inputs, Labels, MaskLike
    from attnproof.symbolic.tasks.density import Density
    from attnproof.symbolic.tasks.leaks import LabelDepth
    from attnproof.symbolic.tasks.upstream import Executed

_SHOWN = 32
Segment = int | str | tuple[int | str, ...]


def usual_kind(atoms: Iterable[str]) -> str:
    """The kind of a position that is given none: of a token, or of a mask token.

    >>> usual_kind(["x1"]), usual_kind([])
    ('tok', 'mask')
    """
    return "tok" if tuple(atoms) else "mask"


class PosMode(Enum):
    """How a model sees position ids: as part of the input, as differences, or not at all."""

    ABSOLUTE = "absolute"
    RELATIVE = "relative"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Position:
    """What one position is given: no atom (a mask token, a query), one, or several aggregated.

    ``pos`` is its position id, ``segment`` any further ids; here, as in a task file, there is no
    id unless it is given. ``kind`` is any word and part of the input: positions of two kinds are
    not equivalent. Where it is ``"keep"`` the position may carry its own label. ``allowed_atoms``
    are the only atoms that may reach it; None allows all.
    """

    atoms: tuple[str, ...]
    pos: int | None = None
    kind: str = "tok"
    segment: Segment | None = None
    allowed_atoms: frozenset[str] | None = None

    @property
    def own_input(self) -> tuple[tuple[str, ...], int | None, str, Segment | None]:
        """What the model is fed here, as one comparable value.

        >>> Position(("x2", "x1"), pos=3).own_input
        (('x1', 'x2'), 3, 'tok', None)
        """
        return tuple(sorted(self.atoms)), self.pos, self.kind, self.segment


@dataclass(frozen=True, slots=True)
class Label:
    """A position predicts an atom with one of its prediction heads."""

    position: int
    atom: str
    head: int = 0
    allowed_atoms: frozenset[str] | None = None


@dataclass(frozen=True, repr=False)
class Task:
    """Inputs, labels and a mask, with the conventions of the layers that run.

    >>> Task.build(["x1", "x2"], {1: "x3"}, ["1.", "11"], name="predict-3")
    Task predict-3: 2 positions, 1 label, 3 atoms
      0  x1        #·
      1  x2 -> x3  ##

    ``depth`` counts layers; None is any number of them. ``allowed_atoms`` are the only atoms that
    may reach a labelled position that names none itself.
    """

    atoms: tuple[str, ...]
    positions: tuple[Position, ...]
    labels: tuple[Label, ...]
    mask: MaskSpec
    name: str = ""
    derived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    residual: bool = True
    empty_row: EmptyRow = EmptyRow.ZERO
    depth: int | None = None
    pos_mode: PosMode = PosMode.ABSOLUTE
    diag_in_softmax: bool = True
    allowed_atoms: frozenset[str] | None = None

    def __post_init__(self) -> None:
        from attnproof.symbolic.tasks.check import check

        check(self)

    def __hash__(self) -> int:
        return hash((self.name, self.atoms, self.positions, self.labels))

    @classmethod
    def build(
        cls,
        inputs: "Inputs",
        labels: "Labels",
        mask: "MaskLike",
        *,
        name: str = "",
        atoms: Iterable[str] | None = None,
        derived: Mapping[str, Iterable[str]] | None = None,
        residual: bool = True,
        empty_row: EmptyRow | str = EmptyRow.ZERO,
        depth: int | None = None,
        pos_mode: PosMode | str = PosMode.ABSOLUTE,
        diag_in_softmax: bool = True,
        allowed_atoms: Iterable[str] | None = None,
    ) -> Self:
        """A task from short forms.

        An input is an atom, several atoms, None (a mask token), a :class:`Position`, or a table as
        in a task file. The first three take their index, from 0 on, as position id; a Position and
        a table have none unless they name it. ``labels`` maps a position to an atom, or to several,
        one a head; or it is a list of :class:`Label` or of tables. ``mask`` is a list of rows of
        text or of 0 and 1, a builder's name, a :class:`Mask`, a Boolean array, or a table as in a
        task file. ``atoms`` are, where not given, those that occur, in order.

        >>> table = {"atoms": ["x1"], "pos": 1}
        >>> Task.build([table, None], {1: "x2"}, [[1, 0], [1, 1]])
        Task: 2 positions, 1 label, 2 atoms
          0  x1          #·
          1  mask -> x2  ##

        Raises :class:`TaskError`, which says the form that is wanted, for anything else.
        """
        from attnproof.symbolic.tasks import building

        positions = building.positions(inputs)
        targets = building.labels(labels)
        formulas = {
            item: building.names(arguments, f"derived[{item!r}]")
            for item, arguments in (derived or {}).items()
        }
        return cls(
            atoms=building.atoms(positions, targets, formulas)
            if atoms is None
            else building.names(atoms, "atoms"),
            positions=positions,
            labels=targets,
            mask=building.mask(mask),
            name=name,
            derived=formulas,
            residual=residual,
            empty_row=building.choice(EmptyRow, empty_row, "empty_row"),
            depth=depth,
            pos_mode=building.choice(PosMode, pos_mode, "pos_mode"),
            diag_in_softmax=diag_in_softmax,
            allowed_atoms=None
            if allowed_atoms is None
            else frozenset(building.names(allowed_atoms, "allowed_atoms")),
        )

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.positions)

    @cached_property
    def items(self) -> Items:
        """The atoms and the items derived from them."""
        return Items(self.atoms, self.derived)

    @cached_property
    def layers(self) -> tuple[Mask, ...]:
        """The mask of every layer of one period, heads united."""
        return resolve(self.mask, self.size, self.empty_row)

    @cached_property
    def labelled(self) -> Mapping[int, tuple[Label, ...]]:
        """Position to its labels, ordered by position and head."""
        found: dict[int, tuple[Label, ...]] = {}
        for label in sorted(self.labels, key=lambda label: (label.position, label.head)):
            found[label.position] = (*found.get(label.position, ()), label)
        return found

    @cached_property
    def carried(self) -> tuple[frozenset[str], ...]:
        """What each position carries: its items with all their arguments."""
        return tuple(self.items.carried(position.atoms) for position in self.positions)

    @cached_property
    def carriers(self) -> Mapping[str, int]:
        """Item to the positions that carry it, as a bit set."""
        found = dict.fromkeys((*self.items.primitive, *self.derived), 0)
        for p, items in enumerate(self.carried):
            for item in items:
                found[item] |= 1 << p
        return found

    @cached_property
    def executed(self) -> "Executed":
        """What a model executes on the task, heads kept apart."""
        from attnproof.symbolic.tasks.upstream import executed

        return executed(self)

    def setting(self) -> Setting:
        """The layers that run, and how often."""
        return Setting(self.layers, self.depth, self.residual, self.empty_row)

    def with_layers(self, layers: Sequence[Mask]) -> "Task":
        """The same inputs and labels under other masks, one a layer."""
        from attnproof.symbolic.tasks.masks import Layers

        sizes = [mask.size for mask in layers if mask.size != self.size]
        if sizes or not layers:
            raise TaskError(
                f"the task has {counted(self.size, 'position')} and the mask has "
                f"{sizes[0] if sizes else 0}; give a mask of the task's size",
                positions=self.size,
                sizes=sizes,
            )
        return replace(self, mask=layers[0] if len(layers) == 1 else Layers(tuple(layers)))

    def leak_depths(self) -> "tuple[LabelDepth, ...]":
        """How many layers it takes until each label's atom has arrived, by position and head.

        >>> task = Task.build([None, None, "x"], {0: "x"}, ["11.", ".11", "..1"])
        >>> [found.depth for found in task.leak_depths()]
        [2]
        """
        from attnproof.symbolic.tasks.leaks import label_depths

        return label_depths(self)

    def density(self) -> "Density":
        """The shares of positions and of items that are predicted, and of context seen."""
        from attnproof.symbolic.tasks.density import density

        return density(self)

    def __repr__(self) -> str:
        held = (self.size, "position"), (len(self.labels), "label"), (len(self.atoms), "atom")
        told = ", ".join(counted(*one) for one in held)
        head = f"Task {self.name}".rstrip() + f": {told}"
        if self.size > _SHOWN or len(self.layers) != 1:
            return f"<{head}>"
        said = []
        for p, position in enumerate(self.positions):
            own = "+".join(position.atoms) or position.kind
            told = ", ".join(label.atom for label in self.labelled.get(p, ()))
            said.append(f"{own} -> {told}" if told else own)
        wide = max(map(len, said))
        _, *grid = repr(self.layers[0]).splitlines()
        lines = (f"{p:>3}  {said[p]:<{wide}}  {grid[p]}" for p in range(self.size))
        return "\n".join([head, *lines])
