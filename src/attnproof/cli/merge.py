"""attnproof merge: several tasks as one, with every position shared that can be."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote
from attnproof.cli.outputs import Outputs, apart, check_ending


@command
def merge(
    families: Annotated[
        list[str],
        typer.Argument(
            metavar="FAMILY.toml",
            help="[[task]] tables, or a [family] with a builder; several files of tasks; or the "
            "name of a builder.",
        ),
    ],
    *,
    param: options.Parameters = None,
    mode: Annotated[
        str,
        typer.Option(
            metavar="iso|wl|softmax",
            help="When positions are the same: isomorphic below, or of one colour.",
        ),
    ] = "iso",
    layers: Annotated[
        int | None,
        typer.Option(metavar="K", help="A sparse mask with the same diagram, for K layers."),
    ] = None,
    labels: Annotated[
        str,
        typer.Option(metavar="error|multi", help="What two labels for one head of one state are."),
    ] = "error",
    budget: options.SearchBudget = None,
    refute: Annotated[
        bool,
        typer.Option(
            "--refute",
            help="Also refute by SAT that fewer classes, pairs or covers do (small families).",
        ),
    ] = False,
    as_json: options.Json = False,
    emit_mask_mod: Annotated[
        str | None, typer.Option(metavar="FILE.py", help="Write the mask as a mask_mod.")
    ] = None,
    emit_task: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Write the merged task.")
    ] = None,
    certificate: options.CertificateFile = None,
    draw: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw it: .svg .png .dot .mmd or .tex.")
    ] = None,
    page: options.PageFile = None,
) -> int:
    """Merge a family of tasks into the least task that holds them all.

    Exit code 0: merged, proved minimal. 1: a label conflict, a leak, or tasks that are not locally
    rigid. 3: not proved minimal.
    """
    outputs = Outputs(certificate, draw, page=page)
    from attnproof.symbolic.tasks.families import split_index

    files = [split_index(family)[0] for family in families]
    apart((certificate, draw, page, emit_mask_mod, emit_task), files)
    outputs.check(files)
    from attnproof.ask.merge import merge as ask
    from attnproof.parameters import parse_parameters
    from attnproof.symbolic.files import check_place
    from attnproof.symbolic.tasks.equivalence import BUDGET

    for path, ending, what in (
        (emit_mask_mod, ".py", "a mask_mod"),
        (emit_task, ".toml", "a task"),
    ):
        if path is not None:
            check_ending(path, ending, what)
            check_place(path)
    with working("merging"):
        found = ask(
            families[0] if len(families) == 1 else families,
            params=parse_parameters(param or ()),
            mode=mode,
            labels=labels,
            layers=layers,
            budget=BUDGET if budget is None else budget,
            refute=refute,
        )
        if page is not None:
            found.page(page)
            wrote("page", page)
        if emit_mask_mod is not None:
            found.save_mask_mod(emit_mask_mod)
            wrote("mask_mod", emit_mask_mod)
            errors = sorted({one.kind for one in found.findings if one.severity == "error"})
            if errors:
                say(f"{emit_mask_mod} is the mask of a task with errors: {', '.join(errors)}")
        if emit_task is not None:
            found.save_task(emit_task)
            wrote("task", emit_task)
        if draw is not None:
            found.draw(draw)
            wrote("picture", draw)
        if certificate is not None:
            if found.certificate.statements:
                found = found.written(certificate)
                wrote("certificate", certificate)
            else:
                say("no certificate was written: the weighted quotient has none")
        document = found.to_json()
    show(document, lambda: str(found), as_json=as_json)
    return found.exit_code
