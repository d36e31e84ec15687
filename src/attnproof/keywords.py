"""Keywords that a function does not take: the error says which was meant."""

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from attnproof.symbolic.words import suggestion

P = ParamSpec("P")
T = TypeVar("T")


def keywords(**meant: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A function that says which keyword was meant where it does not take the one given.

    ``meant`` says what other names stand for; what is like no keyword is taken for a parameter of
    what is asked about, where the function takes ``params``.

    >>> @keywords(K="classes")
    ... def flow(*, classes=3, common=4): ...
    >>> flow(K=3)
    Traceback (most recent call last):
    TypeError: flow takes no K=...; did you mean 'classes'?
    >>> flow(comon=4)
    Traceback (most recent call last):
    TypeError: flow takes no comon=...; did you mean 'common'?
    """

    def named(function: Callable[P, T]) -> Callable[P, T]:
        parameters = inspect.signature(function).parameters.values()
        known = [each.name for each in parameters if each.kind is not each.VAR_POSITIONAL]

        def way(name: str) -> str:
            if name in meant:
                return f"did you mean {meant[name]!r}?"
            if "params" in known and not difflib.get_close_matches(name, known):
                return f"what is made by parameters takes them in params={{{name!r}: ...}}"
            return suggestion(name, known)

        @wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
            for name in kwargs:
                if name not in known:
                    raise TypeError(f"{function.__name__} takes no {name}=...; {way(name)}")
            return function(*args, **kwargs)

        return wrapped

    return named
