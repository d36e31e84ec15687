"""A predicate of forbidden pairs for every length: its further arguments, and what it may be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import attnproof as ap
from attnproof.ask.emitted import emitted
from attnproof.ask.length_constants import constants_read
from attnproof.errors import InputError
from attnproof.symbolic.formula import k, q

torch = pytest.importorskip("torch", reason="rules are traced with the extra torch")
pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")

DIFFUSION = """
import torch

TOKENS, BLOCK = 4, 2
PREFIX = torch.tensor([3, 6])


def make(tokens, block, mended=True):
    def mask(b, h, q, k):
        clean_q, clean_k = q >= tokens, k >= tokens
        block_q = torch.where(clean_q, q - tokens, q) // block
        block_k = torch.where(clean_k, k - tokens, k) // block
        clean = clean_q & clean_k & (block_k <= block_q) if mended else clean_q & clean_k
        noisy = ~clean_q & ~clean_k & (block_q == block_k)
        return noisy | (~clean_q & clean_k & (block_k < block_q)) | clean
    return mask


def own_answer(q, k, tokens, block):
    return (q < tokens) & (k >= tokens) & ((k - tokens) // block >= q // block)


def of_four(b, h, q, k):
    return make(TOKENS, BLOCK)(b, h, q, k)


def branches(q, k):
    return q < TOKENS and k >= TOKENS and (k - TOKENS) // BLOCK >= q // BLOCK


def prefix(b, h, q, k):
    return (k <= q) | (k < PREFIX[b])


def later_than_forty(q, k):
    return (k > q) & (k >= 40)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The masks of this file, where they can be named."""
    path = tmp_path_factory.mktemp("masks") / "diffusion.py"
    path.write_text(DIFFUSION)
    return path


def test_arguments_are_parameters_of_the_mask(file: Path) -> None:
    """Every length and every block, of the mask and of what is forbidden alike."""
    asked: dict[str, Any] = {"all_n": True, "forbid": f"{file}:own_answer"}
    both = ap.verify(f"{file}:make", symbolic=["tokens", "block"], **asked)
    assert (both.verdict, both.grade) == (ap.Verdict.HOLDS, "certified")
    one = ap.verify(f"{file}:make", symbolic=["tokens"], params={"block": 3}, **asked)
    assert one.verdict is ap.Verdict.HOLDS
    with pytest.raises(InputError, match="own_answer also takes tokens, block"):
        ap.verify("causal", **asked)


def test_a_leak_is_replayed_with_the_arguments(file: Path, tmp_path: Path) -> None:
    """What is forbidden at the length that was found depends on the parameters found there, and
    the test that is written fails."""
    given: dict[str, Any] = {"params": {"mended": False}, "forbid": f"{file}:own_answer"}
    report = ap.verify(f"{file}:make", all_n=True, symbolic=["tokens", "block"], **given)
    assert report.verdict is ap.Verdict.FAILS
    (found,) = report.findings
    values: Any = found.details["parameters"]
    tokens, block = values["tokens"], values["block"]
    assert found.reader is not None
    assert found.source is not None
    assert found.reader < tokens <= found.source
    assert (found.source - tokens) // block >= found.reader // block
    space: dict[str, Any] = {"__file__": str(tmp_path / "test_leak.py")}
    text = emitted(report, [f"{file}:make"], given, space["__file__"])
    assert text is not None
    exec(text, space)
    with pytest.raises(AssertionError, match="the mask leaks: forbid fails"):
        space["test_make_forbid"]()


def test_a_predicate_without_a_formula_is_named(file: Path) -> None:
    """The message says that it is the predicate, and that both branches can be followed."""
    asked: dict[str, Any] = {"all_n": True, "forbid": f"{file}:branches"}
    with pytest.raises(InputError) as caught:
        ap.verify(f"{file}:of_four", **asked)
    message = str(caught.value)
    assert message.startswith("the predicate branches has no formula: ")
    assert message.endswith(
        "; write a & b, or follow both branches with split=True, on the command line --split"
    )
    assert ap.verify(f"{file}:of_four", split=True, **asked).verdict is ap.Verdict.HOLDS


def test_constants_of_a_file_are_told(file: Path) -> None:
    """What the mask and the predicate read from their file, each once."""
    report = ap.verify(f"{file}:of_four", all_n=True, forbid=f"{file}:branches", split=True)
    told = [each for each in report.comments if "constant" in each]
    assert told == ["TOKENS = 4 is read as a constant", "BLOCK = 2 is read as a constant"]


def test_constants_that_no_formula_has_are_not_told() -> None:
    """Nor are those of libraries, whose functions may hold one of the user's."""

    def near(space: dict[str, Any]) -> Callable[..., Any]:
        exec("def near(b, h, q, k): return q - k < WIDTH + 0 * OTHER", space)
        rule: Callable[..., Any] = space["near"]
        return rule

    rule = near({"__name__": "masks", "WIDTH": 4, "OTHER": 5, "FLAG": True})
    assert constants_read(rule, q - k < 4) == ("WIDTH = 4 is read as a constant",)
    own = near({"__name__": "torch.masks", "WIDTH": 4, "OTHER": 5})
    assert constants_read(own, q - k < 4) == ()
    assert constants_read(lambda *index: rule(*index), q - k < 4) == constants_read(rule, q - k < 4)


def test_a_leak_of_one_layer_through_a_batch_element(file: Path) -> None:
    """A tensor whose size is no length: z3 finds the values, and they are replayed."""
    report = ap.verify(f"{file}:prefix", all_n=True, forbid=f"{file}:later_than_forty")
    assert report.verdict is ap.Verdict.FAILS
    (found,) = report.findings
    assert (found.details["n"], found.source, found.depth) == (41, 40, 1)


def test_a_long_formula_is_shortened_for_people() -> None:
    """The middle is left out; the formula itself is whole."""

    def many(b: Any, h: Any, q: Any, k: Any) -> Any:
        found = k <= q
        for step in range(2, 80):
            found = found & (q - k != step)
        return found

    report = ap.verify(many, all_n=True, causal=True)
    assert isinstance(report, ap.LengthReport)
    assert max(map(len, report.comments)) < 500
    assert "characters are left out" in report.comments[0]
    assert len(repr(report.problem.layers[0])) > 1000
