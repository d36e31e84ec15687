"""What the structural probe finds: a relation between positions, and what it rests on.

Convention: ``relation[q, k]`` is true when output position ``q`` may depend on input position
``k`` for some weights and inputs; where it is false, no weights and no inputs make it so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from attnproof.symbolic.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members
from attnproof.symbolic.words import counted


class Cause(Enum):
    """Why a relation holds only for runs like this one."""

    #: Python, or the size of a tensor, took a value that depends on data.
    ESCAPE = "escape"
    #: A routing by data was taken as control flow, as asked.
    PATH = "path"
    #: Data could mask a softmax row wholly, which would make it uniform; it was taken not to.
    LIVE_ROW = "live row"


class EmptySoftmax(Enum):
    """What softmax makes of a row that a constant mask masks wholly."""

    NAN = "nan"
    UNIFORM = "uniform"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class Condition:
    """An operator whose outcome on data the relation takes as in this run.

    ``positions`` are the input positions that the outcome may depend on.
    """

    cause: Cause
    operator: str
    module: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class United:
    """An operator without a rule: each output was taken to depend on all that its inputs do."""

    operator: str
    count: int
    module: str


@dataclass(frozen=True, slots=True)
class MaskedRows:
    """Softmax rows that a constant mask masks wholly, and what becomes of them."""

    becomes: EmptySoftmax
    operator: str
    module: str
    count: int


@dataclass(frozen=True, slots=True)
class OperatorRelation:
    """The relation of the output of one call of an operator with one axis of positions."""

    module: str
    operator: str
    relation: Bits


@dataclass(frozen=True, slots=True)
class ModuleRelation:
    """The relation of the output of one call of a module, from the inputs of the whole model.

    ``inputs`` is the relation of its own inputs with as many positions, None without any.
    ``operators[first:last]`` of the result ran during the call; the root module is ``""``.
    """

    module: str
    type: str
    relation: Mask
    inputs: Mask | None
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where pairs outside an allowed relation appear first; the operator if one shows them."""

    module: str
    type: str
    operator: str | None
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class StructuralRelation:
    """The relation of each output of a model, with everything that it rests on.

    It holds for all weights and for all inputs of these shapes, in exact arithmetic on finite
    values, under the score bound, and under the ``conditions``, if there are any.

    >>> StructuralRelation({"logits": Mask.from_rows(["1.", "11"])})
    StructuralRelation of logits, unconditional
    Mask 2×2 (row = query)
    #·
    ##
    """

    outputs: Mapping[str, Mask]
    modules: tuple[ModuleRelation, ...] = ()
    operators: tuple[OperatorRelation, ...] = ()
    united: tuple[United, ...] = ()
    conditions: tuple[Condition, ...] = ()
    #: The least absolute value of a finite mask constant that was relied on.
    weakest: float | None = None
    #: Tensors that are no input, parameter or buffer and were not made in the run.
    unregistered: tuple[str, ...] = ()
    masked_rows: tuple[MaskedRows, ...] = ()

    @property
    def relation(self) -> Mask:
        """The relation of the first output."""
        return next(iter(self.outputs.values()))

    @property
    def unconditional(self) -> bool:
        """Whether the relation rests on no outcome of this run."""
        return not self.conditions

    def first_outside(self, allowed: Mask) -> Origin | None:
        """The first call of a module that makes pairs which ``allowed`` has not.

        Its output has such pairs and its inputs have none. Modules are taken in the order in which
        they end, so that parts come before the whole. Those with another number of positions are
        passed over. Raises :class:`ShapeError` when ``allowed`` has another number of keys.

        >>> layer = ModuleRelation("mix", "Mix", Mask.from_rows(["11", "11"]), None, 0, 0)
        >>> found = StructuralRelation({"y": layer.relation}, (layer,))
        >>> found.first_outside(Mask.from_rows(["1.", "11"]))
        Origin(module='mix', type='Mix', operator=None, pairs=((0, 1),))
        """
        if allowed.keys != self.relation.keys:
            raise ShapeError(
                f"the allowed relation has {counted(allowed.keys, 'key')}, the model "
                f"{counted(self.relation.keys, 'input position')}; give one key for each input "
                "position"
            )
        for call in self.modules:
            pairs = _outside(call.relation.rows.bits(), allowed)
            if pairs and not (call.inputs and _outside(call.inputs.rows.bits(), allowed)):
                during = islice(self.operators, call.first, call.last)
                named = (x.operator for x in during if _outside(x.relation.sets, allowed))
                return Origin(call.module, call.type, next(named, None), pairs)
        return None

    def __repr__(self) -> str:
        name = next(iter(self.outputs))
        held = "unconditional" if self.unconditional else counted(len(self.conditions), "condition")
        return f"StructuralRelation of {name}, {held}\n{self.relation!r}"


def _outside(rows: Sequence[int], allowed: Mask) -> tuple[tuple[int, int], ...]:
    if len(rows) != allowed.queries:
        return ()
    pairs = zip(rows, allowed.rows.bits(), strict=True)
    return tuple((q, k) for q, (has, may) in enumerate(pairs) for k in members(has & ~may))
