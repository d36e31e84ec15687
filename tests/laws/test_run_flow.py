"""Laws of the flow in runs: the answers of the flow in bit sets, in arrays."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.order import flow as flow_module
from attnproof.symbolic.order import run_arrays, run_flow, run_width
from attnproof.symbolic.order.flow import Flow, flow_of
from attnproof.symbolic.order.run_arrays import Fragmented
from attnproof.symbolic.order.run_flow import RunFlow
from attnproof.symbolic.setting import Setting
from tests.laws.run_masks import SHAPES, held, relations_in_runs, settings_in_runs, shaped
from tests.laws.strategies import Rows, setting_of


def in_runs(rows: Runs, **given_setting: object) -> Setting:
    """A setting of one mask that is held in runs."""
    return Setting((Mask.of(rows),), **given_setting)  # type: ignore[arg-type]


def window(n: int, keys: int) -> Runs:
    """A window held in runs."""
    every = np.arange(n + 1)
    return Runs.from_arrays(every, np.maximum(every[1:] - keys, 0), every[1:], n)


@given(settings_in_runs())
def test_flow_is_that_of_bit_sets(setting: Setting) -> None:
    """Layers, the numbers of the report, its words, and the facts of a certificate."""
    found, known = RunFlow(setting), Flow(setting)
    assert tuple(layer.bits() for layer in found.layers) == known.layers
    assert found.to_json() == known.to_json()
    assert repr(found) == repr(known)
    assert found.given.bits() == known.given
    facts, expected = found.facts(), known.facts()
    assert isinstance(facts.relation, Runs)
    assert facts.relation.bits() == expected.relation
    assert (tuple(facts.classes), tuple(facts.covers)) == (expected.classes, expected.covers)
    same = {"relation": None, "classes": (), "covers": (), "antichain": None, "chains": None}
    assert replace(facts, **same) == replace(expected, **same)  # type: ignore[arg-type]


@given(settings_in_runs(8))
def test_graphs_are_those_of_bit_sets(setting: Setting) -> None:
    """Hasse diagram, layer and layered graph, and single questions."""
    found, known = RunFlow(setting), Flow(setting)
    assert list(found.hasse().nodes(data=True)) == list(known.hasse().nodes(data=True))
    assert set(found.hasse().edges) == set(known.hasse().edges)
    assert set(found.layer_graph().edges) == set(known.layer_graph().edges)
    assert set(found.unrolled(2).edges) == set(known.unrolled(2).edges)
    every = range(setting.size)
    assert [found.reaches(k, q) for q in every for k in every] == [
        known.reaches(k, q) for q in every for k in every
    ]


@given(relations_in_runs(24))
def test_width(given_rows: Rows) -> None:
    """An antichain, and as many chains that hold every class once."""
    flow, known = RunFlow(setting_of((given_rows,))), Flow(setting_of((given_rows,)))
    found = flow.antichain_and_chains
    reach, first = known.closure.rows, [found_class[0] for found_class in known.classes]
    assert len(found.antichain) == len(found.chains) == flow.width() == known.width()
    assert sorted(c for chain in found.chains for c in chain) == list(range(len(first)))
    assert list(found.antichain) == sorted(found.antichain)
    for chain in found.chains:
        assert all(reach[first[d]] >> first[c] & 1 for c, d in pairwise(chain))
    apart = [(c, d) for c in found.antichain for d in found.antichain if c != d]
    assert not any(reach[first[d]] >> first[c] & 1 for c, d in apart)


def test_width_of_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains, documents and trees have a width at any length; others only of so many classes."""
    monkeypatch.setattr(run_width, "MOST_CLASSES", 8)
    for shape, expected in (("causal", 1), ("documents", 4), ("tree", 10)):
        flow = RunFlow(setting_of((shaped(shape, 20, 5 if shape == "documents" else 2),)))
        assert flow.width() == expected
    corners = tuple(1 << q | 1 << max(q - 4, 0) | 1 << q - (q % 4 > 0) for q in range(16))
    grid = RunFlow(setting_of((corners,)))
    assert grid.width() is None
    with pytest.raises(ShapeError) as caught:
        run_width.run_width(grid.closure)
    assert str(caught.value) == (
        "the width of 16 classes takes too much memory; it is computed for at most 8 classes: "
        "leave the width out"
    )


def test_which_flow_for_which_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits up to a limit; runs beyond it, and for masks in runs of some length."""
    monkeypatch.setattr(flow_module, "SMALL", 8)
    monkeypatch.setattr(flow_module, "LIMIT", 32)
    assert isinstance(flow_of(in_runs(window(8, 3))), Flow)
    assert isinstance(flow_of(in_runs(window(9, 3))), RunFlow)
    long = Bits(tuple(1 << q for q in range(33)), 33)
    assert isinstance(flow_of(Setting((Mask.of(long),))), RunFlow)
    short = Bits(long.sets[:32], 32)
    assert isinstance(flow_of(Setting((Mask.of(short),))), Flow)
    mixed = Setting((Mask.of(short), Mask.of(window(32, 3))))
    assert isinstance(flow_of(mixed), Flow)


def test_rows_in_very_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit sets take over where they can; elsewhere it is said which numbers are not computed, and
    what would do."""
    monkeypatch.setattr(flow_module, "SMALL", 8)
    monkeypatch.setattr(flow_module, "LIMIT", 2000)
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    dilated = held(tuple(1 << q | 1 << max(q - 2, 0) for q in range(1000)))
    assert isinstance(flow_of(in_runs(dilated)), Flow)
    for module in (flow_module, run_flow):
        monkeypatch.setattr(module, "LIMIT", 900)
    flow = flow_of(in_runs(dilated))
    with pytest.raises(Fragmented, match="fall into more than 64000 runs"):
        flow.closure  # noqa: B018
    facts: dict[str, Any] = flow.to_json()
    missing = facts.pop("not_computed")
    assert facts == {
        "transitive": None,
        "antisymmetric": True,
        "depth": None,
        "classes": 1000,
        "covers": None,
        "height": None,
        "width": None,
        "edges": 1999,
        "edges_off_diagonal": 999,
        "empty_rows": [],
    }
    assert set(missing) == {"transitive", "depth", "covers", "height", "width"}
    assert "give at most 65536 positions, where bit sets are used" in missing["covers"]
    assert "for at most 900 positions, and the mask has 1000" in missing["depth"]


def test_depth_falls_back_to_bit_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the products fall into too many runs, up to the limit of bit sets."""
    setting = setting_of((shaped("sinks and both sides", 90, 2),))
    expected = Flow(setting).depth
    flow = RunFlow(setting)
    assert flow.closure.class_count == 1
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    monkeypatch.setattr(run_arrays, "MOST_RUNS", 1)
    assert flow.depth == expected


def test_empty_rows_are_cut() -> None:
    """Of very many empty rows a report lists a thousand, and their number."""
    for n in (1000, 1001):
        nothing = Runs.from_rows([()] * n, n)
        for flow in (RunFlow(in_runs(nothing)), Flow(in_runs(nothing))):
            found = flow.to_json()
            assert found["empty_rows"] == list(range(1000))
            assert found.get("empty_rows_total") == (None if n == 1000 else n)
            assert len(flow.empty_rows) == n


@pytest.mark.parametrize("shape", SHAPES)
def test_reports_of_masks_people_hold(shape: str) -> None:
    """The numbers of the report on larger masks."""
    setting = setting_of((shaped(shape, 150, 7),))
    assert RunFlow(setting).to_json() == Flow(setting).to_json()


LONG = (1 << 16) + 1


def test_what_long_masks_do_not_have() -> None:
    """Every refusal names the limit and the way out."""
    flow = flow_of(in_runs(Runs.from_rows(([(q, q + 1)] for q in range(LONG)), LONG)))
    earlier = Runs.from_rows(([(0, max(q, 1))] for q in range(LONG)), LONG)
    bare = flow_of(in_runs(earlier, residual=False))
    assert isinstance(flow, RunFlow)
    assert flow.to_json()["depth"] == 0
    refusals: list[tuple[Callable[[], object], str]] = [
        (
            flow.hasse,
            "the Hasse diagram has 65537 classes, a graph of it at most 65536; read them one by "
            "one from classes and covers",
        ),
        (
            flow.layer_graph,
            "the graph of a layer is built for at most 65536 positions, and the mask has 65537; "
            "give a shorter mask",
        ),
        (
            lambda: flow.unrolled(1),
            "the layered graph is built for at most 65536 positions, and the mask has 65537; "
            "give a shorter mask",
        ),
        (
            lambda: bare.depth,
            "without a residual the depth is found for at most 65536 positions, and the mask has "
            "65537; give a shorter mask",
        ),
    ]
    for ask, message in refusals:
        with pytest.raises(InputError) as caught:
            ask()
        assert str(caught.value) == message


def test_long_masks_without_residual() -> None:
    """A mask in which every query reads itself settles as with a residual."""
    flow = flow_of(in_runs(window(LONG, 129), residual=False))
    assert flow.depth == 512
    assert flow.to_json() == flow_of(in_runs(window(LONG, 129))).to_json()
