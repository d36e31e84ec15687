"""``python -m tests.docs.pictures``: the pictures of the page *From tasks to a mask*."""

from collections.abc import Callable, Mapping
from pathlib import Path

from attnproof.ask.merge import MergeReport, merge
from attnproof.symbolic.families.registry import build

DOCS = Path(__file__).resolve().parents[2] / "docs"


def pictures() -> Mapping[str, Callable[[str], None]]:
    """The name of each file, and what draws it to a path."""
    block: MergeReport = merge(build("block", m=3, b=2))
    butterfly: MergeReport = merge(build("butterfly", n=4))
    return {
        "block-tasks.svg": block.draw_tasks,
        "block-derivation.svg": block.draw_derivation,
        "block-mask.svg": block.draw,
        "butterfly-derivation.svg": butterfly.draw_derivation,
        "butterfly-mask.svg": butterfly.draw,
    }


def main() -> None:
    """Draw all of them."""
    for name, draw in pictures().items():
        draw(str(DOCS / name))


if __name__ == "__main__":
    main()
