"""attnproof compare: the same edges, the same flow, or neither."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, show, working
from attnproof.symbolic.errors import InputError


@command
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A mask, in any form of SOURCE.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    *,
    n: options.Length = None,
    param_a: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Parameter of A. Repeatable.")
    ] = None,
    param_b: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Parameter of B. Repeatable.")
    ] = None,
    param: options.Parameters = None,
    sweep: Annotated[
        str | None, typer.Option(metavar="n=1..64", help="Compare at every length of a range.")
    ] = None,
    encoding: options.Encoding = "auto",
    q_offset: options.Offset = None,
    heads: options.Heads = None,
    batches: options.Batches = None,
    batch: options.Batch = None,
    no_residual: options.NoResidual = False,
    as_json: options.Json = False,
) -> int:
    """Compare two masks: edges and flow are two different answers.

    --param goes to both masks.
    """
    from attnproof.ask.compare import compare as ask
    from attnproof.ask.compare import span, summary
    from attnproof.parameters import parse_parameters

    params_a = parse_parameters([*(param or ()), *(param_a or ())])
    params_b = parse_parameters([*(param or ()), *(param_b or ())])
    if sweep is not None and n is not None:
        raise InputError("--n and --sweep both say the length; leave one out")
    lengths = [n] if sweep is None else span(sweep)
    with working("comparing"):
        found = [
            ask(
                a,
                b,
                n=length,
                params_a=params_a,
                params_b=params_b,
                encoding=encoding,
                q_offset=q_offset,
                heads=heads,
                batches=batches,
                batch=batch,
                residual=not no_residual,
            )
            for length in lengths
        ]
    if sweep is None:
        show(found[0].to_json(), lambda: str(found[0]), as_json=as_json)
    else:
        document = summary(found)
        show(document, lambda: "\n".join(map(repr, found)), as_json=as_json)
    return 0 if all(one.edges_equal for one in found) else 1
