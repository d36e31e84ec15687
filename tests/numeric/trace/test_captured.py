"""Captured tensors: named as the author named them, with values or with assumptions alone."""

import functools
from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.trace import TraceError, trace
from attnproof.numeric.trace.captured import named_tensors
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.formula import at, evaluate, k, n, q
from attnproof.symbolic.lengths.problem import Problem
from tests.numeric.trace import masks
from tests.numeric.trace.masks import IDS, STARTS, Documents, causal, packed

PACKED = packed(IDS, STARTS, causal)


def listed(ids: list[torch.Tensor], tables: dict[str, torch.Tensor]) -> Any:
    return lambda b, h, q, k: (ids[0][q] == ids[1][k]) & (tables["level"][k] > 0)


def defaulted(b: Any, h: Any, q: Any, k: Any, ids: torch.Tensor = IDS) -> Any:
    return ids[q] == ids[k]


def helper(b: Any, h: Any, q: Any, k: Any) -> Any:
    return masks.documents(b, h, q, k) | (IDS[q] == STARTS[0])


CAPTURES: dict[str, tuple[Any, set[str]]] = {
    "closure": (PACKED, {"document_id", "offsets"}),
    "nested closure": (packed(IDS, STARTS, PACKED), {"document_id", "offsets"}),
    "global": (masks.documents, {"IDS"}),
    "globals of a function that is called": (helper, {"IDS", "STARTS"}),
    "partial": (functools.partial(lambda ids, b, h, q, k: ids[q] == ids[k], IDS), {"tensor_0"}),
    "partial by name": (
        functools.partial(lambda b, h, q, k, ids: ids[q] == ids[k], ids=IDS),
        {"ids"},
    ),
    "default": (defaulted, {"ids"}),
    "object": (Documents(IDS), {"ids"}),
    "method": (Documents(IDS).later, {"ids"}),
    "list and dictionary": (
        listed([IDS, IDS + 1], {"level": IDS * 2}),
        {"ids_0", "ids_1", "level"},
    ),
}


@pytest.mark.parametrize("name", CAPTURES)
def test_tensors_have_the_names_that_their_author_gave(name: str) -> None:
    """Closures, globals, partials, defaults, attributes and containers name the tensors."""
    function, names = CAPTURES[name]
    assert names <= {x for x, _ in named_tensors(function)}


def test_two_tensors_of_one_name_are_two() -> None:
    """A name that is taken gets a number; words of Python and index names are not names."""
    first, second = Documents(IDS), Documents(IDS * 2)
    traced = trace(lambda b, h, q, k: first(b, h, q, k) & second(b, h, q, k))
    assert repr(traced.term) == "ids[q] == ids[k] and ids_2[q] == ids_2[k]"


def test_index_names_are_not_taken_by_tensors() -> None:
    """A captured tensor named q is not the query."""
    q = IDS

    def rule(b: Any, h: Any, i: Any, j: Any) -> Any:
        return q[i] == q[j]

    assert repr(trace(rule).term) == "tensor_q[q] == tensor_q[k]"


def test_abstract_tensors_have_sizes_by_how_they_are_read() -> None:
    """What a query or key indexes has n elements; other sizes have names; what constants index
    is as it is."""
    traced = trace(PACKED, captured="abstract")
    assert traced.shapes["document_id"] == (n,)
    assert repr(traced.shapes["offsets"]) == "(offsets_size,)"
    assert traced.abstract == ("document_id", "offsets")
    assert trace(masks.flamingo, captured="abstract").shapes["INTERVALS"][0] == n
    assert repr(trace(masks.flamingo, captured="abstract").shapes) == "{'INTERVALS': (n, 2)}"
    padded = trace(masks.padded, captured="abstract")
    assert repr(padded.requires) == "(b < PADDING_size,)"
    top = trace(masks.top_blocks, captured="abstract", length=3)
    assert repr(top.shapes["BLOCKS"]) == "(BLOCKS_size, n, 2)"
    assert "BLOCKS has 2 elements on axis 2" in top.notes


def test_an_assumption_alone_makes_a_tensor_abstract() -> None:
    """By default those tensors are abstract of which something is assumed."""
    traced = trace(PACKED, assumptions={"document_id": ["nondecreasing", "bounded(0, 3)"]})
    assert traced.abstract == ("document_id",)
    assert [x.schema for x in traced.assumptions] == ["nondecreasing", "bounded"]
    assert traced.shapes["offsets"][0].value == 4


def test_obligations_name_the_reads_and_divisors() -> None:
    """Every read of a tensor must be in range, every symbolic divisor positive."""
    shown = [repr(x) for x in trace(PACKED, captured="abstract").obligations]
    assert shown[0] == "index: q >= 0 and q < n for `document_id[q]`"
    assert any("document_id[q] < offsets_size for `offsets[document_id[q]]`" in x for x in shown)
    divided = trace(masks.strided, symbolic=["stride"]).obligations
    assert repr(divided[0]) == "divisor: stride > 0 for `q // stride`"


def test_dropped_reads_leave_their_obligations() -> None:
    """A read that does not show in the formula must be in range all the same."""
    traced = trace(lambda b, h, q, k: (IDS[q + 1] > 5) & torch.tensor(False) | (k <= q))
    assert repr(traced.term) == "k <= q"
    assert repr(traced.obligations) == "(index: q + 1 >= 0 and q + 1 < 10 for `IDS[q + 1]`,)"


_ABSTRACT = trace(PACKED, captured="abstract").term


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=8))
def test_an_abstract_formula_is_right_for_other_tensors(ids: list[int]) -> None:
    """The formula with other values for its tensors is the rule made with these."""
    term = _ABSTRACT
    starts = [0, 2, 1, 5]
    for i in range(len(ids)):
        for j in range(len(ids)):
            env = {"q": i, "k": j, "document_id": ids, "offsets": starts}
            same = ids[i] == ids[j]
            assert evaluate(term, env) == (same and i - starts[ids[i]] >= j - starts[ids[j]])


def test_a_traced_rule_is_a_problem_for_all_lengths() -> None:
    """What tracing returns is what the deciders take."""
    traced = trace(masks.documents, assumptions={"IDS": "nondecreasing"})
    problem = Problem.of(
        traced.term, requires=traced.requires, shapes=traced.shapes, laws=traced.assumptions
    )
    assert problem.read == (at("IDS", q).eq(at("IDS", k)) & (q >= k)) | q.eq(k)
    assert problem.admits({"n": 3, "IDS": [0, 0, 1]})
    assert not problem.admits({"n": 3, "IDS": [0, 1, 0]})


def test_negative_indices_count_from_the_end() -> None:
    """An index that may be negative wraps as in torch; a constant one is resolved."""
    assert repr(trace(masks.previous_document).term).endswith(
        "IDS[(q - 1 + 10 if q - 1 < 0 else q - 1)] == IDS[k]"
    )
    assert (
        repr(trace(masks.last_document, captured="abstract").term)
        == "IDS[k] != IDS[n - 1] or q >= k"
    )


def test_an_index_that_wraps_in_an_abstract_tensor_is_refused() -> None:
    """An element of the user's tensor that is -1 counts from the end in torch, not in formulas."""
    ids = torch.tensor([0, 1, -1])
    with pytest.raises(TraceError, match="outside of a tensor where torch counts from its end"):
        trace(packed(ids, STARTS, causal), captured="abstract")


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown tensor": (
        {"assumptions": {"doc": "nondecreasing"}},
        "no captured tensor 'doc' to assume something of; the rule reads document_id, offsets",
    ),
    "unknown fact": ({"assumptions": {"offsets": "sorted"}}, "'sorted' is nothing that can be"),
    "no fact": ({"assumptions": {"offsets": "a b"}}, "assumed 'a b'; write nondecreasing, or"),
    "order": (
        {"assumptions": {"document_id": "increasing"}},
        "document_id is assumed increasing, but document_id[0] = 0 and document_id[1] = 0; drop",
    ),
    "injective": ({"assumptions": {"document_id": "injective"}}, "document_id[0] = 0 and"),
    "permutation": ({"assumptions": {"offsets": "permutation"}}, "but offsets[2] = 5; drop"),
    "bounded": ({"assumptions": {"offsets": "bounded(0, 5)"}}, "but offsets[2] = 5; drop"),
    "a bound that is no size": (
        {"assumptions": {"offsets": "bounded(0, q)"}},
        "offsets is assumed bounded(0, q), and q is no size; give integers, or one of ",
    ),
    "a bound beyond 64 bits": (
        {"assumptions": {"offsets": f"bounded(0, {2**63})"}},
        f"the bound {2**63} does not fit 64 bits, as every element does; give a smaller one",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_assumptions_are_checked_on_the_tensor(name: str) -> None:
    """A fact that the user's tensor does not have is refused, with the elements that show it."""
    options, told = MISTAKES[name]
    with pytest.raises(ParameterError) as error:
        trace(PACKED, **options)
    assert told in str(error.value)


def test_rows_fulfil_an_assumption_one_by_one() -> None:
    """A fact speaks of the last axis; the elements that fail it have all their indices."""
    table = torch.tensor([[0, 1, 2], [3, 2, 4]])
    with pytest.raises(InputError, match=r"table\[1, 0\] = 3 and table\[1, 1\] = 2"):
        trace(lambda b, h, q, k: table[b, q] >= table[b, k], assumptions={"table": "nondecreasing"})
    gaps = torch.tensor([[0, 0, 1], [2, 3, 2]])
    with pytest.raises(InputError, match=r"gaps\[1, 0\] = 2 and gaps\[1, 1\] = 3 and gaps\[1, 2\]"):
        trace(lambda b, h, q, k: gaps[b, q] >= gaps[b, k], assumptions={"gaps": "contiguous"})
