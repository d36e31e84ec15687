"""The page of a report as a file: what it holds, that nothing in it can run, what is refused."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.errors import InputError
from attnproof.render.page import content, document, size
from attnproof.render.page.content import report_content
from attnproof.render.page.packed import packed

HOSTILE = "</script><script>alert(1)</script><!--"


def page(report: Any, place: Path) -> str:
    file = place / "page.html"
    report.page(str(file))
    return file.read_text(encoding="utf-8")


def unpacked(text: str, n: int) -> set[tuple[int, int]]:
    """The pairs of a packed relation, read bit by bit."""
    raw, width = zlib.decompress(b64decode(text)), 4 * -(-n // 32)
    return {(q, k) for q in range(n) for k in range(n) if raw[q * width + k // 8] >> k % 8 & 1}


@settings(max_examples=25)
@given(st.integers(1, 70), st.data())
def test_relations_are_packed_without_loss(n: int, data: st.DataObject) -> None:
    """Every pair of a relation comes back, and no other."""
    rows = data.draw(st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n))
    given = {(q, k) for q, row in enumerate(rows) for k in range(n) if row >> k & 1}
    assert unpacked(packed(rows, n), n) == given


def test_what_a_page_holds() -> None:
    """The mask as given, the executed layer, the forbidden pairs, the findings with their paths and
    the classes with their positions."""
    report = ap.verify([".1.", "..1", "1.."], causal=True)
    held: Any = report_content(report)
    (view,) = held["views"]

    def pairs(number: int) -> set[tuple[int, int]]:
        return unpacked(held["relations"][number], 3)

    given = {(0, 1), (1, 2), (2, 0)}
    assert pairs(view["given"]) == given
    assert [pairs(number) for number in view["layers"]] == [given | {(0, 0), (1, 1), (2, 2)}]
    assert [(one["property"], pairs(one["pairs"])) for one in view["forbidden"]] == [
        ("causal", {(0, 1), (0, 2), (1, 2)})
    ]
    assert [finding["path"] for finding in view["findings"]] == [
        [(1, 0), (0, 1)],
        [(2, 0), (1, 1)],
        [(2, 0), (1, 1), (0, 2)],
    ]
    assert [node["positions"] for node in view["diagram"]["nodes"]] == [[[0, 3]]]


def test_one_file_that_runs_only_its_own_script(tmp_path: Path) -> None:
    """The policy names the script and the style of the page by their hashes and nothing else; no
    attribute, no name and no data can add to them."""
    task = ap.Task.build([HOSTILE, "b"], {1: "b"}, ["1.", "11"], name=HOSTILE)
    text = page(ap.verify(task=task), tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for kind, element in (("script", 'script type="module"'), ("style", "style")):
        (inside,) = re.findall(rf"<{element}>(.*?)</{kind}>", text, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'; ")
    assert re.findall(r"<script[ >]", text) == ["<script "] * 2
    assert not re.search(r"\son\w+=|https?://(?!www\.w3\.org)|\ssrc=|\shref=", text)
    data = re.search(r'<script type="application/json" id="report">(.*?)</script>', text)
    assert data is not None
    assert json.loads(data[1])["title"] == HOSTILE


def test_without_scripts_the_report_is_text(tmp_path: Path) -> None:
    """Who runs no script reads what the terminal says."""
    text = page(ap.verify(["11", "11"], causal=True), tmp_path)
    (prose,) = re.findall(r"<noscript><pre class=\"prose\">(.*?)</pre></noscript>", text, re.DOTALL)
    assert "FAILS  causal, at any depth" in prose
    assert "1 -&gt; 0" in prose


def test_every_script_and_style_is_used() -> None:
    """No file of the page is left out of it, and each stands there once."""
    kept = {file.name for file in files("attnproof.render.page").iterdir()}
    scripts = {name for name in kept if name.endswith(".js")}
    assert sorted(document.SCRIPTS) == sorted(scripts)
    assert {name for name in kept if name.endswith((".css", ".html"))} == {"page.css", "page.html"}


def test_masks_that_are_too_long(tmp_path: Path) -> None:
    """2048 positions fit; more are refused with the way out, and nothing is written."""
    file = tmp_path / "page.html"
    with pytest.raises(InputError, match=r"at most 2048 positions, this mask has 2049.*--draw"):
        ap.verify("causal", n=2049).page(str(file))
    assert list(tmp_path.iterdir()) == []
    ap.verify("window", n=2048, params={"keys": 9}).page(str(file))
    assert file.stat().st_size < 200_000


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for four masks of 64 positions that nothing can pack."""
    for module in (size, content):
        monkeypatch.setattr(module, "ROOM", 3000)


def random_masks(count: int) -> "np.ndarray[Any, Any]":
    return np.random.default_rng(0).random((count, 64, 64)) < 0.5


@pytest.mark.usefixtures("little_room")
def test_layers_that_are_too_much() -> None:
    """Layers that have no room together are refused with the way out."""
    with pytest.raises(InputError, match=r"a page holds 3,000; report on fewer layers"):
        report_content(ap.verify(*random_masks(5), per_layer=True))
    shown: Any = report_content(ap.verify(*random_masks(4), per_layer=True))
    assert len(shown["views"][0]["layers"]) == 4


@pytest.mark.usefixtures("little_room")
def test_a_batch_that_is_too_much() -> None:
    """Masks of a batch that have no room are counted; the worst is always there."""
    batch = random_masks(7)
    shown: Any = report_content(ap.verify(batch))
    views = len(shown["views"])
    assert 1 < views < 7
    assert shown["notes"] == [f"{7 - views} more masks of the batch have no room here"]
