"""The subject of a probe: a model, what it promises, and how it is called.

A module of your own is called as ``model(x)`` with token ids ``(b, n)``, or with vectors
``(b, n, d)`` when a width is given, and returns a tensor ``(b, n, ...)``. Further arguments are
given where its ``forward`` has one of that name: ``attention_mask`` (b, n), 1 for live and 0 for
padding; ``position_ids`` (b, n), which start again with each document; ``past_key_values`` and
``use_cache``, with which it returns a mapping, or an object, that has ``past_key_values`` too.
"""

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnproof.numeric.probe.bounds import NO_STACK, Stack
from attnproof.numeric.probe.operators import tensors
from attnproof.numeric.probe.promised import Promise, promise_of
from attnproof.symbolic.errors import InputError, ParameterError, ShapeError

#: What the cache is called, as an argument and in the result.
CACHES = ("past_key_values", "cache_params", "cache")
_SPECIAL = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id")


@dataclass(frozen=True, slots=True)
class Subject:
    """A model under a probe; ``n`` is the number of positions, ``width`` that of vectors."""

    model: nn.Module
    promise: Promise
    n: int = 12
    width: int | None = None
    seed: int = 0
    name: str = "model"

    @property
    def hugging_face(self) -> bool:
        """Whether the model is one of transformers."""
        return hasattr(self.model, "config") and hasattr(self.model, "set_attn_implementation")

    @property
    def config(self) -> Any:
        """The configuration of a model of transformers, or None."""
        return getattr(self.model, "config", None)

    @property
    def chunk(self) -> int | None:
        """How many tokens are computed together, if the model cuts its input so."""
        config = self.config if self.hugging_face else None
        for name in ("chunk_size", "mamba_chunk_size", "block_size"):
            size = getattr(config, name, None)
            if isinstance(size, int) and size > 1:
                return size
        return self.promise.chunk

    @property
    def input(self) -> str:
        """The name of the argument with the tokens."""
        if self.hugging_face:
            return "input_ids"
        return next(iter(inspect.signature(self.model.forward).parameters), "input")

    @property
    def cache(self) -> str | None:
        """What the model calls its cache, if it takes one."""
        return next((name for name in CACHES if self.takes(name)), None)

    def takes(self, name: str) -> bool:
        """Whether ``forward`` has an argument of this name."""
        return name in inspect.signature(self.model.forward).parameters

    def tokens(self, n: int, batch: int = 1, place: int = 0) -> Tensor:
        """Inputs ``(batch, n)`` of tokens that mean nothing special, or vectors; ``place`` tells
        one input of a model from another."""
        made = torch.Generator().manual_seed(self.seed + place)
        if self.width is not None:
            kind = next((p.dtype for p in self.model.parameters()), torch.float32)
            return torch.randn((batch, n, self.width), generator=made, dtype=torch.float64).to(kind)
        vocabulary = self.vocabulary()
        return vocabulary[torch.randint(len(vocabulary), (batch, n), generator=made)]

    def vocabulary(self) -> Tensor:
        """The tokens that mean nothing special."""
        config = self.config.get_text_config() if self.hugging_face else None
        size = getattr(config, "vocab_size", None) or _embedded(self.model)
        if size is None:
            raise ParameterError(
                f"{self.name} has no embedding of tokens; give the width of its input vectors "
                "(--width d, width=d in Python)"
            )
        special = {getattr(config, name, None) for name in _SPECIAL}
        kept = [token for token in range(min(size, 4096)) if token not in special]
        if len(kept) < 2:
            raise InputError(
                f"{self.name} has {len(kept)} tokens to choose from; a probe needs two, one to put "
                "in the place of another"
            )
        return torch.tensor(kept)

    def plain_arguments(self, tokens: Tensor) -> dict[str, Any]:
        """The arguments of a run without a cache."""
        given: dict[str, Any] = {self.input: tokens}
        if self.hugging_face and self.takes("use_cache"):
            given["use_cache"] = False
        return given

    def stack(self) -> Stack:
        """The modules that are the layers."""
        return stack_of(self.model, self.promise)


def _embedded(model: nn.Module) -> int | None:
    found = (each.num_embeddings for each in model.modules() if isinstance(each, nn.Embedding))
    return next(found, None)


def stack_of(model: nn.Module, promise: Promise) -> Stack:
    """The modules that are the layers of a model: a list of modules of the promised length.

    >>> from attnproof.numeric.probe.promised import CAUSAL
    >>> stack_of(nn.Sequential(nn.ReLU(), nn.ReLU()), Promise((CAUSAL, CAUSAL))).layers
    ('0', '1')
    """
    if promise.any_depth:
        return NO_STACK
    if promise.encoder:
        encoder = _listed(model, len(promise.encoder), "encoder")
        return Stack(_listed(model, len(promise.layers), "decoder"), encoder)
    return Stack(_listed(model, len(promise.layers), ""))


def _listed(model: nn.Module, count: int, part: str) -> tuple[str, ...]:
    """The modules of the outermost list of so many, a ModuleList before a Sequential."""
    fitting = [
        (isinstance(module, nn.Sequential), name.count("."), name)
        for name, module in model.named_modules()
        if isinstance(module, (nn.ModuleList, nn.Sequential))
        and len(module) == count
        and (not part or part in name.split("."))
    ]
    if not fitting:
        return ()
    name = min(fitting)[2]
    return tuple(f"{name}.{place}" if name else str(place) for place in range(count))


def first_tensor(output: Any, name: str) -> Tensor:
    """The first tensor of an output."""
    found = tensors(output)
    if not found:
        raise InputError(f"{name} returns no tensor; return one of shape (b, n, ...)")
    return found[0]


def with_rows(output: Any, name: str, rows: int, axis: int) -> Tensor:
    """The first tensor of an output, which must have so many rows on this axis."""
    found = first_tensor(output, name)
    if found.dim() <= axis or found.shape[axis] != rows:
        raise ShapeError(
            f"{name} returns {tuple(found.shape)}; {rows} rows are needed on axis {axis}, one for "
            "each position (b, n, ...)",
            shape=tuple(found.shape),
        )
    return found


def held(output: Any, cache: str) -> Any:
    """The cache that a run returns, or None."""
    if isinstance(output, Mapping):
        return output.get(cache)
    return getattr(output, cache, None)


def subject_of(
    model: nn.Module,
    promise: Promise | None = None,
    *,
    n: int = 12,
    width: int | None = None,
    seed: int = 0,
    name: str = "",
) -> Subject:
    """A model as the subject of a probe; without a promise, that of its configuration.

    Raises :class:`ParameterError` for a module that neither says what it promises nor is told.
    """
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


def _reads_positions(model: nn.Module) -> bool:
    """Whether every layer has a mask that transformers makes, with documents from position ids."""
    try:
        source = inspect.getsource(sys.modules[type(model).__module__])
    except (OSError, KeyError):
        return False
    made = "create_causal_mask" in source and "position_ids" in source
    return made and "create_recurrent_attention_mask" not in source
