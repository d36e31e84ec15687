"""Construction of a transformer that interpolates data exactly, block by block.

Projection to a line, separation of the sequences, then one sweep that collapses and interpolates.
``M`` is the number of outputs, ``N`` of pairs, ``C`` of outputs that are shorter than their input.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import leader, softmax, uniform
from attnproof.symbolic.interpolation.data import Data
from attnproof.symbolic.interpolation.errors import NeedsDimensionTwo
from attnproof.symbolic.interpolation.groups import group, margin, widened
from attnproof.symbolic.interpolation.net import Block, Net
from attnproof.symbolic.interpolation.phased import phases
from attnproof.symbolic.interpolation.project import Projection, project
from attnproof.symbolic.interpolation.separate import Query, Separated
from attnproof.symbolic.interpolation.stable import staircase
from attnproof.symbolic.interpolation.sweep import WIDTH, sweep
from attnproof.symbolic.words import counted


class Mode(Enum):
    """What separates the sequences: plain means, leaders of hardmax, leaders and then a collapse
    by attention, or softmax at one temperature."""

    UNIFORM = "uniform"
    LEADER = "leader"
    PHASED = "phased"
    SOFTMAX1 = "softmax1"


@dataclass(frozen=True, slots=True, repr=False)
class Construction:
    """A net with the data that it is made for, and what is known of it by construction.

    ``bound`` is proved for every net of this kind on ``N``, ``M`` and ``C``, ``claimed`` is the
    number of blocks in the paper's theorem. ``margin`` is the least distance of a token to the end
    of its plateau, None where targets have none.
    """

    data: Data
    net: Net
    mode: Mode
    robust: bool
    stable: bool
    tau: Fraction | None
    bound: int
    claimed: int
    queries: tuple[Query, ...]
    margin: Fraction | None
    line: Projection

    def __repr__(self) -> str:
        blocks = counted(len(self.net.blocks), "block")
        return f"Construction: {self.mode.value}, {blocks}, at most {self.bound}"


def build(
    data: Data,
    mode: Mode = Mode.UNIFORM,
    *,
    robust: bool = False,
    stable: bool = False,
    moves: int | None = None,
    pad_to_claim: bool = False,
    tau: Fraction | None = None,
) -> Construction:
    """A net of width at most 4 that maps the inputs of ``data`` to its outputs, as sets.

    ``robust`` gives every target a plateau, so that small errors vanish; ``stable`` also collapses
    plateaus without rounding in binary, with ``moves`` (1 to 4) moves a block. ``softmax1`` is for
    softmax at the temperature ``tau``. ``pad_to_claim`` adds blocks that do nothing.

    >>> from attnproof.symbolic.interpolation.data import read
    >>> build(read([([(0, 1), (2, 3)], [(5, 5)]), ([(2, 3)], [(1, 1)])]))
    Construction: uniform, 2 blocks, at most 2

    Law: ``bound`` knows of the length of an input only whether its output is shorter. Raises
    :class:`InputError` for options that do not go together and :class:`NeedsDimensionTwo`. Source:
    Alcalde, Fantuzzi, Zuazua 2025 for the statement and the phases; the constructions and the
    bounds ours.
    """
    _check(data, mode, stable, moves, tau)
    stretch = mode is not Mode.PHASED
    line = project(data, stretch=stretch, right_of=None if stretch else 0)
    separated = _separated(line, mode, tau)
    queries = separated.queries
    if mode is Mode.PHASED:
        later, least = phases(data, separated, robust=robust)
    else:
        flat = robust or stable or mode is Mode.SOFTMAX1
        later, least = _swept(data, line, separated, flat, stable, moves or WIDTH)
    blocks = (*separated.blocks, *later)
    bound, claimed = _bounds(data, mode, robust, stable, moves or WIDTH)
    if pad_to_claim:
        blocks += (Block(Fraction(1)),) * (claimed - len(blocks))
    net = Net(data.dimension, blocks)
    return Construction(data, net, mode, robust, stable, tau, bound, claimed, queries, least, line)


def _check(data: Data, mode: Mode, stable: bool, moves: int | None, tau: Fraction | None) -> None:
    if mode is not Mode.UNIFORM and data.dimension < 2:
        raise NeedsDimensionTwo(
            f"tokens have 1 coordinate and the mode {mode.value} keeps a score in a second one; "
            "choose the mode uniform, or append a 0 to every token"
        )
    if stable and mode not in (Mode.UNIFORM, Mode.LEADER):
        raise InputError(
            f"stable was asked for in the mode {mode.value}; choose uniform or leader, or robust"
        )
    if moves is not None and not (stable and 1 <= moves <= WIDTH):
        raise InputError(
            f"{moves} moves a block were asked for{'' if stable else ' without stable'}; give 1 to "
            f"{WIDTH}, together with stable",
            moves=moves,
        )
    if (tau is None) == (mode is Mode.SOFTMAX1):
        given = "no temperature is given" if tau is None else f"the temperature {tau} is given"
        raise InputError(
            f"{given} and the mode is {mode.value}; softmax1 needs one, tau (--tau 1/10), "
            "the other modes none"
        )
    if tau is not None and tau <= 0:
        raise InputError(f"the temperature is {tau}; give a rational above 0", tau=tau)


def _separated(line: Projection, mode: Mode, tau: Fraction | None) -> Separated:
    if len(line.positions) == 1:
        return Separated((), line.positions, line.identity())
    if mode is Mode.UNIFORM:
        return uniform.separate(line)
    if tau is not None:
        return softmax.separate(line, tau)
    return leader.separate(line)


def _swept(
    data: Data, line: Projection, separated: Separated, flat: bool, stable: bool, moves: int
) -> tuple[tuple[Block, ...], Fraction | None]:
    """Collapse and interpolation, and the least margin of a plateau."""
    groups = group(separated.positions, [pair.output for pair in data.pairs])
    if not flat:
        return sweep(groups, line.base, separated.fresh), None
    plateaus = widened(groups, line.base)
    least = margin(groups, plateaus)
    if not stable:
        return sweep(plateaus, line.base, separated.fresh), least
    collapse, points = staircase(plateaus, separated.fresh)
    return (*collapse, *sweep(points, line.base, width=moves, short=moves == 1)), least


def _bounds(data: Data, mode: Mode, robust: bool, stable: bool, moves: int) -> tuple[int, int]:
    """The most blocks of such a net, and the number in the paper's theorem."""
    n, m, c = len(data.pairs), data.outputs, data.collapsing
    hard = mode is Mode.UNIFORM or (mode is not Mode.SOFTMAX1 and not robust)
    claimed = 2 * m + 2 * n + 1 if hard else 2 * m + 3 * n
    if mode is Mode.PHASED:
        return (n - 1) + (m - n) + 1 + (_ceil(1 + 2 * m, 4) if robust else m), claimed
    separating = {Mode.UNIFORM: max(1, _ceil(n, 4)), Mode.LEADER: n - 1, Mode.SOFTMAX1: 1}[mode]
    separating = 0 if n == 1 and mode is not Mode.SOFTMAX1 else separating
    fresh = int(n == 1 or mode is not Mode.UNIFORM)
    if stable:
        return separating + fresh + _ceil(m - fresh, 2) + _ceil(m, moves), claimed
    events = 2 * m if robust or mode is Mode.SOFTMAX1 else m + c
    return separating + _ceil(fresh + events, 4), claimed


def _ceil(a: int, b: int) -> int:
    return -(-a // b)
