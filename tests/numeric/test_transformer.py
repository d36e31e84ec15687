"""Laws of the transformer: it depends on what the layers let through, and on nothing else."""

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnproof.numeric.attention import (
    Backend,
    Blocking,
    hardmax_attention,
    native_attention,
    softmax_attention,
)
from attnproof.numeric.dependency import Method
from attnproof.numeric.positions import PositionEncoding
from attnproof.numeric.transformer import Architecture, Norm, Transformer
from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.order.relation import relation, relations, union
from attnproof.symbolic.order.schedule import reach
from attnproof.symbolic.setting import EmptyRow, Setting
from tests.laws.strategies import Rows, mask_of, rows
from tests.numeric.networks import (
    Heads,
    close,
    head_masks,
    measured,
    normal,
    product_of,
    tensor_of,
    tensors_of,
)
from tests.reference import Pairs, identity, pairs_of_sets

SMALL = partial(Architecture, width=4, head_width=2, hidden=5)


def model_of(heads: Heads, seed: int = 0, **options: object) -> Transformer:
    """A model with as many layers and heads as there are masks."""
    attention = options.pop("attention", softmax_attention)
    shape = SMALL(layers=len(heads), heads=len(heads[0]), **options)  # type: ignore[arg-type]
    return Transformer(shape, seed=seed, attention=attention)  # type: ignore[arg-type]


def united(layer: tuple[Rows, ...]) -> Pairs:
    """The pairs that some head reads."""
    return frozenset().union(*map(pairs_of_sets, layer))


def predicted(heads: Heads, residual: bool = True, empty_row: EmptyRow = EmptyRow.ZERO) -> Pairs:
    """What the verifier says is reached after these layers; each head for itself, then united."""
    layers = [
        union([relation(mask_of(head), residual=residual, empty_row=empty_row) for head in layer])
        for layer in heads
    ]
    return pairs_of_sets(reach(layers, len(layers)))


@settings(max_examples=20)
@given(
    head_masks(),
    st.integers(0, 99),
    st.sampled_from(Norm),
    st.sampled_from(PositionEncoding),
    st.sampled_from([0, 5]),
    st.sampled_from([Backend.PLAIN, Backend.SDPA]),
)
def test_dependency_is_the_product_of_the_layers(
    heads: Heads,
    seed: int,
    norm: Norm,
    position: PositionEncoding,
    hidden: int,
    backend: Backend,
) -> None:
    """Jacobian and perturbation both show the Boolean product of the united heads and the diagonal,
    whatever the norm, the positions, the MLP and the backend."""
    n = len(heads[0][0])
    expected = product_of([united(layer) | identity(n) for layer in heads], n)
    model = model_of(
        heads,
        seed,
        norm=norm,
        position=position,
        hidden=hidden,
        attention=partial(softmax_attention, backend=backend),
    )
    for method in (Method.JACOBIAN, Method.PERTURBATION):
        assert measured(model, tensors_of(heads), method) == expected
    assert predicted(heads) == expected


@pytest.mark.usefixtures("untraced")
def test_dependency_through_flex() -> None:
    """The same through FlexAttention, which has no gradient on a CPU."""
    heads = (((0b000, 0b011, 0b010), (0b000, 0b001, 0b000)), ((0b100, 0b000, 0b001),) * 2)
    model = model_of(heads, attention=partial(softmax_attention, backend=Backend.FLEX))
    found = measured(model, tensors_of(heads), Method.PERTURBATION)
    assert found == predicted(heads)
    assert (0, 1) in found
    assert (1, 2) not in found


@settings(max_examples=20)
@given(head_masks())
def test_poison_never_misses_what_a_softmax_lets_through(heads: Heads) -> None:
    """NaN reaches at least what is reached; a weight of zero times NaN carries it further."""
    model = model_of(heads)
    assert predicted(heads) <= measured(model, tensors_of(heads), Method.POISON)


@settings(max_examples=20)
@given(head_masks(heads=1), st.sampled_from([EmptyRow.ZERO, EmptyRow.UNIFORM]))
def test_empty_rows_leak_as_the_verifier_says(heads: Heads, empty_row: EmptyRow) -> None:
    """With zero an empty row keeps its own state, with uniform it reads every key."""
    setting = Setting(
        tuple(mask_of(layer[0]) for layer in heads), depth=len(heads), empty_row=empty_row
    )
    expected = pairs_of_sets(reach(relations(setting), len(heads)))
    model = model_of(heads, attention=partial(softmax_attention, empty_row=empty_row))
    for method in (Method.JACOBIAN, Method.PERTURBATION):
        assert measured(model, tensors_of(heads), method) == expected


@pytest.mark.parametrize("backend", [Backend.PLAIN, Backend.SDPA])
@pytest.mark.parametrize(
    ("blocking", "empty_row"),
    [(Blocking.MINIMUM, EmptyRow.UNIFORM), (Blocking.BOOLEAN, EmptyRow.ZERO)],
)
def test_a_kernel_leaks_as_the_verifier_says(
    backend: Backend, blocking: Blocking, empty_row: EmptyRow
) -> None:
    """A causal mask whose row 1 reads nothing: the least finite number in its place is a leak from
    the future, a Boolean mask is none (SDPA) or damage (by hand)."""
    causal = (0b0001, 0b0000, 0b0111, 0b1111)
    attention = partial(native_attention, backend=backend, blocking=blocking)
    model = model_of(((causal,),), attention=attention)
    masks = tensors_of(((causal,),))
    if backend is Backend.PLAIN and blocking is Blocking.BOOLEAN:
        spoilt = model(normal(1, 4, 4), masks)[0].isnan().any(1)
        assert spoilt.tolist() == [False, True, False, False]
        return
    found = measured(model, masks, Method.PERTURBATION)
    assert found == predicted(((causal,),), empty_row=empty_row)
    assert ((1, 3) in found) == (empty_row is EmptyRow.UNIFORM)


def test_an_empty_row_of_one_head_reads_everything() -> None:
    """Under uniform rows the heads are united after their empty rows are filled: uniting the masks
    first would hide the leak of head 1 into position 0."""
    own, other = (0b001, 0b010, 0b100), (0b000, 0b001, 0b011)
    heads = ((own, other),)
    model = model_of(heads, attention=partial(softmax_attention, empty_row=EmptyRow.UNIFORM))
    found = measured(model, tensors_of(heads), Method.JACOBIAN)
    assert found == predicted(heads, empty_row=EmptyRow.UNIFORM)
    masks_united = relation(mask_of(union([own, other])), empty_row=EmptyRow.UNIFORM)
    assert found - pairs_of_sets(masks_united) == {(0, 1), (0, 2)}


def test_a_row_of_nan_spoils_every_position_two_layers_on() -> None:
    """One layer: NaN in the empty row alone. Two layers: everywhere, masks or not, since the
    blocked weight 0 times NaN is NaN; there is damage, and no dependency is left to see."""
    lower = (0b0001, 0b0000, 0b0001, 0b1000)
    attention = partial(softmax_attention, empty_row=EmptyRow.NAN)
    for layers, spoilt in ((1, [1]), (2, [0, 1, 2, 3])):
        heads = ((lower,),) * layers
        model = model_of(heads, attention=attention)
        output = model(normal(1, 4, 4), tensors_of(heads))[0].isnan().any(1)
        assert [q for q in range(4) if output[q]] == spoilt
        assert Flow(Setting((mask_of(lower),), empty_row=EmptyRow.NAN)).empty_rows == (1,)
    once = ((lower,),)
    model = model_of(once, attention=attention, hidden=0)
    found = measured(model, tensors_of(once), Method.JACOBIAN)
    assert found == predicted(once, empty_row=EmptyRow.NAN)


def weighing(layer: tuple[Rows, ...]) -> Pairs:
    """Each query of which some head reads two keys or more, with itself."""
    return frozenset((q, q) for head in layer for q, row in enumerate(head) if row.bit_count() > 1)


@settings(max_examples=20)
@given(head_masks())
def test_without_a_residual_a_query_still_weighs_what_it_reads(heads: Heads) -> None:
    """One layer: the mask, and the diagonal where a head reads two keys or more, since the weights
    depend on the query's own state. Several: between the product of the masks, which is what the
    verifier says, and that of these; equal states at two keys need no weighing."""
    n = len(heads[0][0])
    wide = product_of([united(layer) | weighing(layer) for layer in heads], n)
    found = measured(
        model_of(heads, residual=False), tensors_of(heads), Method.PERTURBATION, points=2
    )
    assert predicted(heads, residual=False) <= found <= wide
    if len(heads) == 1:
        assert found == wide


@settings(max_examples=20)
@given(head_masks())
def test_without_a_residual_and_without_queries_the_masks_are_multiplied(heads: Heads) -> None:
    """Queries that say nothing weigh all keys alike: then the product of the masks is exact."""
    model = model_of(heads, residual=False)
    with torch.no_grad():
        for layer in model.layers:
            layer.query.zero_()  # type: ignore[operator]
    found = measured(model, tensors_of(heads), Method.PERTURBATION)
    assert found == predicted(heads, residual=False)


def test_hardmax_transformer_depends_on_the_keys_it_chooses() -> None:
    """With hardmax the value of a key that is not chosen has derivative zero, and a large change of
    it is seen all the same: it is then chosen."""
    heads = (((0b1111,) * 4,),)
    model = model_of(heads, attention=hardmax_attention)
    chosen = measured(model, tensors_of(heads), Method.JACOBIAN)
    tried = measured(model, tensors_of(heads), Method.PERTURBATION, points=5)
    assert chosen < tried == predicted(heads)


def test_one_seed_one_model() -> None:
    """The same seed gives the same numbers, another seed others; single precision is nearby."""
    state, shape = normal(2, 3, 4), SMALL(layers=2)
    output = Transformer(shape, seed=5)(state)
    assert torch.equal(output, Transformer(shape, seed=5)(state))
    assert not close(output, Transformer(shape, seed=6)(state), 1e-3)
    single = Transformer(shape, seed=5, dtype=torch.float32)(state.float())
    assert single.dtype == torch.float32
    assert close(single.double(), output, 1e-4)


def test_one_mask_for_all_layers_and_none_at_all() -> None:
    """A single mask is that of every layer, a mask of each batch element its own; without one every
    query reads every key."""
    state, model = normal(2, 3, 4), Transformer(SMALL(layers=2))
    causal = tensor_of((0b001, 0b011, 0b111))
    assert torch.equal(model(state, causal), model(state, [causal, causal]))
    assert torch.equal(model(state), model(state, torch.ones_like(causal)))
    both = torch.stack([causal, causal.T])[:, None].expand(2, 2, 3, 3)
    for b, mask in enumerate((causal, causal.T)):
        assert close(model(state, both)[b], model(state, mask)[b])


@pytest.mark.parametrize("position", PositionEncoding)
def test_relative_positions_are_translation_invariant(position: PositionEncoding) -> None:
    """Shifting every id changes nothing but where ids are absolute; stretching them changes the
    output wherever ids are seen."""
    state, ids = normal(1, 5, 4), torch.tensor([3, 1, 4, 9, 5])
    model = Transformer(SMALL(position=position))
    shifted = close(model(state, ids=ids), model(state, ids=ids + 7))
    assert shifted == (position is not PositionEncoding.ABSOLUTE)
    stretched = close(model(state, ids=ids), model(state, ids=2 * ids), 1e-6)
    assert stretched == (position is PositionEncoding.NONE)


@pytest.mark.parametrize("position", [PositionEncoding.BIAS, PositionEncoding.ROTARY])
def test_permuting_positions_with_their_ids_permutes_the_output(position: PositionEncoding) -> None:
    """A position is known by its id and its state, not by its place in the tensor."""
    state, ids = normal(1, 4, 4), torch.tensor([0, 1, 2, 3])
    order, mask = torch.tensor([2, 0, 3, 1]), tensor_of((0b0001, 0b0011, 0b0110, 0b1100))
    model = Transformer(SMALL(position=position))
    moved = model(state[:, order], mask[order][:, order], ids=ids[order])
    assert close(moved, model(state, mask, ids=ids)[:, order])


@st.composite
def growing(draw: st.DrawFn) -> tuple[Rows, list[list[int]]]:
    """A mask, and its positions in calls whose growing unions are down-sets of the flow."""
    mask = draw(st.integers(1, 6).flatmap(rows))
    reached = Flow(Setting((mask_of(mask),))).closure.rows
    left, calls = list(draw(st.permutations(range(len(mask))))), []
    done: set[int] = set()
    while left:
        upstream = {k for k in range(len(mask)) if reached[left[0]] >> k & 1} - done
        calls.append(sorted(upstream))
        done |= upstream
        left = [p for p in left if p not in done]
    return mask, calls


@settings(max_examples=25)
@given(growing(), st.sampled_from(PositionEncoding), st.sampled_from(Norm))
def test_cached_calls_equal_the_full_run(
    case: tuple[Rows, list[list[int]]], position: PositionEncoding, norm: Norm
) -> None:
    """Down-set after down-set, with keys and values of earlier calls, as in the full run."""
    mask, calls = case
    state, masks = normal(1, len(mask), 4), tensor_of(mask)
    model = Transformer(SMALL(layers=3, position=position, norm=norm))
    full, cache = model(state, masks), None
    for new in calls:
        output, cache = model.extend(state[:, new], new, masks, cache)
        assert close(output, full[:, new], 1e-9)
    assert cache is not None
    assert sorted(cache.positions) == list(range(len(mask)))


def test_a_call_that_is_no_down_set_computes_something_else() -> None:
    """Look-ahead by one: position 0 reads 1, so its state before 1 is there is not that of the full
    run, and neither is anything that reads it from the cache."""
    ahead = tensor_of((0b011, 0b110, 0b101))
    state, model = normal(1, 3, 4), Transformer(SMALL(layers=2))
    full = model(state, ahead)
    first, cache = model.extend(state[:, :1], [0], ahead)
    rest, _ = model.extend(state[:, 1:], [1, 2], ahead, cache)
    assert not close(first, full[:, :1], 1e-3)
    assert not close(rest[:, 1:], full[:, 2:], 1e-3)


@pytest.mark.parametrize("position", [PositionEncoding.BIAS, PositionEncoding.ROTARY])
def test_relative_positions_reuse_a_shifted_prefix(position: PositionEncoding) -> None:
    """The cached states of a document serve where it stands again, three ids further on."""
    state, causal = normal(1, 4, 4), tensor_of((0b0001, 0b0011, 0b0111, 0b1111))
    model, ids = Transformer(SMALL(position=position)), torch.tensor([0, 1, 2, 3])
    _, cache = model.extend(state[:, :3], range(3), causal, ids=ids)
    copy = cache.reuse({0: 0, 1: 1, 2: 2})
    output, _ = model.extend(state[:, 3:], [3], causal, copy, ids=ids + 3)
    assert close(output, model(state, causal, ids=ids)[:, 3:])


def test_caches_are_renamed_joined_and_chosen() -> None:
    """Two documents computed apart are read together by a query that follows both."""
    documents = tensor_of((0b00001, 0b00011, 0b00100, 0b01100, 0b11111))
    state, model = normal(1, 5, 4), Transformer(SMALL(layers=3))
    alone = tensor_of((0b01, 0b11))
    _, first = model.extend(state[:, :2], [0, 1], alone)
    _, second = model.extend(state[:, 2:4], [0, 1], alone)
    joined = second.reuse({3: 1, 2: 0}) | first
    assert repr(joined) == "Cache of positions [3, 2, 0, 1] in 3 layers"
    output, _ = model.extend(state[:, 4:], [4], documents, joined)
    assert close(output, model(state, documents)[:, 4:])


def test_messages() -> None:
    """What was given, what is needed."""
    model, state = Transformer(SMALL(layers=2)), normal(1, 3, 4)
    with pytest.raises(ShapeError, match="3 masks were given for 2 layers; give one for all"):
        model(state, [torch.ones(3, 3, dtype=torch.bool)] * 3)
    with pytest.raises(ShapeError, match=r"\(2, 2\) does not hold position 2; its last two axes"):
        model(state, torch.ones(2, 2, dtype=torch.bool))
    _, cache = model.extend(state[:, :1], [0])
    with pytest.raises(ShapeError, match=r"2 states are given for the positions \[0, 1\] beside"):
        model.extend(state[:, :2], [0, 1], None, cache)
    with pytest.raises(ShapeError, match=r"position 4 is not cached; the cache holds \[0\]"):
        cache.reuse({1: 4})
    with pytest.raises(ShapeError, match="position 0 is cached twice; choose with reuse"):
        _ = cache | cache
    with pytest.raises(ParameterError, match="heads is 0; give 1 or more"):
        Architecture(heads=0)
    with pytest.raises(ParameterError, match="head_width is 3; give an even one"):
        Architecture(head_width=3, position=PositionEncoding.ROTARY)
