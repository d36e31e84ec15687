"""Editable installs: link the top-level source trees into ``src/attnproof``."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TREES = ("proofs", "symbolic", "numeric")


class LinkTrees(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Make ``src/attnproof/<tree>`` a directory link (a junction on Windows)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            return
        root = Path(self.root)
        for tree in TREES:
            link = root / "src" / "attnproof" / tree
            if link.exists():
                continue
            if os.name == "nt":
                import _winapi

                _winapi.CreateJunction(str(root / tree), str(link))
            else:
                link.symlink_to(Path("..", "..", tree), target_is_directory=True)
