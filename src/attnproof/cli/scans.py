"""attnproof scans: how many recurrences realise what a mask lets through."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.answers import answered
from attnproof.cli.console import command


@command
def scans(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A mask, in any form.")],
    *,
    rule: Annotated[
        str, typer.Option(metavar="sum|gated", help="Does the order of writes matter?")
    ] = "sum",
    n: options.Length = None,
    param: options.Parameters = None,
    encoding: options.Encoding = "auto",
    q_offset: options.Offset = None,
    budget: Annotated[int, typer.Option(metavar="STEPS", help="Solver steps.")] = 20_000_000,
    certificate: options.CertificateFile = None,
    as_json: options.Json = False,
) -> int:
    """How many scans (linear-attention recurrences) realise what a mask lets through.

    Exit 3 when it is not proved that fewer do not suffice.
    """
    from attnproof.ask.scans import scans as ask
    from attnproof.parameters import parse_parameters

    return answered(
        "counting scans",
        lambda: ask(
            source,
            rule=rule,
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
