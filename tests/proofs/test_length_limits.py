"""Every length: small files that would take long, or much memory, are refused in words."""

import json
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import attnproof.proofs.checker as checker
from attnproof.proofs.checker import check_statement, check_text
from tests.mutation.length_cases import CASES, statement_of
from tests.proofs.test_length_kernel import edited

WINDOW = statement_of(CASES["every window"])
NO_STEPS: dict[str, Any] = {"lemmas": [], "steps": []}
SEVERAL = "it takes too many steps to check this"
LARGE = "what has to be proved is too large"
OPEN = "init: a case is left open"


def claimed(**fields: Any) -> Any:
    """That a mask is causal, with proofs that show nothing."""
    proofs = [NO_STEPS] * fields.pop("count", 3)
    instance = {"n": 3, "parameters": {}, "tensors": {}}
    plain = {"requires": [], "layers": [["<=", "k", "q"]], "proofs": proofs, "instance": instance}
    return edited(WINDOW, **{**plain, **fields})


def names(count: int) -> list[str]:
    """Parameters."""
    return [f"a{i}" for i in range(count)]


def at_least_0(term: Any) -> list[Any]:
    """A layer of this term."""
    return ["and", ["<=", "k", "q"], ["<=", 0, term]]


def nested(op: str, times: int, term: Any) -> Any:
    """An operator upon itself."""
    for _ in range(times):
        term = [op, term]
    return term


def tensor(*shape: Any) -> list[dict[str, Any]]:
    """The tensor t."""
    return [{"name": "t", "shape": list(shape), "boolean": False}]


def law(formula: Any, indices: int) -> list[dict[str, Any]]:
    """A law of it."""
    return [{"schema": "law", "tensor": "t", "law": formula, "indices": indices}]


def keyed(layer: Any, *between: Any) -> Any:
    """That no row is empty, each of these keys being read."""
    asked = {"name": "no-empty-rows"}
    return claimed(
        layers=[layer], claim=asked, invariant=None, between=[[w] for w in between], count=1
    )


def held(n: int, value: Any) -> dict[str, Any]:
    """An instance with elements of t."""
    return {"n": n, "parameters": {}, "tensors": {"t": value}}


FILES: dict[str, tuple[Callable[[], Any], str]] = {
    **{
        f"an axis of none beside one of 10^{power}": (
            partial(
                claimed,
                tensors=tensor(0, 10**power),
                assumptions=law(["==", 0, 0], 1),
                instance=held(3, []),
                layers=[["<=", "k", ["+", "q", 1]]],
            ),
            OPEN,
        )
        for power in (10, 40)
    },
    **{
        f"{op} of 40": (partial(claimed, layers=[at_least_0([op, *names(40)])]), OPEN)
        for op in ("min", "max", "|", "^", "&")
    },
    "190 absolute values": (lambda: claimed(layers=[at_least_0(nested("abs", 190, "q"))]), OPEN),
    "a witness as deep as the layer": (
        lambda: keyed(at_least_0(nested("abs", 190, "k")), nested("abs", 190, "q")),
        "no-empty-rows: a case is left open",
    ),
    "a sum of 8000": (lambda: claimed(layers=[at_least_0(["+", *names(8000)])]), OPEN),
    "a product of sums": (
        lambda: claimed(layers=[at_least_0(["*", *[["+", *names(300)]] * 2])]),
        "init: a product is too large",
    ),
    "a power": (lambda: claimed(layers=[at_least_0(["*", *["q"] * 20000])]), f"init: {SEVERAL}"),
    "an integer of many bits": (
        lambda: claimed(layers=[at_least_0(1 << 5000)]),
        "a layer has an integer that is too large",
    ),
    "many keys in a large layer": (
        lambda: keyed(at_least_0(["+", *names(3000)]), *names(3000)),
        LARGE,
    ),
    "a large key in a large layer": (
        lambda: keyed(at_least_0(["+", *["k"] * 9000]), ["+", *names(9000)]),
        LARGE,
    ),
    "many reads of a long axis": (
        lambda: claimed(
            tensors=tensor(["+", "n", *[0] * 3000]),
            layers=[at_least_0(["+", *[["at", "t", i] for i in range(3000)]])],
            instance=held(3, [0] * 3),
        ),
        LARGE,
    ),
    "sums that grow": (
        lambda: claimed(
            proofs=[
                {"lemmas": [], "steps": [[[i, 10**4000], [1, 1], [2, 3]] for i in range(200)]},
                *[NO_STEPS] * 2,
            ],
            layers=[["<=", "k", ["+", "q", 1]]],
        ),
        f"init: {SEVERAL}",
    ),
    "a long sum of long literals": (
        lambda: claimed(
            requires=[["<=", ["+", *names(4000)], 0]],
            instance={"n": 3, "parameters": dict.fromkeys(names(4000), 0), "tensors": {}},
            proofs=[{"lemmas": [], "steps": [[[1, 1]] * 9000]}, *[NO_STEPS] * 2],
        ),
        f"init: {SEVERAL}",
    ),
    "branches of many literals": (
        lambda: claimed(
            requires=[["<=", 0, name] for name in names(4000)],
            instance={"n": 3, "parameters": dict.fromkeys(names(4000), 0), "tensors": {}},
            layers=[["<=", "k", ["+", "q", 1]]],
            proofs=[
                {"lemmas": [], "steps": [["split", ["<=", f"z{i}", 0]] for i in range(4000)]},
                *[NO_STEPS] * 2,
            ],
        ),
        f"init: {SEVERAL}",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_small_file_is_answered_soon(name: str) -> None:
    """Within seconds, and within memory that any machine has."""
    make, reason = FILES[name]
    statement = json.loads(json.dumps(make()))
    start = time.process_time()
    tracemalloc.start()
    try:
        result = check_statement(statement)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (result.valid, result.undecided, result.reason) == (False, False, reason)
    assert time.process_time() - start < 20
    assert peak < 1 << 29


@pytest.mark.parametrize("error", [RecursionError, MemoryError, OverflowError])
def test_what_is_too_large_after_all_is_not_valid(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """The last net: no traceback, and no proof."""

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(checker, "KERNELS", {WINDOW["predicateType"]: fails})
    (result,) = check_text(json.dumps(WINDOW))
    assert (result.valid, result.undecided) == (False, False)
    assert result.reason == "it is too large to be checked"
