"""The kernels about nets: what each refuses and how it says so, and what it encloses."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.proofs.checker import check_statement, check_text
from attnproof.proofs.checker.enclosures import Enclosure, enclose
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.emit import emit, state
from attnproof.symbolic.evidence import Evidence, Infeasible, Interpolates, InterpolatesSoftmax
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, Pair, read
from attnproof.symbolic.interpolation.hard import HARD
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron
from attnproof.symbolic.interpolation.temperature import temperature
from tests.mutation.net_claims import digests_of
from tests.proofs.forms import held_as

ONE = Fraction(1)
DATA = read(HARD["targets of inputs"])
PLAIN = build(DATA).net
LEADER = build(DATA, Mode.LEADER, robust=True).net
BENT = replace(PLAIN, blocks=PLAIN.blocks[:-1])
#: Both tokens tie in one block, and not in the next.
TIES = Net(1, (Block(ONE, heads=(Head(Matrix(ONE), Matrix(ONE)),)),))
LINE = Data((Pair(((Fraction(-1),), (ONE,)), ((Fraction(0),),)),))
LONGER = Data((Pair(((ONE,),), ((ONE,), (2 * ONE,))), Pair(((ONE,),), ((ONE,),))))
TWICE = Data((Pair(((ONE,), (ONE,)), ((ONE,),)), Pair(((ONE,), (ONE,)), ((2 * ONE,),))))
#: One begins like the other, and their outputs have no token in common.
BEGUN = Data(
    (
        Pair(((ONE,), (2 * ONE,)), ((ONE,), (2 * ONE,))),
        Pair(((ONE,), (3 * ONE,)), ((3 * ONE,),)),
    )
)

REFUSED: list[tuple[Evidence, str]] = [
    (Interpolates(BENT, DATA), "an output is another one"),
    (Interpolates(PLAIN, read([([(1,)], [(1,)])])), "a token does not have 2 coordinates"),
    (InterpolatesSoftmax(LEADER, DATA, None, True, 64), "the scores depend on the temperature"),
    (InterpolatesSoftmax(PLAIN, DATA, None, False, 64), "infinity is no temperature"),
    (InterpolatesSoftmax(PLAIN, DATA, Fraction(0), True, 64), "tau is not positive"),
    (InterpolatesSoftmax(LEADER, DATA, Fraction(512), True, 64), "an output is not exact"),
    (InterpolatesSoftmax(BENT, DATA, ONE, True, 64), "an output is another one"),
    (InterpolatesSoftmax(PLAIN, DATA, ONE, True, 1 << 20), "precision is out of range"),
    (InterpolatesSoftmax(TIES, LINE, ONE, False, 64), "an output is not exact"),
    (Infeasible(DATA, "longer-output", (0,)), "the output is not longer"),
    (Infeasible(DATA, "longer-output", (0, 1)), "at does not name one pair"),
    (Infeasible(DATA, "longer-output", (7,)), "at is out of range"),
    (Infeasible(DATA, "conflicting-targets", (0, 1)), "the inputs are different sets"),
    (Infeasible(LONGER, "conflicting-targets", (1,)), "at does not name two pairs"),
    (Infeasible(LONGER, "conflicting-targets", (1, 1)), "the outputs are one set"),
    (Infeasible(TWICE, "conflicting-targets", (0, 1)), "an input holds a token twice"),
    (Infeasible(BEGUN, "prefix", (0,), 0, (0, 1)), "the prefix is empty"),
    (Infeasible(BEGUN, "prefix", (0,), 3, (0, 1)), "length is out of range"),
    (Infeasible(BEGUN, "prefix", (0,), 2, (0, 1)), "an input begins otherwise"),
    (Infeasible(BEGUN, "prefix", (0, 1), 1, (0, 1)), "at does not name one pair"),
    (Infeasible(BEGUN, "prefix", (0,), 1, (0, 2)), "sharing is out of range"),
    (Infeasible(BEGUN, "prefix", (0,), 1, (0,)), "the prefix leaves room for the output"),
    (Infeasible(BEGUN, "prefix", (0,), 2, (0,)), "the prefix leaves room for the output"),
]


@pytest.mark.parametrize(("evidence", "reason"), REFUSED, ids=lambda case: str(case)[:40])
def test_refused(evidence: Evidence, reason: str) -> None:
    """Evidence that does not show its claim is refused, and the reason is named."""
    result = check_statement(emit(evidence))
    assert not result.valid
    assert reason in result.reason


ODD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "not in lowest terms": (lambda p: p["net"]["blocks"][0].update(eta="2/2"), "lowest terms"),
    "a sign of 0": (lambda p: p["net"]["blocks"][0].update(eta="-0"), "lowest terms"),
    "an integer": (lambda p: p["net"]["blocks"][0].update(eta=1), "eta is not a string"),
    "a quotient by 0": (lambda p: p["net"]["blocks"][0].update(eta="1/0"), "not a rational"),
    "many digits": (lambda p: p["net"]["blocks"][0].update(eta="1" * 5000), "not a rational"),
    "an exponent": (lambda p: p["net"]["blocks"][0].update(eta="1e9"), "not a rational"),
    "a short vector": (lambda p: p["net"]["blocks"][0]["neurons"][0]["read"].pop(), "2 coord"),
    "half a matrix": (
        lambda p: p["net"]["blocks"][0]["heads"][0]["value"].update(left=[]),
        "left does not have 2 coordinates",
    ),
    "another format": (lambda p: p["net"].update(format="x"), "the format of the net is not"),
    "no pairs": (lambda p: p["pairs"].clear(), "there is no pair"),
    "an empty input": (lambda p: p["pairs"][0]["input"].clear(), "an input is empty"),
}


def test_a_prefix_that_cannot_go_on_is_accepted() -> None:
    """No token in common, or fewer to come than are missing."""
    assert check_statement(emit(Infeasible(BEGUN, "prefix", (0,), 1, (1,)))).valid
    half = Data((BEGUN.pairs[0], Pair((*BEGUN.pairs[0].input, (4 * ONE,)), ((ONE,), (5 * ONE,)))))
    assert check_statement(emit(Infeasible(half, "prefix", (0,), 2, (1,)))).valid


@pytest.mark.parametrize("name", ODD)
def test_odd_forms(name: str) -> None:
    """Nothing is read in two ways."""
    edit, reason = ODD[name]
    statement: Any = emit(Interpolates(LEADER, DATA))
    edit(statement["predicate"])
    found = digests_of(statement["predicate"])
    subject = [{"name": "x", "digest": {"sha256": digest}} for digest in found]
    result = check_statement(statement | {"subject": subject})
    assert not result.valid
    assert reason in result.reason


@pytest.mark.parametrize("part", [0, 1])
def test_the_subjects_are_the_net_and_the_pairs(part: int) -> None:
    """A digest that is not that of the net, or of the pairs, is refused."""
    statement: Any = emit(Interpolates(LEADER, DATA))
    statement["subject"][part]["digest"]["sha256"] = "0" * 64
    named = ("the net", "the pairs")[part]
    assert check_statement(statement).reason == f"the digest of the subject is not that of {named}"


@pytest.mark.parametrize("part", ["net", "pairs"])
def test_rows_have_no_place_in_a_net(part: str) -> None:
    """Lists that are kept as runs when a text is read are refused like any other key."""
    statement: Any = emit(Interpolates(LEADER, DATA))
    held = statement["predicate"][part]
    (held[0] if part == "pairs" else held["blocks"][0])["rows"] = [[]]
    with held_as("runs"):
        (result,) = check_text(json.dumps(statement))
    assert "has a key too many or too few: " in result.reason


@pytest.mark.parametrize("name", ["chain of subsets", "equal power sums", "tiny gaps"])
def test_what_is_built_is_accepted(name: str) -> None:
    """Hardmax; softmax up to the greatest temperature that balls certify, and one net for one."""
    data = read(HARD[name])
    claims: list[Evidence] = [Interpolates(build(data, Mode.PHASED).net, data)]
    for mode in (Mode.UNIFORM, Mode.LEADER, Mode.PHASED):
        made = build(data, mode, robust=True)
        star = temperature(made).star
        claims.append(InterpolatesSoftmax(made.net, data, star, True, 512 + 2 * made.net.bits))
    soft = build(data, Mode.SOFTMAX1, tau=Fraction(1, 7))
    claims.append(InterpolatesSoftmax(soft.net, data, soft.tau, False, 512))
    for claim in claims:
        (result,) = check_text(state(claim).canonical_json())
        assert result.reason == ""


def test_ties_are_exact_at_every_temperature() -> None:
    """Equal scores have equal weights: the mean of both tokens, a rational."""
    head = Head(Matrix(ONE), Matrix(Fraction(0), (ONE,), (Fraction(0),)))
    net = Net(1, (Block(ONE, (Neuron((ONE,), ONE, (Fraction(0),)),), Fraction(0), (head,)),))
    statement = json.loads(state(InterpolatesSoftmax(net, LINE, ONE, True, 64)).canonical_json())
    assert check_statement(statement).valid


@given(st.integers(-(40 << 12), 8 << 12), st.sampled_from([8, 12, 64]))
def test_the_exponential_is_enclosed(x: int, bits: int) -> None:
    """By ends that are at most three units apart where it is below 1."""
    low = x << bits >> 12
    try:
        found = Enclosure(low, low, bits).exponential()
    except Invalid:
        assert x > 0
        return
    with mpmath.workdps(60):
        value = mpmath.exp(mpmath.mpf(low) / 2**bits) * 2**bits
        assert found.low <= value <= found.high
    assert x > 0 or found.high - found.low <= 3


@given(st.tuples(*[st.fractions(-9, 9, max_denominator=50)] * 2), st.sampled_from([4, 30]))
def test_enclosures_hold_what_they_stand_for(pair: tuple[Fraction, Fraction], bits: int) -> None:
    """Sums, differences, products and quotients of two rationals."""
    a, b = pair
    one, other = enclose(a, bits), enclose(b, bits)
    results = [(a + b, one.plus(other)), (a - b, one.minus(other))]
    results += [(a * b, one.times(other)), (a * b, one.scaled(b))]
    if one.low >= 0 and other.low > 0:
        results.append((a / b, one.over(other)))
    for value, held in results:
        assert held.low <= value * 2**bits <= held.high
