"""attnproof probe: does a model depend on what its mask says, and on nothing else?"""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import coloured, command, show, working
from attnproof.symbolic.errors import InputError


@command
def probe(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A name (gpt2, mistral, t5, xlnet, mamba2, ...: small, random weights, no "
            "download), or pkg.mod:name or path/file.py:name of a module or of what makes one.",
        ),
    ],
    *,
    numeric: Annotated[
        bool, typer.Option("--numeric", help="Only change positions and compare outputs.")
    ] = False,
    structural: Annotated[
        bool, typer.Option("--structural", help="Only follow every operator, for all weights.")
    ] = False,
    n: Annotated[int, typer.Option("--n", metavar="N", help="How many positions.")] = 12,
    causal: Annotated[
        bool, typer.Option("--causal", help="The model must stay within the past.")
    ] = False,
    mask: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE",
            help="The model must stay within this mask. Repeatable with --per-layer.",
        ),
    ] = None,
    param: options.Parameters = None,
    layers: Annotated[
        int | None,
        typer.Option(metavar="L", help="Through exactly L layers; default: any number."),
    ] = None,
    per_layer: Annotated[
        bool, typer.Option("--per-layer", help="The masks are those of successive layers.")
    ] = False,
    width: Annotated[
        int | None,
        typer.Option(metavar="D", help="The model takes vectors of this width, not token ids."),
    ] = None,
    packed: Annotated[
        bool,
        typer.Option("--packed", help="Position ids that start again keep documents apart."),
    ] = False,
    scenario: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Run this scenario; default: every one. Repeatable."),
    ] = None,
    bound: Annotated[
        float,
        typer.Option(metavar="B", help="No score that meets a finite mask exceeds B."),
    ] = 4000.0,
    seed: Annotated[int, typer.Option(metavar="S", help="Of weights and inputs.")] = 0,
    max_findings: Annotated[
        int, typer.Option(metavar="N", help="List at most so many findings.")
    ] = 100,
    as_json: options.Json = False,
) -> int:
    """Probe a model: what does each output depend on, and does its mask allow that?

    Exit code 0: structure stays within the promise. 1: a dependency outside of it was seen.
    3: structure allows one that no run showed, or was not followed (--numeric).
    """
    if numeric and structural:
        raise InputError("--numeric and --structural each leave the other out; give one or none")
    from attnproof.ask.probe import probe as ask
    from attnproof.parameters import parse_parameters

    masks = mask or []
    if len(masks) > 1 and not per_layer:
        raise InputError(
            f"{len(masks)} masks were given; with --per-layer they are those of successive "
            "layers, without it give one"
        )
    with working("probing"):
        found = ask(
            model,
            n,
            causal=causal,
            mask=(list(masks) if per_layer else masks[0]) if masks else None,
            params=parse_parameters(param or ()),
            layers=layers,
            per_layer=per_layer,
            width=width,
            packed=packed,
            scenarios=tuple(scenario or ()),
            method="numeric" if numeric else "structural" if structural else "both",
            bound=bound,
            seed=seed,
            max_findings=max_findings,
        )
        document = found.to_json()
    show(document, lambda: found.text(colour=coloured()), as_json=as_json)
    return found.exit_code
