"""Answers that are proved or not: written, shown, and exit code 3 for what is unknown."""

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, Protocol

from attnproof.cli.console import say, show, working, wrote
from attnproof.cli.outputs import Outputs

if TYPE_CHECKING:
    from attnproof.certificate import Certificate


class Answer(Protocol):
    """What such a command finds."""

    @property
    def optimal(self) -> Literal["proved", "unknown"]: ...

    @property
    def certificate(self) -> "Certificate": ...

    def to_json(self) -> dict[str, object]: ...


def answered(
    what: str,
    ask: Callable[[], Answer],
    *,
    certificate: str | None,
    read: Iterable[str],
    as_json: bool,
) -> int:
    """Ask, write the certificate, show the answer; the exit code says whether it is proved."""
    Outputs(certificate=certificate).check(read)
    with working(what), warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        found = ask()
        if certificate is not None:
            found.certificate.save(certificate)
    for each in noted:
        say(str(each.message))
    if certificate is not None:
        wrote("certificate", certificate)
    show(found.to_json(), lambda: str(found), as_json=as_json)
    return 0 if found.optimal == "proved" else 3
