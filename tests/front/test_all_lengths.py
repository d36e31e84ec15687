"""Every length through the front door: laws against single lengths, and what reports refuse."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import And, Eq, Or
from sympy import symbols as plain

import attnproof as ap
from attnproof.ask.emitted import emitted
from attnproof.ask.length_sources import symbols
from attnproof.errors import InputError, ParameterError
from attnproof.numeric.trace.holding import holding
from attnproof.parameters import parse_assumptions
from attnproof.proofs.certify import certify
from attnproof.testing import holding as held

torch = pytest.importorskip("torch", reason="rules are traced with the extra torch")
pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")

Rule = Callable[[Any, Any, Any, Any], Any]
LENGTHS = range(1, 9)


def rule(ahead: int, keys: int, sinks: int, documents: bool) -> tuple[Rule, Any]:
    """A mask with some keys ahead, a window, tokens that all read, perhaps within documents."""
    ids = torch.tensor([0, 0, 1, 1, 1, 2, 2, 2])

    def mask(b: Any, h: Any, q: Any, k: Any) -> Any:
        near = (k <= q + ahead) & (q - k < keys)
        near = near & (ids[q] == ids[k]) if documents else near
        return near | (k < sinks)

    return mask, ids


@given(st.integers(0, 1), st.integers(1, 3), st.integers(0, 2), st.booleans())
@settings(max_examples=12)
def test_a_verdict_is_that_of_every_length(
    ahead: int, keys: int, sinks: int, documents: bool
) -> None:
    """What holds for every length holds at each; what fails does so at the length, with the path
    and depth, that the mask has there with the tensors that were found."""
    mask, ids = rule(ahead, keys, sinks, documents)
    report = ap.verify(mask, all_n=True, causal=True, properties=["transitive"])
    for name in report.properties:
        intended: dict[str, Any] = (
            {"causal": True} if name == "causal" else {"properties": ["transitive"]}
        )
        if report.verdicts[name] is ap.Verdict.HOLDS:
            for n in LENGTHS:
                one = ap.verify(mask, n=n, **intended)
                assert one.verdict is ap.Verdict.HOLDS
            continue
        assert report.verdicts[name] is ap.Verdict.FAILS
        (found,) = (x for x in report.findings if x.property == name)
        length: Any = found.details["n"]
        with holding(mask, found.details["tensors"]):  # type: ignore[arg-type]
            first = ap.verify(mask, n=length, **intended).findings[0]
        assert (found.reader, found.source, found.depth, found.path) == (
            *(first.reader, first.source, first.depth, first.path),
        )
    assert ids.tolist() == [0, 0, 1, 1, 1, 2, 2, 2]


@given(st.integers(1, 3), st.integers(0, 2), st.booleans())
@settings(max_examples=6)
def test_a_closure_is_that_of_every_length(keys: int, sinks: int, documents: bool) -> None:
    """At each length the formula contains what is reached, and where exact is equal to it; its
    mask_mod has the same pairs."""
    mask, _ = rule(0, keys, sinks, documents)
    reach = ap.closure(mask)
    assert reach.sound
    for n in LENGTHS:
        made = reach.at(n=n).mask_mod if "n" in reach.free else reach.mask_mod
        flow = ap.verify(mask, n=n).flow
        reached = np.array([[flow.reaches(k, q) for k in range(n)] for q in range(n)])
        at = torch.arange(n)
        said = np.array([[bool(made(0, 0, at[q], at[k])) for k in range(n)] for q in range(n)])
        assert (said >= reached).all()
        assert not reach.exact or (said == reached).all()


def test_a_closure_asks_for_the_parameters_it_lacks() -> None:
    """A parameter without a value is named with the way to give it; a wrong name is refused."""
    reach = ap.closure("window", symbolic=["keys"])
    assert reach.free == ("keys",)
    with pytest.raises(ParameterError, match=r"keys of .* has no value; give it, .*\.at\(keys="):
        _ = reach.mask_mod
    with pytest.raises(ParameterError, match="the formula has no 'width'; it has "):
        reach.at(width=3)
    with pytest.raises(ParameterError, match="the formula has no 'q'; it has keys"):
        reach.at(q=3)
    with pytest.raises(ParameterError, match="the formula is for keys >= 1"):
        reach.at(keys=0)
    assert reach.latex.startswith("q = k")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "bigbird",
            r"for one length; give a length, attnproof.verify\('bigbird', n=...\) or attnpr",
        ),
        ("two_stream", r"content in its formula.* or attnproof verify two_stream --n N"),
        ("nosuch", "'nosuch' names no mask; give a mask_mod"),
        ("windw", r"'windw' names no mask; did you mean window or .*\? Give a mask_mod"),
        ("mask.npy", "mask.npy is of one length; for every length give a mask_mod"),
    ],
)
def test_a_closure_says_what_it_cannot_read(source: str, told: str) -> None:
    """A mask of one length, a name of none: what was given, and the way out."""
    with pytest.raises(InputError, match=told):
        ap.closure(source)


def test_a_closure_with_values_is_simpler() -> None:
    """Values are put in and named: what is left over is gone, in words, as code and in SymPy."""
    reach = ap.closure("window", symbolic=["keys"])
    four = reach.at(keys=4)
    assert repr(four) == (
        "Closure of window with keys = 4: key k reaches query q exactly where k <= q"
    )
    assert four.latex == r"k \le q"
    assert (four.to_json()["relation"], four.free) == ("k <= q", ())
    assert four.mask_mod_source().endswith("    return k <= q\n")
    assert repr(four.at(keys=1).formula) == "q == k"
    assert four.grade == reach.grade
    q, k, keys = plain("q k keys")
    assert reach.sympy == Or(Eq(q, k), And(k <= q, keys > 1))
    assert four.sympy == (k <= q)


def test_a_captured_tensor_that_nobody_may_change_is_restored() -> None:
    """Within the block a rule sees other values, of another length, and afterwards its own."""
    ids = torch.tensor([0, 0, 1])

    def mask(b: Any, h: Any, q: Any, k: Any) -> Any:
        return ids[q] == ids[k]

    with held(mask, {"ids": [4, 5]}) as same:
        assert same is mask
        assert ids.tolist() == [4, 5]
    assert ids.tolist() == [0, 0, 1]
    refused = pytest.raises(ParameterError, match="the rule holds no tensor 'doc'; it holds ids")
    with refused, holding(mask, {"doc": [1]}):
        raise AssertionError("a tensor that is not there was changed")


def test_a_counterexample_that_does_not_replay_counts_for_nothing() -> None:
    """A tree's labels are made of its parents: labels that no tree has are no leak."""
    report = ap.verify("tree", all_n=True, causal=True)
    assert report.verdict is ap.Verdict.UNKNOWN
    assert any("counts for nothing" in each for each in report.to_json()["tried"]["causal"])  # type: ignore[index]


def test_indices_in_range_are_part_of_what_holds() -> None:
    """A table that documents index must be long enough; that is unknown until it is assumed."""
    document_id, offsets = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 2])

    def mask(b: Any, h: Any, q: Any, k: Any) -> Any:
        own = document_id[q] == document_id[k]
        return own & (q - offsets[document_id[q]] >= k - offsets[document_id[k]])

    report = ap.verify(mask, all_n=True, causal=True)
    assert report.verdict is ap.Verdict.UNKNOWN
    assert 'tried: without --assume "document_id=bounded(0, offsets_size)"' in str(report)
    assumed = {"document_id": "bounded(0, offsets_size)"}
    proved = ap.verify(mask, all_n=True, causal=True, assume=assumed)
    assert proved.verdict is ap.Verdict.HOLDS
    assert "document_id bounded(0, offsets_size)" in str(proved)


def test_a_batch_element_is_part_of_a_counterexample() -> None:
    """Document ids of a batch have two axes; the element that leaks is told."""
    ids = torch.tensor([[0, 0, 1], [0, 1, 1]])

    def mask(b: Any, h: Any, q: Any, k: Any) -> Any:
        return ((ids[b, q] == ids[b, k]) & (k <= q)) | (k == 0)

    report = ap.verify(mask, all_n=True, documents="@ids")
    details = report.findings[0].details
    assert report.verdict is ap.Verdict.FAILS
    assert details["n"] == 2
    assert details["parameters"] == {"b": 0}


def test_a_report_of_every_length_has_no_length() -> None:
    """What belongs to one length says where it is found."""
    report = ap.verify("causal", all_n=True, causal=True)
    assert isinstance(report, ap.LengthReport)
    with pytest.raises(AttributeError, match="a finding names its own"):
        _ = report.n
    with pytest.raises(AttributeError, match=r"attnproof\.closure gives it"):
        _ = report.flow
    with pytest.raises(InputError, match="there is no length to show; leave out --draw"):
        report.draw("mask.svg")
    assert "causal: holds" in repr(report)
    assert "<pre>" in report._repr_html_()
    assert ap.assert_no_leak("causal", all_n=True, causal=True).verdict is ap.Verdict.HOLDS
    with pytest.raises(AssertionError, match=r"causal fails \(full, every length\)"):
        ap.assert_no_leak("full", all_n=True, causal=True)


def test_a_proof_out_of_reach_of_the_checker_is_an_agreement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where the checker has no proof the solvers are named, in the report and in a certificate,
    which asks them again; a narrower scope is told."""
    from attnproof.ask import length_report

    def recorded(problem: Any, answer: Any, **given: Any) -> Any:
        found = certify(problem, answer, **given)
        assert found is not None
        return replace(found, proofs=None, solvers=answer.solvers, below=1 << 31)

    monkeypatch.setattr(length_report, "certify", recorded)
    report = ap.verify(lambda b, h, q, k: (q & k) == k, all_n=True, causal=True)
    assert report.verdict is ap.Verdict.HOLDS
    assert report.grade == "solvers-agree"
    assert "solvers agree: z3 and cvc5" in str(report)
    comments: Any = report.to_json()["comments"]
    assert comments[-1].startswith("causal is proved for every n with positions")
    (result,) = report.certificate.check()
    assert (result.valid, result.undecided) == (False, True)
    written = report.written(str(tmp_path / "bits.json"))
    assert written.to_json()["certificate"] == str(tmp_path / "bits.json")
    assert ap.check(tmp_path / "bits.json").valid


def test_symbols_and_assumptions_are_read_strictly() -> None:
    """A symbol is a name, or a name that is the length; an assumption names tensor and fact."""
    assert list(symbols(["w", "length=n", "q"])) == ["w", "length", "q"]
    with pytest.raises(ParameterError, match="'2' is no symbolic parameter"):
        symbols(["2"])
    with pytest.raises(ParameterError, match="w is symbolic twice"):
        symbols(["w", "w"])
    with pytest.raises(ParameterError, match="'w=q' makes a parameter an index of the rule"):
        symbols(["w=q"])
    with pytest.raises(ParameterError, match="write NAME=FACT"):
        parse_assumptions(["ids="])
    with pytest.raises(ParameterError, match="3 assumes nothing; write NAME=FACT"):
        parse_assumptions([3])  # type: ignore[list-item]


def test_assumptions_are_texts_or_a_table() -> None:
    """As on the command line, in a list or alone, or facts by name."""
    ids = torch.tensor([0, 0, 1])

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return ids[q] >= ids[k]

    for assume in ("ids=increasing", ["ids=increasing"], {"ids": "increasing"}):
        with pytest.raises(InputError, match="ids is assumed increasing, but"):
            ap.verify(rule, all_n=True, causal=True, assume=assume)
        with pytest.raises(InputError, match="ids is assumed increasing, but"):
            ap.closure(rule, assume=assume)


def test_two_parameters_never_share_a_name() -> None:
    """A parameter with the name of an index is renamed to what no other parameter has."""

    def shifted(k: int, k_: int) -> Rule:
        return lambda b, h, x, y: y <= x + k - k_

    for names in (["k", "k_"], ["k_", "k"]):
        report = ap.verify(shifted, all_n=True, symbolic=names, causal=True)
        assert report.verdict is ap.Verdict.FAILS


def test_a_parameter_of_more_than_64_bits() -> None:
    """Both solvers take integers of any size."""
    report = ap.verify("window", all_n=True, params={"keys": 2**70}, causal=True)
    assert report.verdict is ap.Verdict.HOLDS


NUMBERS: dict[str, tuple[dict[str, Any], str]] = {
    "layers": ({"layers": -1}, "-1 layers were asked for; give 0 or more"),
    "heads": ({"heads": 0}, "the number of heads is 0; it must be 1 or more"),
    "depth": ({"properties": ["depth=64"]}, "depth=64 is of more .*; give a depth of at most 63"),
    "pairs": ({"forbid": [(-1, 2)]}, r"hold \[-1, 2\], and positions are 0 or more"),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_out_of_range_are_refused(what: str) -> None:
    """What no mask could fail, and what no certificate speaks of, is exit 2 and no verdict."""
    options, told = NUMBERS[what]
    with pytest.raises(InputError, match=told):
        ap.verify("causal", all_n=True, causal=True, **options)


def test_a_test_names_files_with_quotes_and_braces(tmp_path: Path) -> None:
    """Whatever a file is called, the emitted test is Python that reads it and fails."""
    odd = tmp_path / """a"b'{c}""\"\\.py"""
    odd.write_text("def ahead(b, h, q, k):\n    return k <= q + 1\n")
    source = f"{odd}:ahead"
    report = ap.verify(source, n=3, causal=True)
    text = emitted(report, [source], {"n": 3, "causal": True}, str(tmp_path / "test_it.py"))
    assert text is not None
    space: dict[str, Any] = {"__file__": str(tmp_path / "test_it.py")}
    exec(text, space)
    with pytest.raises(AssertionError, match="the mask leaks: causal fails"):
        space["test_ahead_causal"]()


ORIGINS: dict[str, object] = {
    "symbolic": [3],
    "params": [1],
    "assume": {"ids": [5]},
    "heads": "2",
    "split": 1,
}


@pytest.mark.parametrize("key", ORIGINS)
def test_an_origin_of_another_kind_is_refused(key: str, tmp_path: Path) -> None:
    """A certificate that was changed by hand is told so, by the key that is wrong."""
    report = ap.verify("causal", all_n=True, causal=True)
    file = tmp_path / "causal.json"
    report.certificate.save(file)
    statement = json.loads(file.read_text())
    (one,) = statement if isinstance(statement, list) else [statement]
    one["predicate"]["origin"]["read"][key] = ORIGINS[key]
    file.write_text(json.dumps(statement))
    with pytest.raises(ParameterError, match=rf"origin.read says {key} = .*; write it again"):
        ap.check(file, mask="causal")


def test_a_factory_whose_parameter_is_the_length() -> None:
    """``length=n`` makes a parameter the number of tokens, in the proof and in the replay."""

    def reversed_causal(length: int) -> Rule:
        return lambda b, h, q, k: (length - 1 - k) >= (length - 1 - q)

    def prefix_to_the_end(length: int) -> Rule:
        return lambda b, h, q, k: (k <= q) | (k == length - 1)

    one = ap.verify(reversed_causal, all_n=True, symbolic=["length=n"], causal=True)
    assert one.verdict is ap.Verdict.HOLDS
    other = ap.verify(prefix_to_the_end, all_n=True, symbolic=["length=n"], causal=True)
    assert (other.findings[0].details["n"], other.findings[0].path) == (2, (1, 0))


def test_standard_input_is_no_source_of_a_test() -> None:
    """A test reads its mask again; what came from standard input is gone."""
    report = ap.verify(["11", "11"], causal=True)
    with pytest.raises(InputError, match="standard input cannot be read again"):
        emitted(report, ["-"], {"causal": True}, "test_it.py")
