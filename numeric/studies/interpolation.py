"""interpolation: every construction on hard and on random data, and what a changed weight does.

Nothing here is needed for a single answer, which is verified when it is built; the sweep shows how
constructions behave over many data sets.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import process_time
from typing import Any

from attnproof.numeric.studies.interpolation_tables import figures, tables
from attnproof.numeric.studies.study import Record, Study
from attnproof.symbolic.interpolation import ball, exact
from attnproof.symbolic.interpolation.build import Construction, Mode, build
from attnproof.symbolic.interpolation.costs import drawn
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.hard import HARD, ON_A_LINE
from attnproof.symbolic.interpolation.net import Head, Matrix, Net, Neuron
from attnproof.symbolic.interpolation.spread import spread
from attnproof.symbolic.interpolation.temperature import temperature
from attnproof.symbolic.verdict import Verdict

#: Every kind of construction by name, with its options.
KINDS: dict[str, dict[str, Any]] = {
    "uniform": {},
    "uniform, robust": {"robust": True},
    "uniform, stable": {"stable": True},
    "uniform, stable, a move a block": {"stable": True, "moves": 1},
    "leader": {"mode": Mode.LEADER},
    "leader, robust": {"mode": Mode.LEADER, "robust": True},
    "leader, stable": {"mode": Mode.LEADER, "stable": True, "moves": 2},
    "phased": {"mode": Mode.PHASED},
    "phased, robust": {"mode": Mode.PHASED, "robust": True},
    "softmax1": {"mode": Mode.SOFTMAX1, "tau": Fraction(2, 7)},
}
_PLAIN = ("uniform", "uniform, robust", "leader", "leader, robust", "phased", "softmax1")
_CHANGE = Fraction(1, 7)


@dataclass(frozen=True, slots=True)
class Point:
    """One part of the sweep, on what, with ``count`` data sets or changes drawn from ``seed``."""

    part: str
    of: str
    seed: int = 0
    count: int = 1


def points(seed: int, quick: bool) -> list[Point]:
    """Hard data, random data, changed weights, temperatures, long inputs, deep nets, floats."""
    hard = ["one token", "equal means"] if quick else [*HARD, "on a line"]
    drawn = ["2 integers"] if quick else [f"{d} {kind}" for d in (1, 2, 3, 8) for kind in _NUMBERS]
    changed = ["uniform", "leader"] if quick else [kind for kind in _PLAIN if kind != "softmax1"]
    lengths = (4, 12) if quick else (4, 16, 64, 128, 400)
    depths = (3, 6) if quick else (3, 6, 12, 24, 48, 96)
    soft = ["swapped sets"] if quick else [name for name in HARD if name != "all subsets of 4"]
    return [
        *(Point("hard", name, seed) for name in hard),
        *(Point("random", name, seed, 2 if quick else 40) for name in drawn),
        *(Point("change", name, seed, 10 if quick else 200) for name in changed),
        *(Point("temperature", name, seed) for name in soft),
        *(Point("length", str(n), seed) for n in lengths),
        *(Point("depth", str(n), seed) for n in depths),
        Point("floats", "integers", seed, 2 if quick else 40),
    ]


def run(point: Point) -> Record:
    """What one part finds; counts of data sets, of nets, or what each net has."""
    start = process_time()
    found = _PARTS[point.part](point)
    return {
        "part": point.part,
        "of": point.of,
        **found,
        "seconds": {"all": process_time() - start},
    }


def _hard(point: Point) -> Record:
    """Every kind on one data set that was made to break it."""
    data = read(ON_A_LINE if point.of == "on a line" else HARD[point.of])
    chance = random.Random(point.seed)
    return {"nets": {kind: _checked(data, kind, chance) for kind in _kinds(data)}}


def _random(point: Point) -> Record:
    """Every kind on random data sets: how many nets pass each check, and their longest weight."""
    d, numbers = point.of.split()
    counts: dict[str, Counter[str]] = {}
    bits: dict[str, int] = {}
    for k in range(point.count):
        chance = random.Random(f"{point.of} {point.seed} {k}")
        data = random_data(chance, int(d), numbers)
        for kind in _kinds(data):
            found = _checked(data, kind, chance)
            counts.setdefault(kind, Counter()).update(
                nets=1,
                **{key: int(found[key]) for key in ("exact", "within_bound", "permuted", "agree")},
            )
            bits[kind] = max(bits.get(kind, 0), found["bits"])
    return {
        "nets": {kind: {**counts[kind], "bits": bits[kind]} for kind in counts},
        "data_sets": point.count,
    }


def _checked(data: Data, kind: str, chance: random.Random) -> Record:
    """Is the net exact, within its bounds, of width 4 at most, the same for permuted inputs; do
    both verifiers say so, where scores are 0 and they can be compared?"""
    made = build(data, **KINDS[kind])
    other = _shuffled(data, chance)
    again = build(other, **KINDS[kind])
    holds = _holds(made.net, made)
    soft = None
    if not made.net.depends_on_temperature:
        soft = ball.verify(made.net, data, Fraction(1)).verdict is Verdict.HOLDS
    return {
        "exact": holds,
        "within_bound": len(made.net.blocks) <= made.bound <= made.claimed and made.net.width <= 4,
        "permuted": again.net.text == made.net.text and _holds(again.net, again),
        "agree": soft in (None, holds),
        "blocks": len(made.net.blocks),
        "bound": made.bound,
        "theorem": made.claimed,
        "weights": made.net.parameters,
        "bits": made.net.bits,
    }


def _holds(net: Net, made: Construction) -> bool:
    if made.tau is None:
        return exact.verify(net, made.data).verdict is Verdict.HOLDS
    return ball.verify(net, made.data, made.tau).verdict is Verdict.HOLDS


def _kinds(data: Data) -> list[str]:
    """What needs no second coordinate, where tokens have one."""
    return [kind for kind in KINDS if data.dimension > 1 or kind.startswith("uniform")]


def _shuffled(data: Data, chance: random.Random) -> Data:
    """The same sets in another order."""

    def order(tokens: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(chance.sample(tokens, len(tokens)))

    pairs = [replace(p, input=order(p.input), output=order(p.output)) for p in data.pairs]
    return Data(tuple(pairs))


_NUMBERS = {
    "integers": lambda chance: Fraction(chance.randint(-20, 20)),
    "fractions": lambda chance: Fraction(chance.randint(-20, 20), chance.randint(1, 9)),
    "floats": lambda chance: Fraction(chance.uniform(-2, 2)),
}


def random_data(chance: random.Random, d: int, numbers: str, most: int = 6) -> Data:
    """Up to six pairs of up to twelve tokens, in sets that differ, to up to four."""

    def tokens(count: int) -> list[tuple[Fraction, ...]]:
        return sorted({tuple(_NUMBERS[numbers](chance) for _ in range(d)) for _ in range(count)})

    held: dict[tuple[Any, ...], list[tuple[Fraction, ...]]] = {}
    for _ in range(chance.randint(1, most)):
        given = tokens(chance.randint(1, 12))
        held[tuple(given)] = tokens(chance.randint(1, min(4, len(given))))
    return read(list(held.items()))


def _change(point: Point) -> Record:
    """A weight that is drawn, plus 1/7: how often the verifier sees it, and what it does then."""
    chance = random.Random(f"{point.of} {point.seed}")
    counts: Counter[str] = Counter()
    for _ in range(point.count):
        made = build(random_data(chance, 2, "integers"), **KINDS[point.of])
        net, phase = mutated(made.net, chance)
        seen = not _holds(net, made)
        counts.update(seen=int(seen), missed=int(not seen))
        counts[f"missed, {phase}"] += not seen
        if not net.depends_on_temperature:
            soft = ball.verify(net, made.data, Fraction(1)).verdict is Verdict.HOLDS
            counts.update(compared=1, agree=int(soft is not seen))
    return {"changes": point.count, **{key: n for key, n in counts.items() if n}}


def mutated(net: Net, chance: random.Random) -> tuple[Net, str]:
    """The net with 1/7 added to one of its weights that are not 0, and what its block is for."""
    places = [
        (b, k) for b, block in enumerate(net.blocks) for k, x in enumerate(block.numbers()) if x
    ]
    at, which = chance.choice(places)
    block = net.blocks[at]
    numbers = [x + _CHANGE * (k == which) for k, x in enumerate(block.numbers())]
    fed = iter(numbers)
    eta, rho = next(fed), next(fed)
    neurons = tuple(
        Neuron(_taken(fed, one.read), next(fed), _taken(fed, one.write)) for one in block.neurons
    )
    heads = tuple(Head(_matrix(fed, one.value), _matrix(fed, one.score)) for one in block.heads)
    other = replace(block, eta=eta, rho=rho, neurons=neurons, heads=heads)
    return replace(net, blocks=(*net.blocks[:at], other, *net.blocks[at + 1 :])), block.phase


def _taken(numbers: Iterator[Fraction], like: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(next(numbers) for _ in like)


def _matrix(numbers: Iterator[Fraction], like: Matrix) -> Matrix:
    return Matrix(next(numbers), _taken(numbers, like.left), _taken(numbers, like.right))


def _temperature(point: Point) -> Record:
    """The temperatures of robust nets: certified at the star, and what is said far above it."""
    found: dict[str, Record] = {}
    for kind in ("leader, robust", "phased, robust"):
        made = build(read(HARD[point.of]), **KINDS[kind])
        known = temperature(made)
        record: Record = {"depends": known.depends, "capped": known.capped}
        record["star"] = "infinity" if known.star is None else str(known.star)
        record["closed"] = None if known.closed is None else str(known.closed)
        if known.star and not known.capped:
            for name, times in (("at", 1), ("at_2", 2), ("at_256", 256)):
                said = ball.verify(
                    made.net, made.data, times * known.star, below=times == 1, most_precision=1024
                )
                record[name] = said.verdict.value
        found[kind] = record
    return {"nets": found}


def _length(point: Point) -> Record:
    """Four inputs of some length to two tokens each."""
    data = drawn(int(point.of))
    return {"n": int(point.of), "nets": {kind: _sizes(data, kind) for kind in _PLAIN}}


def _depth(point: Point) -> Record:
    """Integers of one magnitude, and more and more pairs."""
    chance = random.Random(point.seed)
    pairs = int(point.of)

    def tokens(count: int) -> list[tuple[int, ...]]:
        return sorted({tuple(chance.randint(-20, 20) for _ in range(3)) for _ in range(count)})

    data = read([(tokens(8), tokens(3)) for _ in range(pairs)])
    kinds = [kind for kind in _PLAIN if kind != "softmax1"]
    return {"pairs": pairs, "nets": {kind: _sizes(data, kind) for kind in kinds}}


def _sizes(data: Data, kind: str) -> Record:
    made = build(data, **KINDS[kind])
    net = made.net
    sizes = {"blocks": len(net.blocks), "weights": net.parameters, "bits": net.bits}
    return {"exact": _holds(net, made), **sizes}


def _floats(point: Point) -> Record:
    """The error of the torch module on integer data, in two formats."""
    import torch

    from attnproof.numeric.float_report import report
    from attnproof.numeric.interpolant import Interpolant

    found: dict[str, dict[str, list[float]]] = {}
    for k in range(point.count):
        data = random_data(random.Random(f"floats {point.seed} {k}"), 2, "integers")
        for kind in ("uniform", "uniform, robust", "uniform, stable, a move a block"):
            made = build(data, **KINDS[kind])
            range_ = spread(made.net, data, made.margin)
            for dtype in (torch.float64, torch.float32):
                error = report(Interpolant(made.net, dtype=dtype), data, range_).error
                name = str(dtype).removeprefix("torch.")
                found.setdefault(kind, {}).setdefault(name, []).append(float(f"{error:.3g}"))
    return {"errors": found}


_PARTS = {
    "hard": _hard,
    "random": _random,
    "change": _change,
    "temperature": _temperature,
    "length": _length,
    "depth": _depth,
    "floats": _floats,
}

STUDY = Study(
    name="interpolation",
    sentence="Every construction on data that was made to break it and on random data; changed "
    "weights, temperatures, long inputs, deep nets and floats.",
    points=points,
    run=run,
    tables=tables,
    figures=figures,
    needs=(("torch", "torch"),),
)
