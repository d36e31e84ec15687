"""A transformer with exact rational weights, as a value.

A block maps every token ``x`` to ``eta x + sum_i write_i relu(read_i . x + bias_i)``, and then
token ``x_q`` to ``rho x_q + sum_h V_h mean_h``, where ``mean_h`` is the mean of the tokens ``x_k``
that head ``h`` reads: those of greatest score ``<A_h x_q, x_k>`` (hardmax), or all, weighted by
the exponential of ``score / temperature`` (softmax). ``V`` and ``A`` are each a multiple of the
identity plus rank one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import rationals
from attnproof.symbolic.words import counted

Vector = tuple[Fraction, ...]

FORMAT = "attnproof/net/v1"


def times(number: Fraction | int, vector: Vector) -> Vector:
    """A multiple of a vector."""
    return tuple(number * one for one in vector)


@dataclass(frozen=True, slots=True, repr=False)
class Matrix:
    """``scale I + left right^T``; without a rank-one part both vectors are empty.

    >>> one = Fraction(1)
    >>> Matrix(Fraction(0), (one, one), (one, Fraction(2)))
    0 I + (1, 1)(1, 2)^T
    """

    scale: Fraction
    left: Vector = ()
    right: Vector = ()

    @property
    def is_zero(self) -> bool:
        """Is every entry zero?"""
        return self.scale == 0 and not (any(self.left) and any(self.right))

    def numbers(self) -> Iterator[Fraction]:
        """All weights."""
        yield self.scale
        yield from self.left
        yield from self.right

    def __repr__(self) -> str:
        rank_one = f" + {_shown(self.left)}{_shown(self.right)}^T" if self.left else ""
        return f"{self.scale} I{rank_one}"


@dataclass(frozen=True, slots=True, repr=False)
class Head:
    """``value`` is applied to the mean; ``score`` is the matrix A of ``<A x_q, x_k>``."""

    value: Matrix
    score: Matrix

    @property
    def depends_on_temperature(self) -> bool:
        """Can the temperature change what the head adds?"""
        return not (self.value.is_zero or self.score.is_zero)

    def __repr__(self) -> str:
        return f"Head: V = {self.value!r}, A = {self.score!r}"


@dataclass(frozen=True, slots=True, repr=False)
class Neuron:
    """``write relu(read . x + bias)``."""

    read: Vector
    bias: Fraction
    write: Vector

    def __repr__(self) -> str:
        bias = f"{'-' if self.bias < 0 else '+'} {abs(self.bias)}"
        return f"Neuron: {_shown(self.write)} relu({_shown(self.read)} . x {bias})"


@dataclass(frozen=True, slots=True, repr=False)
class Block:
    """A feed-forward layer, then an attention layer; ``phase`` names what the block is for."""

    eta: Fraction
    neurons: tuple[Neuron, ...] = ()
    rho: Fraction = Fraction(1)
    heads: tuple[Head, ...] = ()
    phase: str = "identity"

    def numbers(self) -> Iterator[Fraction]:
        """All weights."""
        yield self.eta
        yield self.rho
        for neuron in self.neurons:
            yield from (*neuron.read, neuron.bias, *neuron.write)
        for head in self.heads:
            yield from head.value.numbers()
            yield from head.score.numbers()

    def __repr__(self) -> str:
        return f"Block: {self.phase}, width {len(self.neurons)}, {counted(len(self.heads), 'head')}"


@dataclass(frozen=True, slots=True, repr=False)
class Net:
    """Blocks in order; with ``causal`` token q reads the tokens k <= q, else every token.

    >>> Net(2, (Block(Fraction(1)),))
    Net: 1 block in dimension 2, width 0, 2 parameters
    """

    dimension: int
    blocks: tuple[Block, ...]
    causal: bool = False

    @property
    def width(self) -> int:
        """The most neurons of a block."""
        return max((len(block.neurons) for block in self.blocks), default=0)

    @property
    def parameters(self) -> int:
        """How many weights are not zero."""
        return sum(number != 0 for block in self.blocks for number in block.numbers())

    @property
    def bits(self) -> int:
        """The greatest length of a numerator or denominator."""
        numbers = (number for block in self.blocks for number in block.numbers())
        return max(map(rationals.bits, numbers), default=0)

    @property
    def depends_on_temperature(self) -> bool:
        """Does a head have a value matrix and a score matrix that are not zero?"""
        return any(head.depends_on_temperature for block in self.blocks for head in block.heads)

    @property
    def phases(self) -> dict[str, int]:
        """How many blocks each phase has, in order."""
        found: dict[str, int] = {}
        for block in self.blocks:
            found[block.phase] = found.get(block.phase, 0) + 1
        return found

    def to_json(self) -> dict[str, object]:
        """The net with every number as text."""
        return {
            "format": FORMAT,
            "dimension": self.dimension,
            "causal": self.causal,
            "blocks": [_block_json(block) for block in self.blocks],
        }

    @property
    def text(self) -> str:
        """The one canonical JSON text: equal nets are equal texts."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    def __repr__(self) -> str:
        return (
            f"Net: {counted(len(self.blocks), 'block')} in dimension {self.dimension}, "
            f"width {self.width}, {counted(self.parameters, 'parameter')}"
        )


def loads(text: str) -> Net:
    """The net of a text; :class:`InputError` for a text that holds none.

    >>> net = Net(1, (Block(Fraction(1, 2)),))
    >>> loads(net.text) == net
    True
    """
    try:
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise ValueError
        size = int(value["dimension"])
        blocks = tuple(_read_block(block, size) for block in value["blocks"])
        return Net(size, blocks, {True: True, False: False}[value["causal"]])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise InputError(
            f"the text is no net of the format {FORMAT}; give a file that "
            "attnproof interpolate --out wrote"
        ) from None


def _block_json(block: Block) -> dict[str, object]:
    return {
        "eta": str(block.eta),
        "neurons": [
            {
                "read": _vector_json(one.read),
                "bias": str(one.bias),
                "write": _vector_json(one.write),
            }
            for one in block.neurons
        ],
        "rho": str(block.rho),
        "heads": [
            {"value": _matrix_json(head.value), "score": _matrix_json(head.score)}
            for head in block.heads
        ],
        "phase": block.phase,
    }


def _matrix_json(matrix: Matrix) -> dict[str, object]:
    return {
        "scale": str(matrix.scale),
        "left": _vector_json(matrix.left),
        "right": _vector_json(matrix.right),
    }


def _vector_json(vector: Vector) -> list[str]:
    return [str(number) for number in vector]


def _read_block(value: Mapping[str, Any], size: int) -> Block:
    neurons = tuple(
        Neuron(
            _read_vector(one["read"], size),
            rationals.read(one["bias"]),
            _read_vector(one["write"], size),
        )
        for one in value["neurons"]
    )
    heads = tuple(
        Head(_read_matrix(one["value"], size), _read_matrix(one["score"], size))
        for one in value["heads"]
    )
    eta, rho = rationals.read(value["eta"]), rationals.read(value["rho"])
    return Block(eta, neurons, rho, heads, str(value["phase"]))


def _read_matrix(value: Mapping[str, Any], size: int) -> Matrix:
    scale, sides = rationals.read(value["scale"]), (value["left"], value["right"])
    if not any(sides):
        return Matrix(scale)
    return Matrix(scale, *(_read_vector(side, size) for side in sides))


def _read_vector(value: Sequence[object], size: int) -> Vector:
    found = tuple(map(rationals.read, value))
    if len(found) != size:
        raise ValueError
    return found


def _shown(vector: Vector) -> str:
    return f"({', '.join(map(str, vector))})"
