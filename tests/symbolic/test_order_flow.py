"""Flow as users see it: numbers, graphs, facts, and the messages of what was found."""

import pytest

from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.evidence import Safe, Structure
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.compare import Comparison, judge_equal
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge, leak_message
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Verdict

WINDOW = ["1...", "11..", ".11.", "..11"]
CAUSAL = ["1...", "11..", "111.", "1111"]
FULL = ["1111"] * 4


def flow_of(*masks: list[str], depth: int | None = None, residual: bool = True) -> Flow:
    return Flow(Setting(tuple(map(Mask.from_rows, masks)), depth=depth, residual=residual))


def test_edges_of_graphs_run_from_source_to_reader() -> None:
    """A causal mask of three: 0 -> 1 and 1 -> 2 in the Hasse diagram, 0 -> 2 in the layer."""
    flow = flow_of(["1..", "11.", "111"])
    assert sorted(flow.hasse().edges) == [(0, 1), (1, 2)]
    assert sorted(flow.layer_graph().edges) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert ((0, 0), (2, 1)) in flow.unrolled(1).edges
    assert ((2, 0), (0, 1)) not in flow.unrolled(1).edges


def test_hasse_diagram_keeps_the_members_of_its_classes() -> None:
    """Prefix of two, then causal: classes {0, 1}, {2}, {3}."""
    drawn = flow_of(["11..", "11..", "111.", "1111"]).hasse()
    assert {c: drawn.nodes[c]["members"] for c in drawn} == {0: (0, 1), 1: (2,), 2: (3,)}
    assert sorted(drawn.edges) == [(0, 1), (1, 2)]


def test_json_of_a_flow() -> None:
    """The flow object of a report, key by key."""
    assert flow_of(["....", "11..", ".11.", ".1.."]).to_json() == {
        "transitive": False,
        "antisymmetric": True,
        "depth": 2,
        "classes": 4,
        "covers": 3,
        "height": 3,
        "width": 2,
        "edges": 5,
        "edges_off_diagonal": 3,
        "empty_rows": [0],
    }


def test_facts_of_a_flow() -> None:
    """What a certificate is made of: covers as (source class, reader class), width witnessed."""
    facts = flow_of(["1...", "11..", "1.1.", "1111"]).facts()
    assert facts.relation == (0b0001, 0b0011, 0b0101, 0b1111)
    assert facts.covers == ((0, 1), (0, 2), (1, 3), (2, 3))
    assert (facts.depth, facts.height, facts.antichain) == (1, 3, (1, 2))
    assert facts.chains is not None
    assert sorted(c for chain in facts.chains for c in chain) == [0, 1, 2, 3]


def test_depth_without_a_residual_may_not_exist() -> None:
    """Two positions that swap for ever: None, in the facts and in JSON."""
    flow = flow_of([".1", "1."], residual=False)
    assert flow.depth is None
    assert flow.facts().depth is None
    assert flow.to_json()["depth"] is None


@pytest.mark.parametrize(
    ("property_", "leaks"),
    [
        (Causal(4), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        (NextToken(4), [(0, 1), (1, 2), (2, 3)]),
        (Documents((0, 0, 1, 0)), [(0, 2), (1, 2), (2, 0), (2, 1), (2, 3), (3, 2)]),
        (Forbidden.from_pairs([(3, 3), (1, 0)], 4), [(3, 3), (1, 0)]),
    ],
)
def test_leaks_of_a_mask_that_reads_everything(
    property_: Property, leaks: list[tuple[int, int]]
) -> None:
    """Reader and source of every forbidden pair, own input first."""
    found = judge(flow_of(FULL), property_)
    assert [(f.reader, f.source) for f in found.findings] == leaks
    assert {f.property for f in found.findings} == {property_.name} == {found.property}


def test_a_window_is_causal_at_every_depth_by_one_layer() -> None:
    """The invariant of causality is the causal mask itself, which the property names."""
    found = judge(flow_of(WINDOW), Causal(4))
    assert found.verdict is Verdict.HOLDS
    assert found.invariant == "k <= q"
    assert isinstance(found.evidence, Safe)
    assert found.evidence.relation == "allowed"


def test_safe_by_shallowness_has_no_invariant() -> None:
    """Safe in exactly one layer though two leak: the evidence holds no relation."""
    far = Forbidden.from_pairs([(2, 0)], 4)
    found = judge(flow_of(WINDOW, depth=1), far)
    assert found.verdict is Verdict.HOLDS
    assert found.evidence == Safe(flow_of(WINDOW, depth=1).setting, far, None)
    assert judge(flow_of(WINDOW, depth=2), far).verdict is Verdict.FAILS


def test_a_layer_that_does_not_run_does_not_count() -> None:
    """Causal first, everything second: one layer is causal, and no invariant shows it."""
    found = judge(flow_of(CAUSAL, FULL, depth=1), Causal(4))
    assert found.verdict is Verdict.HOLDS
    assert isinstance(found.evidence, Safe)
    assert found.evidence.relation is None
    assert judge(flow_of(CAUSAL, FULL, depth=2), Causal(4)).verdict is Verdict.FAILS


def test_findings_are_cut_and_counted() -> None:
    """At most ``most`` findings, the total of all."""
    found = judge(flow_of(FULL), Causal(4), most=2)
    assert (len(found.findings), found.total) == (2, 6)
    assert judge(flow_of(FULL), Causal(4), most=6).findings[:2] == found.findings


def test_a_path_in_a_schedule_names_layers() -> None:
    """Waiting in the residual is not drawn: the entry says after which layer a token holds it."""
    quiet = ["1...", ".1..", "..1.", "...1"]
    found = judge(flow_of(WINDOW, quiet), Forbidden.from_pairs([(2, 0)], 4))
    assert found.findings[0].path == ((0, 0), (1, 1), (2, 3))
    assert str(found.findings[0]) == (
        "token 0 reaches query 2 in 3 layers: 0 -> 1 (layer 1) -> 2 (layer 3)"
    )


def test_messages_of_leaks() -> None:
    """One layer is not "1 layers", and a token held from the start is its reader's own input."""
    assert leak_message(1, 2, 5, (5, 2)) == "token 5 reaches query 2 in 1 layer: 5 -> 2"
    assert leak_message(0, 3, 3, (3,)) == "query 3 holds the forbidden token 3 as its own input"


@pytest.mark.parametrize(
    ("text", "rows", "message", "witness"),
    [
        ("reflexive", [".1", "11"], "query 0 does not read its own position", (0,)),
        ("no-empty-rows", ["1.", ".."], "query 1 reads nothing", (1,)),
        ("antisymmetric", ["11", "11"], "0 and 1 read each other", (0, 1)),
        (
            "transitive",
            ["1..", "11.", ".11"],
            "query 2 reads 1 and 1 reads 0, but 2 does not read 0",
            (0, 1, 2),
        ),
        (
            "depth=1",
            ["1..", "11.", ".11"],
            "token 0 reaches query 2 only in 2 layers, not in 1",
            (0, 1, 2),
        ),
    ],
)
def test_messages_of_structure(
    text: str, rows: list[str], message: str, witness: tuple[int, ...]
) -> None:
    """Each structural failure tells its first counterexample, and the evidence holds it."""
    found = judge_structure(flow_of(rows), text)
    assert found.verdict is Verdict.FAILS
    assert str(found.findings[0]) == message
    assert found.findings[0].property == text == found.property
    assert isinstance(found.evidence, Structure)
    assert found.evidence.witness == witness


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([".1", "1."], "without a residual the flow never settles, not 1"),
        (["...", "1..", ".1."], "without a residual the flow settles after 3 layers, not 1"),
    ],
)
def test_bounded_depth_without_a_residual(rows: list[str], message: str) -> None:
    """The flow may settle late or never."""
    found = judge_structure(flow_of(rows, residual=False), "depth=1")
    assert str(found.findings[0]) == message


def test_bounded_depth_without_a_residual_at_its_bound() -> None:
    """Three positions in a row forget everything after exactly three layers."""
    dying = flow_of(["...", "1..", ".1."], residual=False)
    assert judge_structure(dying, "depth=3").verdict is Verdict.HOLDS
    assert judge_structure(dying, "depth=2").verdict is Verdict.FAILS


@pytest.mark.parametrize(
    "text", ["depth", "depth=", "depth=-1", "depth=x", "symmetric", "reflexive=1"]
)
def test_unknown_structural_property(text: str) -> None:
    """The message repeats what was given and lists what there is."""
    with pytest.raises(ParameterError, match="is not a structural property; give one of") as raised:
        judge_structure(flow_of(FULL), text)
    assert repr(text) in str(raised.value)
    assert raised.value.parts == {"given": text}


def test_windows_have_other_edges_and_the_same_flow() -> None:
    """Two keys against three: the edges differ, the closure does not."""
    found = judge_equal(flow_of(WINDOW), flow_of(["1...", "11..", "111.", ".111"]), "wider")
    assert found.verdict is Verdict.FAILS
    assert [str(f) for f in found.findings] == [
        "query 2 does not read key 0, which wider does",
        "query 3 does not read key 1, which wider does",
    ]
    assert Comparison(flow_of(WINDOW), flow_of(CAUSAL)).flow_equal


def test_the_diagonal_is_the_difference_a_residual_hides() -> None:
    """Unequal as given, equal off the diagonal, equal in flow."""
    found = Comparison(flow_of(["1.", "11"]), flow_of(["..", "1."]))
    assert (found.edges_equal, found.equal_off_diagonal, found.flow_equal) == (False, True, True)


def test_masks_of_different_lengths_are_not_compared() -> None:
    """The message names both lengths."""
    with pytest.raises(ShapeError, match="the masks have 2 and 4 positions") as raised:
        Comparison(flow_of(["1.", "11"]), flow_of(FULL))
    assert raised.value.parts == {"sizes": (2, 4)}
