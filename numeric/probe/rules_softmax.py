"""Softmax under a mask: masked elements of a row drop out where some element of it is live."""

import torch

from attnproof.numeric.probe.bits import any_of, united
from attnproof.numeric.probe.relation import EmptySoftmax
from attnproof.numeric.probe.rules import Call, Shadow, rule
from attnproof.numeric.probe.store import Kind


@rule("_softmax")
def _softmax(call: Call) -> list[Shadow]:
    return _weights(call, EmptySoftmax.NAN)


@rule("_safe_softmax")
def _safe_softmax(call: Call) -> list[Shadow]:
    return _weights(call, EmptySoftmax.ZERO)


def _weights(call: Call, empty: EmptySoftmax) -> list[Shadow]:
    x, axis = call.value(call.args[0]), [call.args[1]]
    if not x.sets.dim():
        return [(x.sets, x.kinds)]
    blocked = x.constant & (x.value == float("-inf"))
    none = ~any_of(~blocked, axis)
    uniform = ~any_of(~call.masking.masked(x), axis) & ~none
    call.masking.rows[empty] += int(none.sum())
    call.masking.rows[EmptySoftmax.UNIFORM] += int(uniform.sum())
    dropped = call.masking.beaten(x, axis)
    sets = united(torch.where(dropped, 0, x.sets), axis)
    constant = ~any_of(~x.constant & ~dropped, axis)
    # The only element that is left has weight 1.
    alone = ((~dropped).sum(axis[0], keepdim=True) == 1) & (x.kinds != Kind.DOUBTFUL)
    constant = constant | dropped | alone
    if empty is EmptySoftmax.ZERO:
        constant = constant | none
    sets = torch.where(constant, 0, sets)
    return [(sets, torch.where(constant, Kind.CONSTANT, Kind.UNKNOWN))]


@rule("_log_softmax")
def _log_softmax(call: Call) -> list[Shadow]:
    x, axis = call.value(call.args[0]), [call.args[1]]
    if not x.sets.dim():
        return [(x.sets, x.kinds)]
    blocked = x.constant & (x.value == float("-inf"))
    masked = call.masking.masked(x)
    dropped = call.masking.beaten(x, axis)
    sets = x.sets | united(torch.where(dropped, 0, x.sets), axis)
    constant = ~any_of(~x.constant & ~dropped, axis) & x.constant | blocked & dropped
    kinds = torch.where(masked & dropped, Kind.MASKED, call.doubt(x))
    kinds = torch.where(constant, Kind.CONSTANT, kinds)
    return [(torch.where(constant, 0, sets), kinds)]
