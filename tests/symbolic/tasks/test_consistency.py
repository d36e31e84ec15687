"""Training-inference consistency: the programs of the case studies, and what breaks them."""

from collections.abc import Mapping
from typing import Any

import pytest

import attnproof as ap
from attnproof.proofs.checker import check_statement
from attnproof.proofs.emit import emit
from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.consistency import Consistency, consistent
from attnproof.symbolic.tasks.decoding import OpenRead, growing, in_turn, open_reads
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.program import Call, Emit, Program
from attnproof.symbolic.tasks.program_file import from_table
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.verdict import Verdict


def tokens(n: int) -> list[str]:
    """The atoms of n tokens."""
    return [f"x{i}" for i in range(1, n + 1)]


def failing(found: Consistency) -> set[str]:
    """The conditions that fail; none may be unknown."""
    assert Verdict.UNKNOWN not in found.verdicts.values()
    return {name for name, verdict in found.verdicts.items() if verdict is Verdict.FAILS}


def block_program(m: int, b: int, clean: str) -> Program:
    """Section 5.3, written out: call j computes block j - 1 and the masks of block j, and takes the
    clean blocks before from the call before."""
    calls = []
    for j in range(1, m + 1):
        past, step = (j - 1) * b, b if clean == "block" else 1
        positions = [Position((f"x{i}",), i) for i in range(1, past + 1)]
        positions += [Position((), past + i, "mask") for i in range(1, b + 1)]
        rows = ["1" * (p // step * step + step) + "." * past for p in range(past)]
        rows = [row[: past + b].ljust(past + b, ".") for row in rows] + ["1" * (past + b)] * b
        reuse = {p: (j - 2, p) for p in range(past - b)}
        emits = {past + i: f"x{past + i + 1}" for i in range(b)}
        calls.append(Call.build(positions, rows, reuse=reuse, emit=emits))
    return Program.build(calls)


def block_task(m: int, b: int, mask: Any) -> Task:
    """The merged task of section 5.3 under a mask given as a predicate of q and k, indices of
    streams and blocks told apart."""
    past = (m - 1) * b

    def split(p: int) -> tuple[bool, int, int]:
        return p < past, (p if p < past else p - past) // b, p

    n = past + m * b
    rows = ["".join("1" if mask(*split(q), *split(k)) else "." for k in range(n)) for q in range(n)]
    clean = [Position((f"x{i}",), i) for i in range(1, past + 1)]
    masked = [Position((), i, "mask") for i in range(1, m * b + 1)]
    labels = {past + i: f"x{i + 1}" for i in range(m * b)}
    return Task.build([*clean, *masked], labels, rows, atoms=tokens(m * b))


def right(qc: bool, bq: int, q: int, kc: bool, bk: int, k: int) -> bool:
    """The mask of section 5.3, clean blocks read by blocks."""
    if qc:
        return kc and bk <= bq
    return bk < bq if kc else bk == bq


def earlier_masks(qc: bool, bq: int, q: int, kc: bool, bk: int, k: int) -> bool:
    """Broken: masks read the masks of earlier blocks too."""
    return right(qc, bq, q, kc, bk, k) or (not qc and not kc and bk <= bq)


def own_clean_block(qc: bool, bq: int, q: int, kc: bool, bk: int, k: int) -> bool:
    """Broken: masks read the clean tokens of their own block (off by one)."""
    return right(qc, bq, q, kc, bk, k) or (not qc and kc and bk <= bq)


def clean_both_ways(qc: bool, bq: int, q: int, kc: bool, bk: int, k: int) -> bool:
    """Broken: clean tokens read all clean tokens."""
    return right(qc, bq, q, kc, bk, k) or (qc and kc)


@pytest.mark.parametrize("clean", ["block", "token"])
@pytest.mark.parametrize(("m", "b"), [(1, 2), (2, 1), (2, 3), (3, 2), (4, 2)])
def test_block_two_stream(m: int, b: int, clean: str) -> None:
    """The program of section 5.3 is consistent with the merged task, and is the one that follows
    from the family: 2b new positions a call after the first."""
    family = build("block", m=m, b=b, clean=clean)
    program = block_program(m, b, clean)
    found = consistent(merge(family).task, program)
    assert not failing(found)
    assert not found.findings
    derived = in_turn(family.tasks)
    assert [call.reuse for call in derived.calls] == [call.reuse for call in program.calls]
    assert [len(call.computed) for call in derived.calls] == [b, *[2 * b] * (m - 1)]


def test_the_right_mask_written_out() -> None:
    """The predicate that the broken variants vary is the right one."""
    assert not failing(consistent(block_task(3, 2, right), block_program(3, 2, "block")))


@pytest.mark.parametrize(
    ("mask", "untrained"),
    [
        (earlier_masks, {"x3", "x4", "x5", "x6"}),
        (own_clean_block, {"x1", "x2", "x3", "x4"}),
        (clean_both_ways, {"x3", "x4", "x5", "x6"}),
    ],
)
def test_broken_training_masks(mask: Any, untrained: set[str]) -> None:
    """Positions trained under a wrong mask are not those that the right program computes: C1 fails
    for the tokens of their blocks, and with it C4; C2 and C3 do not suffer."""
    found = consistent(block_task(3, 2, mask), block_program(3, 2, "block"))
    assert failing(found) == {"C1", "C4"}
    wrong = {finding.details["atom"] for finding in found.findings if finding.property == "C1"}
    assert wrong == untrained
    assert all(check_statement(emit(claim)).valid for claim in found.evidence)


def test_a_clean_stream_read_both_ways_cannot_be_cached() -> None:
    """The program that follows such a mask reuses states that later blocks change: C2 fails for
    each of them."""
    task = block_task(3, 2, clean_both_ways)
    steps = [[4, 5], [0, 1, 6, 7], [2, 3, 8, 9]]
    found = consistent(task, growing(task, steps))
    assert "C2" in failing(found)
    stale = [one.details["position"] for one in found.findings if one.property == "C2"]
    assert stale[:2] == [0, 1]
    assert any("depends on 4 positions instead of 2" in str(one) for one in found.findings)
    assert open_reads(task, steps)[0] == OpenRead(step=1, reader=0, source=2)


def test_numbers_as_keys_in_python() -> None:
    """A table of Python may name positions by numbers; both spellings at once are refused."""
    fed = {"position": [{"atoms": ["x1"], "pos": 0}], "mask": {"rows": ["1"]}}
    first, again = {**fed, "emit": {0: "x2"}}, {**fed, "reuse": {0: (0, 0)}}
    program = from_table({"call": [first, again]}).program
    assert program.calls[0].emits == (Emit(0, "x2"),)
    assert program.calls[1].reuse == {0: (0, 0)}
    with pytest.raises(TaskError, match=r"call\[0\]\.emit names a position twice"):
        from_table({"call": [{**fed, "emit": {0: "x2", "0": "x1"}}]})
    with pytest.raises(TaskError, match="has the key 'True'; a key is the index"):
        from_table({"call": [{**fed, "emit": {True: "x2"}}]})


def test_autoregressive_decoding_with_a_cache() -> None:
    """One new position a call; without the first token C3 fails, and nothing else."""
    family = build("autoregressive", n=6)
    task = merge(family).task
    program = in_turn(family.tasks, given=["x1"])
    assert [len(call.computed) for call in program.calls] == [1] * 5
    assert not failing(consistent(task, program))
    found = consistent(task, in_turn(family.tasks))
    assert failing(found) == {"C3"}
    assert {finding.details["atom"] for finding in found.findings} == {"x1"}
    assert not failing(consistent(task, growing(task, [[k] for k in range(5)], given=["x1"])))


@pytest.mark.parametrize(
    ("name", "parameters", "given"),
    [
        ("butterfly", {"n": 4}, tokens(4)),
        ("butterfly", {"n": 4, "labels": "centres"}, tokens(4)),
        ("permutation", {"order": [2, 0, 3, 1]}, []),
        ("permutation", {"n": 3, "order": "all"}, tokens(3)),
        ("crown", {"n": 4}, tokens(4)),
        ("comb", {"n": 6}, tokens(6)),
        ("masked_autoencoder", {"n": 5, "visible": [1, 3]}, ["x1", "x3"]),
        ("mae_ladder", {"n": 5, "visible": [[1], [3, 2]]}, ["x1", "x2", "x3"]),
        ("bidirectional_prefix", {"n": 4}, ["x1"]),
        ("separating", {"n": 4}, tokens(4)),
    ],
)
def test_single_tasks_as_calls(name: str, parameters: Mapping[str, Any], given: list[str]) -> None:
    """The single tasks of every builder, one a call, are consistent with the merged task; for the
    butterfly they are the terms log p(x_i | all others)."""
    family = build(name, **parameters)
    found = consistent(merge(family).task, in_turn(family.tasks, given=given))
    assert not failing(found)
    assert all(check_statement(emit(claim)).valid for claim in found.evidence[:4])


def test_labels_that_no_call_emits() -> None:
    """C4 fails with a note, and the program stays consistent."""
    task = Task.build(["x1", "x2"], {0: "x2", 1: "x3"}, "causal")
    found = consistent(task, growing(task, [[0]], given=["x1"]))
    assert failing(found) == {"C4"}
    assert found.verdict is Verdict.HOLDS
    assert [str(note) for note in found.findings] == [
        "training position 1 predicts x3, and no call emits it there"
    ]


def test_an_atom_that_nobody_predicts() -> None:
    """Said so."""
    task = Task.build(["x1", "x2"], {0: "x2"}, "causal")
    program = Program.build([Call.build(["x1"], ["1"], emit={0: "x1"})], given=["x1"])
    found = consistent(task, program)
    assert failing(found) == {"C1", "C4"}
    assert str(found.findings[0]) == (
        "call 0 emits x1 at position 0, and no training position predicts it"
    )


def test_heads_are_told_apart_where_a_program_names_one() -> None:
    """Multi-token prediction: x3 is what the second head of the first position predicts."""
    task = Task.build(["x1"], {0: ["x2", "x3"]}, ["1"])
    cases: list[tuple[int | None, set[str]]] = [(None, set()), (1, set()), (0, {"C1"})]
    for head, expected in cases:
        emits = [Emit(0, "x3", head), Emit(0, "x2", 0)]
        program = Program.build([Call.build(["x1"], ["1"], emit=emits)], given=["x1"])
        assert failing(consistent(task, program)) == expected


def test_derived_items_are_available_with_their_arguments() -> None:
    """An aggregate of x1 and x2 can be carried once both are known, not before."""
    task = Task.build(["x1", Position(("y",), 1)], {0: "x2"}, "causal", derived={"y": ["x1", "x2"]})
    calls = [
        Call.build(["x1"], ["1"], emit={0: "x2"}),
        Call.build(["x1", Position(("y",), 1)], "causal", reuse={0: (0, 0)}),
    ]
    assert not failing(consistent(task, Program.build(calls, given=["x1"])))
    silent = [Call.build(["x1"], ["1"]), calls[1]]
    assert "C3" in failing(consistent(task, Program.build(silent, given=["x1"])))


def test_a_cache_under_relative_positions() -> None:
    """Where differences of ids are seen, a prefix is reused further on; where ids are, not."""
    cases: list[tuple[str, set[str]]] = [("relative", set()), ("absolute", {"C2"})]
    for mode, expected in cases:
        first = [Position(("a",), 0), Position(("b",), 1)]
        shifted = [Position(("a",), 5), Position(("b",), 6)]
        task = Task.build(first, {1: "c"}, "causal", pos_mode=mode)
        calls = [
            Call.build(first, "causal", emit={1: "c"}),
            Call.build(shifted, "causal", reuse={0: (0, 0), 1: (0, 1)}),
        ]
        program = Program.build(calls, given=["a", "b"])
        assert failing(consistent(task, program)) == expected


def test_modes() -> None:
    """After one layer a network cannot see the order below: colours agree where an isomorphism
    does not."""
    chain = Task.build(["a", "b", None], {2: "c"}, ["1..", "11.", "111"], pos_mode="none", depth=1)
    apart = Call.build(["a", "b", None], ["1..", ".1.", "111"], emit={2: "c"})
    program = Program.build([apart], given=["a", "b"])
    assert "C1" in failing(consistent(chain, program))
    assert "C1" not in failing(consistent(chain, program, "wl"))


def test_a_spent_budget_is_unknown() -> None:
    """Six positions in a ring and in two rings of three look alike in every round."""

    def ring(joined: set[tuple[int, int]]) -> Mask:
        rows = [
            "".join("1" if (q, k) in joined or (k, q) in joined else "." for k in range(7))
            for q in range(6)
        ]
        return Mask.from_rows([*rows, "1111111"])

    blank = [Position(()) for _ in range(7)]
    one = ring({(p, (p + 1) % 6) for p in range(6)})
    two = ring({(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)})
    task = Task.build(blank, {6: "x"}, one, pos_mode="none")
    program = Program.build([Call.build(blank, two, emit={6: "x"})])
    found = consistent(task, program, budget=10)
    assert found.verdicts["C1"] is found.verdicts["C4"] is found.verdict is Verdict.UNKNOWN
    assert found.findings[0].severity == "note"
    assert failing(consistent(task, program)) == {"C1", "C4"}
    assert ap.consistent(task, program, budget=10).exit_code == 3
