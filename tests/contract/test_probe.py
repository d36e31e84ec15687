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

def one(fault=None):
    return decoder.Decoder(fault)

def keyed(keys=3):
    return decoder.Decoder()
"""
FLEX = """
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 16)

    def forward(self, tokens):
        n, x = tokens.shape[1], self.embedding(tokens)[:, None]
        mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, n, n, device="cpu")
        return flex_attention(x, x, x, block_mask=mask)[:, 0]
"""


@pytest.fixture(scope="module", autouse=True)
def files(folder: Path) -> None:
    """A file with factories of small models."""
    pytest.importorskip("torch", reason="the probe needs the extra torch")
    (folder / "decoder.py").write_text(DECODER.read_text())
    (folder / "models.py").write_text(MODELS)
    (folder / "flex.py").write_text(FLEX)


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


def test_parameters_reach_what_makes_the_model_and_the_mask(run: Run) -> None:
    """Each goes to the one that takes it; a mask that grows when stacked says so."""
    asked = ("probe", "models.py:one", "--n", "9", "--scenario", "plain")
    fault = ("--param", "fault='one pair'")
    assert run(*asked, "--causal").code == 0
    assert run(*asked, "--causal", *fault).code == 1
    both = run(*asked, *fault, "--mask", "window", "--param", "keys=2")
    assert both.code == 1, both.err
    assert "hold the model to fewer with --layers L, or --per-layer" in both.out


def test_a_block_mask_made_in_forward(started: Run) -> None:
    """FlexAttention is followed where the compiler is first loaded by the model's run."""
    ran = started("probe", "flex.py:Model", "--causal", "--scenario", "plain", "--structural")
    assert (ran.code, "HOLDS" in ran.out) == (0, True), ran.out


def test_scenarios_that_were_not_run_are_one_line(run: Run) -> None:
    """By their reasons, after those that were."""
    ran = run("probe", "models.py:holds", "--causal", "--n", "9", "--structural")
    (line,) = [line for line in ran.out.splitlines() if "not run" in line]
    assert line.startswith("  not run: off chunk (the model does not cut its input into chunks); ")
    assert "eager, sdpa, flex (" in line


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
        (["models.py"], "; name a model of it, or what makes one, as in models.py:"),
        (["gpt3"], "there is no model named 'gpt3'; did you mean gpt2"),
        (["models.py:holds", "--numeric", "--structural"], "give one or none"),
        (
            ["models.py:one", "--causal", "--param", "folt=1"],
            "models.py:one takes no parameter 'folt'; did you mean 'fault'?",
        ),
        (
            ["models.py:one", "--mask", "window", "--param", "heads=1"],
            "takes no parameter 'heads', nor does the mask window; known: fault, keys",
        ),
        (
            ["models.py:holds", "--causal", "--param", "fault=1"],
            "models.py:holds takes no parameter 'fault'; leave out fault",
        ),
        (["gpt2", "--param", "depth=1"], "a model by name has none: name what makes yours"),
        (
            ["models.py:keyed", "--mask", "window", "--param", "keys=3"],
            "keys is a parameter of models.py:keyed and of the mask window; name a function",
        ),
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
