"""Predicate type to the kernel that checks it."""

from collections.abc import Callable, Mapping, Sequence

from . import equal, flow, leak, safe, structure, unequal

#: A kernel reads the predicate and the digests of the subject; it raises Invalid, or returns.
Kernel = Callable[[object, Sequence[str]], None]

KERNELS: Mapping[str, Kernel] = {
    module.KIND: module.check for module in (equal, flow, leak, safe, structure, unequal)
}
