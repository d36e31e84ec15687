"""Progress of long computations, told to whoever listens.

A computation calls :func:`tick`; nothing happens unless :func:`listening` was entered before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tick(done: int, total: int) -> None:
    """Say that ``done`` of ``total`` steps are done.

    >>> heard = []
    >>> with listening(lambda done, total: heard.append((done, total))):
    ...     tick(1, 2)
    >>> tick(2, 2)
    >>> heard
    [(1, 2)]
    """
    listener = _listener.get()
    if listener is not None:
        listener(done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within the context every :func:`tick` is heard by ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
