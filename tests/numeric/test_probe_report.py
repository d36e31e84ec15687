"""What a structural relation says it rests on, and what a run leaves behind."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch", reason="the probe needs the extra torch")

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import _get_current_dispatch_mode

from attnproof.numeric.probe import mode
from attnproof.numeric.probe.relation import (
    Cause,
    ModuleRelation,
)
from attnproof.numeric.probe.store import Store
from attnproof.numeric.probe.structural import structural
from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.masks.mask import Mask
from tests.laws.strategies import mask_of
from tests.numeric.masked_transformer import (
    WIDTH,
    rows_of,
    transformer,
    vectors,
)

CAUSAL = tuple((2 << q) - 1 for q in range(6))
LOWER = torch.ones(6, 6, dtype=torch.bool).tril()


def branch(x: Tensor) -> Tensor:
    return x + 1 if bool(x[0, 2, 0] > 100) else x


ESCAPES: list[tuple[str, Callable[[Tensor], Tensor], str, tuple[int, ...]]] = [
    ("branch", branch, "_local_scalar_dense", (2,)),
    ("item", lambda x: x * x[0, 1, 0].item(), "_local_scalar_dense", (1,)),
    ("tolist", lambda x: x * len(x[:, 3].tolist()), "tolist", (3,)),
    ("numpy", lambda x: x + torch.from_numpy(x[:, 4:].numpy()).sum(), "numpy", (4, 5)),
    ("nonzero", lambda x: x + x[0, :2].nonzero().sum(), "nonzero", (0, 1)),
    ("unique", lambda x: x + torch.ops.aten._unique2(x[0, 5])[0].sum(), "_unique2", (5,)),
    ("flags", lambda x: x + x[0, 0][x[0, 1] > 0].sum(), "index", (1,)),
    ("masked_select", lambda x: x + x[0, 1].masked_select(x[0, 2] > 0).sum(), "masked_select",
     (1, 2)),
    ("equal", lambda x: x + torch.equal(x[:, 0], x[:, 1]), "equal", (0, 1)),
    ("bincount", lambda x: x + x[0, 3].long().abs().bincount().sum(), "bincount", (3,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "operator", "positions"), ESCAPES)
def test_escapes(
    name: str, model: Callable[[Tensor], Tensor], operator: str, positions: tuple[int, ...]
) -> None:
    """A value of data that Python or a size takes is a condition, with its positions."""
    found = structural(model, vectors(6))
    (condition,) = [x for x in found.conditions if x.cause is Cause.ESCAPE]
    assert (condition.operator, condition.positions) == (operator, positions)
    assert not found.unconditional


def test_escapes_name_their_module() -> None:
    """The module at work, also behind position 63; values of constants are no escapes."""

    class Reads(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            assert LOWER[1, 0].item()
            return x * float(x[0, 70, 0])

    model = nn.Sequential(nn.Identity(), Reads())
    (found,) = structural(model, vectors(80), constants=[LOWER]).conditions
    assert (found.module, found.positions) == ("1", (70,))


def routed(x: Tensor) -> Tensor:
    """Experts by token: sorted by expert, run in groups, and put back."""
    order = (x[0, :, 0] > 0).long().argsort()
    return torch.zeros_like(x).index_copy(1, order, x[:, order] * 2)


def test_path_takes_routing_as_control_flow() -> None:
    """A permutation by data joins all positions; under path the run's own is a condition."""
    assert rows_of(structural(routed, vectors(6))) == (63,) * 6
    found = structural(routed, vectors(6), path=True)
    assert rows_of(found) == tuple(1 << q for q in range(6))
    (condition,) = found.conditions
    assert (condition.cause, condition.operator) == (Cause.PATH, "sort")
    assert condition.positions == tuple(range(6))


def test_data_that_may_mask_a_row_wholly_are_a_condition() -> None:
    """Under a finite mask the row would be uniform; by -inf it would be no number."""

    def model(x: Tensor, value: float) -> Tensor:
        scores = (x @ x.transpose(1, 2)).masked_fill(x[:, None, :, 0] > 0, value)
        return scores.masked_fill(~LOWER, value).softmax(-1) @ x

    x = -vectors(6).abs()
    finite = structural(lambda x: model(x, -1e9), x, constants=[LOWER])
    assert rows_of(finite) == CAUSAL
    assert [(x.cause, x.operator) for x in finite.conditions] == [(Cause.LIVE_ROW, "_softmax")]
    infinite = structural(lambda x: model(x, -float("inf")), x, constants=[LOWER])
    assert infinite.unconditional


def test_tensors_from_elsewhere_are_named() -> None:
    """A captured tensor is data and reported, unless it is declared a constant."""

    def model(x: Tensor) -> Tensor:
        return torch.where(LOWER[..., None], x[:, None], 0.0).sum(2)

    found = structural(model, vectors(6))
    assert found.unregistered == ("6×6 torch.bool in the model",)
    assert rows_of(found) == (63,) * 6
    declared = structural(model, vectors(6), constants=[LOWER])
    assert declared.unregistered == ()
    assert rows_of(declared) == CAUSAL


def _store(target: Tensor, source: Tensor) -> None:
    target[:, 0] = source[:, 5]


@pytest.fixture(scope="module")
def custom() -> Any:
    """Operators of a library that the probe has no rules for."""
    make: Any = torch.library.Library
    library = make("attnproof_tests", "DEF")
    library.define("reversed(Tensor x) -> Tensor")
    library.define("store(Tensor(a!) target, Tensor source) -> ()")
    library.impl("reversed", lambda x: x.flip(1), "CPU")
    library.impl("store", _store, "CPU")
    yield torch.ops.attnproof_tests
    library._destroy()


def test_unknown_operators_are_united_and_named(custom: Any) -> None:
    """Each output then depends on every input of the operator; name, count and module are told."""
    found = structural(lambda x: custom.reversed(custom.reversed(x)), vectors(6))
    assert rows_of(found) == (63,) * 6
    assert [(x.operator, x.count) for x in found.united] == [("attnproof_tests::reversed", 2)]


def test_unknown_writes_are_united(custom: Any) -> None:
    """What an unknown operator writes without returning it depends on all its inputs."""

    def model(x: Tensor) -> Tensor:
        y = torch.zeros_like(x)
        custom.store(y[:, :2], x)
        return y

    assert rows_of(structural(model, vectors(6))) == (63, 63, 0, 0, 0, 0)


def test_the_first_module_and_operator_outside() -> None:
    """The innermost module that ends first, and the first operator in it that shows the pairs."""

    class Shift(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + F.pad(x * 2, (0, 0, 0, 1))[:, 1:].exp()

    def causal_layer() -> nn.Module:
        return transformer([CAUSAL])[0]

    model = nn.Sequential(causal_layer(), nn.Sequential(causal_layer(), Shift()), causal_layer())
    found = structural(model, vectors(6))
    origin = found.first_outside(mask_of(CAUSAL))
    assert origin is not None
    assert (origin.module, origin.type, origin.operator) == ("1.1", "Shift", "exp")
    assert origin.pairs == tuple((q, q + 1) for q in range(5))


def test_settings_are_restored() -> None:
    """Also when the model raises: kernels, gradients, training, hooks, random numbers."""
    model = nn.Sequential(nn.Dropout(0.5), nn.Linear(WIDTH, WIDTH)).double()
    model[0].eval()

    kernels: Any = torch.backends.cuda

    def state() -> list[object]:
        return [
            torch.is_grad_enabled(),
            torch.backends.mha.get_fastpath_enabled(),
            torch._C._get_mkldnn_enabled(),
            kernels.flash_sdp_enabled(),
            kernels.math_sdp_enabled(),
            [module.training for module in model.modules()],
            [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()],
            torch.get_rng_state().tolist(),
            _get_current_dispatch_mode(),
        ]

    class Fails(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            torch.rand(3)
            raise LookupError("no such thing")

    x = vectors(6)
    before = state()
    structural(model, x)
    assert state() == before
    model.append(Fails())
    before = state()
    with pytest.raises(InputError, match="raised LookupError: no such thing"):
        structural(model, x)
    assert state() == before


def test_inputs_are_left_as_they_were() -> None:
    """A model that writes into its input writes into a copy."""
    x = vectors(6)
    kept = x.clone()
    assert rows_of(structural(lambda x: x.cumsum_(1), x)) == CAUSAL
    assert torch.equal(x, kept)


def test_memory_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shadows of dead storages go during the run, the store goes after it."""
    stores: list[weakref.ref[Store]] = []
    sizes: list[int] = []

    class Watched(Store):
        def __init__(self) -> None:
            super().__init__()
            stores.append(weakref.ref(self))

    def model(x: Tensor) -> Tensor:
        for _ in range(400):
            x = x + 1
        sizes.append(len(stores[0]() or ()))
        return x

    monkeypatch.setattr(mode, "Store", Watched)
    found = structural(model, vectors(6))
    gc.collect()
    assert sizes[0] < 300
    assert [store() for store in stores] == [None]
    assert found.unconditional


def test_modules_of_the_result_are_in_order_of_their_end() -> None:
    """Parts stand before the whole; the root has no name and spans all operators."""
    found = structural(transformer([CAUSAL]), vectors(6))
    assert [x.module for x in found.modules][-4:] == ["0.mlp.2", "0.mlp", "0", ""]
    root = found.modules[-1]
    assert isinstance(root, ModuleRelation)
    assert (root.module, root.first, root.last) == ("", 0, len(found.operators))
    assert root.relation == found.relation == mask_of(CAUSAL)


def test_the_result_in_words() -> None:
    """The relation as a grid, with its name and whether it has conditions."""
    found = structural(branch, torch.zeros(1, 3, 2))
    assert repr(found) == (
        "StructuralRelation of output, 1 condition\nMask 3×3 (row = query)\n#··\n·#·\n··#"
    )


def conditional(x: Tensor) -> Any:
    choose = torch.ops.higher_order.cond
    return choose(x[0, 0, 0] > 0, lambda x: x + 1, lambda x: x - 1, (x,))


MESSAGES: list[tuple[str, Callable[[], Any], str]] = [
    ("no positions", lambda: structural(branch, {"a": vectors(2), "b": vectors(2)}),
     "none of the inputs 'a', 'b' is known to carry positions; name them with their axes"),
    ("no such input", lambda: structural(branch, vectors(2), positions={"x": 1}),
     "there is no input 'x'; the inputs are 0"),
    ("no such constant", lambda: structural(branch, vectors(2), constants=["mask"]),
     "there is no input 'mask'; the inputs are 0"),
    ("no tensor", lambda: structural(branch, {"a": [1]}, positions={"a": 1}),
     "input 'a' carries positions and is a list; give a tensor"),
    ("no axis", lambda: structural(branch, vectors(2), positions={0: 3}),
     "input 0 has 3 axes and no axis 3; name the axis of positions"),
    ("wrong numbers", lambda: structural(branch, vectors(2), positions={0: torch.arange(4)}),
     "the positions of input 0 have shape (4,), the input (1, 2, 5); give one number"),
    ("no buffer", lambda: structural(nn.ReLU(), vectors(2), trained=["scale"]),
     "no buffer is named 'scale'; trained names buffers"),
    ("bound", lambda: structural(branch, vectors(2), bound=0.0),
     "bound is 0.0; a bound on scores is 1 or more"),
    ("no output", lambda: structural(lambda x: x.sum(), vectors(2)),
     "returns no tensor with axis (1,); give output_axis"),
    ("cond", lambda: structural(conditional, vectors(2)),
     "the structural probe cannot follow torch's cond; write it with plain operators"),
    ("sparse", lambda: structural(lambda x: x[0].to_sparse().to_dense()[None], vectors(2)),
     "it follows dense tensors on the CPU"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "message"), MESSAGES)
def test_messages(name: str, call: Callable[[], Any], message: str) -> None:
    """What was given, what was needed, and the way out."""
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_an_allowed_relation_of_another_size() -> None:
    """Its keys are the input positions."""
    found = structural(branch, vectors(3))
    with pytest.raises(ShapeError, match="the allowed relation has 2 keys, the model 3 input"):
        found.first_outside(Mask.from_rows(["11"]))
