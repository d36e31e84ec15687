"""Assertions for test suites: one line that turns red when a mask leaks."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
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
    verdict fails too. What holds for head or batch element 0 alone, of a rule that looks at which
    it is, warns.
    """
    __tracebackhide__ = True
    from attnproof.ask.verify import verify
    from attnproof.render.ci import left_out

    if intended.get("layers") == 0:
        raise TypeError("layers=0 runs no layer, so nothing can leak; say how many run, or any")
    forbid = intended.get("forbid")
    if isinstance(forbid, Sized) and not len(forbid):
        raise TypeError("forbid holds no pair, so nothing can leak; give one pair or more")
    report = verify(*sources, **intended)
    if not report.properties:
        raise TypeError(
            "assert_no_leak was told no property; say what is intended, as in causal=True"
        )
    if report.verdict is not Verdict.HOLDS:
        raise AssertionError(_told(report))
    for note in left_out(report):
        warnings.warn(note, stacklevel=2)
    return report


@contextmanager
def holding(
    source: str | Callable[..., Any],
    tensors: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, object] | None = None,
) -> Iterator[Any]:
    """A mask_mod whose captured tensors hold other values, of any length, within the block.

    ``source`` is a mask_mod, or with ``params`` a factory of one, or its name, as in
    ``path/file.py:name``; ``tensors`` gives the values by the names under which it holds them.

    >>> import torch
    >>> ids = torch.tensor([0, 0, 1])
    >>> with holding(lambda b, h, q, k: ids[q] == ids[k], {"ids": [5, 6]}) as rule:
    ...     bool(rule(0, 0, 0, 1))
    False

    Raises :class:`~attnproof.errors.ParameterError` for a tensor that it does not hold.
    """
    from attnproof.numeric.read.objects import resolve
    from attnproof.numeric.read.signature import call_factory
    from attnproof.numeric.trace.holding import holding as held

    name = source if isinstance(source, str) else getattr(source, "__name__", "the rule")
    rule: Any = resolve(source) if isinstance(source, str) else source
    if params is not None:
        rule = call_factory(rule, params, name)
    with held(rule, tensors or {}):
        yield rule


def _told(report: Report) -> str:
    wrong = [name for name, verdict in report.verdicts.items() if verdict is not Verdict.HOLDS]
    word = "fails" if report.verdict is Verdict.FAILS else "is unknown"
    head = "the mask leaks" if report.verdict is Verdict.FAILS else "not proved"
    named = f"{report.source}, {report.where}"
    return f"{head}: {', '.join(wrong) or 'the mask'} {word} ({named})\n{report}"
