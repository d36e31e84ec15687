"""The command line of the checker: one line a claim, or one JSON document."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from . import Result, Unreadable, check_text


def main(arguments: Sequence[str]) -> int:
    """Check the certificate that is named; the exit code says what came out."""
    parser = argparse.ArgumentParser(
        prog="checker",
        description="Re-check a certificate of attnproof. Nothing but this folder is trusted.",
        epilog="exit codes: 0 every claim is proved, 1 some claim is not, 2 no certificate, 3 some "
        "claim rests on solvers, which are not asked here",
    )
    parser.add_argument("certificate", help="file with one statement or a list of them; - is stdin")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    asked = parser.parse_args(arguments)
    try:
        results = check_text(_text(asked.certificate))
    except (OSError, UnicodeError, Unreadable) as error:
        sys.stderr.write(f"checker: {asked.certificate}: {error}\n")
        return 2
    valid = all(result.valid for result in results)
    wrong = any(not result.valid and not result.undecided for result in results)
    if asked.json:
        document = {"valid": valid, "claims": [_claim(one) for one in results]}
        sys.stdout.write(json.dumps(document) + "\n")
    else:
        sys.stdout.writelines(_line(result) for result in results)
    return 1 if wrong else 0 if valid else 3


def _text(name: str) -> str:
    return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")


def _claim(result: Result) -> dict[str, object]:
    return {
        "predicateType": result.predicateType,
        "grade": result.grade,
        "valid": result.valid,
        "reason": result.reason,
    }


def _line(result: Result) -> str:
    kind = _plain(result.predicateType) or "a statement"
    if result.valid:
        return f"valid    {kind}\n"
    if result.undecided:
        return f"unknown  {kind}: {_plain(result.reason)}\n"
    return f"INVALID  {kind}: {_plain(result.reason)}\n"


def _plain(text: str) -> str:
    """Text out of a file, safe to print on one line of any terminal."""
    return ascii(text)[1:-1][:300]
