"""T13: exact interpolation against the number of sequences, and of many long ones at once."""

import random
from collections.abc import Iterator
from functools import partial
from time import process_time

import numpy as np

from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.build import build
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.verdict import Verdict
from tests.benchmarks.figures import Figure
from tests.benchmarks.targets import Target
from tests.benchmarks.timing import seconds

NUMBERS = (10, 20, 50, 100, 200)
LENGTH, DIMENSION = 50, 16


def interpolation_targets() -> Iterator[Target]:
    """Growth with N on random tokens and on inputs that share one mean, then the time of one."""
    for case, data in (("random tokens", drawn), ("equal means", balanced)):
        found = [(n, seconds(partial(build, data(n)), repeats=3)) for n in NUMBERS]
        yield Target(
            "T13",
            f"{case}: build, N = {NUMBERS[0]} to {NUMBERS[-1]} pairs of {LENGTH} tokens",
            Figure(exponent(found), 1.3, "N"),
        )
    start = process_time()
    made = build(drawn(100))
    built = process_time() - start
    holds = exact.verify(made.net, made.data).verdict is Verdict.HOLDS
    took = process_time() - start - built
    case = f"100 pairs of {LENGTH} tokens in {DIMENSION} dimensions"
    yield Target("T13", f"{case}: build", Figure(built, 10))
    yield Target("T13", "the same: verify on integers", Figure(took if holds else float("inf"), 10))


def drawn(pairs: int) -> Data:
    """Random tokens of small integers, one output each."""
    chance = random.Random(3)

    def tokens(count: int) -> list[tuple[int, ...]]:
        held: set[tuple[int, ...]] = set()
        while len(held) < count:
            held.add(tuple(chance.randint(-20, 20) for _ in range(DIMENSION)))
        return sorted(held)

    return read([(tokens(LENGTH), tokens(1)) for _ in range(pairs)])


def balanced(pairs: int) -> Data:
    """Inputs that are symmetric about 0, so that every direction gives them one mean."""
    chance = random.Random(1)
    rest = (0,) * (DIMENSION - 1)

    def tokens() -> list[tuple[int, ...]]:
        half = chance.sample(range(1, 10**7), LENGTH // 2)
        return [(sign * x, *rest) for x in half for sign in (-1, 1)]

    return read([(tokens(), [(j, *rest)]) for j in range(pairs)])


def exponent(found: list[tuple[int, float]]) -> float:
    """The slope in logarithms.

    >>> round(exponent([(2, 12.0), (4, 48.0), (8, 192.0)]), 9)
    2.0
    """
    n, took = np.log(np.array(found)).T
    return float(np.polyfit(n, took, 1)[0])
