"""Models as subjects of a probe: those of the user, and those of a library by name.

A model by name is small, with random weights; nothing is downloaded.
"""

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attnproof.numeric.probe.promised import Promise, promise_of
from attnproof.numeric.probe.recipes import MODELS
from attnproof.symbolic.errors import InputError, MissingExtra, ParameterError

if TYPE_CHECKING:
    from torch import nn

    from attnproof.numeric.probe.subject import Subject


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


def subject_of(
    model: "nn.Module",
    promise: Promise | None = None,
    *,
    n: int = 12,
    width: int | None = None,
    seed: int = 0,
    name: str = "",
) -> "Subject":
    """A model as the subject of a probe; without a promise, that of its configuration.

    Raises :class:`ParameterError` for a module that neither says what it promises nor is told.
    """
    from attnproof.numeric.probe.subject import Subject

    called = name or type(model).__name__
    config = getattr(model, "config", None)
    if n < 1:
        raise ParameterError(f"n is {n}; give 1 position or more", n=n)
    if width is not None and width < 1:
        raise ParameterError(f"the width is {width}; give 1 or more", width=width)
    if promise is None:
        if config is None or not hasattr(config, "model_type"):
            raise ParameterError(
                f"{called} has no configuration that says what it reads; say what it must stay "
                "within: --causal, or --mask SOURCE (causal=True, or mask=..., in Python)"
            )
        promise = promise_of(config)
        if promise.causal and not promise.encoder:
            promise = replace(promise, packed=_reads_positions(model))
    for label, parameter in model.named_parameters():
        if parameter.is_floating_point() and not parameter.isfinite().all():
            raise InputError(
                f"{called} has numbers that are not finite in {label}; a probe compares outputs, "
                "give it finite weights",
                parameter=label,
            )
    return Subject(model, promise, n, width, seed, called)


def _reads_positions(model: "nn.Module") -> bool:
    """Whether every layer has a mask that transformers makes, with documents from position ids."""
    import inspect
    import sys

    try:
        source = inspect.getsource(sys.modules[type(model).__module__])
    except (OSError, KeyError):
        return False
    made = "create_causal_mask" in source and "position_ids" in source
    return made and "create_recurrent_attention_mask" not in source


def _libraries() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtra("a model by name", "hf") from None
    return torch, transformers
