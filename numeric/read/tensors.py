"""Tensors of torch as arrays of numpy: same values, wider floats where numpy has none."""

from typing import TYPE_CHECKING, Any

from attnproof.symbolic.errors import EncodingError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_tensor(value: object) -> bool:
    """Whether this is a torch tensor; torch is not imported to find out.

    >>> is_tensor([1, 2])
    False
    """
    return any(
        kind.__module__.partition(".")[0] == "torch" and kind.__name__ == "Tensor"
        for kind in type(value).__mro__
    )


def array_of(tensor: Any, what: str) -> "NDArray[Any]":
    """The values of a tensor.

    >>> import torch
    >>> array_of(torch.tensor([[0, -torch.inf]], dtype=torch.bfloat16), "bias").tolist()
    [[0.0, -inf]]
    """
    import torch

    try:
        plain = tensor.detach()
        if plain.layout is not torch.strided:
            plain = plain.to_dense()
        if plain.is_quantized:
            plain = plain.dequantize()
        if plain.dtype.is_floating_point and plain.dtype not in _numpy_floats():
            plain = plain.float()
        array: NDArray[Any] = plain.resolve_conj().resolve_neg().cpu().numpy()
    except (TypeError, RuntimeError, NotImplementedError) as error:
        raise EncodingError(
            f"{what} is a tensor without plain values ({str(error).splitlines()[0][:100]}); give "
            "a dense tensor of Booleans, integers or floats"
        ) from None
    return array


def _numpy_floats() -> tuple[Any, ...]:
    import torch

    return (torch.float16, torch.float32, torch.float64)
