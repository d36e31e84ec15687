"""The run of a net as a figure, and the trace that it shows."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attnproof.render.trace import MOST, trace_svg
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.interpolation import exact
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.causal import build as build_causal
from attnproof.symbolic.interpolation.data import Data, read
from attnproof.symbolic.interpolation.prefixes import read as read_ordered
from attnproof.symbolic.interpolation.trace import trace

DATA = read(
    [
        ([(0, 0), (3, 1), (1, 3), (4, 4)], [(1, 4), (5, 0)]),
        ([(3, 1), (1, 3), (5, 2)], [(3, 3)]),
        ([(0, 0), (4, 4), (2, 5), (5, 1)], [(0, 2), (1, 4), (5, 5)]),
    ]
)


@pytest.mark.parametrize("mode", [Mode.UNIFORM, Mode.LEADER, Mode.PHASED])
def test_the_last_stage_is_the_output(mode: Mode) -> None:
    """Run phase by phase the net gives what it gives at once, and all its blocks are counted."""
    net = build(DATA, mode).net
    stages = trace(net, DATA).stages
    assert stages[0].states == tuple(pair.input for pair in DATA.pairs)
    assert stages[-1].states == tuple(exact.forward(net, pair.input) for pair in DATA.pairs)
    assert {stage.phase: stage.blocks for stage in stages[1:]} == net.phases


def test_a_causal_net_is_traced_as_causal() -> None:
    """The mask stays when the net is cut into phases."""
    data = read_ordered([([(0, 1), (1, 0)], [(5, 5)]), ([(1, 0), (0, 1)], [(7, 7)])])
    net = build_causal(data).net
    last = trace(net, data).stages[-1]
    assert [set(sequence) for sequence in last.states] == [set(one.output) for one in data.pairs]


def circles(svg: str) -> list[tuple[str, float, float]]:
    """Class and centre of each circle."""
    root = ElementTree.fromstring(svg)
    return [
        (one.get("class", ""), float(one.get("cx", "")), float(one.get("cy", "")))
        for one in root.iter("{http://www.w3.org/2000/svg}circle")
    ]


def test_every_token_of_every_sequence_has_a_dot() -> None:
    """As many dots as distinct tokens, stage by stage, a ring for each target, and the legend."""
    run = trace(build(DATA).net, DATA)
    drawn = circles(trace_svg(run))
    dots = sum(len(set(sequence)) for stage in run.stages for sequence in stage.states)
    rings = [(x, y) for role, x, y in drawn if role.startswith("none")]
    assert len(rings) == sum(map(len, run.targets))
    assert len(drawn) == dots + len(rings) + len(run.targets)
    full = Counter((x, y) for role, x, y in drawn if not role.startswith("none"))
    assert all(full[ring] for ring in rings)  # each target is reached by a token


def test_the_figure_is_told_in_words() -> None:
    """Phases, blocks and points are text; the same trace gives the same figure."""
    run = trace(build(DATA).net, DATA)
    svg = trace_svg(run, "three <sequences>")
    assert svg == trace_svg(run, "three <sequences>")
    assert "<title>three &lt;sequences&gt;</title>" in svg
    assert re.search("input: 7 points. separation: 11 points after 1 block.", svg)
    assert [f"sequence {j}<" in svg for j in range(4)] == [True, True, True, False]


def test_the_figure_of_the_page_is_what_the_package_draws() -> None:
    """docs/interpolation.svg is the run that the page shows."""
    page = Path(__file__).resolve().parents[2] / "docs" / "interpolation.svg"
    pairs = [
        ([(0, 0), (3, 1), (1, 3), (4, 4)], [(1, 4), (5, 0)]),
        ([(3, 1), (1, 3), (5, 2)], [(3, 3)]),
        ([(0, 0), (4, 4), (2, 5), (5, 1), (1, 1)], [(0, 2), (1, 0), (5, 5)]),
    ]
    data = read(pairs)
    assert trace_svg(trace(build(data, Mode.PHASED).net, data)) == page.read_text(encoding="utf-8")


def test_what_cannot_be_drawn_says_what_can() -> None:
    """One coordinate, or more sequences than colours."""
    line = read([([(0,), (1,)], [(5,)])])
    with pytest.raises(InputError, match="draw data with 2 coordinates"):
        trace_svg(trace(build(line).net, line))
    many: Data = read([([(i, 0)], [(i, 1)]) for i in range(MOST + 1)])
    with pytest.raises(InputError, match=f"draw at most {MOST}"):
        trace_svg(trace(build(many).net, many))
