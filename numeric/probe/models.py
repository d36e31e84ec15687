"""Models of a library by name: small, with random weights; nothing is downloaded."""

import difflib
from typing import TYPE_CHECKING, Any

from attnproof.numeric.probe.recipes import MODELS
from attnproof.symbolic.errors import MissingExtra, ParameterError

if TYPE_CHECKING:
    from torch import nn


def check_name(name: str) -> None:
    """Raise :class:`ParameterError`, with the nearest names, if there is no model of this name."""
    if name in MODELS:
        return
    near = difflib.get_close_matches(name, MODELS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(MODELS)};"
    raise ParameterError(
        f"there is no model named {name!r}; {hint} or name an object, as in pkg.mod:make_model "
        "or path/file.py:make_model",
        name=name,
    )


def make(name: str, seed: int = 0) -> "nn.Module":
    """A model by name with random weights, in evaluation mode.

    Raises :class:`ParameterError` if there is none of this name, :class:`MissingExtra` without
    torch and transformers.
    """
    check_name(name)
    recipe = MODELS[name]
    torch, transformers = _libraries()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = getattr(transformers, recipe.config)(**recipe.settings)
        model: nn.Module = getattr(transformers, recipe.model)(config)
    return model.eval()


def _libraries() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtra("a model by name", "hf") from None
    return torch, transformers
