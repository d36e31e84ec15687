"""Report: verdicts, exit codes, JSON, certificates and what its errors claim."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnproof as ap
from attnproof.ask.check import check
from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.verdict import Finding, Verdict

TWO_LAYERS = ["11......", "11......", "..1111..", "..1111..", *["....1111"] * 4]
CLEAN = [(2, 6), (2, 7), (3, 6), (3, 7)]


def described() -> ap.Report:
    return ap.verify("causal", n=3)


def with_verdicts(*verdicts: Verdict, noted: str | None = None) -> ap.Report:
    flow = described().flow
    judged = tuple(Judgement(f"property {i}", one) for i, one in enumerate(verdicts))
    found = () if noted is None else (Finding("empty_row", "", noted),)  # type: ignore[arg-type]
    return ap.Report("mask", "attend", flow, judged, found)


@given(st.lists(st.sampled_from(Verdict)), st.sampled_from([None, "note", "error"]))
def test_the_verdict_is_the_worst(verdicts: list[Verdict], noted: str | None) -> None:
    """Fails before unknown before holds, None of nothing; an error fails by itself, a note says
    nothing; exit codes 1, 3, 0, 0."""
    report = with_verdicts(*verdicts, noted=noted)
    order = [Verdict.FAILS, Verdict.UNKNOWN, Verdict.HOLDS]
    found = [*verdicts, *([Verdict.FAILS] if noted == "error" else [])]
    assert report.verdict is min(found, key=order.index, default=None)
    assert report.exit_code == {None: 0, order[0]: 1, order[1]: 3, order[2]: 0}[report.verdict]
    assert list(report.verdicts.values()) == verdicts


@pytest.mark.parametrize("verdict", [described, lambda: ap.verify("full", n=2, causal=True)])
def test_a_report_is_not_a_truth_value(verdict: Callable[[], ap.Report]) -> None:
    """``if report:`` would be true of a leak; the message says what to write instead."""
    with pytest.raises(TypeError, match=r"report\.verdict is Verdict\.HOLDS"):
        bool(verdict())


REPORT_KEYS = {
    "schema", "source", "n", "scope", "encoding", "residual", "verdict", "properties", "verdicts",
    "flow", "findings", "findings_total", "evidence", "certificate",
}  # fmt: skip
FLOW_KEYS = {
    "transitive", "antisymmetric", "depth", "classes", "covers", "height", "width", "edges",
    "edges_off_diagonal", "empty_rows",
}  # fmt: skip


@pytest.mark.parametrize(
    "ask",
    [
        described,
        lambda: ap.verify(TWO_LAYERS, forbid=CLEAN),
        lambda: ap.verify(["1.", ".."], causal=True),
        lambda: ap.verify(np.array([[1, 1, 0], [1, 1, 1]]), q_offset=1, causal=True),
        lambda: ap.verify(["11", "11"], ["1.", "11"], per_layer=True, next_token=True, layers=3),
        lambda: ap.verify("window", n=5, params={"keys": 2}, equals="causal", residual=False),
    ],
)
def test_the_keys_of_the_schema(ask: Callable[[], ap.Report]) -> None:
    """Every key of the schema is there, with its type, and survives JSON as it is."""
    told: Any = ask().to_json()
    assert json.loads(json.dumps(told)) == told
    assert told.keys() >= REPORT_KEYS
    assert told["schema"] == "attnproof/report/v1"
    assert told["flow"].keys() == FLOW_KEYS
    assert told["evidence"].keys() == {"grade", "invariant", "solvers"}
    assert told["scope"] == f"n={told['n']}"
    assert told["verdict"] in ("holds", "fails", "unknown", None)
    assert list(told["verdicts"]) == told["properties"]
    assert told["certificate"] is None
    assert told["findings_total"] >= len(told["findings"])
    for finding in told["findings"]:
        assert finding.keys() >= {"kind", "severity", "message"}
        assert finding["severity"] in ("error", "note")


def test_the_findings_of_the_schema() -> None:
    """A leak holds exactly what the schema shows, beside the sentence for people."""
    told: Any = ap.verify(TWO_LAYERS, forbid=CLEAN).to_json()
    assert told["findings"][0] == {
        "kind": "leak",
        "severity": "error",
        "property": "forbid",
        "reader": 2,
        "source": 6,
        "depth": 2,
        "path": [6, 4, 2],
        "message": "token 6 reaches query 2 in 2 layers: 6 -> 4 -> 2",
    }
    assert told["verdict"] == "fails"
    assert told["verdicts"] == {"forbid": "fails"}
    assert told["findings_total"] == 4
    assert told["evidence"] == {"grade": "replayed", "invariant": None, "solvers": []}


def test_described() -> None:
    """Without a property the verdict is null, and the flow is certified."""
    told: Any = described().to_json()
    assert told["verdict"] is None
    assert (told["properties"], told["verdicts"], told["findings"]) == ([], {}, [])
    assert told["flow"]["covers"] == 2
    assert told["evidence"]["grade"] == "certified"
    assert repr(described()) == "Report on causal: no property: described"


def test_findings_are_cut_and_counted() -> None:
    """At most ``max_findings`` are listed, least depth first; the total is of all."""
    report = ap.verify("full", n=20, causal=True, next_token=True, max_findings=5)
    assert len(report.findings) == 5
    assert report.findings_total == 190 + 19
    assert [f.depth for f in report.findings] == [1] * 5


def test_errors_stand_before_notes() -> None:
    """A note never hides an error."""
    report = ap.verify(["...", ".11", "..1"], causal=True, max_findings=1)
    assert [finding.kind for finding in report.findings] == ["leak"]
    assert report.findings_total == 2


def test_the_certificate_is_written_and_named(tmp_path: Path) -> None:
    """``written`` saves it and names the file; a long mask is then checked too."""
    path = str(tmp_path / "mask.cert.json")
    report = ap.verify("causal", n=3000, causal=True)
    assert report.grade is None
    written = report.written(path)
    assert written.to_json()["certificate"] == path
    assert written.grade == "certified"
    assert check(path, mask="causal").valid


def test_a_certificate_of_several_masks(tmp_path: Path) -> None:
    """A batch has one claim a distinct mask, each about its own."""
    batch = np.stack([np.tril(np.ones((3, 3), bool)), np.ones((3, 3), bool), np.eye(3) > 0])
    report = ap.verify(batch, causal=True)
    path = tmp_path / "batch.cert.json"
    report.certificate.save(path)
    checked = check(path, mask=batch)
    assert checked.valid
    assert len(checked.results) == 3
    assert len(set(report.certificate.digests)) == 3
    told: Any = report.to_json()
    assert [one["batch"] for one in told["masks"]] == [[0], [1], [2]]
    assert [one["verdict"] for one in told["masks"]] == ["holds", "fails", "holds"]


def test_rows_of_nan_are_claimed(tmp_path: Path) -> None:
    """Where a row that reads nothing is NaN, the report fails, and the claim says which row."""
    report = ap.verify(["1..", "...", "111"], empty_row="nan", causal=True)
    assert report.verdicts == {"causal": Verdict.HOLDS}
    assert report.verdict is Verdict.FAILS
    assert report.grade == "certified"
    kinds = [statement.predicateType for statement in report.certificate.statements]
    assert kinds == ["attnproof/structure/v1", "attnproof/safe/v1"]
    assert report.certificate.statements[0].predicate["witness"] == [1]
    path = tmp_path / "nan.cert.json"
    report.certificate.save(path)
    assert check(path, mask=["1..", "...", "111"]).valid
    assert not check(path, mask="causal").valid


def test_rows_of_nan_are_told_once() -> None:
    """Asked for by name, empty rows are that property's findings and nobody else's."""
    report = ap.verify(["1.", ".."], empty_row="nan", properties=["no-empty-rows"])
    assert [finding.kind for finding in report.findings] == ["structure"]
    assert len(report.certificate.statements) == 1
    without = ap.verify("causal", n=3, empty_row="nan")
    assert without.verdict is None


@pytest.fixture
def stale() -> Any:
    """A BlockMask whose mask_mod was replaced after its blocks were built."""
    pytest.importorskip("torch", reason="a BlockMask is an object of torch")
    from torch.nn.attention.flex_attention import create_block_mask

    def lower(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q >= k

    mask = create_block_mask(lower, None, None, 8, 8, device="cpu", BLOCK_SIZE=4)
    mask.mask_mod = lambda b, h, q, k: (q >= k) & (q - k < 4)
    return mask


def test_blocks_that_disagree_are_claimed(stale: Any, tmp_path: Path) -> None:
    """The blocks and mask_mod are two masks: the certificate shows a pair of one alone."""
    report = ap.verify(stale, causal=True)
    assert report.verdicts == {"causal": Verdict.HOLDS}
    assert report.verdict is Verdict.FAILS
    assert report.exit_code == 1
    assert [finding.kind for finding in report.findings] == ["blocks_disagree"]
    assert report.grade == "certified"
    unequal, safe = report.certificate.statements
    assert unequal.predicateType == "attnproof/unequal/v1"
    assert safe.predicateType == "attnproof/safe/v1"
    assert {key: unequal.predicate[key] for key in ("of", "only_in", "reader", "source")} == {
        "of": "edges",
        "only_in": "a",
        "reader": 4,
        "source": 0,
    }
    assert unequal.digests[0] == safe.digests[0] == ap.Mask("causal", n=8).digest
    path = tmp_path / "stale.cert.json"
    report.certificate.save(path)
    assert check(path, mask=stale).valid


def test_blocks_that_disagree_in_one_head(stale: Any) -> None:
    """What united heads hide is claimed of the head that shows it."""
    from torch.nn.attention.flex_attention import create_block_mask

    def by_head(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (q >= k) | (h == 1)

    mask = create_block_mask(by_head, None, 2, 8, 8, device="cpu", BLOCK_SIZE=4)
    mask.mask_mod = lambda b, h, q, k: ((q >= k) & (q - k < 4)) | (h == 1)
    report = ap.verify(mask)
    assert report.verdict is Verdict.FAILS
    assert report.findings[0].details["head"] == 0
    assert report.grade == "certified"
    unequal = report.certificate.statements[0]
    assert (unequal.predicate["reader"], unequal.predicate["source"]) == (4, 0)


def test_a_batch_of_blocks_claims_once(stale: Any) -> None:
    """One pair shows it, however many distinct masks the batch has."""
    from torch.nn.attention.flex_attention import create_block_mask

    def by_batch(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q >= k + b

    mask = create_block_mask(by_batch, 2, None, 8, 8, device="cpu", BLOCK_SIZE=4)
    mask.mask_mod = lambda b, h, q, k: (q >= k + b) & (q - k < 4)
    report = ap.verify(mask, causal=True)
    kinds = [statement.predicateType for statement in report.certificate.statements]
    assert kinds.count("attnproof/unequal/v1") == 1
    assert kinds.count("attnproof/safe/v1") == 2
    assert all(result.valid for result in report.certificate.check())


def test_blocks_that_agree_claim_nothing_of_their_own(stale: Any) -> None:
    """Without a difference the certificate is that of the property."""
    stale.mask_mod = lambda b, h, q, k: q >= k
    report = ap.verify(stale, causal=True)
    assert report.verdict is Verdict.HOLDS
    kinds = [statement.predicateType for statement in report.certificate.statements]
    assert kinds == ["attnproof/safe/v1"]


def test_the_picture_marks_what_is_not_listed_too() -> None:
    """However few findings are listed, every forbidden pair of a mask that is shown is marked."""
    full = ap.verify("full", n=20, causal=True, max_findings=3)
    assert (len(full.findings), full.findings_total) == (3, 190)
    assert str(full).count("x ") + str(full).count("x\n") >= 190
    assert len(full.to_json()["findings"]) == 3  # type: ignore[arg-type]
    reached = ap.verify(["1...", "11..", ".11.", "..11"], forbid=[(2, 0), (3, 0)], max_findings=1)
    rows = str(reached).splitlines()
    assert [row for row in rows if "!" in row][:2] == ["  2  ! # # ·", "  3  ! · # #"]


def test_what_shows_each_property_is_told() -> None:
    """Of several properties each has its own, and none is told to show all of them."""
    packed = ["1...", "11..", "..1.", "..11"]
    both = str(ap.verify(packed, causal=True, documents="2,2"))
    assert "what shows causal: k <= q" in both
    assert "what shows documents: document[k] == document[q]" in both
    one = str(ap.verify(packed, causal=True, properties=["transitive"]))
    assert "what shows causal: k <= q" in one
    assert "what shows it: k <= q" in str(ap.verify(packed, causal=True))
