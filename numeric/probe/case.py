"""A case: one way to run a model, with the bound that it must stay within."""

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attnproof.numeric.probe.bounds import Bound, Stack
from attnproof.symbolic.errors import InputError

#: Modules that compile; FlexAttention loads the compiler where it is first called.
_COMPILE = ("torch._dynamo", "torch.nn.attention.flex_attention")
#: A warning of transformers, for which it reads the tokens.
_WARNS = "warn_if_padding_and_no_attention_mask"


class NotRun(Exception):
    """A scenario that a model does not support; the text says why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One way to run a model.

    ``run(**arguments)`` returns the outputs, with rows on ``axis``. ``positions`` gives the axis of
    positions of an input, or the position of each element; inputs are numbered one after the other.
    ``constants`` are arguments that belong to the claim. ``backend`` is the attention kernel, None
    the one that is set. ``unit`` is what a row is.
    """

    name: str
    model: nn.Module
    run: Callable[..., Any]
    arguments: Mapping[str, Any]
    positions: Mapping[str, int | Tensor]
    bound: Bound
    stack: Stack
    constants: tuple[str, ...] = ()
    axis: int = 1
    backend: str | None = None
    unit: str = "position"

    def numbers(self) -> dict[str, Tensor]:
        """The position of each element of the inputs that are varied."""
        found: dict[str, Tensor] = {}
        start = 0
        for name, where in self.positions.items():
            tensor: Tensor = self.arguments[name]
            if isinstance(where, Tensor):
                found[name] = where
                continue
            shape = [1] * tensor.dim()
            shape[where] = -1
            own = torch.arange(start, start + tensor.shape[where]).reshape(shape)
            found[name] = own.expand(tensor.shape)
            start += tensor.shape[where]
        return found

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Evaluation mode, no gradients, the backend of the case; all is restored."""
        training = [(module, module.training) for module in self.model.modules()]
        with (
            torch.no_grad(),
            torch.random.fork_rng(devices=[]),
            self._backend(),
            self._quiet(),
        ):
            try:
                for module, _ in training:
                    module.training = False
                yield
            finally:
                for module, was in training:
                    module.training = was

    @contextlib.contextmanager
    def _backend(self) -> Iterator[None]:
        if self.backend is None:
            yield
            return
        model: Any = self.model
        before = model.config._attn_implementation
        try:
            try:
                model.set_attn_implementation(self.backend)
            except (ValueError, ImportError) as error:
                raise InputError(f"{self.backend} attention: {error}") from None
            yield
        finally:
            model.set_attn_implementation(before)

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """Nothing is compiled, and the warning for which transformers reads tokens is left out."""
        compiles = self.backend == "flex_attention" or any(map(sys.modules.__contains__, _COMPILE))
        stance = torch.compiler.set_stance("force_eager") if compiles else contextlib.nullcontext()
        asked = [each for each in self.model.modules() if hasattr(each, _WARNS)]
        try:
            for each in asked:
                object.__setattr__(each, _WARNS, _nothing)
            with warnings.catch_warnings(), stance:
                warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
                yield
        finally:
            for each in asked:
                object.__delattr__(each, _WARNS)


def _nothing(*args: object, **kwargs: object) -> None:
    pass
