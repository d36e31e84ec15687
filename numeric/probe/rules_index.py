"""Gather and scatter: through a constant index exactly, else any element along the index's axes.

An index hands on the positions that it depends on itself.
"""

import torch
from torch import Tensor

from attnproof.numeric.probe.bits import by_planes, everything, united
from attnproof.numeric.probe.rules import Call, Shadow, rule
from attnproof.numeric.probe.rules_move import tuple_of
from attnproof.numeric.probe.store import Kind, Value


@rule("embedding")
def _embedding(call: Call) -> list[Shadow]:
    weight, index = call.first(2)
    if index.fixed:
        return [tuple_of(weight, lambda part: part[index.value])]
    return [(index.sets.unsqueeze(-1) | united(weight.sets, [0]), call.doubt(weight))]


@rule("index_select")
def _index_select(call: Call) -> list[Shadow]:
    x, index, dim = call.value(call.args[0]), call.value(call.args[2]), call.args[1]
    if index.fixed:
        return [tuple_of(x, lambda part: part.index_select(dim, index.value))]
    shape = [1] * max(x.sets.dim(), 1)
    shape[dim] = -1
    return [(united(x.sets, [dim]) | index.sets.reshape(shape), call.doubt(x))]


@rule("gather")
def _gather(call: Call) -> list[Shadow]:
    x, index, dim = call.value(call.args[0]), call.value(call.args[2]), call.args[1]
    if index.fixed:
        return [tuple_of(x, lambda part: part.gather(dim, index.value))]
    along = united(x.sets, [dim]) if x.sets.dim() else x.sets
    return [(along.expand(x.sets.shape).gather(dim, index.value) | index.sets, call.doubt(x))]


@rule("index", "_unsafe_index")
def _index(call: Call) -> list[Shadow] | None:
    x, indices = call.value(call.args[0]), _indices(call)
    given = [each for each in indices if each is not None]
    if all(each.fixed for each in given):
        pick = torch.ops.aten.index
        return [tuple_of(x, lambda part: pick(part.contiguous(), call.args[1]))]
    if any(each.value.dtype in (torch.bool, torch.uint8) for each in given):
        return None
    axes = [axis for axis, each in enumerate(indices) if each is not None]
    along = united(x.sets, axes).expand(x.sets.shape).contiguous()
    along = torch.ops.aten.index(along, call.args[1])
    own = given[0].sets
    for each in given[1:]:
        own = own | each.sets
    # Where the indexed axes are not neighbours, the axes of the index come first.
    neighbours = axes == list(range(axes[0], axes[-1] + 1))
    behind = x.sets.dim() - len(axes) - (axes[0] if neighbours else 0)
    return [(along | own.reshape(own.shape + (1,) * behind), call.doubt(x))]


def _indices(call: Call) -> list[Value | None]:
    return [None if index is None else call.value(index) for index in call.args[1]]


@rule("index_put", "_index_put_impl", "_unsafe_index_put")
def _index_put(call: Call) -> list[Shadow]:
    x, values = call.value(call.args[0]), call.value(call.args[2])
    indices = _indices(call)
    given = [each for each in indices if each is not None]
    if all(each.fixed for each in given):
        return [_put_at(call, x, values)]
    kinds = call.doubt(x, values)
    (index,) = given if len(given) == 1 == len(indices) else (None,)
    if index is not None and index.value.dtype == torch.bool and not values.sets.dim():
        behind = x.sets.dim() - index.sets.dim()
        own = index.sets.reshape(index.sets.shape + (1,) * behind)
        return [(x.sets | own | values.sets, kinds)]
    return [(x.sets | everything(values.sets, *(each.sets for each in given)), kinds)]


def _put_at(call: Call, x: Value, values: Value) -> Shadow:
    """Values put at constant places: of several at one place, any may win."""

    def put(plane: Tensor) -> Tensor:
        result = torch.zeros(x.sets.shape)
        result.index_put_(call.args[1], plane.contiguous(), accumulate=True)
        return result

    shape = values.sets.shape
    hit = put(torch.ones(shape)) > 0
    written = by_planes(put, values.sets)
    constant = hit & (put((~values.constant).float()) == 0)
    if call.given("accumulate", False):
        hit, constant = torch.zeros_like(hit), ~hit & x.constant
        return x.sets | written, torch.where(constant, Kind.CONSTANT, call.doubt(x, values))
    kinds = torch.where(constant, Kind.CONSTANT, call.doubt(values))
    return torch.where(hit, written, x.sets), torch.where(hit, kinds, x.kinds)


@rule("scatter", "scatter_add", "scatter_reduce")
def _scatter(call: Call) -> list[Shadow]:
    x, dim, index = call.value(call.args[0]), call.args[1], call.value(call.args[2])
    source = call.value(call.given("src", call.given("value")))
    moved = source.sets
    if moved.dim():
        moved = moved[tuple(slice(0, length) for length in index.sets.shape)]
    kinds = call.doubt(x, source)
    if not x.sets.dim():
        return [(x.sets | moved.reshape(()) | index.sets.reshape(()), kinds)]
    hit = united(moved | index.sets, [dim])
    kept = list(x.sets.shape)
    kept[dim] = 1
    # Lines of the index along the axis touch their own line only, if there are as many.
    return [(x.sets | (hit if list(hit.shape) == kept else everything(hit)), kinds)]


@rule("index_add", "index_copy", "index_fill", "index_reduce")
def _index_add(call: Call) -> list[Shadow]:
    x, index, source = (call.value(call.args[place]) for place in (0, 2, 3))
    dim = call.args[1]
    kinds = call.doubt(x, source)
    if index.fixed and source.sets.dim() and x.sets.dim():

        def add(plane: Tensor) -> Tensor:
            return torch.zeros(x.sets.shape).index_add_(dim, index.value.reshape(-1), plane)

        return [(x.sets | by_planes(add, source.sets), kinds)]
    if not x.sets.dim() or not source.sets.dim():
        return [(x.sets | everything(source.sets, index.sets), kinds)]
    return [(x.sets | united(source.sets, [dim]) | everything(index.sets), kinds)]


@rule("masked_scatter")
def _masked_scatter(call: Call) -> list[Shadow]:
    x, mask, source = call.first(3)
    kinds = call.doubt(x, source)
    if mask.fixed:
        shape = call.out.shape
        place = mask.value.expand(shape)
        sets, found = x.sets.expand(shape).clone(), x.kinds.expand(shape).clone()
        count = int(place.sum())
        sets[place] = source.sets.reshape(-1)[:count]
        found[place] = source.kinds.reshape(-1)[:count]
        return [(sets, found)]
    return [(x.sets | everything(mask.sets, source.sets), kinds)]
