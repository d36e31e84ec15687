"""Index scalars as FlexAttention hands them to a rule: 0-dimensional integer tensors.

Convention: without torch a scalar is one of numpy, of 64 bits too, so that rules of plain operators
still run: ``~(q < k)`` is a Boolean, which it is not for the numbers of Python.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any


@functools.cache
def has_torch() -> bool:
    """Whether torch can be imported."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


def maker(device: str) -> Callable[[float], Any]:
    """What turns a Python number into a scalar."""
    if not has_torch():
        import numpy as np

        return lambda number: np.array(number)[()]
    import torch

    return functools.partial(torch.tensor, device=device)


def index_by_tensors() -> Any:
    """A mode in which ``tensor[i, j]`` with index scalars is a gather, as in ``create_mask``.

    Without it ``ids[q_idx]`` asks for the value of ``q_idx``, which vmap does not have.
    """
    import torch
    from torch.overrides import TorchFunctionMode

    class IndexByTensors(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func is torch.Tensor.__getitem__:
                tensor, index = args
                places = index if isinstance(index, tuple) else (index,)
                if all(map(is_scalar, places)):
                    where = [torch.as_tensor(x, device=tensor.device) for x in places]
                    return torch.ops.aten.index(tensor, where)
            return func(*args, **(kwargs or {}))

    def is_scalar(x: object) -> bool:
        if isinstance(x, torch.Tensor):
            return not x.dtype.is_floating_point and x.dtype is not torch.bool
        return isinstance(x, int) and not isinstance(x, bool)

    return IndexByTensors()


def device_of(function: object, depth: int = 4) -> str:
    """The device of the first captured tensor that is not on the CPU, else the CPU.

    >>> device_of(lambda b, h, q, k: q >= k)
    'cpu'
    """
    if not has_torch():
        return "cpu"
    import torch

    if isinstance(function, torch.Tensor):
        return str(function.device)
    held: list[object] = []
    if isinstance(function, functools.partial):
        held = [function.func, *function.args, *function.keywords.values()]
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):
            held.append(cell.cell_contents)
    devices = (device_of(x, depth - 1) for x in held if depth)
    return next((device for device in devices if device != "cpu"), "cpu")
