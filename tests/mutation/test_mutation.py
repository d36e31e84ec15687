"""No edited certificate is accepted unless what it then claims is so."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import EMITTERS, state
from attnproof.symbolic.evidence import (
    EveryLength,
    Evidence,
    Infeasible,
    Interpolates,
    InterpolatesSoftmax,
)
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.compare import Comparison
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import Causal, Documents, Forbidden, NextToken, Property
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import EmptyRow, Setting
from tests.laws.strategies import rows
from tests.mutation.cases import CASES
from tests.mutation.claims import CLAIMS, is_true
from tests.mutation.mutants import mutants

WITHOUT_RELATION = Interpolates | InterpolatesSoftmax | Infeasible | EveryLength


def survey(statement: object) -> Counter[str]:
    """How many mutants are rejected and accepted; fails when a false one is accepted."""
    seen: Counter[str] = Counter()
    for mutant in mutants(statement):
        accepted = check_statement(mutant).valid
        seen["accepted" if accepted else "rejected"] += 1
        assert not accepted or is_true(mutant), json.dumps(mutant)
    return seen


@pytest.mark.parametrize("name", CASES)
def test_no_edit_makes_a_false_claim_pass(name: str, form: str) -> None:
    """Every edit of every field is rejected, or leaves a claim that is true."""
    if form == "runs" and isinstance(CASES[name], WITHOUT_RELATION):
        pytest.skip("it holds no relation as rows")
    statement = json.loads(state(CASES[name]).canonical_json())
    assert check_statement(statement).reason == ""
    assert is_true(statement)
    seen = survey(statement)
    assert seen["rejected"] > 100
    assert seen["rejected"] > 2 * seen["accepted"]


@st.composite
def settings_of(draw: st.DrawFn, n: int) -> Setting:
    """One to three layers on ``n`` positions, some with cached keys, under every convention."""
    masks = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        offset = draw(st.sampled_from([0, 0, 0, n // 2]))
        masks.append(Mask.of(Bits(draw(rows(n))[offset:], n), offset=offset))
    return Setting(
        tuple(masks),
        draw(st.one_of(st.none(), st.integers(0, 5))),
        draw(st.sampled_from([True, True, False])),
        draw(st.sampled_from(EmptyRow)),
    )


@st.composite
def properties(draw: st.DrawFn, n: int) -> Property:
    """A property on ``n`` positions."""
    kind = draw(st.sampled_from(["causal", "next-token", "documents", "forbid", "forbid"]))
    if kind == "documents":
        return Documents(tuple(draw(st.integers(-1, 1)) for _ in range(n)))
    if kind == "forbid":
        position = st.integers(0, n - 1)
        pairs = draw(st.lists(st.tuples(position, position), min_size=1, max_size=3))
        return Forbidden.from_pairs(pairs, n)
    return Causal(n) if kind == "causal" else NextToken(n)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    """What the package finds about a random setting; None where it does not know."""
    n = draw(st.integers(1, 5))
    flow = Flow(draw(settings_of(n)))
    kind = draw(st.sampled_from(["flow", "property", "property", "structure", "compare"]))
    if kind == "flow":
        return flow.facts()
    if kind == "compare":
        alike = Setting((draw(settings_of(n)).layers[0],), None, flow.setting.residual)
        one = Flow(Setting((flow.setting.layers[0],), None, flow.setting.residual))
        return draw(st.sampled_from(Comparison(one, Flow(alike)).evidence()))
    if kind == "structure":
        names = ["reflexive", "transitive", "antisymmetric", "depth=0", "depth=2"]
        found = judge_structure(flow, draw(st.sampled_from(names))).evidence
    else:
        found = judge(flow, draw(properties(n))).evidence
    return found or flow.facts()


@given(evidences())
@settings(max_examples=150)
def test_what_the_package_finds_is_accepted(evidence: Evidence) -> None:
    """Every verdict of a random mask has a certificate that the checker accepts, and is so."""
    statement = json.loads(state(evidence).canonical_json())
    assert check_statement(statement).reason == ""
    assert is_true(statement)


@given(evidences())
@settings(max_examples=15)
def test_no_edit_of_a_random_certificate_makes_a_false_claim_pass(evidence: Evidence) -> None:
    """The same for masks nobody chose."""
    assert survey(json.loads(state(evidence).canonical_json()))["rejected"] > 100


def test_the_cases_hold_every_kind_of_evidence() -> None:
    """Each predicate type is mutated, and judged by the reference."""
    kinds = Counter(type(evidence) for evidence in CASES.values())
    assert set(kinds) == set(EMITTERS)
    assert {state(evidence).predicateType for evidence in CASES.values()} == set(CLAIMS)
