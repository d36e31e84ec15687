"""check: does a certificate prove its claims, and do they speak of this mask?

What a certificate records that two solvers found is asked of both of them again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from attnproof.certificate import Certificate, check_file
from attnproof.parameters import from_certificate
from attnproof.proofs.checker import Result
from attnproof.proofs.checker.lengths import KIND as EVERY_LENGTH
from attnproof.proofs.statement import Statement
from attnproof.source import Reading, name_of, read
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.verdict import Finding


@dataclass(frozen=True, repr=False)
class Checked:
    """What the checker says of every claim; ``valid`` when it accepts all and all fit the mask.

    ``misfits`` names the claims that speak of another mask than the one presented, and masks of
    which none speaks. ``read`` says how these were read, where that is not the default.
    """

    results: tuple[Result, ...]
    misfits: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Are all claims proved, and about the mask that was presented?"""
        return bool(self.results) and all(r.valid for r in self.results) and not self.misfits

    @property
    def undecided(self) -> bool:
        """Is nothing wrong, and some claim not proved, since solvers do not find it again?"""
        left = [result for result in self.results if not result.valid]
        return bool(left) and all(result.undecided for result in left) and not self.misfits

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the certificate is not valid, one sentence each."""
        return (*(result.reason for result in self.results if not result.valid), *self.misfits)

    def __repr__(self) -> str:
        if not self.valid:
            state = "undecided" if self.undecided else "not valid"
            return f"Checked: {state}: {'; '.join(self.reasons) or 'no claim'}"
        claims = (f"{result.predicateType} {result.grade}" for result in self.results)
        return f"Checked: {', '.join(claims)}"

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object."""
        return {
            "valid": self.valid,
            "claims": [
                {
                    "predicateType": result.predicateType,
                    "grade": result.grade if result.valid else None,
                    "valid": result.valid,
                }
                for result in self.results
            ],
            "reasons": list(self.reasons),
            "read": list(self.read),
        }


def check(path: str | PathLike[str], *, mask: object = None) -> Checked:
    """Re-check a certificate, and that it speaks of ``mask`` if one is given.

    The mask is read with the length, parameters, encoding and offset that stand in the
    certificate, which the answer tells. A list of sources is a schedule. Where a source holds
    several masks, as a batch does, each has to be spoken of.

    >>> import attnproof as ap, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "mask.cert.json")
    >>> ap.verify("causal", n=4, causal=True).certificate.save(file)
    >>> ap.check(file)
    Checked: attnproof/safe/v1 certified
    >>> ap.check(file, mask="full")
    Checked: not valid: attnproof/safe/v1 speaks of another mask than full

    Raises :class:`~attnproof.errors.FileError` for a file that is no certificate.
    """
    results = tuple(check_file(path))
    if any(result.undecided for result in results):
        statements = Certificate.load(path).statements
        results = tuple(map(_asked_again, results, statements))
    if mask is None or not all(result.valid for result in results):
        return Checked(results)
    statements = Certificate.load(path).statements
    sources = list(mask) if isinstance(mask, list | tuple) and _several(mask) else [mask]
    misfits = []
    held: dict[str, str] = {}
    told: dict[str, None] = {}
    for statement in statements:
        predicate = statement.predicate
        if statement.predicateType == EVERY_LENGTH:
            told |= dict.fromkeys(_chosen(predicate["origin"].get("read") or {}))
            fits, noted = _of_every_length(statement, sources)
            told |= dict.fromkeys(_UNSEEN[note.kind] for note in noted)
            if not fits:
                names = ", ".join(map(name_of, sources))
                misfits.append(f"{EVERY_LENGTH} speaks of another mask than {names}")
            continue
        setting = predicate.get("a", predicate)
        if isinstance(setting, dict) and "layers" not in setting:
            misfits.append(f"{statement.predicateType} does not speak of a mask")
            continue
        how = _how_read(setting)
        told |= dict.fromkeys(_chosen(how))
        readings = [_read(source, how) for source in sources]
        unseen = {note.kind for reading in readings for note in reading.notes} & _UNSEEN.keys()
        told |= dict.fromkeys(_UNSEEN[kind] for kind in sorted(unseen))
        layers = len(setting["layers"]) if isinstance(setting, dict) else len(readings)
        wanted = statement.digests[:layers]
        if not _fits(wanted, [{m.digest for _, m in reading.masks} for reading in readings]):
            names = ", ".join(reading.name for reading in readings)
            misfits.append(f"{statement.predicateType} speaks of another mask than {names}")
        held |= {m.digest: reading.name for reading in readings for _, m in reading.masks}
    spoken = {digest for statement in statements for digest in statement.digests}
    unspoken = [] if misfits else [held[digest] for digest in held.keys() - spoken]
    for name in dict.fromkeys(unspoken):
        misfits.append(f"no claim speaks of another mask that {name} holds")
    return Checked(results, tuple(misfits), tuple(told))


def _asked_again(result: Result, statement: Statement) -> Result:
    """What solvers were recorded to have found, found again or not."""
    if not result.undecided:
        return result
    from attnproof.proofs.agreement import agreed

    if agreed(statement.predicate):
        return replace(result, valid=True, reason="", undecided=False)
    return replace(
        result,
        reason="two solvers are recorded to have agreed, and z3 and cvc5 do not find it again; "
        "install cvc5, pip install 'attnproof[prove]', if it is missing",
    )


def _of_every_length(statement: Statement, sources: Sequence[object]) -> tuple[bool, list[Finding]]:
    """Does a claim about every length speak of these layers, read as it says; and of which heads
    does it not?"""
    from attnproof.ask.length_sources import Reading, problem_of, subject, symbols
    from attnproof.proofs.lengths import digest_of

    how = {"symbolic": [], "params": {}, "assume": {}, "heads": 1, "split": False}
    origin = statement.predicate["origin"].get("read", {})
    if not isinstance(origin, Mapping) or set(origin) - set(how):
        raise ParameterError("the certificate's origin.read holds unknown keys; write it again")
    known: dict[str, Any] = {**how, **origin}
    if odd := next((key for key, value in known.items() if not _KINDS[key](value)), None):
        raise ParameterError(
            f"the certificate's origin.read says {odd} = {known[odd]!r}, which verify never "
            "writes; write it again",
            key=odd,
        )
    known["symbolic"] = symbols(known["symbolic"])
    known["params"] = from_certificate(known["params"])
    reading = Reading(**known)
    residual = statement.predicate["residual"]
    subjects = [subject(source, reading) for source in sources]
    problem = problem_of(subjects, residual=residual, heads=reading.heads)
    return statement.digests == (digest_of(problem),), [x for one in subjects for x in one.noted]


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


#: What origin.read of a claim about every length may hold.
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "symbolic": _texts,
    "params": lambda value: isinstance(value, Mapping),
    "assume": lambda value: (
        isinstance(value, Mapping)
        and all(isinstance(one, str) or _texts(one) for one in value.values())
    ),
    "heads": lambda value: type(value) is int,
    "split": lambda value: isinstance(value, bool),
}


def _several(mask: Sequence[object]) -> bool:
    """Is this a list of sources, and not the rows of one mask?"""
    rows = [set(item) <= set("1#0.") for item in mask if isinstance(item, str)]
    return (
        bool(mask)
        and not (len(rows) == len(mask) and all(rows))
        and all(not isinstance(item, list | tuple) for item in mask)
    )


def _fits(wanted: Sequence[str], held: Sequence[set[str]]) -> bool:
    return len(wanted) == len(held) and all(
        digest in digests for digest, digests in zip(wanted, held, strict=True)
    )


_READ = {
    *("n", "encoding", "q_offset", "params", "heads", "batches", "batch", "layout", "queries"),
    "empty_row",
}
#: What a reader may choose beside the length and the parameters, and what it is unless chosen.
_USUAL = {
    **dict.fromkeys(("q_offset", "batch", "layout", "queries", "empty_row")),
    "encoding": "auto",
    "heads": 1,
    "batches": 1,
}


#: What is said of heads and batch elements that the certificate does not speak of.
_UNSEEN = {"one_head": "head 0 alone", "one_batch": "batch element 0 alone"}


def _read(source: object, how: Mapping[str, Any]) -> Reading:
    """One head and one batch element are as much as none were said: others may be there."""
    usual = {"heads", "batches"}
    return read(source, **{key: x for key, x in how.items() if key not in usual or x != 1})


def _chosen(how: Mapping[str, object]) -> list[str]:
    """How a mask was read, where that is not the default.

    >>> _chosen({"n": 4, "encoding": "block", "batch": 1, "heads": 1, "params": {"right": 0}})
    ['right=0', 'encoding=block', 'batch=1']
    """
    params, assume = how.get("params") or {}, how.get("assume") or {}
    given = params.items() if isinstance(params, Mapping) else ()
    known = assume.items() if isinstance(assume, Mapping) else ()
    symbolic = how.get("symbolic") or ()
    return [
        *(f"{name}={_short(value)}" for name, value in given),
        *(f"any {name}" for name in (symbolic if isinstance(symbolic, list) else ())),
        *(f"{name} {_short(facts)}" for name, facts in known),
        *(f"{key}={x}" for key, x in how.items() if key in _USUAL and x != _USUAL[key]),
    ]


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _how_read(setting: object) -> dict[str, Any]:
    """The keywords with which the certificate says that its mask was read."""
    origin = setting.get("origin") if isinstance(setting, Mapping) else None
    known = origin.get("read") if isinstance(origin, Mapping) else None
    if known is None:
        return {}
    if not isinstance(known, Mapping) or set(known) - _READ:
        raise ParameterError("the certificate's origin.read holds unknown keys; write it again")
    return dict(known)
