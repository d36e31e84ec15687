"""The command line: registers the commands, nothing else."""

import typer

from attnproof.cli.check import check
from attnproof.cli.compare import compare
from attnproof.cli.console import EXIT_CODES
from attnproof.cli.draw import draw
from attnproof.cli.masks import masks
from attnproof.cli.verify import verify

COMMANDS = (verify, check, compare, masks, draw)

app = typer.Typer(
    name="attnproof",
    help="Formal verification and symbolic mathematics of transformer attention.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for run in COMMANDS:
    app.command(epilog=EXIT_CODES)(run)


@app.callback(invoke_without_command=True)
def version(
    show_version: bool = typer.Option(False, "--version", help="Print the version.", is_eager=True),
) -> None:
    """Formal verification and symbolic mathematics of transformer attention."""
    if show_version:
        from attnproof import __version__

        typer.echo(f"attnproof {__version__}")
        raise typer.Exit
