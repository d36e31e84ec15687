"""attnproof interpolate: a transformer that maps given sequences exactly to given sequences."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote
from attnproof.cli.outputs import apart


@command
def interpolate(
    data: Annotated[
        str, typer.Argument(metavar="DATA.json", help="Pairs of an input and an output.")
    ],
    *,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="uniform|leader|phased|softmax1",
            help="How attention separates the inputs: uniform, with --heads leader.",
        ),
    ] = None,
    robust: Annotated[
        bool, typer.Option("--robust", help="A plateau around every target, as softmax needs.")
    ] = False,
    stable: Annotated[
        bool, typer.Option("--stable", help="Weights that floats keep exact on integers.")
    ] = False,
    moves: Annotated[
        int | None, typer.Option(metavar="K", help="Targets a block, 1 to 4, with --stable.")
    ] = None,
    pad_to_claim: Annotated[
        bool, typer.Option("--pad-to-claim", help="As many blocks as the theorem of the paper.")
    ] = False,
    tau: Annotated[
        str | None, typer.Option(metavar="P/Q", help="The temperature of softmax1.")
    ] = None,
    mask: Annotated[
        str | None, typer.Option(metavar="causal", help="A token reads those up to it.")
    ] = None,
    heads: Annotated[
        int | None, typer.Option(metavar="H", help="Heads a block, in the mode leader.")
    ] = None,
    balance: Annotated[
        bool, typer.Option("--balance", help="Rescale weights to the least sum of squares.")
    ] = False,
    out: Annotated[str | None, typer.Option(metavar="NET.json", help="Write the net.")] = None,
    certificate: options.CertificateFile = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the run in the plane: .svg or .png."),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """A transformer with rational weights that maps given sequences exactly to given sequences.

    Exit code 0: it is built, and verified to be exact. 1: no transformer without positions, or
    no causal one, does it.
    """
    from attnproof.ask.interpolate import interpolate as ask
    from attnproof.certificate import Certificate
    from attnproof.symbolic.files import check_place
    from attnproof.symbolic.interpolation.errors import InfeasibleData
    from attnproof.symbolic.interpolation.prefixes import PrefixConflict

    apart((out, certificate, draw), (data,))
    if draw is not None:
        from attnproof.render.trace import check_kind

        check_kind(draw)
    for path in (out, certificate, draw):
        if path is not None:
            check_place(path)
    try:
        with working("building"):
            found = ask(
                data,
                mode=mode,
                robust=robust,
                stable=stable,
                moves=moves,
                pad_to_claim=pad_to_claim,
                tau=tau,
                mask=mask,
                heads=heads,
                balance=balance,
            )
            decided = certificate if found.exact else None
            found = found.written(net=out, certificate=decided, picture=draw)
            document = found.to_json()
    except InfeasibleData as error:
        reason = error
        if certificate is not None:
            Certificate.of([reason.evidence]).save(certificate)
            wrote("certificate", certificate)
        answer = {
            "source": data,
            "exact": False,
            "infeasible": reason.because,
            "at": list(reason.pairs),
            "obstruction": reason.obstruction.to_json()
            if isinstance(reason, PrefixConflict)
            else None,
            "message": str(reason),
            "certificate": certificate,
        }
        show(answer, lambda: f"infeasible: {reason}", as_json=as_json)
        return 1
    for what, path in (("net", out), ("certificate", decided), ("picture", draw)):
        if path is not None:
            wrote(what, path)
    if decided != certificate:
        say("no certificate was written: the enclosures did not decide")
    show(document, lambda: str(found), as_json=as_json)
    return found.exit_code
