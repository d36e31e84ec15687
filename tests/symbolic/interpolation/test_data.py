"""What is refused as data, what nothing can interpolate, and what each message says."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.interpolation import errors
from attnproof.symbolic.interpolation.build import Mode, build
from attnproof.symbolic.interpolation.data import Data, loaded, read
from attnproof.symbolic.interpolation.net import loads

GOOD = ([(0, 0), (1, 0)], [(1, 1)])

REFUSED: dict[str, tuple[Any, type[InputError], str]] = {
    "nothing": ([], errors.EmptyData, "there is no pair; give"),
    "an empty input": ([GOOD, ([], [(1, 1)])], errors.EmptyData, "the input of pair 1 is empty"),
    "an empty output": ([([(1, 1)], [])], errors.EmptyData, "the output of pair 0 is empty"),
    "other dimensions": (
        [GOOD, ([(1, 2, 3)], [(1, 1)])],
        errors.DimensionMismatch,
        "the input of pair 1 has a token with 3 coordinates; all tokens need the same number, 2",
    ),
    "no coordinates": ([([()], [()])], errors.DimensionMismatch, "at least 1 here"),
    "infinity": ([([(1e400, 1)], [(1, 1)])], errors.NonFinite, "holds inf; every coordinate must"),
    "NaN": ([([(1, 1)], [(float("nan"), 1)])], errors.NonFinite, "the output of pair 0 holds nan"),
    "infinity as text": ([([("-inf", 1)], [(1, 1)])], errors.NonFinite, "must be finite"),
    "a quotient by 0": ([([("1/0", 1)], [(1, 1)])], errors.NonFinite, "must be finite"),
    "a repeated input": (
        [([(0.5, 1), ("1/2", 1)], [(1, 1)])],
        errors.DuplicateInputToken,
        "the input of pair 0 holds the token (1/2, 1) twice; equal tokens move alike",
    ),
    "minus zero": ([([(0.0,), (-0.0,)], [(1,)])], errors.DuplicateInputToken, "(0) twice"),
    "a repeated output": (
        [([(1, 1), (2, 1)], [(3, 3), (3, 3)])],
        errors.DuplicateOutputToken,
        "the output of pair 0 holds the token (3, 3) twice",
    ),
    "no number": ([([("one", 1)], [(1, 1)])], errors.DataError, "holds 'one', which is no number"),
    "a Boolean": ([([(True, 1)], [(1, 1)])], errors.DataError, "holds True, which is no number"),
    "an exponent": ([([("1e999999999", 1)], [(1, 1)])], errors.DataError, "is no number"),
    "a bare number": ([([3], [(1, 1)])], errors.DataError, "holds 3 where a token belongs"),
    "another key": ({"pair": []}, errors.DataError, 'the keys are pair; give {"pairs"'),
    "a key of a pair": (
        {"pairs": [{"in": [], "output": []}]},
        errors.DataError,
        "pair 0 has the keys in, output; it needs input and output",
    ),
    "no pairs": (7, errors.DataError, "the pairs are of type int"),
    "no pair": ([([(1, 1)],)], errors.DataError, "pair 0 is not an input with an output"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    """The message names the pair and what is wrong with it."""
    source, kind, message = REFUSED[name]
    with pytest.raises(kind) as caught:
        read(source)
    assert message in str(caught.value)


def test_an_output_longer_than_its_input() -> None:
    """Every token becomes one token."""
    with pytest.raises(errors.OutputLongerThanInput) as caught:
        read([GOOD, ([(1, 1)], [(1, 1), (2, 2)])])
    assert "pair 1 wants 2 tokens of 1" in str(caught.value)
    assert caught.value.evidence.at == (1,)


def test_one_input_with_two_outputs() -> None:
    """Equal sets go to equal sets, in whatever order they are written."""
    with pytest.raises(errors.ConflictingTargets) as caught:
        read([GOOD, ([(5, 5)], [(5, 5)]), ([(1, 0), (0, 0)], [(2, 2)])])
    assert "pairs 0 and 2 have the same input set" in str(caught.value)
    assert caught.value.evidence.at == (0, 2)


def test_infeasible_is_not_bad_input() -> None:
    """The data can be read; it is a finding that nothing interpolates them."""
    assert not issubclass(errors.InfeasibleData, InputError)


def test_a_pair_that_stands_twice_is_kept_once() -> None:
    """Up to the order of tokens."""
    (inputs, outputs) = GOOD
    assert len(read([GOOD, (inputs[::-1], outputs)]).pairs) == 1


@pytest.mark.parametrize(
    "source",
    [
        [([("1/2", 3)], [(Fraction(1, 4), 2)])],
        [([(0.5, 3.0)], [("0.25", " 2 ")])],
        {"pairs": [{"input": [["2/4", 3]], "output": [[0.25, "+2"]]}]},
        [(np.array([[0.5, 3]]), np.array([[0.25, 2]], dtype=np.float32))],
        [(torch.tensor([[0.5, 3]]), [torch.tensor([0.25, 2.0])])],
        [([(np.float64(0.5), np.int64(3))], [(Fraction(1, 4), 2)])],
        (((("1/2", 3),), ((".25", "2."),)),),
    ],
)
def test_forms_of_the_same_data(source: Any) -> None:
    """Numbers mean what they are, whatever holds them."""
    assert read(source) == Data(read([([("1/2", 3)], [("1/4", 2)])]).pairs)


def test_a_float_is_its_binary_value() -> None:
    """0.1 is not one tenth; the text is."""
    data = read([([(0.1,), ("0.1",)], [(1,)])])
    assert data.pairs[0].input[0][0] != data.pairs[0].input[1][0] == Fraction(1, 10)
    with pytest.raises(errors.DataError):
        read([([(Decimal("0.1"),)], [(1,)])])


def test_data_in_a_file(tmp_path: Path) -> None:
    """What is written is read again; what is no file or no JSON says so."""
    import json

    data = read([GOOD])
    (tmp_path / "data.json").write_text(json.dumps(data.to_json()))
    assert read(loaded(tmp_path / "data.json")) == data
    (tmp_path / "other.json").write_text("{")
    for name, message in (("missing.json", "cannot be read"), ("other.json", "is not JSON")):
        with pytest.raises(FileError, match=message):
            loaded(tmp_path / name)


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"mode": Mode.SOFTMAX1}, "no temperature is given and the mode is softmax1"),
    ({"tau": Fraction(1)}, "the temperature 1 is given and the mode is uniform"),
    ({"mode": Mode.SOFTMAX1, "tau": Fraction(0)}, "the temperature is 0; give a rational above 0"),
    ({"moves": 2}, "2 moves a block were asked for without stable; give 1 to 4"),
    ({"stable": True, "moves": 5}, "5 moves a block were asked for; give 1 to 4"),
    ({"mode": Mode.PHASED, "stable": True}, "stable was asked for in the mode phased"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS)
def test_options_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    """What was asked for, and what goes."""
    with pytest.raises(InputError) as caught:
        build(read([GOOD]), **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("mode", [Mode.LEADER, Mode.PHASED, Mode.SOFTMAX1])
def test_a_score_needs_a_second_coordinate(mode: Mode) -> None:
    """And the message says how to have one."""
    tau = Fraction(1) if mode is Mode.SOFTMAX1 else None
    with pytest.raises(errors.NeedsDimensionTwo, match="choose the mode uniform, or append a 0"):
        build(read([([(1,)], [(2,)])]), mode, tau=tau)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "attnproof/net/v1"}', '{"format": "attnproof/net/v2"}'],
)
def test_a_text_that_holds_no_net(text: str) -> None:
    """Is refused in one message."""
    with pytest.raises(InputError, match="the text is no net of the format attnproof/net/v1"):
        loads(text)


@pytest.mark.parametrize(
    ("there", "here"), [("[]", "[1]"), ('"1"', '"one"'), ('["1","0"]', '["1"]'), ("false", "0.5")]
)
def test_a_net_that_was_edited(there: str, here: str) -> None:
    """So is one with other numbers, lengths or types."""
    text = build(read([GOOD])).net.text
    assert there in text
    with pytest.raises(InputError, match="the text is no net"):
        loads(text.replace(there, here))
