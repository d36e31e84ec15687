"""What the schema of an operator says: its name, what it writes, and how its outputs arise."""

import functools
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch.utils._pytree import tree_leaves

from attnproof.numeric.probe.store import storage_of
from attnproof.symbolic.errors import InputError

#: Outputs that do not depend on the values of the inputs.
_FACTORIES = frozenset(
    {"empty_like", "empty_strided", "full_like", "new_empty", "new_empty_strided", "new_full"}
    | {"new_ones", "new_zeros", "ones_like", "rand_like", "randint_like", "randn_like", "zero"}
    | {"zeros_like"}
)
#: Of these the size of the output is a value of the input; the tag also marks rarer cases.
_MAYBE_DYNAMIC = frozenset(["index", "_unsafe_index"])


@dataclass(frozen=True, slots=True)
class Operator:
    """The schema of an operator, read once."""

    name: str
    #: The name without namespace aten and without the underscore of an operator in place.
    base: str
    writes: tuple[str, ...]
    places: tuple[int, ...]
    metadata_only: bool
    view: bool
    composite: bool
    pointwise: bool
    seeded: bool
    reads_value: bool
    factory: bool
    uninitialised: bool


@functools.cache
def operator_of(function: Any) -> Operator:
    """The schema of an overload."""
    schema, tags = function._schema, function.tags
    name = schema.name.removeprefix("aten::")
    base = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    written = [
        (place, argument.name)
        for place, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    dynamic = {torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output} & set(tags)
    return Operator(
        name=name,
        base=base,
        writes=tuple(name for _, name in written),
        places=tuple(place for place, _ in written),
        metadata_only=torch.Tag.inplace_view in tags,
        view=not written and any(each.alias_info is not None for each in schema.returns),
        composite=has_kernel(function.name(), "CompositeImplicitAutograd"),
        pointwise=torch.Tag.pointwise in tags and not name.startswith("_foreach"),
        seeded=torch.Tag.nondeterministic_seeded in tags,
        reads_value=bool(dynamic) and base not in _MAYBE_DYNAMIC,
        factory=base in _FACTORIES,
        uninitialised="empty" in base or "rand" in base,
    )


def decomposition(function: Any) -> Any:
    """A function of simpler operators that is the same as an operator, or None."""
    if operator_of(function).composite:
        return function.decompose
    return decomposition_table.get(function)


def written_out(function: Any) -> Any:
    """FlexAttention, the one operator on functions that is followed, as simpler operators.

    Raises :class:`InputError` for others (cond, scan, ...): their code refuses to be followed.
    """
    code = function.py_kernels.get(torch._C.DispatchKey.CompositeExplicitAutograd)
    if code is None or function.name() != "flex_attention":
        raise InputError(
            f"the structural probe cannot follow torch's {function.name()}; write it with plain "
            "operators, such as a loop or torch.where"
        )
    return code


def tensors(tree: Any) -> list[Tensor]:
    """The tensors in nested arguments, in order."""
    return [x for x in tree_leaves(tree) if isinstance(x, Tensor)]


def same_memory(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are the same view of one storage."""
    return (
        storage_of(a) == storage_of(b)
        and a.storage_offset() == b.storage_offset()
        and a.size() == b.size()
        and a.stride() == b.stride()
    )
