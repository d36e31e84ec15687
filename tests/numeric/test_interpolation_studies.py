"""The studies of exact interpolation on their quick points."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from attnproof.numeric.studies import (
    few_blocks,
    interpolation,
    interpolation_tables,
    tikhonov,
)
from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.build import build
from attnproof.symbolic.interpolation.data import read
from attnproof.symbolic.interpolation.tikhonov import Run
from attnproof.symbolic.verdict import Verdict


@pytest.fixture(scope="module")
def swept() -> list[dict[str, Any]]:
    """The quick sweep, as it is read from a file."""
    found = [interpolation.run(point) for point in interpolation.points(0, quick=True)]
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def test_the_sweep_finds_every_net_exact(swept: list[dict[str, Any]]) -> None:
    """All kinds, on hard and on drawn data, within bounds, permuted, by both verifiers."""
    assert {record["part"] for record in swept} == {
        "hard", "random", "change", "temperature", "length", "depth", "floats",
    }  # fmt: skip
    for record in swept:
        if record["part"] == "hard":
            assert set(record["nets"]) == set(interpolation.KINDS)
            for net in record["nets"].values():
                assert all(net[check] for check in ("exact", "within_bound", "permuted", "agree"))
        if record["part"] in ("length", "depth"):
            assert all(net["exact"] for net in record["nets"].values())
        if record["part"] == "random":
            for net in record["nets"].values():
                checks = [net[check] for check in ("exact", "within_bound", "permuted", "agree")]
                assert checks == [net["nets"]] * 4
    short, long = (record["nets"] for record in swept if record["part"] == "length")
    assert {k: net["blocks"] for k, net in short.items()} == {
        k: net["blocks"] for k, net in long.items()
    }


def test_the_sweep_tells_what_it_found(swept: list[dict[str, Any]]) -> None:
    """A table for every part, and stable nets have no error in floats."""
    titles = [table.title for table in interpolation.STUDY.tables(swept)]
    assert len(titles) == 6
    assert titles[0] == "4 data sets, 2 of them hard"
    (errors,) = (record["errors"] for record in swept if record["part"] == "floats")
    assert errors["uniform, stable, a move a block"]["float64"] == [0, 0]
    assert list(interpolation_tables.figures(swept)) == ["interpolation-study"]


@pytest.mark.parametrize("kind", ["uniform", "leader", "phased, robust"])
def test_a_change_is_of_one_weight(kind: str) -> None:
    """One number of the net is greater by 1/7 and every other is what it was."""
    data = read([([(0, 1), (2, 3)], [(5, 5)]), ([(2, 3)], [(1, 1)])])
    net = build(data, **interpolation.KINDS[kind]).net
    other, phase = interpolation.mutated(net, random.Random(5))
    before, after = ([x for block in one.blocks for x in block.numbers()] for one in (net, other))
    changes = [b - a for a, b in zip(before, after, strict=True) if a != b]
    assert changes == [Fraction(1, 7)]
    assert phase in net.phases


def test_a_changed_net_is_seen() -> None:
    """The count of changes that are not exact is what the verifier says, one by one."""
    point = interpolation.Point("change", "uniform", 0, 8)
    found = interpolation.run(point)
    chance = random.Random("uniform 0")
    seen = 0
    for _ in range(8):
        made = build(interpolation.random_data(chance, 2, "integers"))
        net, _ = interpolation.mutated(made.net, chance)
        seen += exact.verify(net, made.data).verdict is not Verdict.HOLDS
    assert (found.get("seen", 0), found.get("missed", 0)) == (seen, 8 - seen)


def test_problems_with_known_minimisers() -> None:
    """Ridge regression has slope 2 and nothing against it; the other well is shown by the witness
    alone, at every penalty."""
    ridge, well = (tikhonov.run(point) for point in tikhonov.points(0, quick=True)[:2])
    assert ridge["slope"] == pytest.approx(1.97, abs=0.05)
    assert (ridge["finding"], ridge["witness"], ridge["crossed"]) == ("consistent", [], [])
    assert len(well["witness"]) == 3
    assert (well["finding"], well["crossed"]) == ("not-global", [])
    t = -(well["runs"][0][2] ** 0.5)
    assert abs(4 * t * (t * t - 1) + 0.3 * (t - 1) + 0.2 * t) < 1e-6


def test_a_transformer_from_its_construction() -> None:
    """Training from an interpolant ends no worse than it; what the tests show is so."""
    (point,) = (p for p in tikhonov.points(0, quick=True) if p.start == tikhonov.BUILT)
    record = tikhonov.run(point)
    runs = {e: Run(e, loss, norm) for e, loss, norm, _ in record["runs"]}
    assert record["witness"] == []
    for e, one in runs.items():
        assert one.objective(e) <= e * record["interpolant"] * (1 + 1e-9)
    for a, b in record["crossed"]:
        assert runs[b].objective(a) < runs[a].objective(a)
    again = tikhonov.run(point)
    assert {**again, "seconds": None} == {**record, "seconds": None}
    shown, least = tikhonov.tables([record])
    assert shown.rows[0][3] == "consistent"
    assert len(least.rows) == 3
    assert list(tikhonov.figures([record])) == ["tikhonov"]


def test_few_blocks_are_trained_and_told() -> None:
    """Errors of every start; more steps fit better; the construction's numbers stand beside."""
    point = few_blocks.points(0, quick=True)[0]
    record = few_blocks.run(point)
    assert [len(row) for row in record["errors"]] == [2, 2]
    assert (record["weights"], record["free_numbers"]) == (32, 8)
    assert record["construction"] == [3, 3]
    again = few_blocks.run(point)
    assert {**again, "seconds": None} == {**record, "seconds": None}
    longer = few_blocks.run(replace(point, steps=250))
    assert sum(map(sum, longer["errors"])) < sum(map(sum, record["errors"]))
    rows, fewest = few_blocks.tables([{**record, "errors": [[0.1, 2.0], [0.2, 0.001]]}])
    assert rows.rows[0][4:7] == ("2 of 4", "1 of 4", "2 of 2")
    assert fewest.rows == ((2, 1, 1, 3, 4, 14),)
    assert list(few_blocks.figures([record])) == ["few-blocks"]


def test_outputs_within_an_eighth_are_rounded_to_their_targets() -> None:
    """Coordinates of the data are multiples of 1/4, so that the bound of decoding is right."""
    for pair in few_blocks.drawn(6, 3).pairs:
        assert all((few_blocks.PARTS * x).denominator == 1 for t in pair.output for x in t)
    assert few_blocks.DECODES == 1 / (2 * few_blocks.PARTS)
