"""Constructions: exact on every data set, no deeper than is proved, the same at every run."""

import hashlib
import json
import random
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.interpolation import ball, exact
from attnproof.symbolic.interpolation.build import Construction, Mode, build
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.hard import HARD, ON_A_LINE
from attnproof.symbolic.interpolation.net import loads
from attnproof.symbolic.verdict import Verdict
from tests.interpolation import interpolates

#: name: options. ``softmax1`` is verified by balls, the others on integers.
KINDS: dict[str, dict[str, Any]] = {
    "uniform": {},
    "uniform robust": {"robust": True},
    "uniform stable": {"stable": True},
    "uniform stable, a move a block": {"stable": True, "moves": 1},
    "leader": {"mode": Mode.LEADER},
    "leader robust": {"mode": Mode.LEADER, "robust": True},
    "leader stable": {"mode": Mode.LEADER, "stable": True, "moves": 2},
    "phased": {"mode": Mode.PHASED},
    "phased robust": {"mode": Mode.PHASED, "robust": True},
    "softmax1": {"mode": Mode.SOFTMAX1, "tau": Fraction(2, 7)},
}


def holds(made: Construction) -> bool:
    """Is it verified to be exact?"""
    if made.tau is None:
        found = exact.verify(made.net, made.data)
    else:
        found = ball.verify(made.net, made.data, made.tau)
    return found.verdict is Verdict.HOLDS


def claim(data: Data, mode: Mode, robust: bool) -> int:
    """The number of blocks in the theorem of arXiv 2502.02270, hardmax or softmax."""
    n, m = len(data.pairs), data.outputs
    soft = mode is Mode.SOFTMAX1 or (robust and mode is not Mode.UNIFORM)
    return 2 * m + 3 * n if soft else 2 * m + 2 * n + 1


def check(data: Data, **options: Any) -> Construction:
    """Build, and hold the construction against every bound."""
    made = build(data, **options)
    assert len(made.net.blocks) <= made.bound <= made.claimed
    assert made.claimed == claim(data, made.mode, made.robust)
    assert made.net.width <= 4
    assert holds(made)
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HARD)
def test_hard_data(name: str, kind: str) -> None:
    """Every mode interpolates data that was made to break it, within the bounds."""
    check(read(HARD[name]), **KINDS[kind])


@pytest.mark.parametrize("options", [{}, {"robust": True}, {"stable": True}])
def test_one_dimension(options: dict[str, Any]) -> None:
    """Plain means need no second coordinate."""
    check(read(ON_A_LINE), **options)


@pytest.mark.parametrize("kind", ["uniform", "leader robust", "phased", "uniform stable"])
@pytest.mark.parametrize("name", ["targets of inputs", "shared targets", "equal means"])
def test_the_formulas_as_they_stand_agree(name: str, kind: str) -> None:
    """A second forward pass with dense matrices finds the same."""
    made = build(read(HARD[name]), **KINDS[kind])
    pairs: Any = made.data.to_json()["pairs"]
    assert interpolates(json.loads(made.net.text), pairs)


NUMBERS = {
    "integers": st.integers(-9, 9),
    "fractions": st.fractions(-9, 9, max_denominator=9),
    "floats": st.floats(-2, 2, allow_nan=False),
}


@st.composite
def datasets(draw: st.DrawFn) -> Data:
    """Up to five pairs in up to three dimensions, with distinct inputs."""
    d = draw(st.integers(2, 3))
    number = NUMBERS[draw(st.sampled_from(sorted(NUMBERS)))]
    token = st.tuples(*[number] * d)
    inputs = draw(
        st.lists(
            st.lists(token, min_size=1, max_size=6, unique=True),
            min_size=1,
            max_size=5,
            unique_by=frozenset,
        )
    )
    return read(
        [
            (one, draw(st.lists(token, min_size=1, max_size=min(3, len(one)), unique=True)))
            for one in inputs
        ]
    )


@pytest.mark.parametrize("kind", KINDS)
@given(data=datasets())
@settings(max_examples=15)
def test_any_data(kind: str, data: Data) -> None:
    """Every mode interpolates whatever is given."""
    made = check(data, **KINDS[kind])
    assert loads(made.net.text) == made.net


@given(data=datasets())
@settings(max_examples=20)
def test_how_many_weights(data: Data) -> None:
    """``(d + 2)(M + C) + 2 L + 4 (2 d + 3) + 3 knots`` weights that are not zero, at most."""
    made = build(data)
    d, n = data.dimension, len(data.pairs)
    most = (d + 2) * (data.outputs + data.collapsing) + 2 * len(made.net.blocks)
    assert made.net.parameters <= most + 4 * (2 * d + 3) + 3 * (n + 3)


def test_the_order_of_tokens_does_not_matter() -> None:
    """A permuted input gives the outputs permuted alike, and the same net."""
    pairs = HARD["targets of inputs"]
    made = build(read(pairs), Mode.LEADER)
    (first, wanted), rest = pairs[0], pairs[1:]
    (whole, *_) = made.data.pairs
    outputs = dict(zip(whole.input, exact.forward(made.net, whole.input), strict=True))
    for order in permutations(first):
        shuffled = read([(list(order), wanted[::-1]), *rest])
        assert build(shuffled, Mode.LEADER).net.text == made.net.text
        given_order = shuffled.pairs[0].input
        assert exact.forward(made.net, given_order) == tuple(outputs[x] for x in given_order)


def test_as_deep_for_long_inputs() -> None:
    """From 4 tokens an input to 400 neither depth nor the number of weights changes."""
    sizes = []
    for n in (4, 400):
        chance = random.Random(1)
        pairs: list[Any] = []
        for j in range(4):
            tokens = [(100 * i + chance.randrange(100), i + j) for i in range(n)]
            pairs.append((tokens, [(j, 1), (j, 2)]))
        made = check(read(pairs), robust=True)
        sizes.append((len(made.net.blocks), made.net.parameters))
    assert sizes[0] == sizes[1]


def test_bits_do_not_grow_with_depth() -> None:
    """Twice as many outputs on data of one magnitude: deeper nets, hardly longer weights."""
    chance = random.Random(2)

    def tokens(count: int) -> list[tuple[int, ...]]:
        return [tuple(chance.randint(-20, 20) for _ in range(3)) for _ in range(count)]

    made = [
        build(read([(sorted(set(tokens(10)))[:8], sorted(set(tokens(4)))[:3]) for _ in range(n)]))
        for n in (6, 24)
    ]
    assert len(made[1].net.blocks) >= 3 * len(made[0].net.blocks)
    assert made[1].net.bits <= made[0].net.bits + 16


@pytest.mark.parametrize(
    ("name", "options", "blocks"),
    [
        # Specification of the construction, sections 2.4, 7 and 2.3: equal neighbours merge.
        ("one target", {}, 2),
        ("a query for each", {"mode": Mode.LEADER}, 5 + 4),
        ("chain of subsets", {}, 1 + 4),
        ("as many outputs", {}, 1 + 5),
        ("chain of subsets", {"stable": True}, 1 + 4 + 2),
        ("one token", {"stable": True}, 1 + 0 + 1),
        ("one token", {}, 1),
    ],
)
def test_known_depths(name: str, options: dict[str, Any], blocks: int) -> None:
    """Numbers of blocks that were worked out by hand."""
    assert len(check(read(HARD[name]), **options).net.blocks) == blocks


@pytest.mark.parametrize(
    ("name", "options", "blocks"),
    [
        ("one token", {}, 2 * 1 + 2 * 1 + 1),
        ("equal power sums", {"mode": Mode.PHASED}, 2 * 4 + 2 * 2 + 1),
        ("equal power sums", {"mode": Mode.PHASED, "robust": True}, 2 * 4 + 3 * 2),
    ],
)
def test_padded_to_the_theorem(name: str, options: dict[str, Any], blocks: int) -> None:
    """Blocks that do nothing fill a net up to the number that the theorem states."""
    made = build(read(HARD[name]), **options, pad_to_claim=True)
    assert len(made.net.blocks) == blocks == made.claimed
    assert holds(made)


def test_many_long_sequences() -> None:
    """100 sequences of 20 tokens in 16 dimensions."""
    chance = random.Random(3)

    def tokens(count: int) -> list[tuple[int, ...]]:
        return [tuple(chance.randint(-20, 20) for _ in range(16)) for _ in range(count)]

    made = check(read([(tokens(20), tokens(1)) for _ in range(100)]))
    assert len(made.net.blocks) <= 75


SCRIPT = """
import sys
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import read
from fractions import Fraction
from attnproof.symbolic.interpolation.hard import HARD
for name in ("all subsets of 4", "equal power sums"):
    for options in ({}, {"mode": Mode.LEADER, "robust": True}, {"mode": Mode.PHASED},
                    {"mode": Mode.SOFTMAX1, "tau": Fraction(1, 3)}):
        sys.stdout.write(build(read(HARD[name]), **options).net.text)
"""


def test_two_processes_write_the_same_bytes() -> None:
    """The net does not depend on the order of sets or on the hash seed."""
    texts = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", SCRIPT],
                capture_output=True,
                check=True,
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            ).stdout
        ).hexdigest()
        for seed in ("1", "2")
    }
    assert len(texts) == 1
