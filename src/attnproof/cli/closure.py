"""attnproof closure: what reaches what at any depth, for every length, as a formula."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote
from attnproof.cli.outputs import apart, check_ending


@command
def closure(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A mask_mod, a factory of one, or a named mask."),
    ],
    *,
    symbolic: options.Symbolic = None,
    assume: options.Assume = None,
    param: options.Parameters = None,
    heads: options.Heads = None,
    no_residual: options.NoResidual = False,
    split: options.Split = False,
    budget: options.SolverBudget = None,
    emit_mask_mod: Annotated[
        str | None,
        typer.Option(metavar="FILE.py", help="Write the relation as a mask_mod."),
    ] = None,
    certificate: options.CertificateFile = None,
    as_json: options.Json = False,
) -> int:
    """What a mask lets through at any depth, for every length, as a formula that is proved.

    Exit 3 when it is not proved that all of the formula is reached.
    """
    from attnproof.ask.closure import closure as ask
    from attnproof.parameters import parse_assumptions, parse_parameters
    from attnproof.symbolic.files import check_place, write_atomically

    apart([emit_mask_mod, certificate], (source, *(param or ())))
    if emit_mask_mod is not None:
        check_ending(emit_mask_mod, ".py", "a mask_mod")
    for path in (emit_mask_mod, certificate):
        if path is not None:
            check_place(path)
    with working("proving"):
        found = ask(
            source,
            symbolic=tuple(symbolic or ()),
            assume=parse_assumptions(assume or ()),
            params=parse_parameters(param or ()),
            heads=1 if heads is None else heads,
            residual=not no_residual,
            split=split,
            budget=budget,
        )
        if emit_mask_mod is not None:
            write_atomically(emit_mask_mod, found.mask_mod_source())
            wrote("mask_mod", emit_mask_mod)
        if certificate is not None and found.exact:
            found.certificate.save(certificate)
            wrote("certificate", certificate)
        elif certificate is not None:
            say("no certificate was written: it is not proved that all of the formula is reached")
        document = {**found.to_json(), "certificate": certificate if found.exact else None}
    show(document, lambda: str(found), as_json=as_json)
    return 0 if found.exact else 3
