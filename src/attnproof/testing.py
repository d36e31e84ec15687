"""Assertions for test suites: one line that turns red when a mask leaks."""

from typing import Any

from attnproof.symbolic.verdict import Verdict
from attnproof.values import Report


def assert_no_leak(*sources: object, **intended: Any) -> Report:
    """Fail, readably, unless every property holds; takes what :func:`attnproof.verify` takes.

    >>> import attnproof as ap
    >>> ap.assert_no_leak("causal", n=8, causal=True)
    Report on causal: causal: holds
    >>> ap.assert_no_leak(["1..", "111", ".11"], causal=True)
    Traceback (most recent call last):
    AssertionError: the mask leaks: causal fails...

    At least one property must be asked for: a mask without an intention cannot leak. An unknown
    verdict fails too.
    """
    __tracebackhide__ = True
    from attnproof.ask.verify import verify

    report = verify(*sources, **intended)
    if not report.properties:
        raise TypeError(
            "assert_no_leak was told no property; say what is intended, as in causal=True"
        )
    if report.verdict is not Verdict.HOLDS:
        raise AssertionError(_told(report))
    return report


def _told(report: Report) -> str:
    wrong = [name for name, verdict in report.verdicts.items() if verdict is not Verdict.HOLDS]
    word = "fails" if report.verdict is Verdict.FAILS else "is unknown"
    head = "the mask leaks" if report.verdict is Verdict.FAILS else "not proved"
    named = f"{report.source}, {report.n} positions"
    return f"{head}: {', '.join(wrong) or 'the mask'} {word} ({named})\n{report}"
