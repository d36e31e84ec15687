"""Scenarios: correct models hold, each fault is found where it is, nothing else is claimed."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

import torch
from torch import Tensor, nn

import attnproof as ap
from attnproof.numeric.probe.models import make
from attnproof.numeric.probe.outcome import Methods, Outcome, run_scenario
from attnproof.numeric.probe.promised import CAUSAL, Promise
from attnproof.numeric.probe.recipes import MODELS
from attnproof.numeric.probe.scenarios import SCENARIOS
from attnproof.numeric.probe.subject import Subject, subject_of
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError
from attnproof.symbolic.verdict import Verdict
from tests.models.decoder import WIDTH, Attention, Decoder, Vectors

OWN = ("plain", "left padding", "right padding", "batch", "packed")
CACHED = ("cached continuation", "cached steps")
KEPT = Promise((CAUSAL,), any_depth=True, packed=True, name="causal")


def outcome(subject: Subject, name: str, **methods: Any) -> Outcome:
    return run_scenario(subject, name, SCENARIOS[name], Methods(**methods))


def own(model: nn.Module, **options: Any) -> Subject:
    return subject_of(model, KEPT, n=9, **options)


@pytest.fixture(scope="module")
def clean() -> Subject:
    """The decoder without a fault, attention only."""
    return own(Decoder())


@pytest.mark.parametrize("name", [*OWN, *CACHED])
def test_a_correct_model_holds(clean: Subject, name: str) -> None:
    """Structure is within the promise, all of it is read, and no run shows more."""
    found = outcome(clean, name)
    assert found.verdict is Verdict.HOLDS
    assert (found.excess, found.unread, found.nan, found.comments) == ((), (), (), ())
    assert found.measured is not None
    assert found.structure is not None
    assert found.measured.relation == found.structure.relation
    assert "any weights" in found.conditions[0]


FAULTS = [
    ("mask off by one", "plain", "attention", "bmm"),
    ("one pair", "plain", "attention", "bmm"),
    ("padding ignored", "left padding", "attention", "bmm"),
    ("documents mixed", "packed", "attention", "bmm"),
    ("cache misaligned", "cached continuation", "attention", "bmm"),
    ("batch mixed", "batch", "mixing", "add"),
    ("token shift forwards", "plain", "mixing", "add"),
    ("padded behind", "plain", "local.0.kernel", "convolution"),
    ("scan reversed", "plain", "local.1", "stack"),
]


@pytest.mark.parametrize(("fault", "scenario", "module", "operator"), FAULTS)
def test_a_fault_is_seen_where_it_is(fault: str, scenario: str, module: str, operator: str) -> None:
    """It fails in the scenario that shows it, with its module, operator and size."""
    found = outcome(own(Decoder(fault, local=module.startswith("local"))), scenario)
    assert found.verdict is Verdict.FAILS
    assert {(one.module, one.operator) for one in found.excess} == {(module, operator)}
    assert all(one.effect is not None and one.effect > 0 for one in found.excess)


@pytest.mark.parametrize(
    ("fault", "module"),
    [("mask off by one", "attention"), ("token shift forwards", "mixing")],
)
def test_runs_alone_find_the_same_module(fault: str, module: str) -> None:
    """Without structure the module is the first that changes though its input does not."""
    found = outcome(own(Decoder(fault)), "plain", structural=False)
    assert found.verdict is Verdict.FAILS
    assert {one.module for one in found.excess} == {module}
    assert {one.operator for one in found.excess} == {None}
    assert found.conditions == ()


def test_one_pair_is_one_finding() -> None:
    """The position, the source, and nothing beside them."""
    found = outcome(own(Decoder("one pair")), "plain")
    assert [(one.reader, one.source) for one in found.excess] == [(2, 5)]


def test_a_lost_cache_is_unread() -> None:
    """A continuation that forgets its prefix stays within the promise; what it lacks is named."""

    class Forgets(Attention):
        def forward(self, x: Tensor, live: Any, ids: Any, past: Any) -> Any:
            return super().forward(x, live, ids, None)

    model = Decoder()
    model.attention = Forgets("")
    found = outcome(own(model), "cached continuation")
    assert found.verdict is Verdict.HOLDS
    assert set(found.unread) == {(q, k) for q in range(5, 9) for k in range(5)}


def test_structure_alone_is_unknown() -> None:
    """A gate that no run opens, and a branch on data, are not seen and not excluded."""
    closed = outcome(own(Decoder("closed gate")), "plain")
    assert closed.verdict is Verdict.UNKNOWN
    assert {one.effect for one in closed.excess} == {None}
    assert {one.module for one in closed.excess} == {"mixing"}
    branch = outcome(own(Decoder("branch")), "plain")
    assert branch.verdict is Verdict.UNKNOWN
    assert branch.excess == ()
    assert "control flow depends on data in mixing" in branch.comments[0]


def test_runs_that_show_nothing_prove_nothing(clean: Subject) -> None:
    """Without structure a correct model is unknown; without runs it holds."""
    assert outcome(clean, "plain", structural=False).verdict is Verdict.UNKNOWN
    assert outcome(clean, "plain", numeric=False).verdict is Verdict.HOLDS


def test_rounding_is_no_dependency() -> None:
    """A sum whose rounding changes with a later token is measured again, and is not claimed."""

    class Rounds(Vectors):
        def forward(self, x: Tensor) -> Tensor:
            later = x.sum((1, 2), keepdim=True) * 1e4
            return (super().forward(x) + later) - later

    found = outcome(own(Rounds(), width=WIDTH), "plain", structural=False)
    assert found.verdict is Verdict.UNKNOWN
    assert "the size of rounding" in found.comments[0]


def test_vectors(clean: Subject) -> None:
    """A module of vectors is probed with a width; without one the message says so."""
    assert outcome(own(Vectors(), width=WIDTH), "plain").verdict is Verdict.HOLDS
    found = outcome(own(Vectors(backwards=True), width=WIDTH), "plain")
    assert found.verdict is Verdict.FAILS
    with pytest.raises(ParameterError, match="no embedding of tokens; give the width"):
        outcome(own(Vectors()), "plain")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("off chunk", "does not cut its input into chunks"),
        ("two stream", "has one stream"),
        ("eager", "does not choose between implementations"),
        ("sdpa", "does not choose between implementations"),
        ("flex", "does not choose between implementations"),
        ("left padding", "takes no attention_mask"),
        ("cached steps", "takes no cache"),
        ("packed", "takes no position_ids"),
    ],
)
def test_what_is_not_supported_is_not_run(name: str, reason: str) -> None:
    """With the reason, and never as passed."""
    found = outcome(own(Vectors(), width=WIDTH), name)
    assert found.verdict is None
    assert reason in found.reason


def test_the_model_is_left_as_it_was() -> None:
    """Training mode, weights and the state of random numbers are those of before."""
    model = Decoder("mask off by one").train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.get_rng_state()
    outcome(own(model), "plain")
    assert all(module.training for module in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(module._forward_hooks for module in model.modules())


def test_input_that_cannot_be_probed() -> None:
    """Numbers that are not finite, shapes without positions, chance, and errors of the model."""
    broken = Decoder()
    broken.head.weight.data[0, 0] = torch.nan
    with pytest.raises(InputError, match=r"not finite in head\.weight"):
        own(broken)

    class Divides(Vectors):
        def forward(self, x: Tensor) -> Tensor:
            return x / torch.zeros_like(x) * 0

    with pytest.raises(InputError, match="returns NaN at 9 of 9 positions"):
        outcome(own(Divides(), width=WIDTH), "plain")

    class Pools(Vectors):
        def forward(self, x: Tensor) -> Tensor:
            return x.mean(1)

    with pytest.raises(ShapeError, match=r"returns \(1, 8\); 9 rows are needed on axis 1"):
        outcome(own(Pools(), width=WIDTH), "plain", structural=False)

    class Raises(Vectors):
        def forward(self, x: Tensor) -> Tensor:
            raise ValueError("no such table")

    with pytest.raises(InputError, match="no such table"):
        outcome(own(Raises(), width=WIDTH), "plain")

    class Random(Vectors):
        state = 0

        def forward(self, x: Tensor) -> Tensor:
            self.state += 1
            return x + self.state

    with pytest.raises(InputError, match="answers the same input twice differently"):
        outcome(own(Random(), width=WIDTH), "plain", structural=False)


def test_the_front_door() -> None:
    """``ap.probe``: verdicts, findings and JSON as those of verify."""
    found = ap.probe(Decoder("one pair"), 9, causal=True, scenarios=["plain", "two stream"])
    assert (found.verdict, found.exit_code, found.grade) == (Verdict.FAILS, 1, "replayed")
    (finding,) = found.findings
    assert (finding.kind, finding.reader, finding.source) == ("leak", 2, 5)
    told = finding.to_json()
    assert (told["module"], told["operator"], told["scenario"]) == ("attention", "bmm", "plain")
    document = found.to_json()
    assert document["schema"] == "attnproof/report/v1"
    assert document["verdicts"] == {"causal": "fails"}
    assert "FAILS  causal, in 1 scenario" in str(found)
    with pytest.raises(TypeError, match="no truth value"):
        bool(found)
    held = ap.probe(Decoder(), 9, mask="window", params={"keys": 9}, layers=1, scenarios=["plain"])
    assert held.verdict is Verdict.HOLDS
    narrow = ap.probe(Decoder(), 9, mask="window", params={"keys": 3}, scenarios=["plain"],
                      layers=1)  # fmt: skip
    assert narrow.verdict is Verdict.FAILS
    documents = ap.probe(
        Decoder("documents mixed"), 9, causal=True, packed=True, scenarios=["packed"]
    )
    assert documents.verdict is Verdict.FAILS
    may = ap.probe(Decoder("closed gate"), 9, causal=True, scenarios=["plain"])
    assert (may.verdict, may.exit_code, may.grade) == (Verdict.UNKNOWN, 3, None)
    assert {one.kind for one in may.findings} == {"may_leak"}
    assert {one.severity for one in may.findings} == {"note"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"causal": True, "mask": "causal"}, "both say what the model may read"),
        ({"layers": 2}, "layers belong to --causal or --mask"),
        ({"causal": True, "n": 0}, "n is 0; give 1 position or more"),
        ({"causal": True, "width": 0}, "the width is 0"),
        ({"causal": True, "layers": 0}, "layers is 0"),
        ({"causal": True, "method": "guess"}, "give one of both, numeric, structural"),
        ({"causal": True, "scenarios": ["plane"]}, "no scenario 'plane'; there are plain"),
        ({"mask": ["1.", "11"]}, "has 2 positions, n = 12 was asked for"),
        ({"causal": True, "model": "gpt3"}, "no model named 'gpt3'; did you mean gpt2"),
        ({"causal": True, "model": "math:pi"}, "is no torch module"),
    ],
)
def test_messages_of_the_front_door(options: dict[str, Any], message: str) -> None:
    """What was given, what was needed, the way out."""
    with pytest.raises(InputError, match=message):
        ap.probe(**{"model": Decoder(), **options})


def test_a_mask_for_each_layer() -> None:
    """With per_layer a module's rows must stay within the product up to its layer."""
    model = nn.Sequential(Vectors(), Vectors())
    options: dict[str, Any] = {"width": WIDTH, "per_layer": True, "scenarios": ["plain"]}
    assert ap.probe(model, 9, mask=["causal", "causal"], **options).verdict is Verdict.HOLDS
    itself = ["".join("1" if q == k else "." for k in range(9)) for q in range(9)]
    found = ap.probe(model, 9, mask=[itself, "causal"], **options)
    assert found.verdict is Verdict.FAILS
    assert {one.to_json()["module"] for one in found.findings} == {"0"}


@pytest.fixture(scope="module")
def library() -> dict[str, Subject]:
    """Small models of transformers."""
    pytest.importorskip("transformers", reason="these are models of transformers")
    names = ("gpt2", "mistral", "t5", "xlnet", "mamba2")
    return {name: subject_of(make(name), n=9, name=name) for name in names}


LIBRARY = [
    ("gpt2", "plain"),
    ("gpt2", "cached steps"),
    ("gpt2", "packed"),
    ("mistral", "eager"),
    ("mistral", "sdpa"),
    ("mistral", "cached continuation"),
    ("t5", "right padding"),
    ("t5", "cached continuation"),
    ("xlnet", "two stream"),
    ("mamba2", "off chunk"),
    ("mamba2", "left padding"),
    ("mamba2", "batch"),
]


@pytest.mark.parametrize(("name", "scenario"), LIBRARY)
def test_models_of_transformers_hold(library: dict[str, Subject], name: str, scenario: str) -> None:
    """They depend on all that their configuration promises, and on nothing else."""
    found = outcome(library[name], scenario)
    assert found.verdict is Verdict.HOLDS
    assert (found.excess, found.unread) == ((), ())


def test_a_wrong_window_is_found_behind_a_full_layer() -> None:
    """The outputs are causal either way; the first layer reads one key more than it may."""
    transformers = pytest.importorskip("transformers")
    model: Any = make("gemma3")
    assert isinstance(model, transformers.PreTrainedModel)
    subject = subject_of(model, n=9)
    model.config.sliding_window = 4
    found = outcome(subject, "plain")
    assert found.verdict is Verdict.FAILS
    assert {one.module for one in found.excess} == {"model.layers.0.self_attn"}
    assert all(one.reader - one.source == 3 for one in found.excess)


def test_attention_is_one_module(clean: Subject) -> None:
    """The fault list names modules that exist."""
    names = {name for name, _ in Decoder(local=True).named_modules()}
    assert {module for _, _, module, _ in FAULTS} <= names
    assert isinstance(Decoder().attention, Attention)
    assert {"gpt2", "llama", "mistral", "gemma3", "bert", "t5", "xlnet", "mamba", "mamba2",
            "zamba2", "bamba", "falcon_h1"} <= set(MODELS)  # fmt: skip
