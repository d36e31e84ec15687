"""The page in a browser: findings, keys, classes and rows, colours, long masks, hostile names."""

from pathlib import Path

import numpy as np
import pytest

import attnproof as ap
from attnproof.render.palette import DARK, LIGHT
from tests.browser.conftest import Open
from tests.browser.opened import Opened, rgb

#: Two streams of two blocks each, the clean half bidirectional: leaks in two layers.
TWO_LAYERS = ["11......", "11......", "..1111..", "..1111..", *["....1111"] * 4]
CLEAN = [(2, 6), (2, 7), (3, 6), (3, 7)]


#: What has the focus: its name, its first class, or its kind.
FOCUSED = """() => {
    const focused = document.activeElement;
    return focused.id || focused.classList[0] || focused.tagName;
}"""
SAID = "document.activeElement.getAttribute('aria-label')"


def leaking() -> ap.Report:
    return ap.verify(TWO_LAYERS, forbid=CLEAN)


def test_a_finding_draws_its_path(opened: Open) -> None:
    """A click on a finding sets its number of layers, tells its path and draws it on the mask and
    in the diagram."""
    page = opened(leaking())
    page.after(0)
    page.page.click("#findings button >> nth=3")
    page.painted()
    assert page.page.get_attribute("#findings button >> nth=3", "aria-pressed") == "true"
    assert page.text("#after") == "2 or more layers: 32 pairs reached, 4 leaks"
    assert page.text("#sentence") == "token 7 reaches query 3 in 2 layers"
    assert page.steps() == [
        "input token 7",
        "layer 1 query 4 reads key 7",
        "layer 2 query 3 reads key 4",
    ]
    leak = rgb(LIGHT["leak"])
    marks = [page.place(cell, share=0.42) for cell in ((4, 7), (3, 4))]
    assert page.colours(marks) == [leak, leak]
    assert page.colours([page.place((4, 6))]) == [leak]  # the line from (4, 7) to (4, 4)
    labels = page.page.locator(".node.bad text").all_text_contents()
    assert sorted(labels) == ["{2,3}", "{4,5,6,7}"]
    page.click((0, 0))
    assert page.colours([page.place((4, 6))]) == [rgb(LIGHT["read"])]


def test_leaks_are_counted_by_layer(opened: Open) -> None:
    """Forbidden pairs turn red in the layer in which they are reached."""
    page = opened(leaking())
    page.press("Escape")
    leak = rgb(LIGHT["leak"])
    for layers, count in ((0, 0), (1, 0), (2, 4)):
        page.after(layers)
        red = [
            pair for pair, (r, g, b) in page.cell_colours(8).items() if r > 1.5 * g and r > 1.5 * b
        ]
        assert sorted(red) == (CLEAN if count else []), layers
    assert leak not in page.cell_colours(8).values()  # reached through layers: a lighter red


def test_a_number_of_layers_that_was_asked_about(opened: Open) -> None:
    """The slider ends where the question does, and says so."""
    page = opened(ap.verify(TWO_LAYERS, forbid=CLEAN, layers=1))
    assert page.text("#badge") == "HOLDS"
    assert page.page.get_attribute("#layers", "max") == "1"
    assert page.text("#after") == "1 layer, as asked: 28 pairs reached, 0 leaks"


def test_the_keys(opened: Open) -> None:
    """Tab goes to every part in order; arrows walk in the mask, among findings and along the lines
    of the diagram; Enter, Home, End and Escape do what the page says."""
    page = opened(leaking())
    page.page.focus("#theme")
    visited = []
    for _ in range(6):
        page.press("Tab")
        visited.append(page.page.evaluate(FOCUSED))
    assert visited == ["play", "layers", "grid", "SUMMARY", "finding", "node"]
    rim = page.page.evaluate(
        "getComputedStyle(document.querySelector('.node:focus rect')).strokeWidth"
    )
    assert float(rim.removesuffix("px")) > 3
    page.page.focus("#grid")
    page.press("Home", "PageUp", "ArrowDown", "ArrowDown", "Shift+ArrowRight", "ArrowLeft")
    assert page.text("#cell") == "query 2, key 6: reached in 2 layers; forbidden by forbid"
    page.press("Escape")
    assert page.steps() == []
    page.press("Enter")
    assert page.text("#sentence") == "token 6 reaches query 2 in 2 layers"
    page.press("End")
    assert page.text("#cell").startswith("query 2, key 7")
    page.page.focus("#findings button")
    page.press("ArrowDown", "Enter")
    assert page.text("#sentence") == "token 7 reaches query 2 in 2 layers"


def test_classes_and_rows(opened: Open) -> None:
    """A class that is pointed at or focused marks its rows; a cell marks the classes of its query
    and its key; arrows follow the covers."""
    page = opened(leaking())
    page.press("Escape")
    before = page.cell_colours(8)
    page.page.hover(".node >> nth=2")
    page.painted()
    after = page.cell_colours(8)
    assert {q for q, k in after if k == 0 and before[q, k] != after[q, k]} == {2, 3}
    page.hover((2, 5))
    near = page.page.locator(".node.near text").all_text_contents()
    assert sorted(near) == ["{2,3}", "{4,5,6,7}"]
    page.page.mouse.move(2, 2)
    page.page.focus(".node >> nth=1")
    page.press("ArrowUp")
    assert page.page.evaluate(SAID) == "positions 2 to 3"
    page.press("Enter")
    assert page.page.get_attribute(".node >> nth=2", "aria-pressed") == "true"
    page.press("ArrowDown")
    assert page.page.evaluate(SAID) == "positions 4 to 7"


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark(opened: Open, dark: bool) -> None:
    """The page has the colours that the system asks for; the button changes to the others."""
    page = opened(ap.verify("causal", n=4), dark=dark)
    for palette, button in ((DARK, "Light"), (LIGHT, "Dark"))[:: 1 if dark else -1]:
        ground = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == f"rgb{rgb(palette['empty'])}"
        assert page.text("#theme") == button
        assert page.cell_colours(4)[2, 1] == rgb(palette["read"])
        assert page.cell_colours(4)[1, 2] == rgb(palette["empty"])
        page.page.click("#theme")
        page.painted()


def test_a_mask_of_1024_positions(opened: Open) -> None:
    """Every leak is seen at once; zoomed in, single cells are drawn, walked to and clicked."""
    mask = np.tril(np.ones((1024, 1024), bool))
    mask[100, 900] = True
    report = ap.verify(mask, causal=True)
    page = opened(report)
    leak = rgb(LIGHT["leak"])
    page.press("Escape")
    page.page.mouse.move(2, 2)
    page.painted()
    assert page.colours([page.place((100, 900))]) == [leak]
    page.page.focus("#grid")
    page.press(*["+"] * 12)
    assert float(page.page.get_attribute("#grid", "data-cell") or 0) == 30
    page.press("Enter")
    assert page.text("#sentence") == "token 900 reaches query 100 in 1 layer"
    page.press("ArrowLeft", "Enter")
    assert page.text("#sentence") == "token 899 reaches query 100 in 2 layers"
    assert page.steps()[1:] == [
        "layer 1 query 900 reads key 899",
        "layer 2 query 100 reads key 900",
    ]
    page.press("0")
    assert float(page.page.get_attribute("#grid", "data-cell") or 0) < 1
    page.after(0)
    assert page.text("#after") == "0 layers: 1024 pairs reached, 0 leaks"
    page.press("End")
    assert page.text("#after") == "3 or more layers: 845,200 pairs reached, 320,400 leaks"


def test_lonely_pairs_are_seen(opened: Open) -> None:
    """Where a pixel stands for several cells, it shows the one that reads."""
    mask = np.eye(1024, dtype=bool)
    pairs = [(900, 100), (701, 300), (500, 201), (333, 111)]
    mask[tuple(np.transpose(pairs))] = True
    page = opened(ap.verify(mask))
    for x, y in page.places(pairs):
        near = [(x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)]
        assert rgb(LIGHT["read"]) in page.colours(near)


def test_a_batch(opened: Open) -> None:
    """The worst mask is shown first, every other one can be chosen."""
    causal = np.tri(4, dtype=bool)
    page = opened(ap.verify(np.stack([causal, causal.T, causal]), causal=True))
    assert page.text("#badge") == "FAILS"
    assert page.page.locator("#view option").all_inner_texts() == [
        "batch 1: fails",
        "batch 0, 2: holds",
    ]
    page.page.select_option("#view", "1")
    page.page.wait_for_selector("body[data-ready='1']")
    page.painted()
    assert page.text("#badge") == "HOLDS"
    assert page.text("#more") == "Nothing was found."
    assert page.cell_colours(4)[3, 0] == rgb(LIGHT["read"])


def test_a_merged_task(opened: Open, tmp_path: Path) -> None:
    """Positions have the names of what they carry and predict; a task marks its classes."""
    family = tmp_path / "block.toml"
    family.write_text('[family]\nbuilder = "block"\nm = 3\nb = 2\n')
    page = opened(ap.merge(family))
    assert page.text("#badge") == "MINIMAL"
    page.hover((6, 0))
    assert page.text("#cell") == "query 6 (mask → x3), key 0 (x1): read"
    page.page.hover("#tasks button >> nth=1")
    page.painted()
    near = page.page.locator(".node.near text").all_text_contents()
    assert sorted(near) == ["{0,1}", "{6,7}"]


def test_cached_keys(opened: Open) -> None:
    """A decode step shows the rows of its queries only, at their positions."""
    page = opened(ap.verify(np.tri(8, dtype=bool)[5:], q_offset=5, causal=True))
    x, y = page.place((6, 7), first_row=5)
    page.page.hover("#grid", position={"x": x, "y": y})
    page.painted()
    assert page.text("#cell") == "query 6, key 7: never reached; forbidden by causal"


@pytest.mark.parametrize("n", [1, 40])
def test_a_narrow_window(opened: Open, n: int) -> None:
    """On a telephone nothing is cut off and nothing scrolls sideways."""
    page = opened(ap.verify("causal", n=n, causal=True), width=340, height=700)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 340
    box = page.page.locator("#grid").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 340


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&${x}<!--"


def test_names_are_no_markup(opened: Open, tmp_path: Path) -> None:
    """Whatever a file, an atom or a kind is called is shown as it is, and runs nothing."""
    task = ap.Task.build([HOSTILE, "b"], {1: HOSTILE}, ["1.", "11"], name=HOSTILE)
    page = opened(ap.verify(task=task))
    assert page.text("#title") == HOSTILE
    assert page.page.title() == f"{HOSTILE} · attnproof"
    assert page.page.locator("img").count() == 0
    page.click((1, 0))
    assert f"token 0 ({HOSTILE})" in page.text("#sentence")
    _nothing_runs(page)


def _nothing_runs(page: Opened) -> None:
    """The policy of the page stops even what a script writes as markup."""
    page.page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(3)>')"
    )
    page.painted()
    assert [said for said in page.said if "Content Security Policy" not in said] == []
    page.said.clear()
    del page.asked[1:]
