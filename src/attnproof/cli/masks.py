"""attnproof masks: the named masks with their parameters."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, show


@command
def masks(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One mask, with its parameters.")
    ] = None,
    *,
    as_json: options.Json = False,
) -> int:
    """List the named masks and their parameters."""
    from attnproof.ask.masks import described, told

    found = described(name)
    show(found, lambda: told(found), as_json=as_json)
    return 0
