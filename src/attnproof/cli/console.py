"""What every command shares: messages on stderr, one document on stdout, exit codes, progress."""

import functools
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, ParamSpec

import typer

from attnproof.cli.streams import silence

P = ParamSpec("P")

_written: list[str] = []

EXIT_CODES = (
    "Exit codes: 0 holds, valid, equal or described; 1 a finding; 2 unusable input; 3 unknown."
)


def command(run: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code; an InputError becomes one message and exit code 2."""

    @functools.wraps(run)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        from attnproof.symbolic.errors import InputError

        _written.clear()
        try:
            code = run(*args, **kwargs)
        except InputError as error:
            fail(str(error))
        except MemoryError:
            fail("there is not enough memory for this mask; give a shorter length")
        except KeyboardInterrupt:
            interrupted()
        raise typer.Exit(code)

    return wrapped


def fail(message: str) -> NoReturn:
    """Say what is wrong on stderr and leave with exit code 2."""
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)


def interrupted() -> NoReturn:
    """Leave with exit code 130; a second interrupt changes nothing any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    done = f"written: {', '.join(_written)}" if _written else "nothing was written"
    typer.echo(f"attnproof: interrupted; {done}", err=True)
    raise typer.Exit(130) from None


def wrote(what: str, path: str) -> None:
    """Say that a file is written."""
    _written.append(path)
    say(f"{what} written: {path}")


def show(document: object, text: Callable[[], str], *, as_json: bool) -> None:
    """One JSON document, or text for people, on stdout."""
    tell(json.dumps(document, ensure_ascii=False, indent=2) if as_json else text())


def tell(text: str) -> None:
    """Text on stdout; a reader that goes away early changes nothing, not even the exit code."""
    try:
        typer.echo(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    except OSError as error:
        silence()
        fail(f"the answer cannot be written ({error.strerror})")


def coloured() -> bool:
    """Is standard output a terminal that shows colours, and did nobody ask for none?"""
    from attnproof.render.text import colour_wanted

    return colour_wanted(sys.stdout)


def say(message: str) -> None:
    """A line for people, on stderr."""
    typer.echo(message, err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr that work goes on, and how far it is, where somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    from attnproof.symbolic.progress import listening

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(what, total=None)
        (task,) = progress.tasks

        def heard(done: int, total: int) -> None:
            """A part that is done leaves nothing to show; the next one tells its own share."""
            going = done < total
            task.total, task.completed = (total, done) if going else (None, 0)
            task.description = f"{what} {done / total:.0%}" if going else what

        with listening(heard):
            yield
