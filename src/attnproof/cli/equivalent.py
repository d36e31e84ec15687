"""attnproof equivalent: does a model compute the same at two positions, whatever its weights?"""

from typing import Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, say, show, working, wrote
from attnproof.cli.outputs import apart


@command
def equivalent(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A.toml:NODE",
            help="A task file and the index of a position; of a family FILE:TASK:NODE.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B.toml:NODE", help="Another, or the same.")],
    *,
    mode: Annotated[
        str,
        typer.Option(
            metavar="iso|wl|softmax",
            help="Isomorphic below; or one colour, from multisets of keys, or from their shares.",
        ),
    ] = "iso",
    budget: options.SearchBudget = None,
    as_json: options.Json = False,
    certificate: options.CertificateFile = None,
) -> int:
    """Are two positions equivalent: does a model compute the same there?

    Exit code 0: they are. 1: they are not. 3: the search for an isomorphism spent its budget.
    """
    from attnproof.ask.equivalent import equivalent as ask
    from attnproof.ask.equivalent import place
    from attnproof.symbolic.tasks.equivalence import BUDGET
    from attnproof.symbolic.tasks.families import split_index

    (task_a, node_a), (task_b, node_b) = place(a), place(b)
    apart((certificate,), [split_index(task)[0] for task in (task_a, task_b)])
    with working("comparing"):
        found = ask(
            task_a, node_a, task_b, node_b, mode=mode, budget=BUDGET if budget is None else budget
        )
        if certificate is not None:
            if found.certificate.statements:
                found = found.written(certificate)
                wrote("certificate", certificate)
            else:
                say("no certificate was written: nothing was decided")
        document = found.to_json()
    show(document, lambda: str(found), as_json=as_json)
    return found.exit_code
