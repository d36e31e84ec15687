"""attnproof verify: what a mask lets through, and whether that was intended."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnproof.cli import options
from attnproof.cli.console import coloured, command, fail, say, show, tell, working, wrote
from attnproof.cli.outputs import Outputs, check_same
from attnproof.symbolic.errors import InputError

if TYPE_CHECKING:
    from attnproof.values import Report


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
    all_n: options.AllLengths = False,
    symbolic: options.Symbolic = None,
    assume: options.Assume = None,
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
        typer.Option(
            metavar="3,3|FILE|@TENSOR",
            help="No flow between documents: lengths, ids, or for all n a captured tensor.",
        ),
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
    heads: options.Heads = None,
    batches: options.Batches = None,
    batch: options.Batch = None,
    layout: options.Layout = None,
    no_residual: options.NoResidual = False,
    empty_row: options.EmptyRow = None,
    width: Annotated[
        bool, typer.Option("--width", help="Compute the width even when it is expensive.")
    ] = False,
    split: options.Split = False,
    budget: options.SolverBudget = None,
    max_findings: Annotated[
        int, typer.Option(metavar="N", help="List at most so many findings.")
    ] = 100,
    as_json: options.Json = False,
    style: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="github|junit", help="Print for a machine that runs checks."
        ),
    ] = None,
    certificate: options.CertificateFile = None,
    draw: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the finding: .svg .png .dot .mmd or .tex."),
    ] = None,
    emit_test: Annotated[
        str | None,
        typer.Option(metavar="FILE.py", help="Write a pytest that shows the finding."),
    ] = None,
    page: options.PageFile = None,
) -> int:
    """Verify a mask: which token reaches which, at which depth, along which path.

    Without a property the flow is described. Without SOURCE and options (--json and --format
    aside) every mask that [tool.attnproof] of pyproject.toml names is verified.
    """
    if style is not None:
        from attnproof.render.ci import check_format

        check_format(style)
        if as_json:
            raise InputError(
                "--json and --format were given; stdout holds one document, so give one"
            )
    told = ("as_json", "style")
    if not any(_given(context, name) for name in context.params if name not in told):
        return _project(as_json=as_json, style=style)
    if not sources and task is None:
        raise InputError(_no_source())
    from attnproof.ask.verify import verify as ask
    from attnproof.parameters import parse_assumptions, parse_parameters

    outputs = Outputs(certificate, draw, page=page, test=emit_test)
    outputs.check((*(sources or ()), *(param or ()), documents, forbid, task, equals))
    asked: dict[str, Any] = {
        "n": n,
        "causal": causal,
        "next_token": next_token,
        "documents": documents,
        "forbid": forbid,
        "task": task,
        "equals": equals,
        "properties": tuple(properties or ()),
        "layers": layers,
        "per_layer": per_layer,
        "encoding": encoding,
        "q_offset": q_offset,
        "queries": queries,
        "params": parse_parameters(param or ()),
        "heads": heads,
        "batches": batches,
        "batch": batch,
        "layout": layout,
        "residual": False if no_residual else None,
        "empty_row": empty_row,
        "max_findings": max_findings,
        "width": width,
        "all_n": all_n,
        "symbolic": tuple(symbolic or ()),
        "assume": parse_assumptions(assume or ()),
        "split": split,
        "budget": budget,
    }
    with working("verifying"):
        report = ask(*(sources or ()), **asked, before=outputs.check_size)
        test = None if emit_test is None else _test(report, sources or (), asked, emit_test)
        if certificate is not None:
            if report.certificate.statements:
                report = report.written(certificate)
                wrote("certificate", certificate)
            else:
                say("no certificate was written: nothing was decided")
        if draw is not None and report.drawable:
            report.draw(draw)
            wrote("picture", draw)
        if emit_test is not None:
            _emit(test, emit_test)
        if page is not None and report.paged:
            report.page(page)
            wrote("page", page)
        elif page is not None:
            say("no page was written: no length fulfils what is assumed and can be shown")
        if draw is not None and not report.drawable:
            say("nothing was drawn: nothing fails, so there is no length to show")
        document = report.to_json()
    if style is not None:
        from pathlib import Path

        from attnproof.render.ci import Checked, rendered
        from attnproof.render.places import place_of

        places = (place_of(source, Path.cwd()) for source in sources or ())
        place = next(filter(None, places), None)
        tell(rendered(style, [Checked(report, place=place)]))
    else:
        show(document, lambda: report.text(colour=coloured()), as_json=as_json)
    return report.exit_code


def _test(
    report: "Report", sources: Sequence[str], asked: Mapping[str, object], path: str
) -> str | None:
    """A test that shows the first finding, with the options that are not the default; None where
    nothing fails."""
    from inspect import signature

    from attnproof.ask.emitted import emitted
    from attnproof.ask.verify import verify

    usual = {name: each.default for name, each in signature(verify).parameters.items()}
    options = {
        name: value
        for name, value in asked.items()
        if value not in ((), {}) and value is not usual[name] and value != usual[name]
    }
    text = emitted(report, sources, options, path)
    if text is not None:
        check_same(path, text)
    return text


def _emit(text: str | None, path: str) -> None:
    """Write a test, and say so where pytest does not find it by itself."""
    from fnmatch import fnmatch
    from pathlib import Path

    from attnproof.symbolic.files import write_atomically

    if text is None:
        say("no test was written: nothing fails")
        return
    write_atomically(path, [text])
    wrote("test", path)
    if not any(fnmatch(Path(path).name, each) for each in ("test_*.py", "*_test.py")):
        say(f"pytest collects test_*.py and *_test.py; run pytest {path}")


def _no_source() -> str:
    """What to say to options without a mask."""
    from pathlib import Path

    from attnproof.config import entries

    said = "no mask was given; name a source, or a task that has one"
    try:
        entries(Path.cwd())
    except InputError:
        return said
    return f"{said}. The masks of pyproject.toml are verified by attnproof verify without options"


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _project(*, as_json: bool, style: str | None) -> int:
    """Every mask of the project: exit code 0 when each meets what its entry expects, 2 when one
    could not be run; the others are told all the same."""
    from pathlib import Path

    from attnproof.ask.project import Expected, project
    from attnproof.render.ci import rendered, unreadable

    with working("verifying"):
        try:
            every = project(Path.cwd())
        except InputError as error:
            if style is not None:
                tell(rendered(style, [], [unreadable(error)]))
            raise
        found = [one for one in every if isinstance(one, Expected)]
        unusable = [one for one in every if not isinstance(one, Expected)]
        document: dict[str, object] = {"reports": [one.to_json() for one in found]}
        if unusable:
            document["unusable"] = [one.to_json() for one in unusable]
    if style is not None:
        wrong = [one.wrong for one in unusable]
        tell(rendered(style, [one.checked for one in found], wrong))
    elif found or as_json:
        show(document, lambda: "\n".join(map(str, found)), as_json=as_json)
    if unusable:
        fail("\n".join(one.message for one in unusable))
    return 0 if all(one.met for one in found) else 1
