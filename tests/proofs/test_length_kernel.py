"""The kernel for every length: what it refuses, in which words, and what it leaves to solvers."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import attnproof.proofs.checker
from attnproof.ask.check import check
from attnproof.certificate import Certificate
from attnproof.proofs.agreement import agreed
from attnproof.proofs.certify import certify
from attnproof.proofs.checker import check_statement
from attnproof.proofs.lengths import digest_of
from attnproof.symbolic.evidence import EveryLength
from attnproof.symbolic.formula import Term, k, q
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import (
    Property,
    causal,
)
from tests.mutation.length_cases import CASES, NEAR, SOLVERS, holds, statement_of
from tests.mutation.length_claims import digest_of as digest_written_apart

FOLDER = Path(attnproof.proofs.checker.__file__).parent
past = k <= q


def edited(statement: Any, **fields: Any) -> Any:
    """The statement with other fields in its predicate, about the mask that it then holds."""
    predicate = {**statement["predicate"], **fields}
    digest = digest_written_apart(predicate)
    return {
        **statement,
        "subject": [{"name": "mask", "digest": {"sha256": digest}}],
        "predicate": predicate,
    }


NOTHING = {"n": 3, "parameters": {}, "tensors": {}}
KEYS = [[">=", "keys", 1]]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"layers": []}, "there is no layer, or too many"),
    ({"layers": ["q"]}, "a layer is no truth value"),
    ({"layers": [["<=", "k", "between"]]}, "a layer has a name that it may not have"),
    ({"layers": [["<=", ["at", "ids", "k"], "q"]]}, "a layer reads a tensor that is not declared"),
    ({"layers": [["and", ["<=", "k", "q"]]]}, "a layer has an operator on other terms"),
    ({"layers": [["near", "k", "q"]]}, "a layer has an operator that is none"),
    ({"layers": [["==", ["//", "q", "keys"], 0]]}, "there is not one proof for each obligation"),
    ({"size": "q"}, "size has a name that it may not have"),
    ({"size": ["-", "n", 1]}, "the instance is too short"),
    ({"depth": 65}, "depth is out of range"),
    ({"residual": 1}, "residual is neither true nor false"),
    ({"requires": [["<", "q", 9]]}, "requires has a name that it may not have"),
    ({"requires": [*KEYS, ["<=", "keys", 0]]}, "the instance is not admitted"),
    ({"instance": {**NOTHING, "n": 2}}, "the instance is too short"),
    ({"instance": NOTHING}, "keys has no value"),
    ({"instance": {**NOTHING, "parameters": {"q": 0}}}, "name a position"),
    ({"claim": {"name": "acausal"}}, "the claim is none for every length"),
    ({"claim": {"name": "causal", "pairs": True}}, "the claim has a key too many or too few"),
    ({"claim": {"name": "documents", "tensor": "ids"}}, "reads a tensor that is not declared"),
    ({"claim": {"name": "transitive"}}, "there is not one proof for each obligation"),
    ({"claim": {"name": "depth", "layers": 0}}, "there are no layers"),
    ({"invariant": None}, "any number of layers needs an invariant"),
    ({"invariant": ["<=", "k", "between"]}, "the invariant has a name that it may not have"),
    ({"invariant": ["<", "k", "q"]}, "init: "),
    ({"claim": {"name": "forbid", "pairs": ["<=", "k", "q"]}}, "safe: "),
    ({"layers": [["<=", "k", ["+", "q", 1]]]}, "init: "),
    ({"proofs": []}, "there is not one proof for each obligation"),
    ({"proofs": None}, "there are not two solvers"),
    ({"proofs": None, "solvers": ["z3", "z3"]}, "there are not two solvers"),
    ({"solvers": ["z3"]}, "solvers are named beside a proof"),
    ({"below": 8}, "solvers are named beside a proof"),
    ({"origin": None}, "origin is not an object"),
]


@pytest.mark.parametrize(("fields", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_the_kernel_says_why_it_refuses(fields: dict[str, Any], reason: str) -> None:
    """What is wrong with a claim is said in words."""
    result = check_statement(edited(statement_of(CASES["every window"]), **fields))
    assert not result.valid
    assert reason in result.reason


LAW = statement_of(CASES["every permutation"])["predicate"]
LAWS: list[tuple[dict[str, Any], str]] = [
    ({"schema": "increasing"}, "the law is not that of increasing"),
    ({"tensor": "ids"}, "an assumption is of no tensor"),
    ({"schema": "law", "law": ["<=", "i0", "q"]}, "a law has a name that it may not have"),
    ({"schema": "law", "law": ["<=", "i0", "i7"]}, "a law has an index that it does not count"),
    ({"schema": "law", "law": False}, "the instance breaks a law"),
    ({"schema": "law", "law": [">", ["at", "rank", "i0"], 99]}, "the instance breaks a law"),
    ({"indices": 9}, "indices is out of range"),
]


@pytest.mark.parametrize(("fields", "reason"), LAWS, ids=range(len(LAWS)))
def test_an_assumption_is_what_its_name_says(fields: dict[str, Any], reason: str) -> None:
    """Laws are expanded by the checker, and satisfied by the instance."""
    assumption = {**LAW["assumptions"][0], **fields}
    result = check_statement(
        edited(statement_of(CASES["every permutation"]), assumptions=[assumption])
    )
    assert not result.valid
    assert reason in result.reason


def test_a_true_statement_about_another_mask_is_refused() -> None:
    """The digest is that of the mask in the statement."""
    statement = statement_of(CASES["every window"])
    statement["subject"][0]["digest"]["sha256"] = digest_of(Problem.of(past))
    assert check_statement(statement).reason == "the digest is of another mask"


def recorded(problem: Problem, property: Property, invariant: Term | None) -> EveryLength:
    """A claim that rests on solvers."""
    instance = {"n": 3, **dict.fromkeys(problem.parameters, 1)}
    return EveryLength(problem, property, instance, invariant=invariant, solvers=SOLVERS)


AGREED = replace(recorded(Problem.of(k <= q), causal, past), below=1 << 31)


def test_an_agreement_of_solvers_is_not_proved_by_the_checker_alone(tmp_path: Path) -> None:
    """It is in order and undecided: exit 3 where the folder runs alone, 1 beside a false claim."""
    result = check_statement(statement_of(AGREED))
    assert (result.valid, result.undecided, result.grade) == (False, True, "solvers-agree")
    assert Certificate.of([AGREED]).grade is None
    spoiled = edited(statement_of(AGREED), invariant=None)
    file = tmp_path / "cert.json"
    for statements, code, word in (
        ([statement_of(AGREED)], 3, "unknown"),
        ([statement_of(AGREED), statement_of(CASES["every window"])], 3, "unknown"),
        ([statement_of(AGREED), spoiled], 1, "INVALID"),
    ):
        file.write_text(json.dumps(statements))
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(FOLDER), str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, "")
        assert word in done.stdout


def test_an_agreement_of_solvers_is_asked_again(tmp_path: Path) -> None:
    """Where both solvers find it now it is valid, and its grade says so."""
    pytest.importorskip("cvc5")
    file = tmp_path / "cert.json"
    Certificate.of([AGREED]).save(file)
    found = check(file)
    assert found.valid
    assert [result.grade for result in found.results] == ["solvers-agree"]
    false = recorded(Problem.of(k <= q + 1), causal, k <= q + 1)
    Certificate.of([false]).save(file)
    assert not check(file).valid
    assert check(file).undecided
    assert "do not find it again" in check(file).reasons[0]


@pytest.mark.parametrize(("below", "found"), [(1 << 31, True), (None, False), (1 << 32, False)])
def test_bit_vectors_prove_nothing_beyond_their_limit(below: int | None, found: bool) -> None:
    """A mask that is causal as long as no position has the bit 31 is not causal at every length."""
    pytest.importorskip("cvc5")
    problem = Problem.of(past | ((q & (1 << 31)) > 0))
    claimed = replace(recorded(problem, causal, past), below=below)
    assert agreed(statement_of(claimed)["predicate"]) == found


@pytest.mark.parametrize("name", CASES)
def test_solvers_find_what_is_certified(name: str) -> None:
    """The obligations of the checker are theorems for z3 and cvc5 as well."""
    pytest.importorskip("cvc5")
    assert agreed(statement_of(CASES[name])["predicate"])


def test_a_certificate_speaks_of_the_mask_that_is_named(tmp_path: Path) -> None:
    """A named mask is read for every length, with the parameters that the certificate names."""
    file = tmp_path / "cert.json"
    found = certify(NEAR, holds(causal, past))
    assert found is not None
    problem = Problem.of(k <= q)
    other = certify(problem, holds(causal, past))
    assert other is not None
    Certificate.of([other]).save(file)
    assert check(file, mask="causal").valid
    assert check(file, mask="full").reasons == (
        "attnproof/lengths/v1 speaks of another mask than full",
    )
