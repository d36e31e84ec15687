"""Reports and comparisons in words: what a person reads on a terminal and in a notebook."""

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.render.html import flow_html, mask_html
from attnproof.render.text import as_finding, colour_wanted, compare_text, report_text
from attnproof.render.words import evidence_words, flow_words, key_counts
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Finding

ROWS = ["1.......", "11......", "111....1", ".111....", "..111...", "...111..", "....111."]
MASK = Mask.from_rows([*ROWS, ".....111"])


def report(**changes: Any) -> dict[str, Any]:
    """A report as ``verify`` writes it, of a mask in which token 7 reaches query 2."""
    flow = Flow(Setting((MASK,)))
    judged = judge(flow, Causal(8))
    return {
        "schema": "attnproof/report/v1",
        "source": "mask.npy",
        "n": 8,
        "scope": "n=8",
        "encoding": "attend",
        "residual": True,
        "layers": None,
        "verdict": "fails",
        "properties": ["causal"],
        "verdicts": {"causal": "fails"},
        "flow": flow.to_json(),
        "findings": [finding.to_json() for finding in judged.findings],
        "findings_total": judged.total,
        "comments": [],
        "evidence": {"grade": "replayed", "invariant": None, "solvers": []},
        "certificate": None,
        **changes,
    }


def test_the_message_contract_of_a_leak() -> None:
    """Source, verdict, first leak, how to re-check: each stands on its own line."""
    lines = report_text(report(certificate="mask.cert.json"), MASK).splitlines()
    assert lines[0] == "mask.npy: 8 positions, read as attend (true means reads)"
    assert "FAILS  causal, at any depth" in lines
    assert "  token 7 reaches query 2 in 1 layer: 7 -> 2" in lines
    assert "  token 5 reaches query 2 in 2 layers: 5 -> 7 -> 2" in lines
    assert "  replayed: the leak was walked again on the mask as given" in lines
    assert "  re-check: attnproof check mask.cert.json" in lines
    assert "  each query reads at most 4 keys, itself included" in lines


def test_findings_of_a_kind_are_counted() -> None:
    """What is shown, what is counted per depth and what is counted at the end is everything."""
    values = report()
    text = report_text(values)
    shown = text.count("reaches query")
    counted = sum(map(int, re.findall(r"… and (\d+) more", text)))
    assert shown + counted == values["findings_total"]
    assert "  … and " in text
    cut = report(findings=values["findings"][:3])
    text = report_text(cut)
    assert text.count("reaches query") == 3
    assert f"… and {values['findings_total'] - 3} more after these" in text


def test_notes_change_no_verdict_and_say_so() -> None:
    """A note is marked as one."""
    note = {"kind": "empty_row", "severity": "note", "message": "query 0 reads nothing"}
    text = report_text(report(verdict="holds", verdicts={"causal": "holds"}, findings=[note]))
    assert "  note: query 0 reads nothing" in text
    assert "HOLDS  causal, at any depth" in text


def test_the_grid_marks_the_leaks() -> None:
    """Row = query; a forbidden pair is x where it is read and ! where layers reach it."""
    lines = report_text(report(), MASK).splitlines()
    top = lines.index("row = query, column = key")
    assert lines[top + 1] == "     0 1 2 3 4 5 6 7"
    assert lines[top + 2] == "  0  # · · · · · · ·"
    assert lines[top + 4] == "  2  # # # ! ! ! ! x"
    assert "x reads, forbidden" in lines[top + 10]
    assert "! reached through layers, forbidden" in lines[top + 10]


@pytest.mark.parametrize(
    ("rows", "asked", "mark", "words"),
    [
        (["1..", "11.", ".11"], {"equals": ["1..", "11.", "111"]},
         "2  ! # #", "! does not read, the other mask does"),
        (["1..", "11.", "111"], {"equals": ["1..", "11.", ".11"]},
         "2  x # #", "x reads, the other mask does not"),
        (["1..", "11.", ".11"], {"properties": ["transitive"]},
         "2  ! # #", "! does not read, but what it reads does"),
        (["11.", "11.", "..1"], {"properties": ["antisymmetric"]},
         "0  # x ·", "x reads and is read"),
        (["1..", "11.", ".11"], {"properties": ["depth=1"]},
         "2  ! # #", "! reached in too many layers"),
        (["1..", "11.", ".11"], {"equals": ["1..", "11.", "111"], "forbid": [(2, 0)]},
         "2  ! # #", "! does not read, the other mask does, or reached through layers, forbidden"),
    ],
)  # fmt: skip
def test_the_grid_says_what_was_found(
    rows: list[str], asked: dict[str, Any], mark: str, words: str
) -> None:
    """A mark says what is wrong with its pair: only a leak is forbidden."""
    import attnproof as ap

    lines = [line.strip() for line in ap.verify(rows, **asked).text().splitlines()]
    assert mark in lines
    legend = next(line for line in lines if line.startswith("# reads"))
    assert words in legend.split("   ")


def test_the_grid_shows_what_the_residual_adds() -> None:
    """A diagonal pair that is not read is a plus, and is not one without a residual."""
    mask = Mask.from_rows([".1", "11"])
    described = report(findings=[], verdict=None, verdicts={})
    assert "  0  + #" in report_text(described, mask)
    assert "  0  · #" in report_text({**described, "residual": False}, mask)


def test_cached_keys_have_no_row_in_the_grid() -> None:
    """Rows carry the positions of their queries."""
    lines = report_text(
        report(findings=[]), Mask.from_rows(["111.", "1111"], offset=2)
    ).splitlines()
    top = lines.index("row = query, column = key")
    assert lines[top + 1 : top + 4] == ["     0 1 2 3", "  2  # # # ·", "  3  # # # #"]


def test_a_large_mask_has_no_grid() -> None:
    """33 positions do not fit a terminal; 32 do, with two lines of key numbers."""
    for n in (32, 33):
        mask = Mask.of(Bits((1,) * n, n))
        assert ("row = query" in report_text(report(findings=[]), mask)) == (n == 32)
    lines = report_text(report(findings=[]), Mask.of(Bits((1,) * 12, 12))).splitlines()
    top = lines.index("row = query, column = key")
    assert lines[top + 1] == "                          1 1"
    assert lines[top + 2] == "      0 1 2 3 4 5 6 7 8 9 0 1"


def test_description_unknown_and_scope() -> None:
    """Without a property it describes; limits and depths are named."""
    described = report(verdict=None, verdicts={}, properties=[], findings=[], findings_total=0)
    assert "Described: no property was asked for" in report_text(described)
    unknown = report(verdict="unknown", verdicts={"causal": "unknown", "forbid": "holds"})
    assert "UNKNOWN  causal, at any depth; forbid holds" in report_text(unknown)
    assert "FAILS  causal, through exactly 3 layers" in report_text(report(layers=3))


def test_the_masks_of_a_batch_are_listed() -> None:
    """Each distinct mask has a line."""
    masks = [
        {"batch": [0, 2], "verdict": "holds", "findings_total": 0},
        {"batch": [1], "verdict": "fails", "findings_total": 33},
    ]
    text = report_text(report(masks=masks))
    assert "2 distinct masks in the batch" in text
    assert "  batch 0, 2: holds, 0 findings" in text
    assert "  batch 1: fails, 33 findings" in text


def test_text_is_plain_unless_colour_is_asked_for() -> None:
    """No escape sequence in plain text, and the same words in colour."""
    plain = report_text(report(), MASK)
    coloured = report_text(report(), MASK, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31mFAILS\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_colour_needs_a_terminal_and_no_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR and dumb terminals are honoured."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert colour_wanted(Terminal())
    assert not colour_wanted(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour_wanted(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not colour_wanted(Terminal())


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1..", "11.", ".11"], "each query reads at most 2 keys, itself included"),
        (["11.", ".11", "1.1"], "each query reads 2 keys, itself included"),
        ([".1.", "..1", "1.."], "each query reads 1 key, itself not included"),
        (["1..", "1..", "1.."], "each query reads 1 key; 2 of 3 do not read themselves"),
        (["...", "...", "..."], "no query reads any key"),
    ],
)
def test_key_counts_say_whether_the_own_key_counts(rows: list[str], words: str) -> None:
    """Never "window size": a number of keys, and whether that includes the query's own."""
    assert key_counts(Mask.from_rows(rows)) == words


@given(
    st.integers(1, 6).flatmap(lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n))
)
@settings(max_examples=60, deadline=None)
def test_the_number_of_keys_is_that_of_the_fullest_row(rows: list[int]) -> None:
    """Counted on sets, for any mask."""
    most = max(len({k for k in range(len(rows)) if row >> k & 1}) for row in rows)
    words = key_counts(Mask.of(Bits(tuple(rows), len(rows))))
    assert re.findall(r"(\d+) keys?[,;]", words) == ([str(most)] if most else [])


@pytest.mark.parametrize(
    ("depth", "words"),
    [
        (None, "information never settles: without a residual the powers keep changing"),
        (0, "nothing moves between positions"),
        (1, "one layer lets through all that any number of layers does"),
        (3, "information settles after 3 layers"),
    ],
)
def test_depth_in_words(depth: int | None, words: str) -> None:
    """The depth of convergence is a sentence."""
    assert flow_words({"depth": depth})[0] == words


def test_flow_in_words() -> None:
    """Classes, covers, height, width and empty rows, with the way to a width not computed."""
    flow = {
        "depth": 2, "antisymmetric": False, "classes": 1, "covers": 0, "height": 1, "width": None,
        "empty_rows": [0, 1, 5],
    }  # fmt: skip
    assert flow_words(flow)[1:] == [
        "1 class: positions of one class reach each other",
        "0 covers in the Hasse diagram, height 1, width not computed (--width)",
        "rows that read nothing: 0, 1, 5",
    ]


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        ("certified", "certified: the checker accepted the certificate"),
        ("solvers-agree", "solvers agree: z3 and cvc5 found the same"),
        (None, "not checked: no certificate was asked for"),
    ],
)
def test_evidence_in_words(grade: str | None, words: str) -> None:
    """The grade, what shows it, and how to check again."""
    evidence = {"grade": grade, "invariant": "k <= q", "solvers": ["z3", "cvc5"]}
    assert evidence_words({"verdict": "holds", "evidence": evidence}) == [
        words,
        "what shows it: k <= q",
        "to keep and re-check it: --certificate FILE, then attnproof check FILE",
    ]


@pytest.mark.parametrize("path", [None, (5, 7, 2), ((5, 0), (7, 1), (2, 2))])
def test_a_finding_survives_its_json(path: Any) -> None:
    """Reading what a finding writes gives the same finding."""
    found = Finding("leak", "token 5", "note", "causal", 2, 5, 2, path)
    assert as_finding(found.to_json()) == found


def test_a_report_of_little_is_still_text() -> None:
    """Keys that a report lacks are left out, not an error."""
    assert report_text({"source": "x"}).startswith("x\n")


def comparison(**changes: Any) -> dict[str, Any]:
    return {
        "a": "a.npy",
        "b": "b.npy",
        "n": 6,
        "edges_equal": False,
        "equal_off_diagonal": False,
        "flow_equal": False,
        "only_in_a": [[q, 0] for q in range(9)],
        "only_in_b": [],
        "flow_only_in_a": [],
        "flow_only_in_b": [[2, 5]],
        **changes,
    }


def test_a_comparison_gives_two_answers() -> None:
    """Edges and flow each have a line, with the pairs that differ and how many there are."""
    lines = compare_text(comparison(only_in_a_total=120)).splitlines()
    assert lines[0] == "a.npy and b.npy, n = 6"
    assert lines[1].startswith("  edges differ: 120 pairs only in a.npy: query 0 reads key 0, ")
    assert lines[1].endswith("query 5 reads key 0, … and 114 more")
    assert lines[2] == "  flow differs: 1 pair only in b.npy: token 5 reaches query 2"


def test_equal_masks_are_equal_in_both() -> None:
    """Nothing is listed when nothing differs."""
    same = comparison(edges_equal=True, flow_equal=True, only_in_a=[], flow_only_in_b=[])
    assert compare_text(same).splitlines()[1:] == [
        "  edges are the same, as given",
        "  flow is the same: at some depth both let through the same",
    ]


def test_a_sweep_has_an_answer_a_length() -> None:
    """Each length is told apart."""
    swept = {"a": "a", "b": "b", "sweep": [comparison(n=1), comparison(n=2)]}
    assert re.findall(r"n = (\d)", compare_text(swept)) == ["1", "2"]


def test_a_mask_shows_itself_in_a_notebook() -> None:
    """The fragment is one well-formed picture with row = query."""
    fragment = mask_html(MASK)
    assert ET.fromstring(fragment).tag.endswith("svg")
    assert "row = query" in fragment


def test_a_flow_shows_itself_in_a_notebook() -> None:
    """The fragment holds the facts and the Hasse diagram, and no style leaves its box."""
    fragment = flow_html(Flow(Setting((MASK,))))
    root = ET.fromstring(fragment)
    assert next(element.text for element in root.iter("li")) == "information settles after 4 layers"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}svg"))) == 1
    for style in re.findall(r"<style>(.*?)</style>", fragment, re.S):
        for rule in re.findall(r"([^{}]+)\{", style):
            assert rule.strip().startswith((".attnproof-box", "svg.attnproof", "@media"))


def test_a_long_flow_shows_itself_in_a_notebook() -> None:
    """Facts, and the first classes as ranges; no picture of a hundred thousand classes."""
    import attnproof as ap
    from attnproof.symbolic.masks.runs import Runs

    flow: Any = ap.verify("causal", n=1 << 17).flow
    words = [element.text for element in ET.fromstring(flow._repr_html_()).iter("li")]
    assert words[1:] == [
        "131072 classes: no two positions reach each other",
        "131071 covers in the Hasse diagram, height 131072, width 1",
        "classes, sources first: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … and 131060 more",
    ]
    thirds = [((q // 3000 * 3000, q // 3000 * 3000 + 3000),) for q in range(9000)]
    flow = ap.verify(Mask.of(Runs.from_rows(thirds, 9000))).flow
    fragment = flow._repr_html_()
    assert "classes, sources first: {0..2999}, {3000..5999}, {6000..8999}" in fragment
    assert len(fragment) < 4000


def test_a_report_shows_itself_in_a_notebook() -> None:
    """Badge, findings and the picture of the first leak; what a user named stays text."""
    import attnproof as ap
    from attnproof.render.html import report_html

    fragment = report_html(replace(ap.verify(MASK, causal=True), source="<i>mask</i>"))
    root = ET.fromstring(fragment.replace("<br>", "<br/>"))
    assert next(element.text for element in root.iter("span")) == "fails"
    cells = [element.text for element in root.iter("td")]
    assert "token 7 reaches query 2 in 1 layer: 7 -> 2" in cells
    assert not list(root.iter("i"))
    (title,) = root.iter("{http://www.w3.org/2000/svg}title")
    assert title.text == "<i>mask</i>, 8 × 8"


def test_the_picture_of_a_schedule_unites_its_masks() -> None:
    """What one of the layers reads is read, and the leak is that of the report."""
    import attnproof as ap
    from attnproof.render.of_report import report_picture

    layers = Mask.from_rows(["1..", ".11", "..1"]), Mask.from_rows(["11.", ".1.", "..1"])
    report = ap.verify(*layers, per_layer=True, causal=True)
    drawn = report_picture(report)
    assert drawn.mask.rows.bits() == (0b011, 0b110, 0b100)
    assert drawn.finding == report.findings[0]
    assert drawn.leaked == (0b110, 0b100, 0)
