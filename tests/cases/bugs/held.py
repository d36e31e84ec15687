"""A public mask bug as its user holds it: what is asked, and what the answer must be.

Pairs are (reader, source). Expected pairs come from ``mask_bugs.json``, whose values were computed
independently of the package, or stand in the table.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnproof.ask.compare import Compared
from attnproof.errors import InputError
from attnproof.symbolic.verdict import Verdict
from attnproof.values import Report

Pair = tuple[int, int]
Bools = NDArray[np.bool_]
HOLDS, FAILS = Verdict.HOLDS, Verdict.FAILS
#: The finite minimum that libraries write for a blocked key.
MIN = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class Held:
    """A report: its verdict, every leak, the least depth of one, and words that it must say."""

    case: str
    how: str
    ask: Callable[[], Report]
    verdict: Verdict | None
    leaks: Collection[Pair] = ()
    kind: str = "leak"
    depth: int | None = 1
    told: Sequence[str] = ()


@dataclass(frozen=True)
class Refused:
    """An error: its class, and words that it must say."""

    case: str
    how: str
    ask: Callable[[], object]
    error: type[InputError]
    told: Sequence[str] = ()


@dataclass(frozen=True)
class Differs:
    """A comparison: the pairs that only one mask has, and whether the flow is the same."""

    case: str
    how: str
    ask: Callable[[], Compared]
    extra: Collection[Pair]
    missing: Collection[Pair]
    flow_equal: bool


Case = Held | Refused | Differs


@cache
def _table() -> dict[str, dict[str, Any]]:
    path = Path(__file__).parents[1] / "mask_bugs.json"
    return {case["case"]: case for case in json.loads(path.read_text())["cases"]}


def pairs(case: str, key: str = "leaks_at_convergence") -> list[Pair]:
    """The pairs that the table of independent values has for a case."""
    return [(q, k) for q, k in _table()[case][key]]


def rows(case: str, key: str = "rows") -> list[str]:
    """The rows of a case, as text."""
    return [str(row) for row in _table()[case][key]]


def array(case: str, key: str = "rows") -> Bools:
    """The rows of a case, as a Boolean array."""
    return np.array([[x == "1" for x in row] for row in rows(case, key)])


def causal(n: int) -> Bools:
    """The lower triangle."""
    return np.tril(np.ones((n, n), dtype=bool))


def future(n: int) -> list[Pair]:
    """Every pair that a causal mask forbids."""
    return [(q, k) for q in range(n) for k in range(q + 1, n)]


def additive(reads: Bools, blocked: float = -np.inf) -> NDArray[np.float32]:
    """0 where a key is read, ``blocked`` elsewhere."""
    return np.where(reads, np.float32(0), np.float32(blocked))
