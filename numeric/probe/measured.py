"""What changes when one position does: a case run twice, module by module, bit by bit.

A pair ``(q, k)`` is seen where a number in row ``q`` is another one after position ``k`` was given
another token or vector, again when both runs are repeated, and in float64 too.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnproof.numeric.probe.case import Case
from attnproof.numeric.probe.sites import OUTPUT, Rows, Site, Trace, traced
from attnproof.numeric.probe.subject import Subject, with_rows
from attnproof.numeric.read.user_code import user_code
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.progress import tick

#: How far a vector is moved: near it, by its own size, and far away.
SCALES = (1e-3, 1.0, 1e3)
#: The least share of an effect that remains in float64, if it is more than rounding.
REMAINS = 1e-4
#: Effects of at most so many units of rounding may be rounding where float64 cannot tell.
ROUNDING = 64.0

_Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A change at position ``source`` changed ``reader`` at a site by at most ``effect``.

    ``arises`` says that what the module was given does not show the change, so that it is the
    module's own. ``rounding`` says that the effect may be that of rounding.
    """

    site: Site
    reader: int
    source: int
    effect: float
    arises: bool
    rounding: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """The pairs outside the bound that were seen, by site in the order in which calls end.

    ``relation`` has every pair seen at the outputs; ``nan`` are the output rows with NaN, but for
    padding; ``runs`` counts the runs that were compared.
    """

    seen: tuple[Seen, ...]
    relation: Mask
    nan: tuple[int, ...]
    runs: int


def measure(subject: Subject, case: Case, tries: int | None = None) -> Measured:
    """Change each position ``tries`` times and compare each module's rows with their bound.

    Left out, a token is changed twice, a vector once at each of ``SCALES``.

    Law: what is seen is a dependency of this very model; what is not seen may still be one. Raises
    :class:`InputError` when the model raises, and when it answers the same input twice differently.
    """
    numbers = case.numbers()
    total = 1 + max(int(each.max()) for each in numbers.values())
    tries = tries or (2 if subject.width is None else len(SCALES))
    made = torch.Generator().manual_seed(subject.seed + 1)
    found: dict[tuple[Site, int, int], Seen] = {}
    with case.entered():
        before = _trace(subject, case, case.arguments)
        if any(_changes(before, _trace(subject, case, case.arguments))):
            raise InputError(
                f"{subject.name} answers the same input twice differently; set eval(), and fix "
                "its seeds"
            )
        output = before.outputs[OUTPUT]
        related = torch.zeros(output.count(), total, dtype=torch.bool)
        for k in range(total):
            tick(k, total)
            for attempt in range(tries):
                changed = _changed(subject, case, numbers, k, attempt, made)
                after = _trace(subject, case, changed)
                moved = output.changed(after.outputs[OUTPUT])
                related[:, k] |= moved > 0 if moved is not None else True
                for one in _replayed(subject, case, before, after, changed, k):
                    key = one.site, one.reader, one.source
                    if key not in found or one.effect > found[key].effect:
                        found[key] = one
        tick(total, total)
    order = {site: place for place, site in enumerate(before.outputs)}
    seen = sorted(found.values(), key=lambda one: (order[one.site], one.reader, one.source))
    nan = tuple(q for q in output.nan_rows() if q not in case.bound.free)
    return Measured(tuple(seen), Mask.from_dense(related.numpy()), nan, 2 + total * tries)


def _trace(subject: Subject, case: Case, arguments: _Arguments) -> Trace:
    """One run; every run draws the same random numbers."""
    torch.manual_seed(subject.seed)
    bound = case.bound
    modules = dict(case.model.named_modules())
    lengths = bound.parts.get(None, {})
    with traced(modules, case.stack, lengths) as trace, user_code(subject.name):
        result = case.run(**{name: _copied(value) for name, value in arguments.items()})
    rows = bound.outputs.queries
    trace.outputs[OUTPUT] = Rows(with_rows(result, subject.name, rows, case.axis), case.axis)
    return trace


def _changes(before: Trace, after: Trace) -> Iterator[Site]:
    for site, rows in before.outputs.items():
        other = after.outputs.get(site)
        moved = rows.changed(other) if other is not None else None
        if moved is None or bool((moved > 0).any()):
            yield site


def _replayed(
    subject: Subject, case: Case, before: Trace, after: Trace, changed: _Arguments, k: int
) -> list[Seen]:
    """The pairs outside the bound that both runs show again when they are repeated."""
    found = list(_outside(case, before, after, k))
    if not found:
        return []
    again = _trace(subject, case, case.arguments), _trace(subject, case, changed)
    repeated = set(_outside(case, *again, k))
    kept = [one for one in found if one in repeated]
    remains = _in_float64(subject, case, changed, k)
    return [replace(one, rounding=_is_rounding(one, before, remains)) for one in kept]


def _is_rounding(
    one: Seen, before: Trace, remains: Mapping[tuple[Site, int], float] | None
) -> bool:
    """Whether an effect all but vanishes in float64; where that is not known, if it is small."""
    tensor = before.outputs[one.site].tensor
    if not tensor.is_floating_point():
        return False
    if remains is not None and tensor.dtype != torch.float64:
        return remains.get((one.site, one.reader), 0.0) < REMAINS * one.effect
    largest = float(tensor.abs().nan_to_num(0.0, 0.0, 0.0).amax())
    return one.effect <= ROUNDING * torch.finfo(tensor.dtype).eps * max(1.0, largest)


def _outside(case: Case, before: Trace, after: Trace, k: int) -> Iterator[Seen]:
    """The rows that change with position ``k`` and must not."""
    for site, rows in before.outputs.items():
        within = case.bound.outputs if site == OUTPUT else case.bound.of(site.layer, rows.count())
        other = after.outputs.get(site)
        if within is None or other is None:
            continue
        moved = rows.changed(other)
        if moved is None:
            continue
        readers = case.bound.output_readers if site == OUTPUT else case.bound.readers[rows.count()]
        for q in moved.nonzero().reshape(-1).tolist():
            if not within[q, k]:
                arises = not _given_changes(before, after, site, q)
                yield Seen(site, readers[q], k, float(moved[q]), arises)


def _given_changes(before: Trace, after: Trace, site: Site, q: int) -> bool:
    """Whether what the call was given changes in row ``q`` already."""
    one, other = before.inputs.get(site), after.inputs.get(site)
    moved = one.changed(other) if one is not None and other is not None else None
    return moved is not None and q < len(moved) and bool(moved[q] > 0)


def _in_float64(
    subject: Subject, case: Case, changed: _Arguments, k: int
) -> dict[tuple[Site, int], float] | None:
    """The effects in float64, by site and reader; None where the model does not run in it."""
    try:
        with _doubled(case.model):
            before = _trace(subject, case, _doubles(case.arguments))
            after = _trace(subject, case, _doubles(changed))
    except InputError:
        return None
    return {(one.site, one.reader): one.effect for one in _outside(case, before, after, k)}


@contextlib.contextmanager
def _doubled(model: nn.Module) -> Iterator[None]:
    """The parameters and buffers in float64; those of before are put back."""
    parameters = [(one, one.data) for one in model.parameters() if one.is_floating_point()]
    buffers = [
        (module, name, buffer)
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
        if buffer.is_floating_point()
    ]
    try:
        for parameter, data in parameters:
            parameter.data = data.double()
        for module, name, buffer in buffers:
            setattr(module, name, buffer.double())
        yield
    finally:
        for parameter, data in parameters:
            parameter.data = data
        for module, name, buffer in buffers:
            setattr(module, name, buffer)


def _doubles(arguments: _Arguments) -> dict[str, Any]:
    return {
        name: value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
        for name, value in arguments.items()
    }


def _changed(
    subject: Subject,
    case: Case,
    numbers: Mapping[str, Tensor],
    k: int,
    attempt: int,
    made: torch.Generator,
) -> dict[str, Any]:
    """The arguments with another token, or a moved vector, at position ``k``."""
    given = dict(case.arguments)
    for name, number in numbers.items():
        here = number == k
        if not here.any():
            continue
        tensor: Tensor = given[name].clone()
        if tensor.is_floating_point():
            scale = SCALES[attempt % len(SCALES)]
            noise = torch.randn(tensor.shape, generator=made, dtype=torch.float64)
            tensor = torch.where(here, tensor + scale * noise.to(tensor.dtype), tensor)
        else:
            vocabulary = subject.vocabulary()
            place = torch.searchsorted(vocabulary, tensor[here])
            step = torch.randint(1, len(vocabulary), place.shape, generator=made)
            tensor[here] = vocabulary[(place + step) % len(vocabulary)]
        given[name] = tensor
    return given


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value
