"""attnproof check: re-check a certificate, and that it speaks of this mask."""

from typing import TYPE_CHECKING, Annotated

import typer

from attnproof.cli import options
from attnproof.cli.console import command, show, working

if TYPE_CHECKING:
    from attnproof.proofs.checker import Result


@command
def check(
    certificate: Annotated[str, typer.Argument(metavar="CERT", help="The certificate.")],
    *,
    mask: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE",
            help="The mask it must speak of, read as the certificate says. Repeat for layers.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Re-check a certificate with the checker, which trusts nothing of the prover.

    The checker also runs alone: python -I -S proofs/checker CERT.
    """
    from attnproof.ask.check import check as ask

    with working("checking"):
        checked = ask(certificate, mask=list(mask) if mask else None)

    def text() -> str:
        apart = all(result.valid for result in checked.results) and not checked.valid
        lines = [
            f"{'MISFIT ' if apart else _word(result)}  {_plain(result.predicateType)}"
            for result in checked.results
        ]
        lines += [f"  {_plain(reason)}" for reason in checked.reasons]
        if checked.valid and mask:
            how = f", read with {_plain(', '.join(checked.read))}" if checked.read else ""
            lines.append(f"  speaks of {', '.join(mask)}{how}")
        return "\n".join(lines)

    show(checked.to_json(), text, as_json=as_json)
    return 0 if checked.valid else 3 if checked.undecided else 1


def _word(result: "Result") -> str:
    return "valid  " if result.valid else "unknown" if result.undecided else "INVALID"


def _plain(text: str) -> str:
    """Text taken from a file, without characters that a terminal would obey."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)
