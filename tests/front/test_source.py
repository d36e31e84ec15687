"""Every form of SOURCE, through the one door; reading again gives the same."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnproof.parameters import for_certificate, from_certificate, parse_parameters
from attnproof.source import Reading, name_of, read
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError
from attnproof.symbolic.masks.mask import Mask

ROWS = ["1..", "11.", "111"]
CAUSAL = np.tril(np.ones((3, 3), dtype=bool))
EXPECTED = Mask.from_rows(ROWS)

masks = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)

FILE = """
import numpy as np
def rule(b, h, q, k):
    return q >= k
def make(keys=3, shift=0.5):
    return lambda b, h, q, k: (q >= k) & (q - k < keys + shift - 0.5)
def rows():
    return ["1..", "11.", "111"]
array = np.tril(np.ones((3, 3), dtype=bool))
deep = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
number = 3
"""


def only(reading: Reading) -> Mask:
    """The one mask of a reading."""
    ((_, mask),) = reading.masks
    return mask


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the causal mask of 3 positions in every form that needs no torch."""
    monkeypatch.chdir(tmp_path)
    np.save("mask.npy", CAUSAL)
    np.savez("mask.npz", lower=CAUSAL, upper=CAUSAL.T)
    np.save("bias.npy", np.where(CAUSAL, 0, -1e9))
    Path("mask.txt").write_text("1..\n11.\n111\n")
    Path("mask.json").write_text('{"rows": ["1..", "11.", "111"]}')
    Path("mask.py").write_text(FILE)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("mask.npy", {}),
        (Path("mask.npy"), {}),
        ("mask.npz:lower", {}),
        ("mask.npz:upper", {"layout": "k q"}),
        ("bias.npy", {}),
        ("mask.txt", {}),
        ("mask.json", {}),
        ("mask.py:rule", {"n": 3}),
        ("mask.py:make", {"n": 3}),
        ("mask.py:make", {"n": 3, "params": {"keys": 5}}),
        ("mask.py:rows", {}),
        ("mask.py:array", {}),
        ("mask.py:deep", {}),
        ("mask:rule", {"n": 3}),
        ("causal", {"n": 3}),
        ("documents", {"params": {"lengths": [3], "causal": True}}),
        (CAUSAL, {}),
        (~CAUSAL, {"encoding": "block"}),
        (CAUSAL.astype(float), {"encoding": "keep01"}),
        (CAUSAL[None, None], {}),
        (CAUSAL.tolist(), {}),
        (ROWS, {}),
        ({"rows": ROWS}, {}),
        (EXPECTED, {}),
        (lambda b, h, q, k: q >= k, {"n": 3}),
    ],
)
def test_every_form_is_the_causal_mask(
    folder: Path, source: object, options: dict[str, Any]
) -> None:
    """Each form gives the same mask and digest, replays it, and is read again by its parameters."""
    reading = read(source, **options)
    mask = only(reading)
    assert mask == EXPECTED
    assert mask.digest == EXPECTED.digest
    pairs = {(q, k) for q in range(3) for k in range(3) if reading.replay(0, q, k)}
    assert pairs == {(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)}
    again = read(source, **json.loads(json.dumps(reading.parameters)))
    assert only(again) == mask
    assert again.parameters == reading.parameters


@given(masks)
def test_rows_lists_and_arrays_agree(rows: list[list[bool]]) -> None:
    """A mask as text, as nested lists and as an array is one mask."""
    text = ["".join("#" if x else "." for x in row) for row in rows]
    assert only(read(text)) == only(read(rows)) == only(read(np.array(rows)))


def test_torch_tensors_and_files(tmp_path: Path) -> None:
    """Tensors, .pt and .safetensors files; metadata says the encoding unless it was given."""
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    tensor = torch.from_numpy(CAUSAL)
    assert only(read(tensor)) == EXPECTED
    bias = torch.where(tensor, 0.0, -torch.inf).to(torch.bfloat16)
    assert only(read(bias)) == EXPECTED
    torch.save({"mask": tensor, "other": tensor.T}, tmp_path / "mask.pt")
    assert only(read(f"{tmp_path}/mask.pt:mask")) == EXPECTED
    saved = pytest.importorskip("safetensors.torch", reason="needs the extra hf")
    path = tmp_path / "mask.safetensors"
    saved.save_file({"mask": ~tensor[None]}, path, {"encoding": "block", "layout": "h q k"})
    reading = read(path)
    assert (only(reading), reading.encoding) == (EXPECTED, "block")
    assert "the encoding block is taken from the file's metadata" in reading.comments
    assert only(read(path, encoding="attend")) != EXPECTED


def test_a_score_mod_and_a_block_mask() -> None:
    """A score_mod is additive; a BlockMask is read at its own length and refuses another."""
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    flex = pytest.importorskip("torch.nn.attention.flex_attention")
    reading = read(lambda s, b, h, q, k: torch.where(q >= k, s, -torch.inf), n=3)
    assert (only(reading), reading.encoding) == (EXPECTED, "additive")
    block = flex.create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 3, 3, device="cpu")
    reading = read(block)
    assert (only(reading), reading.name, reading.parameters["n"]) == (EXPECTED, "BlockMask", 3)
    with pytest.raises(ShapeError, match="was built for 3 queries and 3 keys, n = 6 was asked"):
        read(block, n=6)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is a .npy array on standard input."""
    file = io.BytesIO()
    np.save(file, CAUSAL)

    class Stdin:
        buffer = io.BytesIO(file.getvalue())

    monkeypatch.setattr("sys.stdin", Stdin)
    reading = read("-")
    assert (only(reading), reading.name) == (EXPECTED, "-")


def test_batches_are_told_apart() -> None:
    """B26: every distinct mask of a batch is read, in order of first appearance."""
    batch = np.stack([CAUSAL, CAUSAL.T, CAUSAL])
    reading = read(batch)
    assert [indices for indices, _ in reading.masks] == [(0, 2), (1,)]
    assert "3 batch elements hold 2 distinct masks" in reading.comments
    assert read(batch, batch=1).masks == (((1,), only(read(CAUSAL.T))),)
    assert read("causal", n=3, batches=2).masks[0][0] == (0, 1)


def test_rectangles_are_lifted() -> None:
    """A rectangle needs the position of query 0; cached keys are told."""
    array = np.tril(np.ones((5, 5), dtype=bool))[3:]
    reading = read(array, q_offset=3)
    mask = only(reading)
    assert (mask.queries, mask.keys, mask.offset, mask.size) == (2, 5, 3, 5)
    assert reading.parameters["q_offset"] == 3
    assert reading.comments[-1] == (
        "keys 0..2 are cached: no query stands there, the history is not checked"
    )
    assert only(read(np.eye(2, dtype=bool), q_offset=1)).size == 3
    with pytest.raises(ShapeError) as caught:
        read(array)
    assert str(caught.value) == (
        "ndarray has 2 queries, 5 keys: say --q-offset (the position of query 0), e.g. "
        '--q-offset 3 when the queries are the last ones, or --layout "b k" when each row is the '
        "padding of a batch element"
    )


def test_b42_the_reversed_comparison() -> None:
    """B42: q + pos <= k with two queries at position 2 reads the future."""
    rows = np.array([[q + 2 <= k for k in range(6)] for q in range(2)])
    mask = only(read(rows, q_offset=2))
    assert [mask[0, k] for k in range(6)] == [False, False, True, True, True, True]
    assert mask.size == 6


def test_names() -> None:
    """A reading is called as the user wrote it, an object by its own name."""

    def my_rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q >= k

    assert name_of(my_rule) == "my_rule"
    assert name_of(Path("a/mask.npy")) == "a/mask.npy"
    assert name_of(CAUSAL) == "ndarray"
    assert name_of(Mask.from_rows(["1"], name="mine")) == "mine"


def test_a_file_that_needs_no_torch_imports_none(folder: Path) -> None:
    """Reading mask.npy imports none of torch, z3, sympy, scipy and networkx."""
    code = (
        "import sys; from attnproof.source import read; read('mask.npy');"
        "print([m for m in ('torch', 'z3', 'sympy', 'scipy', 'networkx') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.strip() == "[]"


def test_parameters_of_the_command_line(folder: Path) -> None:
    """TOML values, bare words, arrays; every other text is refused."""
    np.save("ids.npy", np.array([0, 0, 1]))
    parsed = parse_parameters(["keys=4", "causal=true", "scale=0.5", 'clean="block"', "to=token"])
    assert parsed == {"keys": 4, "causal": True, "scale": 0.5, "clean": "block", "to": "token"}
    ids = parse_parameters(["ids=@ids.npy"])
    assert isinstance(ids["ids"], np.ndarray)
    assert only(read("documents", params=ids)) == only(read("documents", params={"ids": [0, 0, 1]}))
    assert parse_parameters(["a = [1, [2, 3]]"]) == {"a": [1, [2, 3]]}


@given(
    st.recursive(
        st.one_of(st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False)),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    )
)
def test_parameters_in_a_certificate_come_back(value: object) -> None:
    """Parameters are JSON without floats, and come back as they were."""
    stored = for_certificate({"x": value})
    text = json.dumps(stored, allow_nan=False)
    assert from_certificate(json.loads(text)) == {"x": value}

    def no_float(part: Any) -> bool:
        parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        return not isinstance(part, float) and all(map(no_float, parts))

    assert no_float(stored)


def test_arrays_in_a_certificate_come_back() -> None:
    """Arrays of integers and of floats are arrays again."""
    for array in (np.array([0, 0, 1]), np.array([[0.5, -1e300]])):
        stored = json.loads(json.dumps(for_certificate({"x": array})))
        back = from_certificate(stored)["x"]
        assert isinstance(back, np.ndarray)
        assert back.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["keys"], "'keys' is no parameter; write key=value"),
        (["=4"], "is no parameter"),
        (["keys="], "is no parameter"),
        (["a=1", "a=2"], "the parameter a is given twice"),
        (["a=[1, 2"], "is no TOML value"),
        (["a=1\nb = 2"], "is no TOML value"),
        (["a=@ids.csv"], "an array comes from a file .npy, .npz[:key], .pt[:key]"),
    ],
)
def test_parameters_that_are_none(texts: list[str], words: str) -> None:
    """A text that is no key=value is refused with the form."""
    with pytest.raises(ParameterError) as caught:
        parse_parameters(texts)
    assert words in str(caught.value)


def test_a_missing_array_is_a_missing_file() -> None:
    """@none.npy says that the file is not there."""
    with pytest.raises(InputError, match=r"none.npy does not exist"):
        parse_parameters(["a=@none.npy"])
