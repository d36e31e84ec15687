"""What every command shares: progress for who watches, and an interrupt that leaves nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnproof.cli.console import working
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.progress import tick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

#: Says on stderr that the command line is loaded, then runs it.
LOADED = (
    "import sys\nfrom attnproof.cli.main import main\nimport attnproof.cli.app\n"
    "print('loaded', file=sys.stderr, flush=True)\nmain()\n"
)
SLOW = (
    "import pathlib, time\n\n\ndef later(q, k):\n    pathlib.Path('begun').touch()\n"
    "    time.sleep(60)\n    return k > q\n"
)


def started(folder: Path, *args: str) -> subprocess.Popen[str]:
    """``attnproof`` in the folder, once it is loaded."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOADED, *args],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "loaded\n"
    return process


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr after Ctrl-C; death by the signal is 130, as in a shell."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return 130 if process.returncode == -signal.SIGINT else process.returncode, out, err


def test_an_interrupt_is_one_line_and_exit_code_130(tmp_path: Path) -> None:
    """Ctrl-C in the middle of the user's own code: no traceback, no answer, no file."""
    (tmp_path / "slow.py").write_text(SLOW)
    process = started(
        *(tmp_path, "verify", "causal", "--n", "8"),
        *("--forbid", "slow.py:later", "--certificate", "c.json"),
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.02)
    code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "attnproof: interrupted; nothing was written\n")
    assert {file.name for file in tmp_path.iterdir()} - {"__pycache__"} == {"begun", "slow.py"}


#: The first interrupt lands in the callback of a weak reference, where no exception gets out.
LOST = """
import signal, weakref
import attnproof.cli.app
from attnproof.cli.main import main

class Held: pass

def app():
    held = Held()
    watched = weakref.ref(held, lambda _: signal.raise_signal(signal.SIGINT))
    del held
    for _ in range(100):
        __import__("time").sleep(0.1)

attnproof.cli.app.app = app
main()
"""


def test_an_interrupt_is_not_lost_in_a_callback() -> None:
    """Imports clean up in callbacks: an interrupt there ends the command all the same."""
    ran = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr == "attnproof: interrupted; nothing was written\n"


@pytest.mark.parametrize("moment", [0.05, 0.3, 0.6])
def test_an_interrupt_at_any_time_leaves_all_or_nothing(tmp_path: Path, moment: float) -> None:
    """The certificate is there, whole, or there is no file at all."""
    process = started(tmp_path, "verify", "causal", "--n", "4096", "--causal", "--certificate", "c")
    time.sleep(moment)
    code, _, err = interrupted(process)
    assert code == 0 or "Traceback" not in err
    left = [file.name for file in tmp_path.iterdir()]
    assert (code, left) in [(130, []), (130, ["c"]), (0, ["c"])]
    assert ("interrupted; nothing was written" in err) == (not left)
    if left:
        json.loads((tmp_path / "c").read_text())


def test_a_file_that_is_interrupted_is_not_there(tmp_path: Path) -> None:
    """An interrupt between two pieces of a file leaves what was there before."""

    def pieces() -> Iterator[str]:
        yield "half of it"
        raise KeyboardInterrupt

    file = tmp_path / "c.json"
    file.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, pieces())
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("c.json", "before")]


def test_progress_is_shown_where_somebody_watches(tmp_path: Path) -> None:
    """On a terminal stderr has a bar; stdout has none of it, and neither has a pipe."""
    show = (
        "from attnproof.cli.console import working\n"
        "from attnproof.symbolic.progress import tick\n"
        "with working('verifying'):\n    tick(1, 4)\nprint('done')\n"
    )
    reading, writing = os.openpty()
    ran = subprocess.run(
        [sys.executable, "-c", show],
        stdout=subprocess.PIPE,
        stderr=writing,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
        check=True,
    )
    shown = os.read(reading, 1 << 16).decode()
    os.close(writing)
    os.close(reading)
    assert ran.stdout == b"done\n"
    assert "verifying" in shown
    assert "25%" in shown
    quiet = subprocess.run([sys.executable, "-c", show], capture_output=True, check=True)
    assert quiet.stderr == b""


def test_nobody_listens_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A tick is heard by nobody, and nothing is printed."""
    with working("verifying"):
        tick(1, 2)
    assert capsys.readouterr() == ("", "")
