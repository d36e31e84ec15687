"""A rule whose captured tensors hold other values: the same function at another instance.

The tensors are the user's own objects; whoever reads them sees the values until the block ends.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attnproof.numeric.trace.captured import Registry, named_tensors
from attnproof.symbolic.errors import ParameterError

if TYPE_CHECKING:
    import torch


def held_tensors(rule: Callable[..., Any]) -> "dict[str, torch.Tensor]":
    """The tensors that a rule holds, by the names that they have in its formula.

    >>> import torch
    >>> ids = torch.tensor([0, 0, 1])
    >>> held_tensors(lambda b, h, q, k: ids[q] == ids[k])
    {'ids': tensor([0, 0, 1])}
    """
    registry = Registry("abstract", (), None)
    registry.take(rule)
    return {registry.name_of(tensor): tensor for _, tensor in named_tensors(rule)}


@contextlib.contextmanager
def holding(rule: Callable[..., Any], values: Mapping[str, Any]) -> Iterator[None]:
    """Within the block the captured tensors of these names have these values, of any length.

    >>> import torch
    >>> ids = torch.tensor([0, 0, 1])
    >>> with holding(lambda b, h, q, k: ids[q] == ids[k], {"ids": [5, 6]}):
    ...     ids
    tensor([5, 6])
    >>> ids
    tensor([0, 0, 1])

    Raises :class:`ParameterError` for a name that no tensor of the rule has.
    """
    import torch

    held = held_tensors(rule)
    for name in values:
        if name not in held:
            raise ParameterError(
                f"the rule holds no tensor {name!r}; it holds {', '.join(held) or 'none'}",
                tensor=name,
                known=tuple(held),
            )
    before = {name: held[name].data for name in values}
    try:
        for name, value in values.items():
            own = held[name]
            own.data = torch.as_tensor(value, dtype=own.dtype, device=own.device).clone()
        yield
    finally:
        for name, data in before.items():
            held[name].data = data
