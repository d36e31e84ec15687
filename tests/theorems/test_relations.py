"""The relation algebra behind every length is proved anew, in a process of its own: knuckledragger
gives z3's operators other meanings, for the whole process."""

import subprocess
import sys
from pathlib import Path

CHECKS = Path(__file__).with_name("relation_checks.py")


def test_theorems_are_proved_and_false_variants_are_not() -> None:
    """Every test of ``relation_checks.py`` passes, and there are some."""
    options = ("-q", "--noconftest", "-p", "no:cacheprovider", "-p", "no:xdist")
    command = (sys.executable, "-m", "pytest", *options, CHECKS)
    done = subprocess.run(
        command, cwd=CHECKS.parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
