"""The site builds: no broken link, no page left out, no malformed docstring."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    """``make docs`` passes, and the reference has an entry for each public name."""
    command = (sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "cache")
    done = subprocess.run(
        (*command, ROOT / "docs", tmp_path / "html"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    import attnproof

    reference = (tmp_path / "html" / "reference.html").read_text()
    public = set(vars(attnproof)["__all__"]) - {"__version__"}
    assert {name for name in public if f'id="attnproof.{name}"' not in reference} == set()
