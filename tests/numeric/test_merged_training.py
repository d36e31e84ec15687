"""Laws of training: one step on a merged task is one step on all of its single tasks."""

import json
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.markov import MarkovChain
from attnproof.numeric.predictor import Batch, Predictor, Vocabulary
from attnproof.numeric.studies.merged_training import STUDY, TOKENS, Point, figures, points, run
from attnproof.numeric.training import multiplicities
from attnproof.numeric.transformer import Architecture, Norm
from attnproof.symbolic.errors import TaskError
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.tasks.merge import merge
from attnproof.symbolic.tasks.merged import Merged
from attnproof.symbolic.tasks.task import Task

SHAPE = Architecture(layers=2, width=8, norm=Norm.RMS)


def gradients(model: Predictor, batches: list[Batch], texts: torch.Tensor) -> list[torch.Tensor]:
    """Those of the summed losses, and the loss itself at the end."""
    loss = sum((model.loss(batch, texts) for batch in batches), torch.zeros(()))
    parameters = list(model.parameters())
    found = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    return [*found, loss.detach()]


def both(merged: Merged) -> float:
    """The largest difference in loss and gradients between the merged task and its family."""
    known = Vocabulary.of([*merged.tasks, merged.task])
    model = Predictor(known, TOKENS, SHAPE, seed=3)
    texts = MarkovChain.of(TOKENS, 0).texts(3, len(known.atoms), torch.Generator().manual_seed(1))
    one = gradients(model, [Batch.of([merged.task], known, multiplicities(merged))], texts)
    each = gradients(model, [Batch.of([task], known) for task in merged.tasks], texts)
    stacked = gradients(model, [Batch.of(merged.tasks, known)], texts)
    return max(
        float((a - b).abs().max())
        for other in (each, stacked)
        for a, b in zip(one, other, strict=True)
    )


FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("autoregressive", {"n": 5}),
    ("permutation", {"order": [3, 1, 4, 2]}),
    ("block", {"m": 3, "b": 2}),
    ("block", {"n": 5, "b": 2, "clean": "token"}),
    ("butterfly", {"n": 4}),
    ("crown", {"n": 3}),
    ("mae_ladder", {"n": 6, "visible": [[1, 4], [2]]}),
]


@pytest.mark.parametrize(("name", "parameters"), FAMILIES)
def test_one_pass_has_the_gradients_of_the_family(name: str, parameters: dict[str, Any]) -> None:
    """Loss and gradients within rounding, each label counted as often as tasks have it."""
    assert both(merge(build(name, **parameters))) < 1e-12


def test_a_mask_that_reads_more_has_other_gradients() -> None:
    """Masks that read earlier masks too: no leak, and not the family's function."""
    merged = merge(build("block", m=3, b=2))
    rows = list(merged.mask.rows.bits())
    wider = [row | 0b110000 if q >= 6 else row for q, row in enumerate(rows)]
    texts = ["".join("#" if row >> k & 1 else "." for k in range(10)) for row in wider]
    other = replace(merged, task=merged.task.with_layers([Mask.from_rows(texts)]))
    assert both(other) > 1e-3


@pytest.mark.parametrize("point", points(0, quick=True), ids=lambda point: point.family)
def test_losses_agree_at_every_step(point: Point) -> None:
    """AdamW on the merged task, on one task after the other, and on a padded batch."""
    record = run(replace(point, steps=4))
    assert [len(losses) for losses in record["losses"].values()] == [4, 4, 4]
    assert max(record["differences"]) < 1e-12
    first, *_, last = record["losses"]["merged"]
    assert first != last
    losses, apart = STUDY.tables([record])
    assert [row[1] for row in losses.rows] == ["merged", "one call a task", "one padded batch"]
    assert len(apart.rows) == 1
    assert list(figures([record])) == [STUDY.name]
    again = run(replace(point, steps=4))
    assert {**record, "seconds": None} == {**json.loads(json.dumps(again)), "seconds": None}


def exact(chain: MarkovChain, n: int, place: int, known: frozenset[int]) -> float:
    """The entropy of one token given others, by summing over all texts."""
    joint: dict[tuple[int, ...], list[float]] = {}
    tokens = range(len(chain.start))
    for text in product(tokens, repeat=n):
        chance = float(chain.start[text[0]])
        for a, b in pairwise(text):
            chance *= float(chain.matrix[a, b])
        seen = joint.setdefault(tuple(text[i] for i in sorted(known)), [0.0 for _ in tokens])
        seen[text[place]] += chance
    masses = torch.tensor(list(joint.values()), dtype=torch.float64)
    return -torch.xlogy(masses, masses / masses.sum(1, keepdim=True)).sum().item()


@settings(max_examples=20)
@given(st.integers(0, 3), st.frozensets(st.integers(0, 3)), st.integers(0, 9))
def test_the_nearest_tokens_say_what_all_known_tokens_say(
    place: int, known: frozenset[int], seed: int
) -> None:
    """The least loss of a label is the entropy of its token given every token that arrives."""
    known -= {place}
    chain = MarkovChain.of(3, seed)
    inputs = [f"x{i}" if i in known else None for i in range(4)]
    told = Task.build(inputs, {place: f"x{place}"}, "full", atoms=[f"x{i}" for i in range(4)])
    least = chain.least(told, dict.fromkeys(told.labels, 1))
    assert abs(least - exact(chain, 4, place, known)) < 1e-9


def test_texts_follow_the_chain() -> None:
    """Frequencies of tokens and of pairs, at the start and later alike."""
    chain = MarkovChain.of(4, 1)
    texts = chain.texts(40_000, 3, torch.Generator().manual_seed(0))
    for at in (0, 1):
        pairs = torch.bincount(4 * texts[:, at] + texts[:, at + 1], minlength=16) / len(texts)
        assert (pairs.reshape(4, 4) - chain.start[:, None] * chain.matrix).abs().max() < 0.01


def test_messages() -> None:
    """What was given, what is needed."""
    one, two = (Task.build([None], {0: atom}, ["1"]) for atom in "ab")
    with pytest.raises(TaskError, match="the tasks have 2 lists of atoms; give tasks on the same"):
        Vocabulary.of([one, two])
    heads = Task.build(["a"], {}, {"heads": [{"rows": ["1"]}, {"rows": ["1"]}]})
    with pytest.raises(TaskError, match="the task has 2 masks, of layers or heads"):
        Batch.of([heads], Vocabulary.of([heads]))
    derived = Task.build(["a", "b"], {}, "causal", derived={"c": ["a", "b"]})
    with pytest.raises(TaskError, match="the task has derived items or segments"):
        Batch.of([derived], Vocabulary.of([derived]))
