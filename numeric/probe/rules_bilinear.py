"""Products of two tensors: a term counts where neither factor is the constant 0.

The relation of a product is the Boolean product of the relations of its factors, one matrix product
of indicators for each position. Sums of fewer than 2^24 ones are exact in float32.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnproof.numeric.probe.bits import everything, has, united
from attnproof.numeric.probe.rules import RULES, Call, Rule, Shadow, rule
from attnproof.numeric.probe.store import Kind, Value
from attnproof.symbolic.masks.rows import members

_Product = Callable[[Tensor, Tensor], Tensor]


def bilinear(call: Call, function: _Product, x: Value, y: Value) -> Shadow:
    """Sets and kinds of a bilinear function with coefficients 0 and 1."""

    def product(a: Tensor, b: Tensor) -> Tensor:
        return function(a.float().contiguous(), b.float().contiguous())

    live_x, live_y = ~x.zero, ~y.zero
    doubt = call.doubt(x, y)
    count = product(~x.constant & live_x, live_y) + product(live_x, ~y.constant & live_y)
    sets = torch.zeros(count.shape, dtype=torch.int64)
    of_x, of_y = everything(x.sets), everything(y.sets)
    for p in members(of_x | of_y):
        terms = torch.zeros_like(count)
        if of_x >> p & 1:
            terms = terms + product(has(x.sets, p) * live_x, live_y)
        if of_y >> p & 1:
            terms = terms + product(live_x, has(y.sets, p) * live_y)
        sets |= (terms > 0.5).long() << p
    return sets, torch.where(count > 0.5, doubt, Kind.CONSTANT)


def matrix_product(call: Call, function: _Product, x: Value, y: Value) -> Shadow:
    """The same for a matrix product; a matrix of weights, none known to be 0, joins whole rows."""
    if x.sets.dim() > 1 and not everything(y.sets) and not bool(y.constant.any()):
        zero = x.zero.all(-1, keepdim=True)
        return united(x.sets, [-1]), torch.where(zero, Kind.CONSTANT, call.doubt(x, y))
    return bilinear(call, function, x, y)


def _product_rule(function: _Product) -> Rule:
    def multiply(call: Call) -> list[Shadow]:
        return [matrix_product(call, function, *call.first(2))]

    return multiply


def _affine_rule(function: _Product) -> Rule:
    def multiply(call: Call) -> list[Shadow]:
        bias, x, y = call.first(3)
        return [_added(call, matrix_product(call, function, x, y), bias)]

    return multiply


def _added(call: Call, shadow: Shadow, bias: Value) -> Shadow:
    sets, kinds = shadow
    both = (kinds == Kind.CONSTANT) & bias.constant
    doubtful = (kinds == Kind.DOUBTFUL) | call.masking.suspect(bias)
    varying = torch.where(doubtful, Kind.DOUBTFUL, Kind.UNKNOWN)
    return sets | bias.sets, torch.where(both, Kind.CONSTANT, varying)


RULES.update({name: _product_rule(getattr(torch, name)) for name in ("mm", "bmm", "mv", "dot")})
RULES.update(
    addmm=_affine_rule(torch.mm), baddbmm=_affine_rule(torch.bmm), addmv=_affine_rule(torch.mv)
)


@rule("convolution", "_convolution", "mkldnn_convolution")
def _convolution(call: Call) -> list[Shadow] | None:
    if call.operator._schema.name != "aten::convolution":
        return None
    x, weight = call.first(2)
    layout = call.args[3:9]

    def convolve(a: Tensor, b: Tensor) -> Tensor:
        result: Tensor = torch.ops.aten.convolution(a, b, None, *layout)
        return result

    shadow = bilinear(call, convolve, x, weight)
    if call.args[2] is None:
        return [shadow]
    bias = call.value(call.args[2])
    shape = [1, -1] + [1] * (call.out.dim() - 2)
    bias = Value(*(part.view(shape) for part in (bias.sets, bias.kinds, bias.value)))
    return [_added(call, shadow, bias)]


@rule("linalg_solve_triangular")
def _solve(call: Call) -> list[Shadow] | None:
    """Substitution row by row: ``x_i = (b_i - sum_k a_ik x_k) / a_ii``."""
    a, b = call.first(2)
    if not call.given("left", True):
        return None
    upper, unit = call.given("upper"), call.given("unitriangular", False)
    stack, length = call.out.shape[:-2], a.sets.shape[-1]
    of_a, zero_a = (t.expand(stack + t.shape[-2:]) for t in (a.sets, a.zero))
    sets, zero = (t.expand(stack + t.shape[-2:]).clone() for t in (b.sets, b.zero))
    order = range(length - 1, -1, -1) if upper else range(length)
    for i in order:
        for k in range(i + 1, length) if upper else range(i):
            dead = zero_a[..., i, k, None] | zero[..., k, :]
            term = torch.where(dead, 0, of_a[..., i, k, None] | sets[..., k, :])
            sets[..., i, :] |= term
            zero[..., i, :] &= dead
        if not unit:
            sets[..., i, :] |= torch.where(zero[..., i, :], 0, of_a[..., i, i, None])
    return [(sets, torch.where(zero, Kind.CONSTANT, call.doubt(a, b)))]


@rule("_grouped_mm")
def _grouped_product(call: Call) -> list[Shadow] | None:
    """Rows in constant groups, each times the matrix of weights of its group."""
    x, weight = call.first(2)
    ends = call.given("offs")
    if ends is None or not call.value(ends).fixed or everything(weight.sets):
        return None
    if x.sets.dim() != 2 or weight.sets.dim() != 3:
        return None
    return [(united(x.sets, [-1]), call.doubt(x, weight))]
