"""Merged tasks and inference programs as networks: the same random weights, the same outputs."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnproof.numeric.cache import Cache
from attnproof.numeric.embedding import Embedding, position_ids
from attnproof.numeric.positions import PositionEncoding
from attnproof.numeric.transformer import Architecture, Norm, Transformer
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.tasks.consistency import Consistency, consistent
from attnproof.symbolic.tasks.decoding import growing, in_turn
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.quotient import quotient
from attnproof.symbolic.tasks.task import Position, PosMode, Task
from attnproof.symbolic.verdict import Verdict
from tests.laws.strategies import mask_of, rows
from tests.numeric.networks import close
from tests.symbolic.tasks.random_nodes import models, renumberings, tasks

MOST = 1e-9
WIDTH = 8
LAYERS = 3
CASES: list[tuple[str, dict[str, Any], list[int] | None]] = [
    ("autoregressive", {"n": 5}, [1]),
    ("bidirectional_prefix", {"n": 4}, [1]),
    ("permutation", {"order": [2, 0, 3, 1]}, []),
    ("permutation", {"n": 3, "order": "all"}, None),
    ("block", {"m": 3, "b": 2, "clean": "block"}, []),
    ("block", {"m": 3, "b": 2, "clean": "token"}, []),
    ("block", {"n": 5, "b": 2}, []),
    ("butterfly", {"n": 5}, None),
    ("comb", {"n": 6, "r": 1}, None),
    ("separating", {"n": 5}, None),
    ("crown", {"n": 4}, None),
    ("masked_autoencoder", {"n": 5, "visible": [[1, 3], [2]]}, [1, 2, 3]),
    ("mae_ladder", {"n": 5, "visible": [[1], [3, 2]]}, [1, 2, 3]),
]


def name_of(case: tuple[str, dict[str, Any], list[int] | None]) -> str:
    """As in a test's id."""
    return "-".join([case[0], *(str(value) for value in case[1].values())])


def network(task: Task, seed: int = 0) -> Transformer:
    """A network that can run a task: its heads, and differences of position ids where these are
    seen."""
    shape = Architecture(
        layers=LAYERS,
        width=WIDTH,
        heads=task.executed.heads,
        norm=Norm.RMS,
        position=(
            PositionEncoding.BIAS if task.pos_mode is PosMode.RELATIVE else PositionEncoding.NONE
        ),
    )
    return Transformer(shape, seed=seed)


def embedded(task: Task) -> Tensor:
    """The vectors ``(1, n, d)`` of what positions are fed."""
    mode = PosMode.ABSOLUTE if task.pos_mode is PosMode.ABSOLUTE else PosMode.NONE
    return Embedding(WIDTH, seed=3, mode=mode)(task.positions)[None]


def masks_of(task: Task) -> list[Tensor]:
    """The keys of every query: one ``(h, n, n)`` a layer."""
    layers = task.executed.layers
    table = [
        [[[bool(row >> k & 1) for k in range(task.size)] for row in head] for head in layer]
        for layer in layers
    ]
    return [torch.tensor(table[level % len(table)]) for level in range(LAYERS)]


def ids_of(task: Task) -> Tensor | None:
    """Position ids, where their differences are seen."""
    return position_ids(task.positions) if task.pos_mode is PosMode.RELATIVE else None


def outputs(task: Task, seed: int = 0) -> Tensor:
    """The states ``(n, d)`` after the last layer."""
    found: Tensor = network(task, seed)(embedded(task), masks_of(task), ids=ids_of(task))
    return found[0]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_case_studies(case: tuple[str, dict[str, Any], list[int] | None]) -> None:
    """Every task of every builder: each of its positions, labelled or not, has the state that the
    merged task has where it stands; a label is there too."""
    name, parameters, _ = case
    merged = merge(build(name, **parameters))
    whole = outputs(merged.task)
    for task, mapped in zip(merged.tasks, merged.maps, strict=True):
        assert close(outputs(task), whole[list(mapped)], MOST)
        for label in task.labels:
            there = merged.task.labelled[mapped[label.position]]
            assert label.atom in {one.atom for one in there}


@settings(max_examples=200)
@given(st.data())
def test_random_families(data: st.DataObject) -> None:
    """Sparse masks, several heads, differences of ids: whatever is merged keeps its states."""
    model = data.draw(models())
    family = [data.draw(tasks(model, 4)) for _ in range(data.draw(st.integers(1, 3)))]
    again, _ = data.draw(renumberings(family[0]))
    merged = merge([*family, again])
    whole = outputs(merged.task)
    for task, mapped in zip(merged.tasks, merged.maps, strict=True):
        assert close(outputs(task), whole[list(mapped)], MOST)


@settings(max_examples=25)
@given(st.data())
def test_the_weighted_quotient(data: st.DataObject) -> None:
    """Any mask with few kinds of inputs: the quotient by stable colours, with the logarithm of how
    often a colour is read as bias, has the states of every position."""
    n = data.draw(st.integers(1, 6))
    fed = [data.draw(st.sampled_from([(), ("a",)])) for _ in range(n)]
    mask = mask_of(data.draw(rows(n)))
    task = Task.build([Position(one) for one in fed], {}, mask, atoms=["a"], pos_mode="none")
    found = quotient([task])
    times = torch.tensor(found.weights[0], dtype=torch.float64)
    small = Embedding(WIDTH, seed=3, mode=PosMode.NONE)(task.positions[p] for _, p in found.first)
    bias = times.clamp(min=1).log()
    state = network(task)(small[None], times > 0, bias=bias)[0]
    assert close(outputs(task), state[list(found.maps[0])], MOST)


def test_twins_without_their_number_are_another_function() -> None:
    """Two equal keys below one query: without the bias of log 2 the state differs."""
    task = Task.build(["s", "s", None], {}, ["1..", ".1.", "111"], pos_mode="none")
    found = quotient([task])
    times = torch.tensor(found.weights[0], dtype=torch.float64)
    small = Embedding(WIDTH, seed=3, mode=PosMode.NONE)(task.positions[p] for _, p in found.first)
    without = network(task)(small[None], times > 0)[0]
    assert not close(outputs(task), without[list(found.maps[0])], 1e-3)


def ran(task: Task, found: Consistency) -> Mapping[tuple[int, int], Tensor]:
    """The state of each position that a program computes, (call, position), states reused."""
    model = network(task)
    caches: list[Cache] = []
    states: dict[tuple[int, int], Tensor] = {}
    for c, call in enumerate(found.program.calls):
        there = call.under(task)
        sources = sorted({earlier for earlier, _ in call.reuse.values()})
        parts = [
            caches[earlier].reuse({p: at for p, (of, at) in call.reuse.items() if of == earlier})
            for earlier in sources
        ]
        held = reduce(or_, parts) if parts else None
        new = call.computed
        state = embedded(there)[:, list(new)]
        output, cache = model.extend(state, new, masks_of(there), held, ids=ids_of(there))
        caches.append(cache)
        states |= {(c, p): output[0, at] for at, p in enumerate(new)}
    return states


def agreeing(task: Task, found: Consistency) -> list[bool]:
    """For each emit whose position is computed: is its state that of the training position?"""
    trained, states = outputs(task), ran(task, found)
    return [
        close(states[pair.call, pair.position], trained[pair.other], MOST)
        for pair in found.trained
        if (pair.call, pair.position) in states
    ]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_programs_with_cached_states(case: tuple[str, dict[str, Any], list[int] | None]) -> None:
    """The single tasks, one a call, with kept states: every emit is read from the state that was
    trained."""
    name, parameters, given_ = case
    family = build(name, **parameters)
    merged = merge(family).task
    atoms = merged.atoms if given_ is None else [f"x{i}" for i in given_]
    found = consistent(merged, in_turn(family.tasks, given=atoms))
    assert set(found.verdicts.values()) == {Verdict.HOLDS}
    agreed = agreeing(merged, found)
    assert agreed
    assert all(agreed)


def test_a_stale_state_changes_the_output() -> None:
    """Clean blocks that read later ones: C2 fails, and the states that are kept are not those of
    the full run."""
    positions = [Position((f"x{i}",), i) for i in (1, 2)] + [Position((), 3, "mask")]
    task = Task.build(positions, {2: "x3"}, ["11.", "11.", "111"])
    found = consistent(task, growing(task, [[0], [1, 2]], given=["x1", "x2"]))
    assert found.verdicts["C2"] is Verdict.FAILS
    assert found.verdicts["C1"] is Verdict.HOLDS
    assert agreeing(task, found) == [False]
