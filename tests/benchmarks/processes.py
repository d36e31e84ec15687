"""Whole processes: wall seconds, peak memory and what they print.

The process is started by a small one, because its peak would else include that of this one.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

_STARTER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True)
wall = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
peak *= 1 if sys.platform == "darwin" else 1024
print(json.dumps({"wall": wall, "peak": peak, "output": done.stdout}))
"""


@dataclass(frozen=True)
class Done:
    """Wall seconds, the greatest resident size in bytes, and standard output."""

    wall: float
    peak: int
    output: str


def run(command: Sequence[str]) -> Done:
    """Run a process to its end; a failure raises CalledProcessError."""
    starter = (sys.executable, "-S", "-c", _STARTER, *command)
    return Done(**json.loads(subprocess.run(starter, capture_output=True, check=True).stdout))
