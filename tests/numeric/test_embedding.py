"""Own inputs as vectors: equal inputs are equal vectors, and a model sees what they are made of."""

import pytest
import torch

from attnproof.numeric.embedding import Embedding, position_ids
from attnproof.numeric.transformer import Architecture, Transformer
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.tasks.task import Position, PosMode
from tests.numeric.networks import close, tensor_of

ITEMS = [
    Position(("x1",), pos=1),
    Position(("x1",), pos=2),
    Position(("x2",), pos=1),
    Position(("x1", "x2"), pos=1),
    Position((), pos=1, kind="mask"),
    Position(("x1",), pos=1, segment=1),
    Position(("x1",)),
]


def test_vectors_differ_exactly_where_own_inputs_do() -> None:
    """Atoms, position id, kind and segment each make a difference; their order does not."""
    vectors = Embedding(5)(ITEMS)
    assert vectors.shape == (len(ITEMS), 5)
    assert len(set(map(tuple, vectors.tolist()))) == len(ITEMS)
    swapped = Embedding(5)([Position(("x2", "x1"), pos=1)])
    assert torch.equal(swapped[0], vectors[3])


def test_ids_are_left_out_where_positions_are_not_absolute() -> None:
    """Relative positions and none at all make items that differ by id alone equal."""
    for mode in (PosMode.RELATIVE, PosMode.NONE):
        vectors = Embedding(5, mode=mode)(ITEMS)
        assert torch.equal(vectors[0], vectors[1])
        assert torch.equal(vectors[0], vectors[6])
    assert position_ids(ITEMS[:2]).tolist() == [1, 2]


def test_a_vector_is_the_sum_of_its_parts_and_hangs_on_the_seed() -> None:
    """Parts can be looked up; another seed draws others."""
    embed = Embedding(4, seed=3)
    parts = [embed.part("atom", "x1"), embed.part("kind", "tok"), embed.part("position", 2)]
    assert close(embed([ITEMS[1]])[0], torch.stack(parts).sum(0))
    assert not close(Embedding(4, seed=4)([ITEMS[1]]), embed([ITEMS[1]]), 1e-3)


def test_equal_down_sets_have_equal_states() -> None:
    """Two queries of one item that read items alike return one state, and one that reads another
    item does not."""
    a, b, t = Position(("a",)), Position(("b",)), Position((), kind="mask")
    state = Embedding(4)([a, a, b, t, t, t])[None]
    mask = tensor_of((0b1, 0b10, 0b100, 0b000101, 0b000110, 0b000100))
    output = Transformer(Architecture(width=4))(state, mask)[0]
    assert close(output[3], output[4])
    assert not close(output[3], output[5], 1e-3)


def test_messages() -> None:
    """What is needed."""
    with pytest.raises(InputError, match="position 0 has no pos; relative positions need one"):
        position_ids([ITEMS[6]])
