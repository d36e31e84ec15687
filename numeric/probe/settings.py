"""The settings under which a model runs on simple operators; all are restored afterwards."""

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


@contextlib.contextmanager
def simple_operators(modules: Iterable[nn.Module]) -> Iterator[None]:
    """Evaluation mode without gradients, fused attention, oneDNN, fast paths or compilation.

    Every run draws the same random numbers.
    """
    training = [(module, module.training) for module in modules]
    fast = torch.backends.mha.get_fastpath_enabled()
    onednn = torch._C._get_mkldnn_enabled()
    with (
        torch.random.fork_rng(devices=[]),
        torch.no_grad(),
        sdpa_kernel(SDPBackend.MATH),
        _uncompiled(),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        try:
            torch.manual_seed(0)
            torch._C._set_mkldnn_enabled(False)
            torch.backends.mha.set_fastpath_enabled(False)
            for module, _ in training:
                module.training = False
            yield
        finally:
            torch._C._set_mkldnn_enabled(onednn)
            torch.backends.mha.set_fastpath_enabled(fast)
            for module, was in training:
                module.training = was


def _uncompiled() -> contextlib.AbstractContextManager[object]:
    """Compiled functions run as they were written, where the compiler has been imported."""
    if "torch._dynamo" not in sys.modules:
        return contextlib.nullcontext()
    stance: contextlib.AbstractContextManager[object] = torch.compiler.set_stance("force_eager")
    return stance
