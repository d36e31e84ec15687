"""The marker ``no_leak``: a test returns a mask, and is red, readably, when the mask leaks."""

import pytest

pytest_plugins = ["pytester"]

FILE = """
import unittest

import pytest

@pytest.fixture
def keys():
    return 3

@pytest.mark.no_leak(causal=True, n=8)
def test_rule(keys):
    return lambda b, h, q, k: (k <= q) & (q - k < keys)

@pytest.mark.no_leak(causal=True)
@pytest.mark.parametrize("row", ["11.", "111"])
def test_rows(row):
    return ["1..", row, ".11"]

@pytest.mark.no_leak(causal=True, layers=2)
def test_layers():
    return ["1..", "11.", "111"], ["1..", ".1.", "111"]

@pytest.mark.no_leak(causal=True)
class TestGrouped:
    @pytest.mark.no_leak(n=4)
    def test_named(self):
        return "causal"

@pytest.mark.no_leak(causal=True)
def test_without_length():
    return lambda b, h, q, k: k <= q

@pytest.mark.no_leak(causal=True)
def test_nothing():
    pass

@pytest.mark.no_leak("causal")
def test_argument():
    return ["1"]

@pytest.mark.no_leak()
def test_without_intention():
    return ["1"]

@pytest.mark.no_leak(causl=True)
def test_misspelt():
    return ["1"]

def test_of_another_kind():
    assert True

@pytest.mark.no_leak(causal=True)
class TestOfUnittest(unittest.TestCase):
    def test_method(self):
        return ["11", "11"]

@pytest.mark.no_leak(causal=True)
async def test_later():
    return ["1"]
"""


def test_marked_tests_are_verified(pytester: pytest.Pytester) -> None:
    """Masks that hold pass; each failure says what leaks, or what was asked wrongly, and nothing
    of how it was found out."""
    pytester.makepyfile(FILE)
    done = pytester.runpytest_subprocess(
        "--strict-markers", "-p", "no:cacheprovider", "-p", "no:xdist"
    )
    done.assert_outcomes(passed=5, failed=8)
    told = done.stdout.str()
    assert "Traceback" not in told
    for line in (
        "the mask leaks: causal fails (list, 3 positions)",
        "  token 2 reaches query 1 in 1 layer: 2 -> 1",
        "<lambda> is a rule, evaluated at one length; say which: --n 64 (n=64 in Python)",
        "test_nothing returned nothing; a test marked no_leak returns the mask to verify",
        "the marker no_leak takes keywords, as in no_leak(causal=True), and was given 'causal'; "
        "return the mask from the test",
        "assert_no_leak was told no property; say what is intended, as in causal=True",
        "verify takes no causl=...; did you mean 'causal'?",
        "test_method is a method of a unittest.TestCase, whose answer pytest does not hand on; "
        "mark a plain function or method with no_leak, or call attnproof.assert_no_leak in the "
        "test",
        "test_later is asynchronous, whose answer pytest does not hand on; mark a plain function "
        "or method with no_leak, or call attnproof.assert_no_leak in the test",
    ):
        assert line in told.splitlines(), line


EVERY_LENGTH = """
import pytest
import torch

SEQ_IDS = torch.tensor([0, 0, 1])

@pytest.mark.no_leak(all_n=True, documents="@SEQ_IDS", assume=["SEQ_IDS=nondecreasing"])
def test_packed():
    return lambda b, h, q, k: SEQ_IDS[q] == SEQ_IDS[k]
"""


def test_assumptions_are_written_as_on_the_command_line(pytester: pytest.Pytester) -> None:
    """A list of texts, where the mask is proved for every length."""
    pytest.importorskip("torch", reason="rules are traced with the extra torch")
    pytester.makepyfile(EVERY_LENGTH)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    done.assert_outcomes(passed=1)


def test_what_holds_for_batch_element_0_alone_warns(pytester: pytest.Pytester) -> None:
    """The test passes, and the summary has the warning."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.no_leak(causal=True, n=4)
        def test_rule():
            return lambda b, h, q, k: (q >= k) | (b == 1)
        """
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    done.assert_outcomes(passed=1, warnings=1)
    assert "reads its batch index, and batch element 0 alone" in done.stdout.str()


def test_the_marker_is_described(pytester: pytest.Pytester) -> None:
    """``pytest --markers`` lists it."""
    done = pytester.runpytest_subprocess("--markers", "-p", "no:cacheprovider")
    assert "@pytest.mark.no_leak(**intended)" in done.stdout.str()
