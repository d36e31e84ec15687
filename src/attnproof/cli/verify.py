"""attnproof verify: what a mask lets through, and whether that was intended."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import coloured, command, say, show, working, wrote
from attnproof.cli.outputs import Outputs


@command
def verify(
    context: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="A file (.npy .npz .pt .safetensors .txt .json, - for .npy on stdin), "
            "pkg.mod:name, path/file.py:name, or the name of a mask.",
        ),
    ] = None,
    *,
    n: options.Length = None,
    param: options.Parameters = None,
    layers: Annotated[
        int | None, typer.Option(metavar="L", help="Exactly L layers; default: any number.")
    ] = None,
    per_layer: Annotated[
        bool, typer.Option("--per-layer", help="The SOURCEs are successive layers, repeated.")
    ] = False,
    causal: Annotated[
        bool, typer.Option("--causal", help="No query is reached from a later key.")
    ] = False,
    next_token: Annotated[
        bool, typer.Option("--next-token", help="Query q is not reached from token q + 1.")
    ] = False,
    documents: Annotated[
        str | None,
        typer.Option(metavar="3,3|FILE", help="No flow between documents: lengths, or ids."),
    ] = None,
    forbid: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Pairs [reader, source] as JSON, or file.py:predicate(q, k).",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="TASK.toml", help="Labels, inputs and mask of a training task."),
    ] = None,
    equals: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="The same pairs as another mask.")
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--property",
            metavar="NAME",
            help="reflexive, transitive, antisymmetric, no-empty-rows or depth=c. Repeatable.",
        ),
    ] = None,
    encoding: options.Encoding = "auto",
    q_offset: options.Offset = None,
    queries: options.Queries = None,
    heads: options.Heads = 1,
    batches: options.Batches = 1,
    batch: options.Batch = None,
    layout: options.Layout = None,
    no_residual: options.NoResidual = False,
    empty_row: options.EmptyRow = None,
    width: Annotated[
        bool, typer.Option("--width", help="Compute the width even when it is expensive.")
    ] = False,
    max_findings: Annotated[
        int, typer.Option(metavar="N", help="List at most so many findings.")
    ] = 100,
    as_json: options.Json = False,
    certificate: options.CertificateFile = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the finding: .svg .png .dot .mmd or .tex."),
    ] = None,
) -> int:
    """Verify a mask: which token reaches which, at which depth, along which path.

    Without a property the flow is described; without any SOURCE or option every mask that
    [tool.attnproof] of pyproject.toml names is verified.
    """
    if not any(_given(context, name) for name in context.params if name != "as_json"):
        return _project(as_json=as_json)
    from attnproof.ask.verify import verify as ask
    from attnproof.parameters import parse_parameters

    outputs = Outputs(certificate, draw)
    outputs.check((*(sources or ()), *(param or ()), documents, forbid, task, equals))
    with working("verifying"):
        report = ask(
            *(sources or ()),
            n=n,
            causal=causal,
            next_token=next_token,
            documents=documents,
            forbid=forbid,
            task=task,
            equals=equals,
            properties=tuple(properties or ()),
            layers=layers,
            per_layer=per_layer,
            encoding=encoding,
            q_offset=q_offset,
            queries=queries,
            params=parse_parameters(param or ()),
            heads=heads,
            batches=batches,
            batch=batch,
            layout=layout,
            residual=False if no_residual else None,
            empty_row=empty_row,
            max_findings=max_findings,
            width=width,
            before=outputs.check_size,
        )
        if certificate is not None:
            if report.certificate.statements:
                report = report.written(certificate)
                wrote("certificate", certificate)
            else:
                say("no certificate was written: nothing was decided")
        if draw is not None:
            report.draw(draw)
            wrote("picture", draw)
        document = report.to_json()
    show(document, lambda: report.text(colour=coloured()), as_json=as_json)
    return report.exit_code


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _project(*, as_json: bool) -> int:
    """Every mask of the project: exit code 0 when each meets what its entry expects."""
    from pathlib import Path

    from attnproof.ask.project import project

    with working("verifying"):
        found = project(Path.cwd())
        document = {"reports": [one.to_json() for one in found]}
    show(document, lambda: "\n".join(map(str, found)), as_json=as_json)
    return 0 if all(one.met for one in found) else 1
