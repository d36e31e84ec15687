"""The command line from outside: a process, its stdout, its stderr, its exit code."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.forking import Forking, Ran

Run = Callable[..., Ran]

FILES = {
    "causal.txt": "1..\n11.\n111\n",
    "look_ahead.txt": "11.\n111\n111\n",
    "mask.json": '{"rows": ["1..", "11.", "111"]}',
    # Two streams of two blocks each, the clean half fully bidirectional: leaks in two layers.
    "two_layers.txt": "11......\n11......\n..1111..\n..1111..\n" + "....1111\n" * 4,
    "forbid.json": "[[2, 6], [2, 7], [3, 6], [3, 7]]",
    "mods.py": (
        "def causal(b, h, q, k):\n    return k <= q\n\n"
        "def open_future(b, h, q, k):\n    return q - k <= 2\n\n"
        "def branchy(b, h, q, k):\n    if k > q:\n        return False\n    return True\n\n"
        "def raising(b, h, q, k):\n    raise RuntimeError('no such table')\n\n"
        "def floats(b, h, q, k):\n    return (q - k) * 1.0\n\n"
        "def window(keys):\n"
        "    def rule(b, h, q, k):\n        return (k <= q) & (q - k < keys)\n    return rule\n\n"
        "def later(q, k):\n    return k > q\n"
    ),
    "task.toml": (
        'name = "predict-3"\natoms = ["x1", "x2", "x3"]\n'
        '[[position]]\natoms = ["x1"]\npos = 1\nkind = "tok"\n'
        '[[position]]\natoms = ["x2"]\npos = 2\nkind = "tok"\n'
        '[[label]]\nposition = 0\natom = "x2"\n[[label]]\nposition = 1\natom = "x3"\n'
        '[mask]\nrows = ["1.", "11"]\n'
    ),
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small masks in every form that needs no torch."""
    place = tmp_path_factory.mktemp("masks")
    for name, content in FILES.items():
        (place / name).write_text(content)
    causal = np.tril(np.ones((4, 4), bool))
    np.save(place / "causal.npy", causal)
    np.save(place / "block.npy", ~causal)
    np.save(place / "floats01.npy", causal.astype(np.float32))
    np.save(place / "additive.npy", np.where(causal, 0, -np.inf).astype(np.float32))
    np.save(place / "rectangular.npy", causal[2:])
    np.save(place / "batch.npy", np.stack([causal, np.ones((4, 4), bool)]))
    np.save(place / "nan.npy", np.where(causal, 0.0, np.nan))
    np.save(place / "objects.npy", np.array([[None, 1], [2, 3]], object), allow_pickle=True)
    np.save(place / "ids.npy", np.array([0, 0, 1, 1]))
    np.savez(place / "masks.npz", good=causal, bad=np.ones((4, 4), bool))
    (place / "empty.npy").write_bytes(b"")
    (place / "cut.npz").write_bytes((place / "masks.npz").read_bytes()[:100])
    return place


@pytest.fixture(scope="session")
def started(folder: Path) -> Run:
    """Call ``python -m attnproof`` in the folder of masks, from a standing start."""

    def call(
        *args: object,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "attnproof", *map(str, args)],
            cwd=cwd or folder,
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, "COLUMNS": "200", **(env or {})},
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture(scope="session")
def run(request: pytest.FixtureRequest, folder: Path) -> Run:
    """Call ``attnproof`` in the folder of masks, in a process of its own."""
    if not hasattr(os, "fork"):
        return request.getfixturevalue("started")  # type: ignore[no-any-return]
    forking: Forking = request.getfixturevalue("forking")

    def call(
        *args: object,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        given = {**os.environ, "COLUMNS": "200", **(env or {})}
        ran = forking.call([*map(str, args)], cwd or folder, given, stdin=stdin or b"")
        assert "Traceback" not in ran.err, ran.err
        return ran

    return call
