"""Reach relations for every length: sound, exact where said, and what learning is made of."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.numeric.studies.length_checks import agrees
from attnproof.numeric.studies.length_faults import FAULTS
from attnproof.numeric.studies.length_masks import CASES
from attnproof.symbolic.formula import Term, evaluate, k, q, variable
from attnproof.symbolic.lengths.closure import closure
from attnproof.symbolic.lengths.learn import learned
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.samples import Samples

pytest.importorskip("cvc5")

EXACT = (
    "window",
    "prefix",
    "documents and window",
    "dilated",
    "block diffusion",
    "local and global",
    "off by one",
    "noisy block reads its clean copy",
)


@pytest.mark.parametrize("name", EXACT)
def test_the_closure_is_exact(name: str) -> None:
    """The relation is proved to be what is reached, and is so at every small length."""
    case = next(each for each in (*CASES, *FAULTS) if each.name == name)
    found = closure(case.problem)
    assert found.is_exact
    assert [each.obligation.name for each in found.sound][-2:] == ["init", "step"]
    assert agrees(case.problem, found, None)


def test_what_has_no_short_formula_is_bounded() -> None:
    """Jumps of 6 and 10 reach distances that no atom names: the relation is sound, not exact."""
    found = closure(Problem.of((q - k).eq(6) | (q - k).eq(10)))
    assert not found.is_exact
    assert found.relation is None or agrees(found.problem, found, None)


def test_a_window_of_one_key_reaches_nothing() -> None:
    """The relation knows that one key, the query's own, is not enough."""
    window = Problem.of((k <= q) & (q - k < variable("keys")), least={"keys": 1})
    relation = closure(window).relation
    assert relation is not None
    assert not evaluate(relation, {"q": 3, "k": 2, "keys": 1})
    assert evaluate(relation, {"q": 3, "k": 0, "keys": 2})


cells = st.sets(st.tuples(*[st.booleans()] * 4), min_size=1, max_size=12)


@given(cells, st.integers(0, 2**4 - 1))
def test_learned_relations_fit_the_samples(seen: set[tuple[bool, ...]], truth: int) -> None:
    """Whatever function of the atoms is sampled, every relation learned has its values there."""
    atoms = tuple(variable(name).eq(0) for name in "wxyz")
    inside = [cell for cell in sorted(seen) if _value(truth, cell)]
    outside = [cell for cell in sorted(seen) if not _value(truth, cell)]
    samples = Samples(atoms, _array(inside), _array(outside))
    relations = list(learned(samples))
    assert relations or not inside
    for relation, cell in product(relations, seen):
        assert _holds(relation, cell) == _value(truth, cell)


def _value(truth: int, cell: tuple[bool, ...]) -> bool:
    """A function of the first and last atom."""
    return bool(truth >> (2 * cell[0] + cell[3]) & 1)


def _array(rows: list[tuple[bool, ...]]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.array(rows, dtype=bool).reshape(len(rows), 4)


def _holds(relation: Term, cell: tuple[bool, ...]) -> bool:
    env = {name: int(not value) for name, value in zip("wxyz", cell, strict=True)}
    return bool(evaluate(relation, env))
