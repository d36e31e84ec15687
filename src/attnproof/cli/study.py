"""attnproof study: run an experiment again from its seed."""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote


@command
def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="A study, or pkg.mod:STUDY; left out, they are listed."
        ),
    ] = None,
    *,
    seed: Annotated[int, typer.Option(metavar="S", help="What the points are drawn from.")] = 0,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder to write to; left out, one of the same name."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few points only.")] = False,
    jobs: Annotated[int, typer.Option(metavar="J", help="Processes that run points.")] = 1,
    as_json: options.Json = False,
) -> int:
    """Run an experiment again from its seed: records (.json), tables (.md) and figures (.svg)."""
    from attnproof.ask import study as asked
    from attnproof.numeric.studies.registry import listed, study_of
    from attnproof.symbolic.errors import MissingExtra

    if name is None:
        studies = {each.name: each.sentence for each in listed()}
        width = max(map(len, studies))
        show(
            [{"name": key, "sentence": value} for key, value in studies.items()],
            lambda: "\n".join(f"{key:{width}}  {value}" for key, value in studies.items()),
            as_json=as_json,
        )
        return 0
    folder = out if out is not None else study_of(name).name
    asked.check_folder(folder)
    with working(f"study {name}"):
        report = asked.study(name, seed=seed, quick=quick, jobs=jobs)
    for path in asked.save(report, folder):
        wrote("study", path)
    try:
        for path in asked.save_figures(report, folder):
            wrote("figure", path)
    except MissingExtra as missing:
        say(f"no figure was written: {missing}")
    show(report.to_json(), lambda: str(report), as_json=as_json)
    return 0
