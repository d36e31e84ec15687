"""The derived velocity against full-parameter losses, and each step against another way to it."""

from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient import ode
from attnproof.symbolic.gradient.circuits import Circuits, Parametrisation
from attnproof.symbolic.gradient.data import Data
from attnproof.symbolic.gradient.invariant import gradient_span, invariant
from attnproof.symbolic.gradient.invariant_conditions import conditions, dimensions
from attnproof.symbolic.gradient.invariant_integrals import conserved
from attnproof.symbolic.gradient.larger import derive_iid, derive_outputs
from attnproof.symbolic.gradient.reduce import derive
from attnproof.symbolic.gradient.reduce_loss import population
from attnproof.symbolic.gradient.reduce_steps import Derivation
from attnproof.symbolic.gradient.symmetry import Kind, Orbit, orbits
from tests.symbolic.gradient.full_loss import (
    derivative,
    each_once,
    indices,
    loss,
    matrix,
    rotation,
)

SIZES = [(2, 1, 1, 1), (3, 2, 4, 2), (4, 2, 2, 2)]
EXPONENTIAL = 2 ** sympy.Symbol("j", integer=True, positive=True)
KINDS = list(Parametrisation)


def symbolic(kind: Parametrisation) -> Circuits:
    """A symbol for every parameter."""
    eta_ov, eta_qk, scale, ov, qk = sympy.symbols("eta_OV eta_QK varsigma x y", positive=True)
    return Circuits(
        kind,
        Data(),
        scale,
        eta_qk,
        eta_ov,
        qk if kind.factorised_attention else 0,
        ov if kind.factorised_value else 0,
    )


def lifted(found: Derivation) -> tuple[list[Any], list[Any]]:
    """The directions of a derivation as matrices."""
    people = found.population
    outputs, tokens = indices(people.outputs), indices(people.tokens)
    return (
        [matrix(people.value_orbits, one, outputs, tokens) for one in found.space.value],
        [matrix(people.score_orbits, one, tokens, tokens) for one in found.space.score],
    )


def against_all_parameters(
    found: Derivation, sequences: list[Any], point: list[float]
) -> tuple[Any, Any, Any, Any]:
    """Velocities of W_OV and W_QK by all entries, and by the scalars, in a rotated basis."""
    circuits = found.circuits
    values, scores = lifted(found)
    turn = rotation(values[0].shape[1] + 2, 5)[: values[0].shape[1]]
    scale = float(circuits.scale)
    values = [one @ turn for one in values]
    scores = [turn.T @ one @ turn / scale for one in scores]
    split = len(values)
    value = np.tensordot(point[:split], values, 1)
    score = np.tensordot(point[split:], scores, 1)
    at = dict(zip(found.coordinates, map(sympy.Float, point), strict=True))
    rates = [float(one.subs(at)) for one in found.velocity]
    by_value = derivative(lambda w: loss(w, score, turn, sequences, scale), value)
    by_score = derivative(lambda w: loss(value, w, turn, sequences, scale), score)
    return (
        -float(circuits.eta_ov) * by_value,
        np.tensordot(rates[:split], values, 1),
        -float(circuits.eta_qk) * by_score,
        np.tensordot(rates[split:], scores, 1),
    )


@pytest.mark.parametrize("size", SIZES)
def test_all_parameters(size: tuple[int, int, int, int]) -> None:
    """The gradient by all entries stays on the two directions and is what was derived."""
    found = derive(Circuits(Parametrisation.CACO, Data(*size), 0.75, 2, 3))
    by_value, value, by_score, score = against_all_parameters(found, each_once(*size), [0.7, 0.4])
    np.testing.assert_allclose(by_value, value, atol=1e-13)
    np.testing.assert_allclose(by_score, score, atol=1e-13)


def test_fifty_digits() -> None:
    """Differences of the full loss at 50 digits agree with the derived velocity to 30."""
    size = (3, 2, 2, 2)
    found = derive(Circuits(Parametrisation.CACO, Data(*size)))
    with mpmath.workdps(50):
        people = found.population
        at = dict(
            zip(found.coordinates, (sympy.Rational(7, 5), sympy.Rational(3, 10)), strict=True)
        )
        alpha, beta = (mpmath.mpf(str(one.evalf(50))) for one in at.values())
        rates = [mpmath.mpf(str(one.subs(at).evalf(50))) for one in found.velocity]
        outputs, tokens = indices(people.outputs), indices(people.tokens)

        def entries(orbit_list: Any, vector: Any, rows: Any) -> Any:
            values = dict(zip(orbit_list, vector, strict=True))
            return [
                [
                    mpmath.mpf(int(v.p)) / int(v.q)
                    for v in (values[Orbit((row, col)).restrict(0, 1)] for col in tokens)
                ]
                for row in rows
            ]

        u = entries(people.value_orbits, found.space.value[0], outputs)
        n = entries(people.score_orbits, found.space.score[0], tokens)
        value = [[alpha * v for v in row] for row in u]
        score = [[beta * v for v in row] for row in n]

        def full() -> Any:
            total = mpmath.mpf(0)
            for place, query, label in each_once(*size):
                weights = [mpmath.exp(score[t][query]) for t in place]
                mass = sum(weights)
                logits = [
                    sum(w * row[t] for w, t in zip(weights, place, strict=True)) / mass
                    for row in value
                ]
                total += mpmath.log(sum(map(mpmath.exp, logits))) - logits[label]
            return total / (size[0] * size[3])

        step = mpmath.mpf(10) ** -16
        for weights, direction, rate in ((value, u, rates[0]), (score, n, rates[1])):
            for i, row in enumerate(weights):
                for j in range(len(row)):
                    kept = row[j]
                    row[j] = kept + step
                    up = full()
                    row[j] = kept - step
                    down = full()
                    row[j] = kept
                    assert abs((down - up) / (2 * step) - rate * direction[i][j]) < 1e-30


@pytest.mark.parametrize("kind", KINDS)
def test_velocity(kind: Parametrisation) -> None:
    """The derived velocity is the velocity of the reduced system, for all parameters at once."""
    circuits = symbolic(kind)
    found = derive(circuits)
    point = dict(
        zip(found.coordinates, (sympy.Rational(-7, 5), sympy.Rational(3, 11)), strict=True)
    )
    names = sorted(set().union(*(one.free_symbols for one in found.velocity)) - set(point), key=str)
    point |= {name: sympy.Integer(3 + i) for i, name in enumerate(names)}
    for one, other in zip(found.velocity, ode.velocity(circuits), strict=True):
        assert abs(sympy.N((one - other).subs(point), 40)) < 1e-35
        assert abs(sympy.N(one.subs(point))) > 1e-6


@pytest.mark.parametrize("kind", KINDS[1:])
def test_factors(kind: Parametrisation) -> None:
    """Factors on the manifold move their product as derived, balanced or not."""
    size = (4, 2, 2, 2)
    parts = {"imbalance_qk": 0.5 if kind.factorised_attention else 0}
    parts |= {"imbalance_ov": -0.25 if kind.factorised_value else 0}
    found = derive(Circuits(kind, Data(*size), 0.75, 2, 3, **parts))
    plain = derive(Circuits(Parametrisation.CACO, found.circuits.data, 0.75, 2, 3))
    by_value, _, by_score, _ = against_all_parameters(plain, each_once(*size), [0.7, 0.4])
    turn = rotation(12, 5)[:10]
    (u,), (n,) = lifted(found)
    u, n = u @ turn, turn.T @ n @ turn / 0.75
    at = dict(zip(found.coordinates, (0.7, 0.4), strict=True))
    rates = [float(one.subs(at)) for one in found.velocity]
    for w, gradient, rate, direction, split, product_ in (
        (0.7, by_value, rates[0], u, parts["imbalance_ov"], kind.factorised_value),
        (0.4, by_score, rates[1], n, parts["imbalance_qk"], kind.factorised_attention),
    ):
        if not product_:
            continue
        left, sizes, right = np.linalg.svd(direction, full_matrices=False)
        rank = int((sizes > 1e-9).sum())
        sigma = w * sizes[0]
        x = np.sqrt((split + np.hypot(split, 2 * sigma)) / 2)
        a, b = x * left[:, :rank], sigma / x * right[:rank]
        moved = gradient @ b.T @ b + a @ a.T @ gradient
        np.testing.assert_allclose(moved, rate * direction, atol=1e-13)


@cache
def drawn() -> Derivation:
    """Two draws from three common tokens, in two classes."""
    return derive_iid(Circuits(Parametrisation.CACO, Data(2, 1, 4, 1), 0.75, 2, 3), draws=2)


@cache
def with_outputs() -> Derivation:
    """Three classes and five outputs."""
    return derive_outputs(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)), outputs=5)


def test_draws() -> None:
    """With every draw of common tokens enumerated, all parameters move as derived."""
    sequences = [((k, 2, *draw), 2, k) for k in range(2) for draw in product((3, 4, 5), repeat=2)]
    by_value, value, by_score, score = against_all_parameters(
        drawn(), sequences, [0.7, 0.4, -0.3, -0.6]
    )
    np.testing.assert_allclose(by_value, value, atol=1e-13)
    np.testing.assert_allclose(by_score, score, atol=1e-13)


def test_draws_conserve() -> None:
    """Both integrals of the system with draws have derivative 0 along it."""
    found = drawn()
    at = dict(
        zip(found.coordinates, map(sympy.Rational, ("13/10", "1/2", "-2/5", "-1")), strict=True)
    )
    assert len(found.integrals) == 2
    for one in found.integrals:
        moved = sympy.Add(
            *(one.diff(x) * rate for x, rate in zip(found.coordinates, found.velocity, strict=True))
        )
        assert abs(sympy.N(moved.subs(at), 30)) < 1e-25


def test_outputs() -> None:
    """With unused outputs, all parameters move along four directions as derived."""
    by_value, value, by_score, score = against_all_parameters(
        with_outputs(), each_once(3, 1, 4, 1), [0.7, 0.2, 0.5, 0.4]
    )
    np.testing.assert_allclose(by_value, value, atol=1e-13)
    np.testing.assert_allclose(by_score, score, atol=1e-13)


def test_descent_on_outputs() -> None:
    """200 steps of descent leave a common column at (0.536, -0.804): not zero.

    Reference values computed independently, by descent on all parameters.
    """
    found = with_outputs()
    field = sympy.lambdify(found.coordinates, found.velocity, "math")
    point = np.zeros(4)
    for _ in range(200):
        point += 0.5 * np.array(field(*point))
    assert point[2] / 3 == pytest.approx(0.536, abs=5e-4)
    assert -point[2] / 2 == pytest.approx(-0.804, abs=5e-4)


@pytest.mark.parametrize("size", [(2, 1, 1, 1), (3, 2, 4, 2)])
def test_invariances(size: tuple[int, int, int, int]) -> None:
    """What is orthogonal to the named invariances is the span of all gradients."""
    people = population(Data(*size))
    assert invariant(people) == gradient_span(people)


def test_conditions() -> None:
    """Two scalars suffice where the equations hold, and are too few where they do not."""
    data = Data(2, 1, 3, 1)
    found = conditions(data)
    assert len(found.equations) == 1
    for times in ((3, 2, 2), (1, 0, 2), (1, 2, 1)):
        at = {symbol: value for (_, symbol), value in zip(found.occurrences, times, strict=True)}
        roles = {role: sympy.Integer(at[symbol]) for role, symbol in found.occurrences}
        suffice = all(one.subs(at) == 0 for one in found.equations)
        assert (dimensions(data, roles) == (1, 1)) is suffice


@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))
def test_orbit_sizes(classes: int, distinct: int, queries: int) -> None:
    """Orbits partition the triples of indices, and their sizes are the numbers of triples."""
    tree = Kind("class", "class", (sympy.Integer(classes),))
    token = Kind(
        "distinct", "class", (sympy.Integer(classes), sympy.Integer(distinct)), letters=("kl", "ij")
    )
    query = Kind("query", "query", (sympy.Integer(queries),))
    for kinds in ((tree, token, token), (token, tree, query), (query, query, token)):
        found: dict[Orbit, int] = {}
        for points in product(*(indices([kind]) for kind in kinds)):
            orbit = Orbit(points).restrict(0, 1, 2)
            found[orbit] = found.get(orbit, 0) + 1
        assert {one: one.size for one in orbits(*kinds)} == found


def test_printed() -> None:
    """A derivation reads as numbered steps, and as LaTeX in a notebook."""
    found = derive(Circuits(Parametrisation.FACO, Data(3, 2, 4, 2)))
    told = str(found)
    assert told.startswith("FACO on Data(K=3, r=2, M=4, Q=2)\n\n1. Orbits. ")
    for line in ("dL/dalpha = -e*s", "rank U        = 2", "0 = mu_c*mu_q*(mu_c - mu_q)"):
        assert line in told
    shown = found._repr_latex_()
    assert r"\frac{\partial L}{\partial \beta} &= - \alpha e s \left(1 - s\right)" in shown
    assert shown.count(r"\begin{aligned}") == len(found.steps) == 7


def test_conserved() -> None:
    """Column sums of W_OV and the sum of the scores of a query are conserved, for all sizes."""
    found = conserved(Data())
    assert [str(one) for one in found] == [
        "w1 + w2*(K - 1)",
        "w3",
        "w4",
        "K*b1*r + b2 + b3*(Q - 1) + b4*(M - Q)",
    ]


REFUSED: dict[str, tuple[Any, str]] = {
    "an exponential size": (
        lambda: derive(Circuits(Parametrisation.CACO, Data(classes=EXPONENTIAL))),
        "the numbers of classes and tokens hold 2**j; give integers, symbols or rational",
    ),
    "several queries": (
        lambda: derive_iid(Circuits(Parametrisation.CACO, Data(3, 1, 4, 2))),
        "queries is 2; one common token is always the query here: give 1",
    ),
    "nothing to draw": (
        lambda: derive_iid(Circuits(Parametrisation.CACO, Data(3, 1, 1, 1))),
        "common is 1, and that is the query; give 2 or more",
    ),
    "no draw": (
        lambda: derive_iid(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)), draws=0),
        "draws is 0; give an integer of 1 or more",
    ),
    "factorised scores": (
        lambda: derive_iid(Circuits(Parametrisation.FACO, Data(3, 1, 4, 1))),
        "the parametrisation is FACO; the three scores are those of one matrix W_QK",
    ),
    "no unused output": (
        lambda: derive_outputs(Circuits(Parametrisation.CACO, Data(3, 1, 4, 1)), outputs=3),
        "outputs is 3, and there are 3 classes; give more outputs",
    ),
    "factorised values": (
        lambda: derive_outputs(Circuits(Parametrisation.CAFO, Data(3, 1, 4, 1)), outputs=5),
        "the parametrisation is CAFO; the three scalars are those of one matrix W_OV",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_messages(name: str) -> None:
    """A system that is not there says what was given, what is needed and the way out."""
    call, words = REFUSED[name]
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
