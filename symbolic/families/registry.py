"""The builders by their names, loaded when asked for."""

from importlib import import_module
from typing import Any

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.families.family import Builder, Family
from attnproof.symbolic.words import suggestion

#: The module of the same name defines each as ``BUILDER``.
_NAMES = (
    "autoregressive",
    "bidirectional_prefix",
    "permutation",
    "block",
    "butterfly",
    "comb",
    "separating",
    "crown",
    "masked_autoencoder",
    "mae_ladder",
)


def names() -> tuple[str, ...]:
    """The names."""
    return _NAMES


def get(name: str) -> Builder:
    """The builder of that name.

    >>> get("comb").doc
    'Each token is predicted from the neighbours of the tokens of its residue.'

    Raises :class:`ParameterError`, with the nearest names, if there is none.
    """
    if name not in _NAMES:
        raise ParameterError(
            f"there is no builder of families named {name!r}; {suggestion(name, _NAMES)}", name=name
        )
    builder: Builder = import_module(f"attnproof.symbolic.families.{name}").BUILDER
    return builder


def build(name: str, **parameters: Any) -> Family:
    """The family of that builder.

    >>> [task.size for task in build("autoregressive", n=4).tasks]
    [1, 2, 3]
    """
    return get(name).build(parameters)
