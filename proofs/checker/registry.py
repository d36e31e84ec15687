"""Predicate type to the kernel that checks it."""

from collections.abc import Callable, Mapping, Sequence

from . import (
    conflict,
    equal,
    equivalent,
    flow,
    inequivalent,
    infeasible,
    interpolates,
    interpolates_softmax,
    leak,
    lengths,
    merged,
    optimum,
    safe,
    scans,
    spans,
    structure,
    unequal,
)

#: A kernel reads the predicate and the digests of the subject; it raises Invalid or Undecided, or
#: returns.
Kernel = Callable[[object, Sequence[str]], None]

KERNELS: Mapping[str, Kernel] = {
    module.KIND: module.check
    for module in (
        conflict,
        equal,
        equivalent,
        flow,
        inequivalent,
        infeasible,
        interpolates,
        interpolates_softmax,
        leak,
        lengths,
        merged,
        optimum,
        safe,
        scans,
        spans,
        structure,
        unequal,
    )
}
