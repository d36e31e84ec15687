"""Masks in .pt and .safetensors files."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason=".pt files are read with torch")

import torch

from attnproof.numeric.read.tensors import array_of, is_tensor
from attnproof.numeric.read.torch_files import load_torch_file
from attnproof.symbolic.errors import EncodingError, FileError, MissingExtra

CAUSAL = torch.ones(3, 3).tril().bool()


def test_tensors_come_back(tmp_path: Path) -> None:
    """A tensor, a dictionary of one, a dictionary with a key and a list with an index."""
    path = str(tmp_path / "mask.pt")
    for content, key in (
        (CAUSAL, None),
        ({"mask": CAUSAL, "step": 3}, None),
        ({"mask": CAUSAL, "other": CAUSAL.T}, "mask"),
        ([CAUSAL.T, CAUSAL], "1"),
    ):
        torch.save(content, path)
        assert (load_torch_file(path, key).array == CAUSAL.numpy()).all()


def test_safetensors_with_metadata(tmp_path: Path) -> None:
    """A .safetensors file gives its tensor and what it says of itself."""
    numpy_files = pytest.importorskip("safetensors.torch", reason="needs the extra hf")
    path = str(tmp_path / "mask.safetensors")
    numpy_files.save_file({"mask": CAUSAL, "bias": torch.zeros(2, 2)}, path, {"encoding": "block"})
    stored = load_torch_file(path, "mask")
    assert stored.array.tolist() == CAUSAL.tolist()
    assert stored.metadata == {"encoding": "block"}
    with pytest.raises(FileError, match=r"holds bias, mask; name one, as in .*safetensors:bias"):
        load_torch_file(path)


@pytest.mark.parametrize(
    ("tensor", "dtype"),
    [
        (torch.zeros(2, 2, dtype=torch.bfloat16), "float32"),
        (torch.zeros(2, 2, dtype=torch.float8_e4m3fn), "float32"),
        (torch.zeros(2, 2, dtype=torch.float16), "float16"),
        (torch.zeros(2, 2, requires_grad=True), "float32"),
        (torch.eye(2).to_sparse(), "float32"),
        (torch.ones(2, 2, dtype=torch.bool).expand(3, 2, 2), "bool"),
    ],
)
def test_every_kind_of_tensor_is_an_array(tensor: torch.Tensor, dtype: str) -> None:
    """Narrow floats are widened; gradients, sparse and expanded tensors are read."""
    assert is_tensor(tensor)
    assert is_tensor(torch.nn.Parameter(torch.zeros(1)))
    array = array_of(tensor, "mask")
    assert (array.shape, str(array.dtype)) == (tuple(tensor.shape), dtype)


def test_a_tensor_without_values_is_refused() -> None:
    """A meta tensor has no values."""
    with pytest.raises(EncodingError, match="mask is a tensor without plain values"):
        array_of(torch.zeros(2, 2, device="meta"), "mask")


class Custom:
    """An object that only a pickle can hold."""


def test_damaged_and_foreign_files(tmp_path: Path) -> None:
    """Pickled objects, noise, truncation and nothing at all are one message each."""
    path = tmp_path / "mask.pt"
    torch.save(CAUSAL, path)
    whole = path.read_bytes()
    torch.save({"a": CAUSAL, "o": Custom()}, path)
    pickled = path.read_bytes()
    for content, words in (
        (b"", "is empty"),
        (b"hello", "damaged"),
        (whole[:-200], "damaged"),
        (pickled, "pickles are not loaded"),
    ):
        path.write_bytes(content)
        with pytest.raises(FileError) as caught:
            load_torch_file(str(path))
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
    torch.save({"step": 3}, path)
    with pytest.raises(FileError, match="holds no array"):
        load_torch_file(str(path))
    torch.save(CAUSAL, path)
    with pytest.raises(FileError, match="is one tensor without keys; leave out :a"):
        load_torch_file(str(path), "a")


def test_damaged_safetensors(tmp_path: Path) -> None:
    """A truncated .safetensors file is damaged."""
    pytest.importorskip("safetensors", reason="needs the extra hf")
    path = tmp_path / "mask.safetensors"
    path.write_bytes(b"\x10\x00\x00\x00")
    with pytest.raises(FileError, match="is damaged"):
        load_torch_file(str(path))


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("mask.pt", "torch", "torch"), ("m.safetensors", "safetensors", "hf")],
)
def test_a_missing_extra_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    """Without the library the message says what to install."""
    path = tmp_path / name
    path.write_bytes(b"content")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"reading .*{name} needs the extra '{extra}': pip"):
        load_torch_file(str(path))
