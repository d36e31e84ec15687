"""A process that has imported the command line, and forks a child for each call.

A call has a process, streams, a folder, an environment and an exit code of its own; only the
imports are shared. Each request, and each exit code, is one line of JSON.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_ASK = (
    "check",
    "compare",
    "consistent",
    "equivalent",
    "interpolate",
    "merge",
    "sparsify",
    "scans",
    "closure",
)


@dataclass(frozen=True)
class Ran:
    """What one call printed and returned."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one JSON document that it must be."""
        return json.loads(self.out)


class Forking:
    """Calls of the command line, each in a child of one process that has imported it.

    ``place`` is a folder for what goes in and out.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._here, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(there.fileno(),),
            )

    def call(
        self,
        args: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        *,
        stdin: bytes = b"",
        together: bool = False,
    ) -> Ran:
        """What one call printed and returned; ``together`` prints both streams as stdout."""
        files = {name: self._place / name for name in ("stdin", "stdout", "stderr")}
        files["stdin"].write_bytes(stdin)
        files["stderr"].write_bytes(b"")
        streams = {**files, "stderr": files["stdout"]} if together else files
        request = {
            "args": args,
            "cwd": str(cwd),
            "env": dict(env),
            **{name: str(path) for name, path in streams.items()},
        }
        self._here.sendall(f"{json.dumps(request)}\n".encode())
        code = b""
        while not code.endswith(b"\n"):
            more = self._here.recv(64)
            assert more, "the process that forks has ended"
            code += more
        return Ran(int(code), files["stdout"].read_text(), files["stderr"].read_text())

    def close(self) -> None:
        """End the process."""
        self._here.close()
        self._process.wait()


def wait_for_calls(requests: socket.socket) -> None:
    """Answer requests until none comes; return in the child that is to run the command line."""
    with requests, requests.makefile("r", encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            child = os.fork()
            if child == 0:
                break
            _, status = os.waitpid(child, 0)
            requests.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        else:
            os._exit(0)
    _become(request)


def _become(request: dict[str, Any]) -> None:
    """Take the streams, the folder, the environment and the arguments of a call."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    for stream, path, how in (
        (0, request["stdin"], os.O_RDONLY),
        (1, request["stdout"], flags),
        (2, request["stderr"], flags),
    ):
        opened = os.open(path, how)
        os.dup2(opened, stream)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["attnproof", *request["args"]]
    sys.path.insert(0, request["cwd"])


if __name__ == "__main__":
    for question in _ASK:
        import_module(f"attnproof.ask.{question}")
    from attnproof.cli.app import app

    for warm in (
        ["verify", "causal", "--n", "2", "--causal", "--json"],
        ["flow", "FAFO", "--time", "1"],
    ):
        with contextlib.suppress(SystemExit):
            app(warm)
    sys.stdout.flush()
    for library in ("torch", "z3", "cvc5"):
        if find_spec(library) is not None:
            with contextlib.suppress(ImportError):
                import_module(library)
    wait_for_calls(socket.socket(fileno=int(sys.argv[1])))
    from attnproof.cli.main import main

    code = 0
    try:
        main()
    except SystemExit as left:
        code = int(left.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
