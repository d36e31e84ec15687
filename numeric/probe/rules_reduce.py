"""Reductions, scans and sorts along axes; the axes are read by name from the operator's schema."""

import torch
from torch import Tensor

from attnproof.numeric.probe.bits import any_of, by_planes, everything, running, united
from attnproof.numeric.probe.rules import Call, Shadow, axes_of, rule, same
from attnproof.numeric.probe.rules_elementwise import larger
from attnproof.numeric.probe.store import Kind, Value


def reduced(call: Call, x: Value, dropped: Tensor, decided: Tensor | None = None) -> list[Shadow]:
    """Everything along the axes but the dropped elements; a constant where it is decided."""
    axes = axes_of(call.given("dim"), x.sets.dim())
    sets = united(torch.where(dropped, 0, x.sets), axes)
    constant = ~any_of(~x.constant & ~dropped, axes)
    if decided is not None:
        sets, constant = torch.where(decided, 0, sets), constant | decided
    doubtful = any_of(call.masking.suspect(x) & ~dropped, axes)
    kinds = torch.where(doubtful, Kind.DOUBTFUL, Kind.UNKNOWN)
    kinds = torch.where(constant, Kind.CONSTANT, kinds)
    return [(sets.reshape(out.shape), kinds.reshape(out.shape)) for out in call.outputs]


def axes(call: Call, x: Value) -> list[int]:
    """The axes of a reduction."""
    return axes_of(call.given("dim"), x.sets.dim())


@rule(
    "sum", "mean", "var", "std", "var_mean", "std_mean", "nansum", "norm", "linalg_vector_norm",
    "argmin", "argmax", "min", "amin", "aminmax", "median", "nanmedian", "mode", "count_nonzero",
)  # fmt: skip
def _reduction(call: Call) -> list[Shadow] | None:
    (x,) = call.first(1)
    if isinstance(call.given("other"), Tensor):
        return [call.masking.joined(*call.first(2))]
    return reduced(call, x, torch.zeros_like(x.constant))


@rule("amax", "max", "logsumexp")
def _maximum(call: Call) -> list[Shadow]:
    if isinstance(call.given("other"), Tensor):
        return larger(call, *call.first(2))
    (x,) = call.first(1)
    return reduced(call, x, call.masking.beaten(x, axes(call, x)))


@rule("any")
def _any(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return reduced(call, x, x.zero, any_of(x.constant & (x.value != 0), axes(call, x)))


@rule("all")
def _all(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return reduced(call, x, torch.zeros_like(x.constant), any_of(x.zero, axes(call, x)))


@rule("prod")
def _product(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return reduced(call, x, torch.zeros_like(x.constant), any_of(x.zero, axes(call, x)))


@rule("trace")
def _trace(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return [(united(x.sets.diagonal(), [0]).reshape(()), call.doubt(x))]


@rule("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "_cummax_helper", "_cummin_helper")
def _scan(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    dim = call.given("dim")
    varying = running((~x.constant).long(), dim) > 0
    kinds = torch.where(varying, call.doubt(x), Kind.CONSTANT)
    return same((running(x.sets, dim), kinds), call.outputs)


@rule("topk", "kthvalue", "sort", "argsort", "msort")
def _sort(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    dim = call.given("dim", 0)
    sets = united(x.sets, [dim]) if x.sets.dim() else x.sets
    if x.sets.dim() and call.out.dim() < x.sets.dim():
        sets = sets.squeeze(dim)
    return same((sets, call.doubt(x)), call.outputs)


@rule(
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d",
    "max_pool2d_with_indices", "max_pool3d_with_indices", "adaptive_max_pool2d", "im2col", "col2im",
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d",
    "upsample_bilinear2d",
)  # fmt: skip
def _pool(call: Call) -> list[Shadow]:
    (x,) = call.first(1)

    def pool(plane: Tensor) -> Tensor:
        result = call.operator(plane, *call.args[1:], **call.kwargs)
        return result if isinstance(result, Tensor) else result[0]

    return same((by_planes(pool, x.sets), call.doubt(x)), call.outputs)


@rule("native_layer_norm", "_fused_rms_norm")
def _layer_norm(call: Call) -> list[Shadow]:
    x, last = call.value(call.args[0]), len(call.args[1])
    sets = united(x.sets, range(x.sets.dim() - last, x.sets.dim()))
    normed = sets
    for each in call.args[2:4]:
        if isinstance(each, Tensor):
            normed = normed | call.value(each).sets
    kinds = call.doubt(x)
    return [(normed if i == 0 else sets, kinds) for i in range(len(call.outputs))]


@rule("native_group_norm")
def _group_norm(call: Call) -> list[Shadow]:
    x, count, groups = call.value(call.args[0]), call.args[3], call.args[6]
    grouped = x.sets.reshape(count, groups, -1)
    sets = united(grouped, [2])
    affine = (call.value(each).sets for each in call.args[1:3] if isinstance(each, Tensor))
    normed = sets.expand(grouped.shape).reshape(x.sets.shape) | everything(*affine)
    statistics = sets.squeeze(2), call.doubt(x)
    return [(normed, call.doubt(x)), statistics, statistics]


@rule("_fft_c2c", "_fft_r2c", "_fft_c2r")
def _fourier(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return [(united(x.sets, axes(call, x)), call.doubt(x))]
