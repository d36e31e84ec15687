"""Pairs of sequences, and a transformer with rational weights, as they stand in a certificate.

A block maps every token ``x`` to ``eta x + sum write relu(read . x + bias)``, and then token q to
``rho x_q + sum_h V_h mean_h(q)``; head h scores ``<A_h x_q, x_k>``. ``V`` and ``A`` are
``scale I + left right^T``. The subjects are the net and the pairs, by the sha256 of their canonical
JSON.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from .envelope import array, boolean, integer, need, record, string

Vector = tuple[Fraction, ...]

FORMAT = "attnproof/net/v1"
_RATIONAL = re.compile(r"-?(0|[1-9][0-9]{0,3999})(/[1-9][0-9]{0,3999})?")
#: Coordinates of a token.
_MOST_COORDINATES = 1 << 16


@dataclass(frozen=True)
class Matrix:
    """``scale I + left right^T``; both vectors are empty where there is no rank-one part."""

    scale: Fraction
    left: Vector
    right: Vector

    @property
    def is_zero(self) -> bool:
        """Is every entry zero?"""
        return not self.scale and not (any(self.left) and any(self.right))


@dataclass(frozen=True)
class Head:
    """The matrix of the value and that of the score."""

    value: Matrix
    score: Matrix


@dataclass(frozen=True)
class Neuron:
    """``write relu(read . x + bias)``."""

    read: Vector
    bias: Fraction
    write: Vector


@dataclass(frozen=True)
class Block:
    """A feed-forward layer and an attention layer."""

    eta: Fraction
    neurons: tuple[Neuron, ...]
    rho: Fraction
    heads: tuple[Head, ...]


@dataclass(frozen=True)
class Network:
    """Blocks in order; with ``causal`` token q reads the tokens k <= q only."""

    dimension: int
    blocks: tuple[Block, ...]
    causal: bool


@dataclass(frozen=True)
class Pair:
    """A sequence, and the tokens that are wanted of it."""

    input: tuple[Vector, ...]
    output: tuple[Vector, ...]


def read_both(
    net: object, pairs: object, digests: Sequence[str]
) -> tuple[Network, tuple[Pair, ...]]:
    """A net and pairs of its dimension; these are the two subjects, in this order."""
    need(len(digests) == 2, "the subjects are not a net and pairs")
    found = _network(net)
    _check_digest(net, digests[0], "the net")
    return found, read_pairs(pairs, digests[1], found.dimension)


def read_pairs(value: object, digest: str, dimension: int | None = None) -> tuple[Pair, ...]:
    """Pairs of tokens, all of one dimension; there is a pair, and no side is empty."""
    found = []
    for one in array(value, "pairs"):
        fields = record(one, {"input", "output"}, "a pair")
        sides = []
        for side in ("input", "output"):
            tokens = array(fields[side], side)
            need(bool(tokens), f"an {side} is empty")
            for token in tokens:
                if dimension is None:
                    dimension = len(array(token, "a token"))
            sides.append(tuple(_vector(token, dimension or 0, "a token") for token in tokens))
        found.append(Pair(*sides))
    need(bool(found), "there is no pair")
    need(dimension != 0, "tokens have no coordinates")
    _check_digest(value, digest, "the pairs")
    return tuple(found)


def rational(value: object, where: str) -> Fraction:
    """A number as text, in lowest terms."""
    text = string(value, where)
    need(_RATIONAL.fullmatch(text) is not None, f"{where} is not a rational number")
    found = Fraction(text)
    need(str(found) == text, f"{where} is not in lowest terms")
    return found


def _check_digest(value: object, digest: str, what: str) -> None:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    own = sha256(text.encode()).hexdigest()
    need(own == digest, f"the digest of the subject is not that of {what}")


def _network(value: object) -> Network:
    fields = record(value, {"format", "dimension", "causal", "blocks"}, "the net")
    need(fields["format"] == FORMAT, f"the format of the net is not {FORMAT}")
    d = integer(fields["dimension"], _MOST_COORDINATES, "dimension")
    need(d > 0, "tokens have no coordinates")
    blocks = tuple(_block(one, d) for one in array(fields["blocks"], "blocks"))
    return Network(d, blocks, boolean(fields["causal"], "causal"))


def _block(value: object, d: int) -> Block:
    fields = record(value, {"eta", "neurons", "rho", "heads", "phase"}, "a block")
    string(fields["phase"], "phase")
    return Block(
        rational(fields["eta"], "eta"),
        tuple(_neuron(one, d) for one in array(fields["neurons"], "neurons")),
        rational(fields["rho"], "rho"),
        tuple(_head(one, d) for one in array(fields["heads"], "heads")),
    )


def _neuron(value: object, d: int) -> Neuron:
    fields = record(value, {"read", "bias", "write"}, "a neuron")
    read, write = (_vector(fields[side], d, side) for side in ("read", "write"))
    return Neuron(read, rational(fields["bias"], "bias"), write)


def _head(value: object, d: int) -> Head:
    fields = record(value, {"value", "score"}, "a head")
    return Head(_matrix(fields["value"], d), _matrix(fields["score"], d))


def _matrix(value: object, d: int) -> Matrix:
    fields = record(value, {"scale", "left", "right"}, "a matrix")
    empty = fields["left"] == [] == fields["right"]
    left, right = (_vector(fields[side], 0 if empty else d, side) for side in ("left", "right"))
    return Matrix(rational(fields["scale"], "scale"), left, right)


def _vector(value: object, d: int, where: str) -> Vector:
    found = tuple(rational(one, where) for one in array(value, where))
    need(len(found) == d, f"{where} does not have {d} coordinates")
    return found
