"""Evidence becomes a statement, and a statement one text."""

import json
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from attnproof.proofs.checker import check_text
from attnproof.proofs.checker.registry import KERNELS
from attnproof.proofs.emit import EMITTERS, emit, state
from attnproof.proofs.statement import Statement, canonical_json, dumps, loads
from attnproof.symbolic.errors import FileError
from attnproof.symbolic.evidence import Evidence, Safe
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.properties import Causal
from attnproof.symbolic.setting import Setting
from tests.mutation.cases import CASES


def test_every_class_of_evidence_has_an_emitter_and_a_kernel() -> None:
    """No verdict is without a certificate, and no certificate without a checker."""
    assert set(EMITTERS) == set(get_args(Evidence))
    assert {f"attnproof/{kind}/v1" for kind, _ in EMITTERS.values()} <= set(KERNELS)


@pytest.mark.parametrize("name", CASES)
def test_round_trip(name: str) -> None:
    """A statement that is written and read again is the same statement, and the same text."""
    statement = state(CASES[name])
    (read,) = loads(dumps([statement]))
    assert read.canonical_json() == statement.canonical_json()
    assert json.loads(read.canonical_json()) == emit(CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_evidence_is_shown_in_a_line(name: str) -> None:
    """Which claim it is, and of what: no mask, task or net is written out."""
    shown = repr(CASES[name])
    assert shown.startswith(type(CASES[name]).__name__.removesuffix("Softmax") + ": ")
    assert "\n" not in shown
    assert len(shown) < 250


def test_several_statements_make_a_list() -> None:
    """One statement is an object, several are a list."""
    one, two = (state(evidence) for evidence in list(CASES.values())[:2])
    assert isinstance(json.loads(dumps([one])), dict)
    assert [each.digests for each in loads(dumps([one, two]))] == [one.digests, two.digests]


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    """Equal values are equal texts; floats that are no numbers are refused."""
    assert canonical_json({"b": 1, "a": [True]}) == canonical_json({"a": [True], "b": 1})
    assert canonical_json({"b": 1, "a": [True]}) == '{"a":[true],"b":1}'
    with pytest.raises(ValueError):
        canonical_json(float("nan"))


def test_how_a_mask_was_read_is_written_without_floats() -> None:
    """What has no exact JSON form is written as text, so that the checker still reads it."""
    origin = {
        "source": Path("mask.npy"),
        "threshold": 0.5,
        "parameters": {"keys": 4, "ratio": Fraction(1, 3), "dilated": (True, None)},
    }
    setting = Setting((Mask.from_rows(["1"], name="mask.npy"),), origin=origin)
    statement = state(Safe(setting, Causal(1), (1,)))
    assert statement.subject[0][0] == "mask.npy"
    assert statement.predicate["origin"] == {
        "source": "mask.npy",
        "threshold": "0.5",
        "parameters": {"keys": 4, "ratio": "1/3", "dilated": [True, None]},
    }
    assert check_text(statement.canonical_json())[0].valid


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"_type": "attnproof/statement/v1"}', "\x93NUMPY"]
)
def test_what_is_no_certificate_says_so(text: str) -> None:
    """The message says what to give instead."""
    with pytest.raises(FileError, match=r"no certificate of attnproof .*--certificate wrote"):
        loads(text)


def test_a_predicate_is_an_object() -> None:
    """A statement without one is no certificate."""
    broken = Statement((("mask", "00"),), "attnproof/safe/v1", {}).to_json() | {"predicate": []}
    with pytest.raises(FileError):
        loads(canonical_json(broken))
