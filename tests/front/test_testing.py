"""``assert_no_leak``: one line in a test suite that turns red, readably."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attnproof as ap
from attnproof import assert_no_leak

pytest_plugins = ["pytester"]

LEAKY = ["1...", "11..", "1111", "1111"]


def test_what_holds_is_returned() -> None:
    """The report comes back, for whoever wants to look further."""
    report = assert_no_leak("causal", n=8, causal=True, next_token=True)
    assert isinstance(report, ap.Report)
    assert report.verdict is ap.Verdict.HOLDS


def test_a_leak_is_told_as_a_sentence() -> None:
    """The message names the mask, the property, the leak with its path, and shows the mask."""
    with pytest.raises(AssertionError) as raised:
        assert_no_leak(LEAKY, causal=True, documents="4")
    first, *rest = str(raised.value).splitlines()
    assert first == "the mask leaks: causal fails (list, 4 positions)"
    text = "\n".join(rest)
    assert "token 3 reaches query 2 in 1 layer: 3 -> 2" in text
    assert "row = query" in text
    assert "\x1b" not in text


def test_an_unknown_verdict_is_red_too() -> None:
    """Not proved is not green."""
    first = [True]

    def rule(b: int, h: int, q: int, k: int) -> bool:
        return q >= k or ((int(q), int(k)) == (0, 1) and bool(first) and first.pop())

    with pytest.raises(AssertionError, match="not proved: causal is unknown"):
        assert_no_leak(rule, n=3, causal=True)


def test_without_an_intention_nothing_can_be_asserted() -> None:
    """A mask alone is neither right nor wrong."""
    with pytest.raises(TypeError, match="say what is intended, as in causal=True"):
        assert_no_leak("causal", n=4)


def test_other_errors_pass_through() -> None:
    """A mask that cannot be read is an error of the test, not a failure of the mask."""
    with pytest.raises(ap.InputError, match="floats"):
        assert_no_leak(np.tril(np.ones((4, 4))), causal=True)
    with pytest.raises(TypeError, match="casual"):
        assert_no_leak("causal", n=4, casual=True)


def test_an_error_of_the_reading_is_red() -> None:
    """NaN rows fail although the property holds."""
    with pytest.raises(AssertionError, match="the mask leaks"):
        assert_no_leak(["1.", ".."], empty_row="nan", causal=True)


def test_what_holds_for_head_0_alone_warns() -> None:
    """Green, and heard; with the heads asked for the leak of head 1 is red."""

    def rule(b: int, h: int, q: int, k: int) -> bool:
        return (q >= k) | (h == 1)

    with pytest.warns(UserWarning, match="reads its head index, and head 0 alone") as heard:
        assert_no_leak(rule, n=4, causal=True)
    assert [each.filename for each in heard] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(AssertionError, match="the mask leaks"):
            assert_no_leak(rule, n=4, causal=True, heads=2)
        assert_no_leak("causal", n=4, causal=True)


def test_in_a_suite_the_traceback_ends_at_the_line_of_the_test(
    pytester: pytest.Pytester, tmp_path: Path
) -> None:
    """pytest shows the user's line and the report, and no frame of the package."""
    pytester.makepyfile(
        """
        import attnproof

        def test_mask():
            attnproof.assert_no_leak(["11", "11"], causal=True)
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert 'attnproof.assert_no_leak(["11", "11"], causal=True)' in text
    assert "token 1 reaches query 0 in 1 layer: 1 -> 0" in text
    assert "testing.py" not in text


@pytest.mark.parametrize("nothing", [{"causal": True, "layers": 0}, {"forbid": []}])
def test_where_nothing_can_leak_nothing_was_asked(nothing: dict[str, Any]) -> None:
    """A test that cannot fail is refused."""
    with pytest.raises(TypeError, match="so nothing can leak"):
        ap.assert_no_leak("full", n=4, **nothing)
