"""Masks in files that torch or safetensors must read: .pt and .safetensors.

Convention: pickled objects are never loaded (``weights_only=True``). The string metadata of a
.safetensors file may say ``encoding`` and ``layout``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnproof.numeric.read.tensors import array_of, is_tensor
from attnproof.symbolic.errors import FileError, InputError, MissingExtra
from attnproof.symbolic.masks.files import check_file, pick

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Stored:
    """An array, with what the file says of itself."""

    array: "NDArray[Any]"
    metadata: Mapping[str, str]


def load_torch_file(path: str, key: str | None = None) -> Stored:
    """The tensor in a .pt, .pth or .safetensors file.

    Raises :class:`FileError` for a damaged file or one of several tensors without a key, and
    :class:`MissingExtra` where torch or safetensors is not installed.
    """
    check_file(path)
    if path.lower().endswith(".safetensors"):
        return _load_safetensors(path, key)
    return Stored(_load_pt(path, key), {})


def _load_pt(path: str, key: str | None) -> "NDArray[Any]":
    try:
        import torch
    except ImportError:
        raise MissingExtra(f"reading {path}", "torch") from None
    import pickle

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise FileError(
            f"{path} holds Python objects or is damaged; pickles are not loaded, save a tensor "
            "with torch.save",
            path=path,
        ) from None
    except Exception as error:
        raise _damaged(path, error) from None
    if is_tensor(content):
        if key is not None:
            raise FileError(f"{path} is one tensor without keys; leave out :{key}", path=path)
        return array_of(content, path)
    tensors = _tensors(content)
    return array_of(tensors[pick(list(tensors), key, path)], f"{path}:{key}" if key else path)


def _tensors(content: object) -> dict[str, Any]:
    """The tensors in a dictionary or list, by key or index."""
    items: Iterable[tuple[object, object]] = ()
    if isinstance(content, dict):
        items = content.items()
    elif isinstance(content, (list, tuple)):
        items = enumerate(content)
    return {str(key): value for key, value in items if is_tensor(value)}


def _load_safetensors(path: str, key: str | None) -> Stored:
    try:
        import safetensors
    except ImportError:
        raise MissingExtra(f"reading {path}", "hf") from None
    try:
        import torch  # noqa: F401
    except ImportError:
        framework = "numpy"
    else:
        framework = "pt"
    try:
        with safetensors.safe_open(path, framework=framework) as file:
            name = pick(list(file.keys()), key, path)
            value = file.get_tensor(name)
            metadata = dict(file.metadata() or {})
    except InputError:
        raise
    except Exception as error:
        raise _damaged(path, error) from None
    return Stored(array_of(value, path) if framework == "pt" else value, metadata)


def _damaged(path: str, error: Exception) -> FileError:
    reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
    return FileError(f"{path} is damaged ({reason}); save it again, from a tensor", path=path)
