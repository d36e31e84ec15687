"""Small masks with every kind of claim about them, each one true."""

from collections.abc import Iterator, Sequence
from typing import Any

from attnproof.ask.scans import scans
from attnproof.ask.sparsify import sparsify
from attnproof.proofs.refute import fewest_merged
from attnproof.symbolic.evidence import Evidence, Optimum, Unequal
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.compare import Comparison
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.judge import judge
from attnproof.symbolic.order.properties import (
    Causal,
    Documents,
    Forbidden,
    NextToken,
    Property,
)
from attnproof.symbolic.order.structure import judge_structure
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.tasks.equivalence import equivalent
from attnproof.symbolic.tasks.judge import judge_task
from attnproof.symbolic.tasks.masks import Heads
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.minimal import Counted
from attnproof.symbolic.tasks.task import Label, Position, Task
from tests.mutation.length_cases import CASES as LENGTHS
from tests.mutation.net_cases import nets


def setting(
    *layers: str,
    depth: int | None = None,
    residual: bool = True,
    empty_row: EmptyRow = EmptyRow.ZERO,
    offset: int = 0,
) -> Setting:
    """Layers drawn as rows with a slash between them."""
    masks = tuple(Mask.from_rows(layer.split("/"), offset=offset) for layer in layers)
    return Setting(masks, depth, residual, empty_row, {"source": "mask.npy", "n": None})


CAUSAL = "1.../11../111./1111"
WINDOW = "1.../11../.11./..11"
PREFIX = "11../11../111./1111"
AHEAD = "1.../111./.11./..11"

#: name: setting. Every one of them is judged on every structural property, and described.
SETTINGS: dict[str, Setting] = {
    "one": setting("."),
    "causal": setting(CAUSAL),
    "window": setting(WINDOW),
    "prefix": setting(PREFIX),
    "ring": setting("..1/1../.1."),
    "v": setting("1../.1./111"),
    "n-shaped": setting("1.../.1../111./.1.1"),
    "empty rows": setting("1../.../11."),
    "uniform": setting("1../.../1.1", empty_row=EmptyRow.UNIFORM),
    "rectangular": setting("111./1111", offset=2),
    "keys behind": setting("1..1/.1.."),
    "schedule": setting("1../11./.11", "1.1/.1./..1"),
    "three layers": setting("1../.1./..1", ".../1../...", ".../.../.1."),
    "two layers": setting(WINDOW, depth=2),
    "without residual": setting(".../1../.1.", residual=False),
    "alternating": setting(".1/1.", residual=False),
    "alternating schedule": setting(".1/1.", "1./.1", residual=False),
    "primitive": setting("11./..1/1..", residual=False, depth=3),
}

PROPERTIES: dict[str, tuple[Setting, Property]] = {
    "causal": (setting(CAUSAL), Causal(4)),
    "prefix is not causal": (setting(PREFIX), Causal(4)),
    "look ahead": (setting(AHEAD), Causal(4)),
    "next token": (setting(CAUSAL), NextToken(4)),
    "next token of ahead": (setting(AHEAD), NextToken(4)),
    "two documents": (setting("1.../11../..1./..11"), Documents((3, 3, -1, -1))),
    "documents of a window": (setting(WINDOW), Documents((0, 0, 1, 1))),
    "far": (setting(WINDOW), Forbidden.from_pairs([(3, 0)], 4)),
    "far in two layers": (setting(WINDOW, depth=2), Forbidden.from_pairs([(3, 0)], 4)),
    "far in three layers": (setting(WINDOW, depth=3), Forbidden.from_pairs([(3, 0)], 4)),
    "own": (setting(WINDOW), Forbidden.from_pairs([(1, 1)], 4)),
    "own without residual": (
        setting(".../1../.1.", residual=False, depth=1),
        Forbidden.from_pairs([(1, 1)], 3),
    ),
    "odd without residual": (
        setting(".1./1../..1", residual=False, depth=3),
        Forbidden.from_pairs([(0, 1)], 3),
    ),
    "even without residual": (
        setting(".1./1../..1", residual=False, depth=4),
        Forbidden.from_pairs([(0, 1)], 3),
    ),
    "schedule": (setting("1../11./..1", "1../.1./.11"), Forbidden.from_pairs([(2, 0)], 3)),
    "schedule in one layer": (
        setting("1../11./..1", "1../.1./.11", depth=1),
        Forbidden.from_pairs([(2, 0)], 3),
    ),
    "waits in a schedule": (
        setting("1../.1./.11", "1../11./..1"),
        Forbidden.from_pairs([(2, 0)], 3),
    ),
    "cached keys": (setting("111./1111", offset=2), Causal(4)),
    "cached keys ahead": (setting("1111/1111", offset=2), Causal(4)),
    "uniform": (setting("1../.../111", empty_row=EmptyRow.UNIFORM), Causal(3)),
    "zero": (setting("1../.../111"), Causal(3)),
    "nan": (setting("1../.../111", empty_row=EmptyRow.NAN), Causal(3)),
}

CHAIN = ["11.", ".11", "..1"]
TASKS: dict[str, Task] = {
    "next atom": Task.build(["x1", "x2", "x3"], {0: "x2", 1: "x3"}, "causal"),
    "label ahead": Task.build(["x1", "x2", "x3"], {0: "x3"}, CHAIN),
    "only by depth": Task.build(["x1", "x2", "x3"], {0: "x3"}, CHAIN, depth=1),
    "own input": Task.build(["x1", "x2"], {0: "x1"}, ["1.", "11"]),
    "kept": Task.build(
        [Position(("x1",), kind="keep"), Position(("x2",))], {0: "x1"}, ["1.", "11"]
    ),
    "sum, one part": Task.build(["x1", "x2", None], {2: "y"}, ["1..", ".1.", "1.1"],
                                derived={"y": ["x1", "x2"]}),
    "sum, both parts": Task.build(["x1", "x2", None], {2: "y"}, ["1..", "11.", "..1"],
                                  derived={"y": ["x1", "x2"]}, depth=2),
    "sum arrives in parts": Task.build(["x1", "x2", None], {2: "y"}, ["11.", ".1.", "1.1"],
                                       derived={"y": ["x1", "x2"]}),
    "sum carried": Task.build([("y",), "x3", None], {2: "x1"}, ["1..", ".1.", "1.1"],
                              derived={"y": ["x1", "x2"]}),
    "allowed": Task.build(["x1", "x2", None], [Label(2, "x3", 0, frozenset({"x1"}))],
                          ["1..", ".1.", "1.1"]),
    "not allowed": Task.build(["x1", "x2", None], [Label(2, "x3", 1, frozenset({"x1"}))],
                              ["11.", ".1.", "1.1"]),
    "parts without residual": Task.build(
        ["x1", "x2", None], {2: "y"}, ["1..", ".1.", "11."], residual=False, depth=1,
        derived={"y": ["x1", "x2"]},
    ),
}  # fmt: skip

PAIRS: dict[str, tuple[Setting, Setting]] = {
    "itself": (setting(CAUSAL), setting(CAUSAL)),
    "windows": (setting(WINDOW), setting("1.../11../111./.111")),
    "causal and prefix": (setting(CAUSAL), setting(PREFIX)),
    "prefix and causal": (setting(PREFIX), setting(CAUSAL)),
    "other offset": (setting("1.../11../111./1111"), setting("11../111./1111", offset=1)),
    "two schedules": (setting("1./11", "1./.1"), setting("1./.1", "1./.1")),
    "period": (setting("1./11"), setting("1./11", "1./11")),
}


def below(covers: Sequence[str], inputs: str, **model: Any) -> Task:
    """A task of one letter a position; ``"02"`` says that position 2 reads position 0."""
    n = len(inputs)
    read = {(int(cover[1]), int(cover[0])) for cover in covers}
    rows = ["".join("#" if q == k or (q, k) in read else "." for k in range(n)) for q in range(n)]
    fed = [Position((letter,)) for letter in inputs]
    return Task.build(fed, {}, rows, **{"pos_mode": "none", **model})


def shifted(place: int) -> Task:
    """Two positions, whose ids are compared by their differences."""
    return Task.build(
        [Position(("x",), place), Position((), place + 2)], {}, "causal", pos_mode="relative"
    )


def two_heads(a: str, b: str) -> Task:
    """One layer of two heads, each drawn as rows with a slash between them."""
    heads = Heads(tuple(Mask.from_rows(rows.split("/")) for rows in (a, b)))
    return Task.build(["x", "y", "z"], {}, heads, pos_mode="none")


def reads(inputs: str, **model: Any) -> Task:
    """The last position reads all others, which read only themselves."""
    last = len(inputs) - 1
    return below([f"{k}{last}" for k in range(last)], inputs, **model)


DIAMOND = ["01", "02", "13", "23"]
TREE = ["01", "23", "14", "34"]
#: name: task and node, task and node, mode.
NODES: dict[str, tuple[Task, int, Task, int, str]] = {
    "prefix": (below(["01", "02", "12"], "xyz"), 1, below(["01"], "xy"), 1, "iso"),
    "shifted": (shifted(0), 1, shifted(5), 1, "iso"),
    "heads": (
        two_heads("1../11./101", "1../.1./111"), 2,
        two_heads("1../11./101", "1../.1./111"), 2, "iso",
    ),
    "diamond and tree": (below(DIAMOND, "caat"), 3, below(TREE, "cacat"), 4, "wl"),
    "chain and pair, one layer": (
        below(["01", "02", "12"], "abt", depth=1), 2, reads("abt", depth=1), 2, "wl",
    ),
    "chain and pair": (below(["01", "02", "12"], "abt"), 2, reads("abt"), 2, "softmax"),
    "shares": (
        reads("abt", diag_in_softmax=False), 2, reads("aabbt", diag_in_softmax=False), 4, "softmax",
    ),
    "one colour": (
        below(["12", "13", "04", "14", "24", "34"], "oooot"), 4,
        below(["12", "03", "04", "14", "24", "34"], "oooot"), 4, "iso",
    ),
}  # fmt: skip


#: name: tasks that are merged.
FAMILIES: dict[str, list[Task]] = {
    "prefixes": [
        Task.build([Position(("x",))], {0: "y"}, ["1"], pos_mode="none"),
        Task.build([Position(("x",)), Position(("y",))], {1: "z"}, ["1.", "11"], pos_mode="none"),
    ],
    "twins below": [reads("aat")],
    "shifted tasks": [shifted(0), shifted(5)],
    "one state, two labels": [
        Task.build([None], {0: atom}, ["1"], atoms=[*"xy"], pos_mode="none") for atom in "xy"
    ],
    "one colour, two labels": [
        Task.build([None, None], {0: "x", 1: "y"}, ["1.", ".1"], pos_mode="none")
    ],
}


def merged() -> Iterator[tuple[str, Evidence]]:
    """Tasks that are embedded in one, and labels that conflict."""
    for name, family in FAMILIES.items():
        for i, found in enumerate(merge(family).evidence):
            yield f"merged {name} {i}", found


def least() -> Iterator[tuple[str, Evidence]]:
    """That no common supergraph has fewer classes, pairs or covers."""
    twins = [Task.build([*"att"], {}, ["1..", "11.", "1.1"], pos_mode="none")]
    for name, tasks, counted, injective in (
        ("prefixes", FAMILIES["prefixes"], Counted.COVERS, False),
        ("twins below", FAMILIES["twins below"], Counted.PAIRS, False),
        ("twins apart", twins, Counted.CLASSES, True),
    ):
        found = fewest_merged(tasks, counted, injective=injective, conflicts=1000)
        if found is not None:
            yield f"least {name}, {counted.value}", found


def sparse() -> Iterator[tuple[str, Evidence]]:
    """Sparse masks, that none is sparser, and scans."""
    for name, drawn, layers, per_layer in (
        ("causal", CAUSAL, 2, False),
        ("causal, a mask each", "1../11./111", 2, True),
        ("shallow", "1../1.1/.11", 3, False),
        ("full", "111/111/111", 2, False),
        ("one layer", "1../11./.11", 1, False),
    ):
        found = sparsify(Mask.from_rows(drawn.split("/")), layers=layers, per_layer=per_layer)
        (statement,) = found.evidence
        yield f"sparsest {name}", statement
        if per_layer and isinstance(statement, Optimum):
            yield f"sparse {name}", statement.spans
    for name, rule, drawn in (
        ("chain", "sum", "1../11./111"),
        ("crown", "sum", "1.../.1../1.1./.1.1"),
        ("full", "sum", "11/11"),
        ("fork", "gated", "1../11./1.1"),
        ("v", "gated", "1../.1./111"),
        ("nothing", "sum", "1./.1"),
    ):
        found_scans = scans(Mask.from_rows(drawn.split("/")), rule=rule)
        yield f"scans {name} {rule}", found_scans.evidence


def evidences() -> Iterator[tuple[str, Evidence]]:
    """Every case by name."""
    for name, given in SETTINGS.items():
        flow = Flow(given)
        yield f"flow of {name}", flow.facts()
        for wanted in ("reflexive", "transitive", "antisymmetric", "no-empty-rows", "depth=1"):
            found = judge_structure(flow, wanted).evidence
            if found is not None:
                yield f"{name} {wanted}", found
    for name, (given, wished) in PROPERTIES.items():
        found = judge(Flow(given), wished).evidence
        if found is not None:
            yield f"property {name}", found
    for name, task in TASKS.items():
        found = judge_task(Flow(task.setting()), task).evidence
        if found is not None:
            yield f"task {name}", found
    for name, (a, b) in PAIRS.items():
        for found in Comparison(Flow(a), Flow(b)).evidence():
            yield f"compare {name} {found.of}", found
    for name, (task, node, other, place, mode) in NODES.items():
        found = equivalent(task, node, other, place, mode).evidence
        if found is not None:
            yield f"nodes {name}", found
    a, b = setting("1../11./..1", "1../.1./.11"), setting("1../.1./.11", "1../11./..1")
    yield "layers exchanged", Unequal(a, b, "edges", "a", 1, 0)

    yield from merged()
    yield from least()
    yield from sparse()
    yield from nets()
    yield from LENGTHS.items()


CASES = dict(evidences())
