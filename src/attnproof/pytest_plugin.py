"""The pytest plugin: a test with the marker ``no_leak`` returns a mask, and the mask is verified.

Loaded by pytest wherever the package is installed; it imports nothing until a test is marked.
"""

import inspect
import unittest
from typing import Any

import pytest

MARKER = "no_leak"


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(**intended): the mask that the test returns must hold what is intended, as in "
        "attnproof.verify: causal=True, n=64, documents=[3, 3], ...",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Refuse a marked test whose answer nobody would look at: of unittest, or asynchronous."""
    if item.get_closest_marker(MARKER) is None:
        return
    kind = ""
    if issubclass(getattr(item, "cls", None) or object, unittest.TestCase):
        kind = "a method of a unittest.TestCase"
    elif inspect.iscoroutinefunction(getattr(item, "function", None)):
        kind = "asynchronous"
    if kind:
        pytest.fail(
            f"{item.name} is {kind}, whose answer pytest does not hand on; mark a plain function "
            f"or method with {MARKER}, or call attnproof.assert_no_leak in the test",
            pytrace=False,
        )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test, and verify what it returns; a tuple is one mask a layer."""
    marks = list(pyfuncitem.iter_markers(MARKER))
    if not marks:
        return None
    intended: dict[str, Any] = {}
    for mark in reversed(marks):
        if mark.args:
            pytest.fail(
                f"the marker {MARKER} takes keywords, as in {MARKER}(causal=True), and was given "
                f"{mark.args[0]!r}; return the mask from the test",
                pytrace=False,
            )
        intended |= mark.kwargs
    wanted = pyfuncitem._fixtureinfo.argnames
    found = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted})
    if found is None:
        pytest.fail(
            f"{pyfuncitem.name} returned nothing; a test marked {MARKER} returns the mask to "
            "verify",
            pytrace=False,
        )
    _verified(found if isinstance(found, tuple) else (found,), intended)
    return True


def _verified(masks: tuple[object, ...], intended: dict[str, Any]) -> None:
    from attnproof.errors import InputError
    from attnproof.testing import assert_no_leak

    if len(masks) > 1:
        intended = {"per_layer": True} | intended
    try:
        assert_no_leak(*masks, **intended)
    except (AssertionError, InputError, TypeError) as wrong:
        reason = str(wrong)
    else:
        return
    pytest.fail(reason, pytrace=False)
