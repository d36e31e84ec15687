"""Small nets that interpolate, and data that nothing interpolates, each claim true."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from attnproof.symbolic.evidence import Evidence, Interpolates, InterpolatesSoftmax
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.causal import build as build_causal
from attnproof.symbolic.interpolation.data import read
from attnproof.symbolic.interpolation.errors import InfeasibleData
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron
from attnproof.symbolic.interpolation.prefixes import PrefixConflict
from attnproof.symbolic.interpolation.prefixes import read as read_ordered

TWO: list[tuple[Any, Any]] = [([(0, 0), (1, 0)], [(2, 1)]), ([(1, 0)], [(2, 1)])]
LINE: list[tuple[Any, Any]] = [([(0,), (1,)], [(2,)]), ([(1,)], [("1/2",)])]

#: name: data that is infeasible.
INFEASIBLE: dict[str, list[tuple[Any, Any]]] = {
    "longer": [([(1,)], [(1,), (2,)]), ([(3,)], [(1,)])],
    "conflict": [([(1,), (2,)], [(1,)]), ([(2,), (1,)], [(1,), (2,)])],
}


#: name: data that no causal net interpolates.
OBSTRUCTED: dict[str, list[tuple[Any, Any]]] = {
    "no token in common": [([(1,), (2,)], [(1,)]), ([(1,), (3,)], [(2,)])],
    "too few tokens follow": [
        ([(1,), (2,), (3,)], [(1,), (2,), (4,)]),
        ([(1,), (2,), (4,)], [(3,), (2,)]),
    ],
}


def nets() -> Iterator[tuple[str, Evidence]]:
    """Hardmax and softmax, at one temperature, at all below one, and at all."""
    line, two = read(LINE), read(TWO)
    plain = build(line).net
    yield "net of plain means", InterpolatesSoftmax(plain, line, None, True, 64)
    robust = build(two, Mode.LEADER, robust=True).net
    yield "net of leaders, softmax", InterpolatesSoftmax(robust, two, Fraction(1, 9), True, 64)
    soft = build(two, Mode.SOFTMAX1, tau=Fraction(1)).net
    yield "net for one temperature", InterpolatesSoftmax(soft, two, Fraction(1), False, 64)
    one = Fraction(1)
    head = Head(Matrix(one), Matrix(-one, (one,), (2 * one,)))
    block = Block(one, (Neuron((one,), -one, (one / 2,)),), Fraction(0), (head, head))
    wanted = read([([(1,), (3,)], [(2,), (8,)])])
    yield "causal net of two heads", Interpolates(Net(1, (block,), causal=True), wanted)
    for name, pairs in INFEASIBLE.items():
        with pytest.raises(InfeasibleData) as caught:
            read(pairs)
        yield f"infeasible, {name}", caught.value.evidence
    for name, pairs in OBSTRUCTED.items():
        with pytest.raises(PrefixConflict) as met:
            build_causal(read_ordered(pairs))
        yield f"infeasible under a causal mask, {name}", met.value.evidence
