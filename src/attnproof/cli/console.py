"""What every command shares: messages on stderr, one document on stdout, exit codes, progress."""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, ParamSpec

import typer

P = ParamSpec("P")

EXIT_CODES = (
    "Exit codes: 0 holds, valid, equal or described; 1 a finding; 2 unusable input; 3 unknown."
)


def command(run: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code; an InputError becomes one message and exit code 2."""

    @functools.wraps(run)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        from attnproof.symbolic.errors import InputError

        try:
            code = run(*args, **kwargs)
            sys.stdout.flush()
        except InputError as error:
            fail(str(error))
        except MemoryError:
            fail("there is not enough memory for this mask; give a shorter length")
        except KeyboardInterrupt:
            typer.echo("attnproof: interrupted; nothing was written", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        raise typer.Exit(code)

    return wrapped


def fail(message: str) -> NoReturn:
    """Say what is wrong on stderr and leave with exit code 2."""
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)


def show(document: object, text: Callable[[], str], *, as_json: bool) -> None:
    """One JSON document, or text for people, on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2) if as_json else text())


def coloured() -> bool:
    """Is standard output a terminal that shows colours, and did nobody ask for none?"""
    from attnproof.render.text import colour_wanted

    return colour_wanted(sys.stdout)


def say(message: str) -> None:
    """A line for people, on stderr."""
    typer.echo(message, err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr that work goes on, where somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield
