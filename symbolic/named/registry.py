"""The registry: every named mask by its name, loaded when asked for."""

import difflib
from importlib import import_module

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.named.named import NamedMask

#: The module of the same name defines each as ``MASK``.
_NAMES = (
    "full",
    "causal",
    "window",
    "bidirectional_window",
    "sink_window",
    "global_window",
    "neighborhood",
    "prefix_lm",
    "encoder_decoder",
    "documents",
    "cu_seqlens",
    "prefix_documents",
    "shared_prefix",
    "spans",
    "left_padded",
    "padded",
    "chunked",
    "block_causal",
    "dilated",
    "strided",
    "fixed",
    "log_sparse",
    "fenwick",
    "look_ahead",
    "bigbird",
    "comb",
    "masked_autoencoder",
    "perm",
    "perm_mask",
    "tree",
    "flat_tree",
    "two_stream",
    "block_two_stream",
    "block_diffusion",
    "crown",
    "butterfly",
)


def names() -> tuple[str, ...]:
    """The names, simplest masks first."""
    return _NAMES


def get(name: str) -> NamedMask:
    """The mask of that name.

    >>> get("causal").doc
    'A query reads itself and all earlier tokens.'

    Raises :class:`ParameterError`, with the nearest names, if there is none.
    """
    if name not in _NAMES:
        near = difflib.get_close_matches(name, _NAMES, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(_NAMES)}"
        raise ParameterError(f"there is no mask named {name!r}; {hint}", name=name)
    mask: NamedMask = import_module(f"attnproof.symbolic.named.{name}").MASK
    return mask
