"""Operators that move elements: the same operator is run on sets and kinds."""

from typing import Any

import torch
from torch import Tensor

from attnproof.numeric.probe.rules import RULES, Call, Rule, Shadow, rule
from attnproof.numeric.probe.store import Kind, Value

_MOVES = (
    "cat stack repeat roll flip rot90 block_diag pixel_shuffle pixel_unshuffle channel_shuffle "
    "reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
    "replication_pad3d slice_scatter select_scatter diagonal_scatter diag_embed"
)


def _mover(name: str) -> Rule:
    function = getattr(torch.ops.aten, name)

    def move(call: Call) -> list[Shadow]:
        sets, kinds = (
            function(*_parts(call, call.args, which), **_parts(call, call.kwargs, which))
            for which in ("sets", "kinds")
        )
        if isinstance(sets, Tensor):
            return [(sets, kinds)]
        return list(zip(sets, kinds, strict=True))

    return move


def _parts(call: Call, given: Any, which: str) -> Any:
    """The arguments with every tensor replaced by its sets or kinds."""
    if isinstance(given, Tensor):
        return getattr(call.value(given), which).contiguous()
    if isinstance(given, dict):
        return {name: _parts(call, each, which) for name, each in given.items() if name != "out"}
    if isinstance(given, (list, tuple)):
        return [_parts(call, each, which) for each in given]
    return given


RULES.update({name: _mover(name) for name in _MOVES.split()})


@rule("constant_pad_nd")
def _pad(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    pad = torch.ops.aten.constant_pad_nd
    return [(pad(x.sets, call.args[1], 0), pad(x.kinds, call.args[1], Kind.CONSTANT))]


@rule("repeat_interleave")
def _repeat_interleave(call: Call) -> list[Shadow] | None:
    x, repeats, dim = call.value(call.args[0]), call.given("repeats"), call.given("dim")
    if not isinstance(repeats, int):
        return None
    return [tuple_of(x, lambda part: torch.repeat_interleave(part, repeats, dim))]


def tuple_of(x: Value, function: Any) -> Shadow:
    """A function of sets and of kinds."""
    return function(x.sets), function(x.kinds)
