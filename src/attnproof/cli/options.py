"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
CertificateFile = Annotated[
    str | None, typer.Option("--certificate", metavar="FILE", help="Write the certificate.")
]
PageFile = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE.html", help="Write a page to look at in a browser."),
]
SearchBudget = Annotated[
    int | None,
    typer.Option(
        "--budget", metavar="STEPS", help="Keys that a search looks at before it says: unknown."
    ),
]
Length = Annotated[
    int | None,
    typer.Option("--n", metavar="N", help="Length, in tokens, of a rule or a named mask."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="K=V",
        help="Parameter of a named mask, a builder, or what makes a mask or a model: a TOML value, "
        "or @file.npy. Repeatable.",
    ),
]
Encoding = Annotated[
    str,
    typer.Option(metavar="auto|attend|block|additive|keep01", help="What the entries mean."),
]
Offset = Annotated[
    int | None,
    typer.Option("--q-offset", metavar="N", help="Position of query 0 of a rectangular mask."),
]
Queries = Annotated[
    int | None,
    typer.Option(metavar="Q", help="The rule counts its Q queries from 0 itself."),
]
Heads = Annotated[
    int | None, typer.Option(metavar="H", help="Heads for which a rule is evaluated; default: one.")
]
Batches = Annotated[
    int | None,
    typer.Option(metavar="B", help="Batch elements for which a rule is evaluated; default: one."),
]
Batch = Annotated[
    int | None, typer.Option(metavar="I", help="Take one batch element; default: each distinct.")
]
Layout = Annotated[
    str | None, typer.Option(metavar="AXES", help='Order of the axes, as in "b h q k".')
]
EmptyRow = Annotated[
    str | None,
    typer.Option(metavar="zero|uniform|nan", help="What a query that reads nothing returns."),
]
NoResidual = Annotated[
    bool,
    typer.Option(
        "--no-residual", help="Drop the diagonal that the residual adds: follow what keys bring."
    ),
]
AllLengths = Annotated[
    bool, typer.Option("--all-n", help="Prove it for every length, of a rule or a named mask.")
]
Symbolic = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A parameter that is any integer of at least 1; NAME=n, the length. Repeatable.",
    ),
]
Assume = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TENSOR=FACT",
        help="What is known of a captured tensor: nondecreasing, increasing, injective, "
        "nonnegative, contiguous, permutation or bounded(A, B). Repeatable.",
    ),
]
Split = Annotated[
    bool, typer.Option("--split", help="Follow both branches of an if in a rule, for all n.")
]
SolverBudget = Annotated[
    int | None,
    typer.Option("--budget", metavar="STEPS", help="Solver steps in all, for all n."),
]
