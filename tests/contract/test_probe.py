"""``attnproof probe`` from outside: exit codes, JSON, and what cannot be probed."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run

DECODER = Path(__file__).resolve().parents[1] / "models" / "decoder.py"

MODELS = """
import decoder

def leaks():
    return decoder.Decoder("one pair")

def holds():
    return decoder.Decoder()

def shut():
    return decoder.Decoder("closed gate")
"""


@pytest.fixture(scope="module", autouse=True)
def files(folder: Path) -> None:
    """A file with factories of small models."""
    pytest.importorskip("torch", reason="the probe needs the extra torch")
    (folder / "decoder.py").write_text(DECODER.read_text())
    (folder / "models.py").write_text(MODELS)


def test_a_leak_is_a_finding_with_its_place(run: Run) -> None:
    """Exit 1; one JSON document of the schema of reports, with scenarios."""
    ran = run("probe", "models.py:leaks", "--causal", "--n", "9", "--scenario", "plain",
              "--scenario", "off chunk", "--json")  # fmt: skip
    assert ran.code == 1, ran.err
    report = ran.json
    assert report["schema"] == "attnproof/report/v1"
    assert (report["verdict"], report["verdicts"]) == ("fails", {"causal": "fails"})
    assert (report["n"], report["findings_total"]) == (9, 1)
    (found,) = report["findings"]
    assert (found["kind"], found["severity"]) == ("leak", "error")
    assert (found["reader"], found["source"]) == (2, 5)
    assert (found["module"], found["operator"], found["scenario"]) == ("attention", "bmm", "plain")
    assert found["effect"] > 0
    assert report["evidence"]["grade"] == "replayed"
    plain, other = report["scenarios"]
    assert (plain["scenario"], plain["verdict"]) == ("plain", "fails")
    assert other["verdict"] is None
    assert "does not cut its input" in other["reason"]
    assert len(plain["structural"]["relation"]) == 9


def test_structure_alone_is_unknown(run: Run) -> None:
    """Exit 3 where structure allows what no run shows."""
    ran = run("probe", "models.py:shut", "--causal", "--n", "9", "--scenario", "plain")
    assert ran.code == 3, ran.err
    assert "UNKNOWN  causal, in 1 scenario" in ran.out
    assert "may depend on" in ran.out


def test_a_model_by_name_holds(run: Run) -> None:
    """Exit 0: gpt2 is small, has random weights, and is not downloaded."""
    pytest.importorskip("transformers", reason="models by name need the extra hf")
    ran = run("probe", "gpt2", "--structural", "--scenario", "plain", env={"HF_HUB_OFFLINE": "1"})
    assert ran.code == 0, ran.err
    assert "HOLDS  promise, in 1 scenario" in ran.out
    assert "promises 2 layers: the past" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gpt3"], "there is no model named 'gpt3'; did you mean gpt2"),
        (["models.py:holds", "--numeric", "--structural"], "give one or none"),
    ],
)
def test_what_cannot_be_probed(run: Run, arguments: list[str], message: str) -> None:
    """Exit 2, one message, nothing on stdout."""
    ran = run("probe", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_without_torch(started: Run, folder: Path) -> None:
    """The extra is named."""
    hidden = folder / "hidden"
    hidden.mkdir()
    (hidden / "torch.py").write_text("raise ImportError('no torch')\n")
    ran = started("probe", "gpt2", env={"PYTHONPATH": str(hidden)})
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'attnproof[torch]'" in ran.err
