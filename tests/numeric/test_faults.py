"""Faults by construction: each really leaks, as its truth says, and clean models do not."""

from itertools import product

import numpy as np
import pytest

pytest.importorskip("torch", reason="faults need the extra torch")
pytest.importorskip("transformers", reason="some architectures need the extra hf")

import torch
from torch import Tensor

import attnproof as ap
from attnproof.numeric.faults.audits import audited, inspected
from attnproof.numeric.faults.catalogue import (
    ARCHITECTURES,
    Chosen,
    clean,
    faults,
    made,
)
from attnproof.numeric.faults.masked import held
from attnproof.numeric.faults.specimen import Relation, Specimen

#: A difference that is more than what Fourier transforms round.
ROUNDING = 1e-9
#: Where the state that a leak sees is the input itself.
FIRST = "Llama"
#: Values of one coordinate that open a gate, take a branch, or lie in a narrow band.
OPEN, BAND = 1000.0, 0.5
BY_HAND = ("closed gate", "reader's gate", "rare value", "branch in Python")


def smallest() -> list[Chosen]:
    """One model of each kind of fault; those by hand at the first layer of one architecture."""
    kinds: dict[str, Chosen] = {}
    for each in faults(0):
        kinds.setdefault(each.kind, each)
    return [
        Chosen(FIRST, kind, 0, each.seed, True) if kind in BY_HAND else each
        for kind, each in kinds.items()
    ]


def unlike() -> list[Chosen]:
    """One clean model of each kind and architecture."""
    kinds: dict[tuple[str, str], Chosen] = {}
    for each in clean(0):
        kinds.setdefault((each.kind, each.architecture), each)
    return list(kinds.values())


def moved(specimen: Specimen, base: Tensor, k: int, value: float | None) -> Relation:
    """How far each row moves when position ``k`` gets another vector, or another coordinate."""
    changed = base.clone()
    if value is None:
        changed[:, k] = 3 * torch.randn(base[:, k].shape, dtype=base.dtype)
    else:
        changed[:, k, 0] = value
    with torch.no_grad():
        found = specimen.model(changed) - specimen.model(base)
    rows: Relation = found.abs().amax((0, 2)).numpy()
    return rows


@pytest.mark.parametrize("chosen", smallest(), ids=lambda chosen: chosen.kind)
def test_a_fault_leaks(chosen: Chosen) -> None:
    """Some run shows a pair that leaks, and none shows a pair beyond the truth."""
    torch.manual_seed(0)
    specimen = made(chosen)
    base = specimen.inputs(0)
    opened = base.clone()
    opened[..., 0] = OPEN
    sources = np.flatnonzero(specimen.leaks.any(0)).tolist()
    for start, value, k in product((base, opened), (None, OPEN, -OPEN, BAND), sources):
        rows = moved(specimen, start, k, value)
        assert not (rows[~specimen.truth[:, k]] > ROUNDING).any()
        if rows[specimen.leaks[:, k]].any():
            return
    pytest.fail("no run shows the leak")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_clean_model_keeps_its_promise(architecture: str) -> None:
    """No row moves with a position that the promise hides from it."""
    torch.manual_seed(0)
    for chosen in unlike():
        if chosen.architecture == architecture:
            specimen = made(chosen)
            assert not specimen.leaks.any()
            for k in range(specimen.n):
                rows = moved(specimen, specimen.inputs(0), k, None)
                assert not (rows[~specimen.promise[:, k]] > ROUNDING).any()


def test_the_models_come_from_the_seed() -> None:
    """One seed, one list; another seed, another one; no model twice."""
    for draw in (faults, clean):
        assert draw(0) == draw(0) != draw(1)
        assert len(set(draw(0))) == len(draw(0))
    one, other = made(faults(3)[5]), made(faults(3)[5])
    assert torch.equal(one.model(one.inputs(0)), other.model(other.inputs(0)))
    assert (one.truth == other.truth).all()


@pytest.mark.parametrize("quick", [False, True])
def test_as_many_clean_models_as_faults(quick: bool) -> None:
    """At least 200 faults over eight architectures or more; a quick list has every architecture."""
    faulty, kept = faults(0, quick), clean(0, quick)
    assert len(faulty) == len(kept) >= (36 if quick else 200)
    assert {each.architecture for each in faulty} == set(ARCHITECTURES)
    assert len(ARCHITECTURES) >= 8
    assert all(each.leaks for each in faulty)
    assert not any(each.leaks for each in kept)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("mask off by one", True),
        ("mask dropped on a fast path", True),
        ("mean over positions", True),
        ("few to few", False),
        ("tiny mean", False),
    ],
)
def test_the_audit(kind: str, shown: bool) -> None:
    """It sees what leaves the last position, above its tolerance, and names the module."""
    specimen = made(Chosen("transformer", kind, 1, 5, True))
    found = audited(specimen, specimen.inputs(0), 8, 0)
    assert (found is not None) == shown
    if found is not None:
        assert found.startswith("layers.1")


@pytest.mark.parametrize(
    "kind", ["mask off by one", "one cell of the mask", "soft mask", "as made"]
)
def test_inspection_is_verify(kind: str) -> None:
    """What the masks let through is what ``verify`` says of them."""
    specimen = made(Chosen("transformer", kind, 0, 7, kind != "as made"))
    masks = [held(specimen, layer).get_buffer("mask").numpy() for layer in range(2)]
    report = ap.verify(*masks, per_layer=True, layers=2, causal=True)
    found = inspected(specimen)
    assert found is not None
    beyond = bool((found & ~specimen.promise).any())
    assert (report.verdict is ap.Verdict.FAILS) == beyond == (kind != "as made")


def test_a_dropped_mask_is_held_right() -> None:
    """A fast path without the mask leaves nothing for inspection to see."""
    specimen = made(Chosen("transformer", "mask dropped on a fast path", 0, 7, True))
    found = inspected(specimen)
    assert found is not None
    assert (found == specimen.promise).all()
    assert specimen.leaks.any()
    assert not np.array_equal(specimen.truth, specimen.promise)
