"""The masks that are measured at a million positions, as runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from attnproof.symbolic.masks.forms import as_runs
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.named.registry import get

N = 1 << 20


@dataclass(frozen=True)
class Long:
    """A named mask; ``streams`` copies of its tokens make its positions."""

    name: str
    mask: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    streams: int = 1

    def runs(self, n: int) -> Runs:
        """Its rows on ``n`` positions."""
        parameters = {name: _value(given, n) for name, given in self.parameters.items()}
        return as_runs(get(self.mask).mask(n // self.streams, **parameters).rows)


def _value(given: object, n: int) -> object:
    return given(n) if callable(given) else given


def documents(n: int, mean: int = 512) -> list[int]:
    """Lengths of documents, ``mean`` tokens on average."""
    cuts = np.random.default_rng(0).choice(np.arange(1, n), max(1, n // mean) - 1, replace=False)
    ends = [0, *np.sort(cuts).tolist(), n]
    return [stop - start for start, stop in pairwise(ends)]


CAUSAL = Long("causal", "causal")
WINDOW = Long("slide128", "window", {"keys": 128})
SINKS = Long("sink4+slide128", "sink_window", {"keys": 128, "sinks": 4})
DOCUMENT = Long("document", "documents", {"lengths": documents})
PREFIX = Long("prefix n/4", "prefix_lm", {"prefix": lambda n: n // 4})
BLOCKS = Long("blockdiff32", "block_diffusion", {"block": 32}, streams=2)
