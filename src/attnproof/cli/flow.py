"""attnproof flow: the gradient flow of the QK and OV circuits of a one-layer attention."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, show, tell, working
from attnproof.symbolic.errors import InputError

#: The data where some size is given and another is needed.
_CLASSES, _COMMON = 3, 4


@command
def flow(
    parametrisation: Annotated[
        str,
        typer.Argument(
            metavar="CACO|FACO|CAFO|FAFO",
            help="C for one matrix, F for a product of two; attention first, then output-value.",
        ),
    ],
    *,
    classes: Annotated[int | None, typer.Option(metavar="K", help="Classes, 2 or more.")] = None,
    distinct: Annotated[
        int | None, typer.Option(metavar="R", help="Distinct tokens of a class.")
    ] = None,
    common: Annotated[
        int | None, typer.Option(metavar="M", help="Common tokens, in every sequence.")
    ] = None,
    queries: Annotated[
        int | None, typer.Option(metavar="Q", help="Common tokens that are queries.")
    ] = None,
    scale: Annotated[str, typer.Option(metavar="S", help="What scores are multiplied by.")] = "1",
    ratio: Annotated[
        str, typer.Option(metavar="RHO", help="Learning rate of QK over that of OV, which is 1.")
    ] = "1",
    alpha0: Annotated[
        float | None, typer.Option(metavar="A", help="Start of OV; 0, or 0.01 for a product.")
    ] = None,
    beta0: Annotated[
        float | None, typer.Option(metavar="B", help="Start of QK; 0, or 1e-4 for a product.")
    ] = None,
    loss: Annotated[float | None, typer.Option(metavar="X", help="Stop at this loss.")] = None,
    time: Annotated[float | None, typer.Option(metavar="T", help="Stop at this time.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    train: Annotated[
        bool,
        typer.Option(
            "--train", help="Train the full torch model too, to loss 0.1 unless told, and compare."
        ),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """The equations of training, what they conserve, and where they are at a loss or a time.

    Without any number the sizes are the symbols K, r, M and Q. Once a number of the data, a start,
    a loss, a time or --train is given, what is missing is K = 3, r = 1, M = 4, Q = 1. Without a
    loss and a time the state is that of the start, and with --train that at loss 0.1.

    Exit code 1: the trained model and the flow differ by more than the step explains. 3: no step
    was short enough to tell. 2 where that is foreseen, or for a loss or a time that is never met.
    """
    from attnproof.ask.flow_json import trained_json
    from attnproof.ask.gradient_flow import TRAINED_TO, gradient_flow

    if loss is not None and time is not None:
        raise InputError(f"loss {loss} and time {time} were given; give one of them")
    if latex and as_json:
        raise InputError("--latex and --json were given; stdout holds one document, so give one")
    if train and loss is None and time is None:
        loss = TRAINED_TO
    given = (classes, distinct, common, queries, loss, time, alpha0, beta0)
    if any(one is not None for one in given):
        classes = _CLASSES if classes is None else classes
        common = max(_COMMON, queries or 1) if common is None else common
    with working("deriving"):
        found = gradient_flow(
            parametrisation,
            classes=classes,
            distinct=distinct,
            common=common,
            queries=queries,
            scale=scale,
            ratio=ratio,
            alpha0=alpha0,
            beta0=beta0,
        )
        state = None
        if found.numbers:
            state = (
                found.at_loss(loss)
                if loss is not None
                else found.orbit.start
                if time is None
                else found.at_time(time)
            )
    trained = None
    if train:
        with working("training"):
            trained = found.train(loss=loss, time=time)
    if latex:
        tell(found.latex())
    elif as_json:
        document = found.to_json(state)
        document["train"] = None if trained is None else trained_json(trained)
        show(document, str, as_json=True)
    else:
        tell("\n".join([found.text(state), *([repr(trained)] if trained is not None else [])]))
    if trained is None:
        return 0
    return 3 if not trained.settled else 0 if trained.agrees else 1
