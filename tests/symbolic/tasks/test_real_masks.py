"""Real masks as tasks: leaks and leak depths, reference values computed independently."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.findings import findings
from attnproof.symbolic.tasks.judge import judge_task
from attnproof.symbolic.tasks.leaks import label_depths
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.verdict import Verdict

if TYPE_CHECKING:
    from attnproof.symbolic.tasks.building import MaskLike


def x(i: int) -> str:
    """The atom of token i."""
    return f"x{i}"


def named(builder: str, **parameters: int | bool) -> dict[str, object]:
    """A named mask with its parameters."""
    return {"builder": builder, **parameters}


def next_tokens(n: int, mask: "MaskLike", first: int = 0, ahead: int = 1) -> Task:
    """Position q carries token q and predicts token q + ahead, from position ``first`` on."""
    labels = {q: x(q + ahead) for q in range(first, n - ahead)}
    return Task.build([x(q) for q in range(n)], labels, mask)


def masked(n: int, mask: "MaskLike", hidden: list[int], kept: tuple[int, ...] = ()) -> Task:
    """Masked-token prediction: hidden positions carry nothing, kept ones their own token."""
    inputs = [
        Position((x(q),), q, "keep") if q in kept else None if q in hidden else x(q)
        for q in range(n)
    ]
    return Task.build(inputs, {q: x(q) for q in (*hidden, *kept)}, mask)


def two_streams(mask: "MaskLike", content: list[int], queries: list[int]) -> Task:
    """Content positions, then queries without a token, each predicting its own."""
    inputs = [Position((x(i),), i) for i in content] + [Position((), i, "mask") for i in queries]
    labels = {len(content) + j: x(i) for j, i in enumerate(queries)}
    return Task.build(inputs, labels, mask)


def block_diffusion(m: int, b: int, own_block: bool) -> Task:
    """Noisy half, one token of each block shown; clean half. ``own_block`` reads one too many."""
    n = m * b
    hidden = [i for i in range(n) if i % b]
    rows = [
        "".join("1" if k // b == q // b else "." for k in range(n))
        + "".join("1" if k // b < q // b + own_block else "." for k in range(n))
        for q in range(n)
    ]
    clean = [
        "." * n + "".join("1" if k // b <= q // b else "." for k in range(n)) for q in range(n)
    ]
    noisy = [None if i in hidden else x(i) for i in range(n)]
    return Task.build([*noisy, *map(x, range(n))], {i: x(i) for i in hidden}, rows + clean)


def several_heads(n: int) -> Task:
    """Head h of position q predicts token q + 1 + h."""
    labels = {q: [x(q + 1), x(q + 2)] for q in range(n - 2)}
    return Task.build([x(q) for q in range(n)], labels, "causal")


def content_full(n: int) -> list[str]:
    """Content reads all content; a query reads all content but its own."""
    queries = ["".join("." if k == q else "1" for k in range(n)) + "." * n for q in range(n)]
    return ["1" * n + "." * n] * n + queries


CHAIN = ["1....", "11...", "111..", "1111.", "11111"]
ALL_BUT_OWN = ["".join("." if k == q else "1" for k in range(8)) for q in range(8)]
PREFIX = named("prefix_lm", prefix=3)
XLNET = [2, 0, 3, 1, 4]


@dataclass(frozen=True)
class Case:
    """A task with how many labels leak, and at which depths."""

    name: str
    task: Task
    leaks: int
    depths: tuple[int, ...] = ()


CASES = [
    Case("causal", next_tokens(8, "causal"), 0),
    Case("2 keys", next_tokens(8, {"builder": "window", "keys": 2}), 0),
    Case("4 keys", next_tokens(8, {"builder": "window", "keys": 4}), 0),
    Case("3 keys and a sink", next_tokens(8, named("sink_window", sinks=1, keys=3)), 0),
    Case("prefix, labels everywhere", next_tokens(8, PREFIX), 2, (1,)),
    Case("prefix, labels after it", next_tokens(8, PREFIX, 2), 0),
    Case(
        "prefixes in documents",
        Task.build(
            [x(q) for q in range(8)],
            {q: x(q + 1) for q in (1, 2, 5, 6)},
            {"builder": "prefix_documents", "lengths": [4, 4], "prefix": 2},
        ),
        0,
    ),
    Case("BigBird", masked(16, "bigbird", [3, 8, 13]), 0),
    Case(
        "BERT with kept positions",
        masked(16, {"builder": "bidirectional_window", "radius": 1}, [2, 5, 11], (7, 12)),
        2,
        (0,),
    ),
    Case("XLNet", two_streams({"builder": "two_stream", "order": XLNET}, XLNET[:4], XLNET), 0),
    Case(
        "content full",
        two_streams(content_full(5), [*range(5)], [*range(5)]),
        5,
        (2,),
    ),
    Case("T-TA", two_streams("crown", [*range(5)], [*range(5)]), 0),
    Case("block diffusion", block_diffusion(3, 3, own_block=False), 0),
    Case("block diffusion, one block too many", block_diffusion(3, 3, own_block=True), 6, (1,)),
    Case("look-ahead", next_tokens(8, {"builder": "look_ahead", "right": 1}, 0, 4), 4, (4,)),
    Case("two tokens at once", several_heads(8), 0),
    Case(
        "3 keys and a global token",
        next_tokens(8, named("global_window", radius=2, global_tokens=1, causal=True)),
        7,
        (1, 2),
    ),
    Case(
        "two streams, queries keep the diagonal",
        two_streams(
            [row + "....." for row in CHAIN] + [row + "....." for row in CHAIN],
            [*range(5)],
            [*range(5)],
        ),
        5,
        (1,),
    ),
    Case(
        "full but own, own token as input",
        Task.build([x(q) for q in range(8)], {q: x(q) for q in range(8)}, ALL_BUT_OWN),
        8,
        (0,),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_real_mask_leaks_as_in_the_reference(case: Case) -> None:
    """As many labels leak as in the reference, at the depths it gives."""
    depths = [found.depth for found in label_depths(case.task) if found.depth is not None]
    assert (len(depths), tuple(sorted(set(depths)))) == (case.leaks, case.depths)
    assert len(findings(case.task)) == case.leaks


@dataclass(frozen=True)
class Bug:
    """A reported mistake as a task, with the pairs (reader, source) that leak, and their depth."""

    name: str
    task: Task
    pairs: tuple[tuple[int, int], ...] = ()
    depth: int | None = None


def noisy_and_clean(rows: str) -> Task:
    """Four masked positions, then their four clean tokens."""
    inputs = [None] * 4 + [x(i) for i in range(4)]
    return Task.build(inputs, {i: x(i) for i in range(4)}, rows.split())


BLOCKS = "11..11.. 11..11.. ..111111 ..111111 ....11.. ....11.. ....1111 ....1111"
BLOCKS_RIGHT = "11...... 11...... ..1111.. ..1111.. ....11.. ....11.. ....1111 ....1111"
CLEAN_FULL = "11...... 11...... ..1111.. ..1111.. ....1111 ....1111 ....1111 ....1111"
DIAGONAL = "1.1..... 1111.... ..1..... 1.11.... 1.1.1... 1111.1.. ..1...1. 1.11...1"
NO_DIAGONAL = "1.1..... 1111.... ..1..... 1.11.... ..1.1... 1.11.1.. ......1. 1.1....1"

BUGS = [
    Bug("B16", noisy_and_clean(BLOCKS), ((0, 4), (1, 5), (2, 6), (3, 7)), 1),
    Bug("B16, mended", noisy_and_clean(BLOCKS_RIGHT)),
    Bug("B17", noisy_and_clean(CLEAN_FULL), ((2, 6), (3, 7)), 2),
    Bug(
        "B24",
        two_streams(DIAGONAL.split(), [*range(4)], [*range(4)]),
        ((4, 0), (5, 1), (6, 2), (7, 3)),
        1,
    ),
    Bug("B24, mended", two_streams(NO_DIAGONAL.split(), [*range(4)], [*range(4)])),
    Bug(
        "B25",
        Task.build(
            [x(i) for i in range(4)], {i: x(i) for i in range(4)}, ["..1.", "1.11", "....", "1.1."]
        ),
        ((0, 0), (1, 1), (2, 2), (3, 3)),
        0,
    ),
    Bug("B36", next_tokens(5, PREFIX), ((0, 1), (1, 2)), 1),
    Bug("B36, mended", next_tokens(5, PREFIX, 2)),
]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_reported_mistake_as_a_task(bug: Bug) -> None:
    """Exactly the labels of the report leak, from the position that carries them."""
    judged = judge_task(Flow(bug.task.setting()), bug.task)
    assert tuple((one.reader, one.source) for one in judged.findings) == bug.pairs
    assert {one.depth for one in judged.findings} == ({bug.depth} if bug.pairs else set())
    assert judged.verdict is (Verdict.FAILS if bug.pairs else Verdict.HOLDS)


def test_leak_at_depth_two_passes_a_test_of_one_layer() -> None:
    """B17 at one layer holds: only stacking shows it."""
    task = noisy_and_clean(CLEAN_FULL)
    once = Flow(replace(task.setting(), depth=1))
    assert judge_task(once, task).verdict is Verdict.HOLDS
    assert judge_task(Flow(task.setting()), task).findings[0].path == (6, 4, 2)


def test_look_ahead_is_safe_up_to_three_layers() -> None:
    """Looking one token ahead a layer, a label four ahead leaks from depth 4 on."""
    task = next_tokens(8, {"builder": "look_ahead", "right": 1}, 0, 4)
    verdicts = [judge_task(Flow(replace(task.setting(), depth=d)), task).verdict for d in (3, 4)]
    assert verdicts == [Verdict.HOLDS, Verdict.FAILS]


def test_schedule_leaks_only_in_the_order_that_brings_the_label() -> None:
    """Gather, then spread leaks after two layers; spread, then gather only after three."""
    gather, spread = ["1..", "111", "..1"], ["11.", ".1.", ".11"]
    depths = []
    for layers in ([gather, spread], [spread, gather]):
        mask = {"layers": [{"rows": rows} for rows in layers]}
        (found,) = label_depths(Task.build([None, "x1", "x2"], {0: "x2"}, mask))
        depths.append(found.depth)
    assert depths == [2, 3]


def test_findings_of_a_schedule_name_layers() -> None:
    """In a schedule a path says after which layer each token holds the atom."""
    mask = {"layers": [{"rows": ["1..", "111", "..1"]}, {"rows": ["11.", ".1.", ".11"]}]}
    task = Task.build([None, "x1", "x2"], {0: "x2"}, mask)
    (found,) = findings(task)
    assert found.path == ((2, 0), (1, 1), (0, 2))
