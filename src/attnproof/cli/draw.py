"""attnproof draw: the mask as a heat map and its flow as a Hasse diagram."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import coloured, command, tell, working, wrote
from attnproof.cli.outputs import Outputs


@command
def draw(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A mask, in any form.")],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help=".svg .png .dot .mmd or .tex; default: text."
        ),
    ] = None,
    n: options.Length = None,
    param: options.Parameters = None,
    causal: Annotated[
        bool, typer.Option("--causal", help="Mark a leak from a later key, with its path.")
    ] = False,
    unrolled: Annotated[
        int | None, typer.Option(metavar="L", help="Draw L layers one by one (.dot).")
    ] = None,
    encoding: options.Encoding = "auto",
    q_offset: options.Offset = None,
    no_residual: options.NoResidual = False,
    empty_row: options.EmptyRow = None,
) -> int:
    """Draw a mask and its flow; row = query on every picture."""
    from attnproof.ask.verify import verify
    from attnproof.parameters import parse_parameters

    outputs = Outputs(picture=out, unrolled=unrolled)
    outputs.check((source, *(param or ())))
    with working("drawing"):
        report = verify(
            source,
            n=n,
            params=parse_parameters(param or ()),
            causal=causal,
            encoding=encoding,
            q_offset=q_offset,
            residual=False if no_residual else None,
            empty_row=empty_row,
            before=outputs.check_size,
        )
        if out is not None:
            report.draw(out, unrolled=unrolled)
    if out is None:
        tell(report.text(colour=coloured()))
    else:
        wrote("picture", out)
    return 0
