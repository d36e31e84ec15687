"""What the checker takes for a statement, and of which masks it speaks."""

import copy
import json
from typing import Any

import pytest

from attnproof.proofs.checker import Unreadable, check_statement, check_text, speaks_of
from attnproof.proofs.emit import emit
from attnproof.proofs.statement import canonical_json
from attnproof.symbolic.evidence import Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.setting import Setting

MASK = Mask.from_rows(["1..", "11.", ".11"])
OTHER = Mask.from_rows(["1..", "11.", "111"])
STATEMENT: Any = json.loads(
    canonical_json(emit(Safe(Setting((MASK,), depth=5), Causal(3), (0b001, 0b011, 0b111))))
)


def edited(*path: Any, value: Any) -> Any:
    """The statement with one value set."""
    statement = copy.deepcopy(STATEMENT)
    place = statement
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return statement


def test_the_statement_itself_is_valid() -> None:
    """Otherwise the tests below would show nothing."""
    (result,) = check_text(canonical_json(STATEMENT))
    assert (result.valid, result.grade, result.reason) == (True, "certified", "")
    assert result.subjects == (MASK.digest,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "[1]",
        '{"a": 1, "a": 1}',
        '{"a": 1.0}',
        '{"a": 1e3}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1' + "0" * 5000 + "}",
        "[" * 100_000,
        canonical_json(STATEMENT)[:-1],
    ],
    ids=lambda text: text[:12],
)
def test_unreadable(text: str) -> None:
    """Broken JSON, floats, a key that stands twice, endless numbers and nesting hold no claim."""
    with pytest.raises(Unreadable):
        check_text(text)


def test_any_spelling_of_the_json_is_read() -> None:
    """Spaces and the order of keys do not matter."""
    spelled = json.dumps(dict(reversed(STATEMENT.items())), indent=3)
    assert check_text(spelled)[0].valid


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (edited("_type", value="attnproof/statement/v2"), "_type is not attnproof/statement/v1"),
        (edited("predicateType", value="attnproof/safe/v2"), "no kernel checks attnproof/safe/v2"),
        (edited("predicateType", value=["x"]), "predicateType is not a string"),
        (edited("subject", value=[]), "there is no subject"),
        (edited("subject", value=STATEMENT["subject"] * 2), "not as many subjects as layers"),
        (edited("subject", 0, "digest", "sha256", value=OTHER.digest), "digest of the subject is"),
        (edited("predicate", value=None), "the predicate is not an object"),
        (edited("predicate", "extra", value=1), "a key too many or too few: extra"),
        (edited("predicate", "layers", value=[]), "not as many subjects as layers"),
        (edited("predicate", "depth", value=True), "depth is not an integer"),
        (edited("predicate", "depth", value=-1), "depth is out of range"),
        (edited("predicate", "depth", value="all"), "depth is not an integer"),
        (edited("predicate", "residual", value=1), "residual is neither true nor false"),
        (edited("predicate", "empty_row", value="none"), "empty_row is neither"),
        (edited("predicate", "origin", value=None), "origin is not an object"),
        (edited("predicate", "layers", 0, "keys", value=1 << 40), "keys is out of range"),
        (edited("predicate", "layers", 0, "offset", value=1 << 20), "positions is out of range"),
        (edited("predicate", "layers", 0, "rows", 0, value=[[False, 1]]), "no pair of integers"),
        (edited("predicate", "layers", 0, "rows", 1, value=[[0, 1], [1, 2]]), "not maximal"),
        (edited("predicate", "layers", 0, "rows", 1, value=[[1, 2], [0, 1]]), "not maximal"),
        (edited("predicate", "layers", 0, "rows", 1, value=[[0, 4]]), "in range"),
        (edited("predicate", "layers", 0, "rows", 1, value=[[1, 1]]), "not maximal"),
        (edited("predicate", "layers", 0, "rows", 1, value=[[0, 1, 2]]), "a run that is no pair"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_reasons(statement: Any, reason: str) -> None:
    """What is wrong with the form of a statement is said."""
    result = check_statement(statement)
    assert not result.valid
    assert reason in result.reason


def test_a_true_certificate_says_nothing_of_another_mask() -> None:
    """The digests tell for which masks, and in which order, a statement holds."""
    assert speaks_of(STATEMENT, [MASK.digest])
    assert not speaks_of(STATEMENT, [OTHER.digest])
    assert not speaks_of(STATEMENT, [MASK.digest, MASK.digest])
    assert not speaks_of(STATEMENT, [])
    assert not speaks_of({"subject": [{"digest": MASK.digest}]}, [MASK.digest])
