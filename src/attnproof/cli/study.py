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
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A file that the study reads. Repeatable."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="J", help="Processes that run points; -1: one a core.")
    ] = 1,
    backend: Annotated[
        str, typer.Option(metavar="loky|dask", help="Where points run: here, or on a Dask cluster.")
    ] = "loky",
    as_json: options.Json = False,
) -> int:
    """Run an experiment again from its seed: records (.json), tables (.md) and figures (.svg)."""
    from attnproof.ask import study as asked
    from attnproof.numeric.studies.registry import listed, study_of
    from attnproof.symbolic.errors import MissingExtra

    files = _files(data or [])
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
        report = asked.study(name, seed=seed, quick=quick, jobs=jobs, backend=backend, data=files)
    for path in asked.save(report, folder):
        wrote("study", path)
    try:
        for path in asked.save_figures(report, folder):
            wrote("figure", path)
    except MissingExtra as missing:
        say(f"no figure was written: {missing}")
    show(report.to_json(), lambda: str(report), as_json=as_json)
    return 0


def _files(given: list[str]) -> dict[str, str]:
    """Paths by name, from NAME=FILE."""
    from attnproof.symbolic.errors import ParameterError

    found: dict[str, str] = {}
    for each in given:
        name, sign, path = each.partition("=")
        if not (name and sign and path):
            raise ParameterError(
                f"--data is {each!r}; give NAME=FILE, as in squad=dev-v2.0.json", data=each
            )
        if name in found:
            raise ParameterError(f"--data gives {name} twice; give it once", data=each)
        found[name] = path
    return found
