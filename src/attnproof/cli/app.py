"""The command line: registers the commands, nothing else."""

import typer

from attnproof.cli.check import check
from attnproof.cli.closure import closure
from attnproof.cli.compare import compare
from attnproof.cli.consistent import consistent
from attnproof.cli.console import EXIT_CODES
from attnproof.cli.draw import draw
from attnproof.cli.equivalent import equivalent
from attnproof.cli.flow import flow
from attnproof.cli.interpolate import interpolate
from attnproof.cli.masks import masks
from attnproof.cli.merge import merge
from attnproof.cli.probe import probe
from attnproof.cli.scans import scans
from attnproof.cli.sparsify import sparsify
from attnproof.cli.study import study
from attnproof.cli.verify import verify

COMMANDS = (
    verify,
    check,
    closure,
    compare,
    equivalent,
    consistent,
    merge,
    sparsify,
    scans,
    interpolate,
    flow,
    probe,
    study,
    masks,
    draw,
)

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
    show_version: bool = typer.Option(
        False, "--version", help="Print the version and the extras.", is_eager=True
    ),
) -> None:
    """Formal verification and symbolic mathematics of transformer attention."""
    if show_version:
        from attnproof.cli.version import told

        typer.echo(told())
        raise typer.Exit
