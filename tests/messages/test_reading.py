"""What a person reads when a source cannot be read: one line, and the way out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnproof.source import read
from attnproof.symbolic.errors import InputError

FILE = """
import torch
IDS = torch.tensor([0, 0, 1, 1])
def rule(b, h, q, k):
    return q >= k
def short(b, h, q, k):
    return IDS[q] == IDS[k]
def raises(b, h, q, k):
    raise RuntimeError("out of luck")
def floats(b, h, q, k):
    return (q >= k) * 1.0
def score(s, b, h, q, k):
    return torch.where(q >= k, s, -torch.inf)
def make(keys):
    return lambda b, h, q, k: q - k < keys
def twice():
    return lambda: 3
number = 3
nothing = None
"""

CASES: list[tuple[object, dict[str, Any], str]] = [
    ("square.npy", {"n": 5}, "square.npy has 3 positions, n = 5 was asked for; leave out --n"),
    ("wide.npy", {}, "wide.npy has 2 queries, 5 keys: say --q-offset (the position of query 0)"),
    ("tall.npy", {}, "tall.npy has 5 queries, 2 keys: say --q-offset"),
    ("nan.npy", {}, "nan.npy holds NaN at query 0, key 1"),
    ("tril.npy", {}, "tril.npy holds floats {0, 1}: added to scores these block nothing. Say"),
    ("ids.npy", {}, "ids.npy holds integers other than 0 and 1 (2 at query 1, key 2)"),
    ("vector.npy", {}, "vector.npy has 1 axis (4); give (q, k), (b, q, k) or (b, h, q, k)"),
    ("zero.npy", {}, "zero.npy is 0×0: it has no entries; a mask needs at least one query"),
    ("nobody.npy", {}, "nobody.npy is 0×3×3: it has no entries"),
    ("square.npy", {"batch": 2}, "batch 2 was asked for, and 1 batch element read, from 0 on"),
    ("square.npy", {"params": {"keys": 2}}, "square.npy takes no parameters, keys was given"),
    ("square.npy", {"encoding": "bool"}, "'bool' is no encoding; say auto, attend, block"),
    ("square.npy", {"layout": "b h q k"}, "names 4 axes, square.npy has 2 (3×3)"),
    ("square.npy", {"q_offset": -1}, "the query offset is -1; it must be 0 or more"),
    ("square.npy", {"heads": 0}, "the number of heads is 0; it must be 1 or more"),
    ("square.npy", {"batches": 0}, "the number of batch elements is 0; it must be 1 or more"),
    ("mask.csv", {}, "mask.csv has an ending that is not read; give a file (.npy, .npz[:key]"),
    ("missing.npy", {}, "missing.npy does not exist"),
    ("task.toml:1", {}, "task.toml:1 is a task, and no mask by itself: give it as --task task.t"),
    ("task.toml", {}, "task.toml is a task, and no mask by itself: give it as --task task.toml"),
    (
        "mask.py",
        {},
        "mask.py holds rule, short, raises, floats, score, make, twice, IDS; name one, as in "
        "mask.py:rule",
    ),
    ("nobody.py", {}, "nobody.py does not exist"),
    ("imports.py", {}, "imports.py defines no mask; name a file that does"),
    ("causl", {"n": 4}, "'causl' names no mask; did you mean causal"),
    ("zzzz", {}, "'zzzz' names no mask; give a file (.npy"),
    ("", {}, "'' names no mask"),
    ("causal", {}, "causal needs n, the number of tokens"),
    ("causal", {"n": 0}, "n is 0; it must be 1 or more"),
    ("causal", {"n": -4}, "n is -4; it must be 1 or more"),
    ("causal", {"n": 2.5}, "n is 2.5; give an integer"),
    ("causal", {"n": True}, "n is True; give an integer"),
    (
        "causal",
        {"n": 2000000},
        "causal at n = 2000000 is above the memory guard of 1048576 positions",
    ),
    ("causal", {"n": 4, "params": {"w": 2}}, "causal has no parameter 'w'"),
    ("causal", {"n": 4, "encoding": "block"}, "causal is no array: what it reads is fixed"),
    ("causal", {"n": 4, "q_offset": 4}, "causal has positions 0..3: --q-offset 4 leaves no query"),
    ("causal", {"n": 4, "layout": "q k"}, "causal is no array and has no axes"),
    ("mask.txt", {"encoding": "block"}, "mask.txt is no array: what it reads is fixed"),
    ("mask.py:rule", {}, "mask.py:rule is a rule, evaluated at one length; say which: --n 64"),
    ("mask.py:rule", {"n": 0}, "n is 0; it must be 1 or more"),
    ("mask.py:rule", {"n": 40000}, "mask.py:rule at n = 40000 is above the memory guard of 32768"),
    ("mask.py:rule", {"n": 4, "encoding": "additive"}, "mask.py:rule is no array"),
    ("mask.py:rule", {"n": 4, "params": {"w": 2}}, "mask.py:rule has no parameter 'w'; its param"),
    ("mask.py:rule", {"n": 4, "q_offset": 9}, "mask.py:rule has positions 0..3: --q-offset 9 leav"),
    ("mask.py:short", {"n": 8}, "is a captured tensor shorter than n?"),
    (
        "mask.py:raises",
        {"n": 8},
        "raised RuntimeError: out of luck (mask.py, line 9)",
    ),
    ("mask.py:floats", {"n": 8}, "mask.py:floats returns torch.float32; a mask_mod returns one"),
    ("mask.py:make", {"n": 8}, "mask.py:make takes 1 argument (keys)"),
    ("mask.py:make", {"params": {"keys": 2}}, "mask.py:make is a rule, evaluated at one length"),
    ("mask.py:make", {"params": {"kys": 2}}, "no parameter 'kys'; its parameters: keys"),
    ("mask.py:twice", {}, "mask.py:twice returns another factory"),
    ("mask.py:number", {}, "mask.py:number is no mask (its type is int)"),
    (
        "mask.py:nothing",
        {},
        "the mask is None, which libraries pass where",
    ),
    ("mask.py:nowhere", {}, "mask.py has no 'nowhere'"),
    (None, {}, "the mask is None"),
    ([], {}, "list has 1 axis (0)"),
    ([[1, 0], [1]], {}, "list is no array"),
    (["1.", "1"], {}, "row 1 has 1 entry, row 0 has 2"),
    ({"row": ["1"]}, {}, 'dict has no "rows"'),
    (3, {}, "int is no mask (its type is int)"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of sources, most of them wrong."""
    monkeypatch.chdir(tmp_path)
    arrays: dict[str, np.ndarray] = {
        "square": np.eye(3, dtype=bool),
        "wide": np.ones((2, 5), dtype=bool),
        "tall": np.ones((5, 2), dtype=bool),
        "nan": np.array([[0, np.nan], [0, -1e9]]),
        "tril": np.tril(np.ones((4, 4))),
        "ids": np.array([[1, 0, 0], [1, 1, 2], [0, 0, 1]]),
        "vector": np.ones(4, dtype=bool),
        "zero": np.ones((0, 0), dtype=bool),
        "nobody": np.ones((0, 3, 3), dtype=bool),
    }
    for name, array in arrays.items():
        np.save(name, array)
    Path("mask.py").write_text(FILE)
    Path("imports.py").write_text("import math\nfrom pathlib import Path\nlimit = 3\n")
    Path("mask.csv").write_text("1,0\n1,1\n")
    Path("mask.txt").write_text("1.\n11\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("source", "options", "words"), CASES)
def test_messages(source: object, options: dict[str, Any], words: str) -> None:
    """Each mistake is one InputError of one line that says what was given and the way out."""
    if isinstance(source, str) and source.startswith("mask.py:"):
        pytest.importorskip("torch", reason="the rules capture tensors")
    with pytest.raises(InputError) as caught:
        read(source, **options)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
