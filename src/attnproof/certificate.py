"""Certificate: statements that the checker accepts, as a public value."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from attnproof.proofs.checker import Result, Unreadable, check_text
from attnproof.proofs.checker.limits import MOST_FRAGMENTED
from attnproof.proofs.emit import state
from attnproof.proofs.statement import Statement, dumps, iter_text, loads
from attnproof.symbolic.errors import FileError, InputError
from attnproof.symbolic.evidence import Evidence
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.masks.made import Made
from attnproof.symbolic.setting import Setting
from attnproof.symbolic.verdict import Grade


@dataclass(frozen=True)
class Certificate:
    """One or several claims, each with the evidence that a checker needs.

    >>> import attnproof as ap
    >>> ap.verify("causal", n=4, causal=True).certificate
    Certificate: attnproof/safe/v1
    """

    statements: tuple[Statement, ...]

    @staticmethod
    def of(evidence: Sequence[Evidence]) -> "Certificate":
        """The certificate of some evidence."""
        return Certificate(tuple(map(state, evidence)))

    @staticmethod
    def load(path: str | PathLike[str]) -> "Certificate":
        """Read a certificate; FileError when there is none or the file holds something else."""
        return Certificate(loads(read_text(path)))

    @property
    def text(self) -> str:
        """The canonical JSON: equal certificates are equal texts."""
        return dumps(self.statements)

    @property
    def digests(self) -> tuple[tuple[str, ...], ...]:
        """For each statement the digests of the masks that it speaks of."""
        return tuple(statement.digests for statement in self.statements)

    def check(self) -> tuple[Result, ...]:
        """What the checker says of every statement, each read from its text."""
        texts = (statement.canonical_json() for statement in self.statements)
        return tuple(result for text in texts for result in check_text(text))

    @property
    def grade(self) -> Grade | None:
        """``certified`` when the checker accepts every statement, and there is one."""
        results = self.check()
        return "certified" if results and all(result.valid for result in results) else None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the canonical JSON piece by piece, whole or not at all; InputError when nothing is
        claimed."""
        if not self.statements:
            raise InputError(
                "nothing was decided, so there is nothing to certify; leave out --certificate"
            )
        write_atomically(path, iter_text(self.statements))

    def __repr__(self) -> str:
        kinds = (
            "no claim"
            if not self.statements
            else ", ".join(statement.predicateType for statement in self.statements)
        )
        return f"Certificate: {kinds}"


def check_layers(setting: Setting) -> None:
    """Raise :class:`InputError` for layers of too many runs to be listed one by one.

    >>> import attnproof as ap
    >>> from attnproof.source import read
    >>> check_layers(Setting((read("causal", n=4).masks[0][1],)))
    """
    for layer in setting.layers:
        if isinstance(layer.rows, Made) and layer.size > MOST_FRAGMENTED:
            raise InputError(
                f"{layer.name} at {layer.size} positions has so many runs that its rows are made "
                "as they are asked for, and a certificate lists them all; certify a length of at "
                f"most {MOST_FRAGMENTED}, or leave out --certificate",
                positions=layer.size,
            )


def read_text(path: str | PathLike[str]) -> str:
    """The text of a certificate file; FileError when it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path} cannot be read ({error.strerror}); give a file that --certificate wrote",
            path=str(path),
        ) from None
    except UnicodeDecodeError:
        raise FileError(
            f"{path} is no text; give a file that --certificate wrote", path=str(path)
        ) from None


def check_file(path: str | PathLike[str]) -> list[Result]:
    """What the checker says of a certificate file, read as it stands."""
    try:
        return check_text(read_text(path))
    except Unreadable as error:
        raise FileError(
            f"{path} is no certificate ({error}); give a file that --certificate wrote",
            path=str(path),
        ) from None
