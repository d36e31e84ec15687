"""attnproof consistent: does an inference program compute what a task has trained?"""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote
from attnproof.cli.outputs import apart


@command
def consistent(
    program: Annotated[
        str,
        typer.Argument(
            metavar="PROGRAM.toml", help="[[call]] tables, and the task that they are for."
        ),
    ],
    *,
    task: Annotated[
        str | None,
        typer.Option(metavar="TASK.toml", help="The task, if the program names none or another."),
    ] = None,
    mode: Annotated[
        str, typer.Option(metavar="iso|wl|softmax", help="How positions are compared.")
    ] = "iso",
    budget: options.SearchBudget = None,
    as_json: options.Json = False,
    certificate: options.CertificateFile = None,
) -> int:
    """Is inference consistent with training?

    C1: each emitted atom is predicted by an equivalent position of the task. C2: each reused state
    is that of an equivalent position. C3: atoms are given, or emitted before. C4, optional: each
    label is emitted.

    Exit code 0: C1, C2 and C3 hold. 1: one fails. 3: a search spent its budget.
    """
    from attnproof.ask.consistent import consistent as ask
    from attnproof.symbolic.tasks.equivalence import BUDGET
    from attnproof.symbolic.tasks.families import split_index

    apart((certificate,), (program, task and split_index(task)[0]))
    with working("comparing"):
        found = ask(task, program, mode=mode, budget=BUDGET if budget is None else budget)
        if certificate is not None:
            apart((certificate,), found.files)
            if found.certificate.statements:
                found = found.written(certificate)
                wrote("certificate", certificate)
            else:
                say("no certificate was written: nothing was compared and decided")
    show(found.to_json(), lambda: str(found), as_json=as_json)
    return found.exit_code
