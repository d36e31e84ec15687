"""Pictures as files: what every kind of them shows, and that goldens stay as they are."""

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from attnproof.render.diagram import diagram
from attnproof.render.dot import dot, unrolled_dot
from attnproof.render.draw import KINDS, draw
from attnproof.render.figure import figure
from attnproof.render.mermaid import mermaid
from attnproof.render.picture import Picture, picture
from attnproof.render.png import png
from attnproof.render.scene import Text
from attnproof.render.svg import svg
from attnproof.render.tikz import tikz
from attnproof.symbolic.errors import FileError, InputError, MissingExtra
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import Causal, Forbidden, Property
from attnproof.symbolic.setting import Setting

GOLDEN = Path(__file__).parent / "golden"
SPACE = "{http://www.w3.org/2000/svg}"

CASES: dict[str, tuple[list[str], list[tuple[int, int]]]] = {
    "causal 3": (["1..", "11.", "111"], []),
    "V": (["1..", ".1.", "111"], []),
    "diamond": (["1...", "11..", "1.1.", "1111"], []),
    # Three tokens that read, two queries that do not read their own: content 0..1, queries 2..4.
    "two stream 3": (["1....", "11...", "..1..", "1..1.", "11..1"], []),
    # Block diffusion, noisy 0..3 and clean 4..7 in blocks of 2: the clean half is bidirectional,
    # so the noisy second block learns its own tokens at depth 2.
    "B17": (
        [
            "11......",
            "11......",
            "..1111..",
            "..1111..",
            "....1111",
            "....1111",
            "....1111",
            "....1111",
        ],
        [(2, 6), (2, 7), (3, 6), (3, 7)],
    ),
}


def pictured(name: str) -> Picture:
    rows, forbidden = CASES[name]
    mask = Mask.from_rows(rows, name=name)
    return leaking(mask, Forbidden.from_pairs(forbidden, mask.size))


def leaking(mask: Mask, property: Property, layers: tuple[Mask, ...] = ()) -> Picture:
    flow = Flow(Setting(layers or (mask,)))
    found = judge(flow, property).findings
    return picture(mask, flow, found[0] if found else None, property)


def detour() -> Picture:
    """Query 2 must not learn token 5, and learns it through 7."""
    rows = ["1.......", "11......", "111....1", ".111....", "..111...", ".....1..", ".....11."]
    mask = Mask.from_rows([*rows, ".....111"], name="mask.npy")
    return leaking(mask, Forbidden.from_pairs([(2, 5)], 8))


def texts(drawn: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(drawn).iter(f"{SPACE}text")]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("suffix", "write"), [(".dot", dot), (".mmd", mermaid), (".tex", tikz)])
def test_text_pictures_are_stable(name: str, suffix: str, write: object) -> None:
    """The text of a picture is, byte for byte, the one that was looked at and kept."""
    golden = GOLDEN / (name.replace(" ", "-") + suffix)
    assert callable(write)
    assert write(pictured(name)) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("write", [dot, mermaid, tikz])
def test_every_class_and_cover_is_drawn_once(name: str, write: Callable[[Picture], str]) -> None:
    """Nodes are the classes and lines are the covers of the flow, in every text format."""
    drawn = pictured(name)
    text = write(drawn)
    lines = re.findall(r"c(\d+)\)? ?(?:->|---|--)[^c\n]*c(\d+)", text)
    assert sorted((int(a), int(b)) for a, b in lines) == sorted(drawn.covers)
    nodes = re.findall(r"c(\d+) \[label|c(\d+)\(\[|\(c(\d+)\) at", text)
    assert sorted(int("".join(found)) for found in nodes) == list(range(len(drawn.classes)))


@pytest.mark.parametrize("suffix", [".svg", ".dot", ".mmd", ".tex"])
def test_row_is_query_on_every_picture(suffix: str) -> None:
    """Nobody has to guess the axis order, whatever the format."""
    for name in CASES:
        assert "row = query" in str(KINDS[suffix](pictured(name)))


def test_tikz_puts_readers_above_sources() -> None:
    """The height of a class grows along every cover."""
    drawn = pictured("diamond")
    height = {int(c): float(y) for c, y in re.findall(r"\(c(\d+)\) at \(\S+, (\S+)\)", tikz(drawn))}
    assert all(height[a] < height[b] for a, b in drawn.covers)


def test_tikz_escapes_what_latex_would_read() -> None:
    """A name with special characters stays text."""
    drawn = Picture("50% of a_b & {c}", Mask.from_rows(["1"]), ((0,),))
    assert r"50\% of a\_b \& \{c\}" in tikz(drawn)


def test_the_svg_tells_the_leak() -> None:
    """The finding stands above the map, in the description, and its tokens on the path."""
    drawn = svg(detour())
    message = "token 5 reaches query 2 in 2 layers: 5 -> 7 -> 2"
    assert message in texts(drawn)
    root = ET.fromstring(drawn)
    description = root.find(f"{SPACE}desc")
    assert description is not None
    assert message in (description.text or "")
    assert root.get("role") == "img"
    on_both_axes_the_path_and_the_hasse_diagram = 4
    for token in (5, 7, 2):
        assert texts(drawn).count(str(token)) == on_both_axes_the_path_and_the_hasse_diagram
    assert "prefers-color-scheme: dark" in drawn


def test_the_svg_shows_every_class() -> None:
    """Each class label of the flow is one text, beside the ticks of both axes."""
    shown = texts(svg(pictured("B17")))
    for label in ("{0,1}", "{4,5,6,7}", "{2,3}"):
        assert shown.count(label) == 1


def test_the_svg_is_self_contained_and_escaped() -> None:
    """Nothing is loaded from elsewhere, and a title is text."""
    drawn = svg(Picture("<script>&", Mask.from_rows(["1"]), ((0,),)))
    assert "<script" not in drawn
    assert "href" not in drawn
    assert "url(" not in drawn
    assert "<script>&" in texts(drawn)


def test_a_large_mask_is_drawn_in_blocks_and_says_so() -> None:
    """A causal mask of 300 positions: cells of 3 by 3 pairs, a chain drawn as its ends."""
    mask = Mask.of(Bits(tuple((2 << q) - 1 for q in range(300)), 300), name="causal")
    drawn = svg(picture(mask, Flow(Setting((mask,)))))
    shown = texts(drawn)
    assert "Each cell is a block of 3 × 3 pairs." in shown
    assert "all pairs read" in shown
    assert "some pairs read" in shown
    assert "… 296 classes in a chain …" in shown
    assert "Abridged: 296 of 300 classes stand in chains that are drawn as their ends." in shown
    assert len(drawn) < 40_000


def test_one_position_and_one_query_have_a_picture() -> None:
    """The smallest mask, and one query over many cached keys."""
    one = Mask.from_rows(["1"])
    long = Mask.of(Bits(((1 << 400) - 1,), 400), offset=399)
    for mask in (one, long):
        drawn = picture(mask, Flow(Setting((mask,))))
        width = float(ET.fromstring(svg(drawn)).get("width") or 0)
        assert 300 < width < 1300
    assert any("Query i stands at position 399 + i" in text for text in texts(svg(drawn)))


def test_shapes_stay_on_the_page() -> None:
    """No text begins outside the page, whatever the mask."""
    for name in CASES:
        scene = figure(pictured(name))
        for shape in scene.shapes:
            if isinstance(shape, Text):
                assert 0 < shape.at[0] < scene.width
                assert 0 < shape.at[1] < scene.height


def test_an_own_input_is_ringed() -> None:
    """A leak at depth 0 has no steps; its cell on the diagonal is ringed."""
    mask = Mask.from_rows(["1.", ".1"])
    own = Forbidden.from_pairs([(1, 1)], 2)
    before = svg(picture(mask, Flow(Setting((mask,))), property=own)).count("<circle")
    assert svg(leaking(mask, own)).count("<circle") == before + 1


def test_the_png_is_the_same_figure() -> None:
    """A PNG of twice the pixels of the scene, the same bytes each time."""
    scene = figure(detour())
    first, second = png(detour()), png(detour())
    assert first == second
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(first[i : i + 4]) for i in (16, 20))
    assert abs(width - 2 * scene.width) <= 2
    assert abs(height - 2 * scene.height) <= 2


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A missing extra is one line that says what to install, and no file appears."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra) as caught:
        draw(tmp_path / "mask.png", detour())
    assert (
        str(caught.value) == "a .png picture needs the extra 'plot': pip install 'attnproof[plot]'"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["mask.jpg", "mask"])
def test_another_suffix_lists_the_kinds(name: str, tmp_path: Path) -> None:
    """The message names the file and the five endings; nothing is written."""
    with pytest.raises(InputError) as caught:
        draw(tmp_path / name, detour())
    assert str(caught.value) == (
        f"{tmp_path / name} names no kind of picture; end the name in "
        ".svg, .png, .dot, .mmd or .tex"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A drawing replaces what stood there; a folder that does not exist is one message."""
    target = tmp_path / "mask.SVG"
    target.write_text("old")
    draw(target, detour())
    assert target.read_text(encoding="utf-8") == svg(detour())
    with pytest.raises(FileError, match="cannot be written"):
        draw(tmp_path / "missing" / "mask.svg", detour())
    assert [path.name for path in tmp_path.iterdir()] == ["mask.SVG"]


def test_unrolled_edges_are_those_of_the_flow() -> None:
    """The layered graph has the edges that networkx is given for the same layers."""
    a, b = Mask.from_rows(["1..", "11.", "..1"]), Mask.from_rows(["1..", ".1.", ".11"])
    drawn = leaking(b, Forbidden.from_pairs([(2, 0)], 3), (a, b))
    text = unrolled_dot(drawn, 3)
    edges = {tuple(map(int, e)) for e in re.findall(r"p(\d+)_(\d+) -> p(\d+)_(\d+)", text)}
    unrolled = Flow(Setting((a, b))).unrolled(3)
    assert edges == {(k, i, q, j) for (k, i), (q, j) in unrolled.edges}
    red = re.findall(r"p(\d+)_(\d+) -> p(\d+)_(\d+) \[color", text)
    assert red == [("0", "0", "1", "1"), ("1", "1", "2", "2"), ("2", "2", "2", "3")]


def test_unrolled_is_for_small_masks_in_dot(tmp_path: Path) -> None:
    """Too many positions, or another kind of file, is one message."""
    mask = Mask.of(Bits((1,) * 65, 65))
    with pytest.raises(InputError, match="at most 64 positions"):
        unrolled_dot(picture(mask, Flow(Setting((mask,)))), 2)
    with pytest.raises(InputError, match=r"name a \.dot file"):
        draw(tmp_path / "mask.svg", detour(), unrolled=2)


def test_an_abridged_text_says_so() -> None:
    """A chain of 300 classes is drawn as its ends in every text format, with the count."""
    mask = Mask.of(Bits(tuple((2 << q) - 1 for q in range(300)), 300))
    drawn = picture(mask, Flow(Setting((mask,))), property=Causal(300))
    for write in (dot, mermaid, tikz):
        assert "Abridged: 296 of 300 classes" in write(drawn)
    assert len(diagram(drawn.classes, drawn.covers).labels) == 5
