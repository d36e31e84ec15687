"""attnproof sparsify: the fewest edges with the flow of a mask."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.answers import answered
from attnproof.cli.console import command


@command
def sparsify(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A mask, in any form.")],
    *,
    layers: Annotated[int, typer.Option(metavar="K", help="Layers that the flow may take.")],
    per_layer: Annotated[
        bool, typer.Option("--per-layer", help="A mask for each layer, their edges added.")
    ] = False,
    n: options.Length = None,
    param: options.Parameters = None,
    encoding: options.Encoding = "auto",
    q_offset: options.Offset = None,
    budget: Annotated[
        int, typer.Option(metavar="CONFLICTS", help="Conflicts of the solver, in all.")
    ] = 100_000,
    certificate: options.CertificateFile = None,
    as_json: options.Json = False,
) -> int:
    """The fewest edges whose flow through K layers is that of the mask at any depth.

    Exit 3 when it is not proved that fewer do not suffice.
    """
    from attnproof.ask.sparsify import sparsify as ask
    from attnproof.parameters import parse_parameters

    return answered(
        "searching",
        lambda: ask(
            source,
            layers=layers,
            per_layer=per_layer,
            n=n,
            params=parse_parameters(param or ()),
            encoding=encoding,
            q_offset=q_offset,
            budget=budget,
        ),
        certificate=certificate,
        read=(source, *(param or ())),
        as_json=as_json,
    )
