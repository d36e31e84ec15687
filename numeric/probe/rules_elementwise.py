"""Elementwise operators in which a constant of a mask decides: 0 times x, -inf plus x, where."""

import torch
from torch import Tensor

from attnproof.numeric.probe.rules import Call, Shadow, rule
from attnproof.numeric.probe.store import Kind, Value


def decided(where: Tensor, shadow: Shadow) -> list[Shadow]:
    """A shadow, with constants where the result is decided by one argument alone."""
    sets, kinds = shadow
    return [(torch.where(where, 0, sets), torch.where(where, Kind.CONSTANT, kinds))]


@rule("mul", "bitwise_and", "logical_and")
def _product(call: Call) -> list[Shadow]:
    x, y = call.first(2)
    return decided(x.zero | y.zero, call.masking.joined(x, y))


@rule("div")
def _quotient(call: Call) -> list[Shadow]:
    x, y = call.first(2)
    return decided(x.zero & ~y.zero, call.masking.joined(x, y))


@rule("bitwise_or", "logical_or")
def _either(call: Call) -> list[Shadow]:
    x, y = call.first(2)
    true = x.constant & (x.value != 0) | y.constant & (y.value != 0)
    return decided(true & (call.out.dtype == torch.bool), call.masking.joined(x, y))


@rule("add", "sub")
def _sum(call: Call) -> list[Shadow]:
    x, y = call.first(2)
    masking = call.masking
    if call.given("alpha", 1) != 1 or not call.out.is_floating_point():
        return [masking.joined(x, y)]
    if call.operator._schema.name.startswith("aten::add"):
        masked = masking.masked(x) & ~masking.huge(y) | masking.masked(y) & ~masking.huge(x)
    else:
        masked = masking.masked(x) & ~masking.suspect(y) | masking.huge(y) & ~masking.suspect(x)
    one, other = call.masking.absorbing(x, y, call.out), call.masking.absorbing(y, x, call.out)
    absorbed = one | other
    sets, kinds = call.masking.joined(x, y)
    varying = (masked | absorbed) & (kinds != Kind.CONSTANT)
    for each in (x, y):
        call.masking.rely(each, varying & call.masking.suspect(each))
    kinds = torch.where(varying, Kind.MASKED, kinds)
    return decided(absorbed, (sets, kinds))


@rule("complex", "polar")
def _complex(call: Call) -> list[Shadow]:
    return [call.masking.joined(*call.first(2))]


@rule("exp", "exp2", "sigmoid")
def _exponential(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    masked = call.masking.masked(x)
    call.masking.rely(x, masked)
    return decided(masked | x.constant, (x.sets, torch.zeros_like(x.kinds)))


@rule("where")
def _where(call: Call) -> list[Shadow] | None:
    return chosen(call, *call.first(3)) if len(call.args) == 3 else None


@rule("masked_fill")
def _masked_fill(call: Call) -> list[Shadow]:
    x, condition, fill = call.first(3)
    return chosen(call, condition, fill, x)


def chosen(call: Call, condition: Value, x: Value, y: Value) -> list[Shadow]:
    """``x`` where the condition holds, else ``y``; by an unknown condition, either."""
    known, true = condition.constant, condition.value.bool()
    both = call.masking.masked(x) & call.masking.masked(y)
    doubtful = call.masking.suspect(x) | call.masking.suspect(y)
    unknown = torch.where(both, Kind.MASKED, torch.where(doubtful, Kind.DOUBTFUL, Kind.UNKNOWN))
    sets = torch.where(true, x.sets, y.sets)
    kinds = torch.where(true, x.kinds, y.kinds)
    either = condition.sets | x.sets | y.sets
    return [(torch.where(known, sets, either), torch.where(known, kinds, unknown))]


@rule("maximum", "fmax")
def _maximum(call: Call) -> list[Shadow]:
    return larger(call, *call.first(2))


def larger(call: Call, x: Value, y: Value) -> list[Shadow]:
    """The elementwise maximum: of a score and a mask it is an ordinary score."""
    masking = call.masking
    sets, kinds = masking.joined(x, y)
    both = masking.masked(x) & masking.masked(y)
    plain = masking.masked(x) & ~masking.suspect(y) | masking.masked(y) & ~masking.suspect(x)
    varying = torch.where(both, Kind.MASKED, torch.where(plain, Kind.UNKNOWN, kinds))
    return [(sets, torch.where(kinds == Kind.CONSTANT, kinds, varying))]


@rule("glu")
def _gated(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    parts = (part.chunk(2, call.given("dim")) for part in (x.sets, x.kinds, x.value))
    return [call.masking.joined(*(Value(*half) for half in zip(*parts, strict=True)))]


@rule("tril")
def _lower(call: Call) -> list[Shadow]:
    return _triangle(call, torch.ones_like(call.out, dtype=torch.bool).tril(_diagonal(call)))


@rule("triu")
def _upper(call: Call) -> list[Shadow]:
    return _triangle(call, torch.ones_like(call.out, dtype=torch.bool).triu(_diagonal(call)))


def _diagonal(call: Call) -> int:
    return int(call.given("diagonal", 0))


def _triangle(call: Call, kept: Tensor) -> list[Shadow]:
    (x,) = call.first(1)
    return decided(~kept, (x.sets, x.kinds))


@rule("native_dropout")
def _dropout(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    unknown = torch.zeros((), dtype=torch.uint8)
    return [(x.sets, unknown), (torch.zeros_like(x.sets), unknown)]


@rule("fill")
def _fill(call: Call) -> list[Shadow]:
    value = call.value(call.args[1])
    return [(value.sets, value.kinds)]


@rule("copy")
def _copy(call: Call) -> list[Shadow]:
    source = call.value(call.args[1])
    return [(source.sets, source.kinds)]


@rule("clone", "_to_copy", "lift_fresh_copy")
def _same(call: Call) -> list[Shadow]:
    (x,) = call.first(1)
    return [(x.sets, x.kinds)]
