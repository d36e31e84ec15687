"""The targets: a case each, with the figure of Python alone and that of the compiled kernels."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.order.closure import closure, first_intransitive
from attnproof.symbolic.order.depth import depth
from tests.benchmarks import kernels, masks, processes
from tests.benchmarks.comparison import everything
from tests.benchmarks.figures import Figure
from tests.benchmarks.masks import Dense
from tests.benchmarks.peers import PEERS
from tests.benchmarks.timing import seconds


@dataclass(frozen=True)
class Target:
    """``fast`` is None where the kernels have nothing to add."""

    name: str
    case: str
    plain: Figure
    fast: Figure | None = None


def targets() -> Iterator[Target]:
    """Every target in turn."""
    if kernels.INSTALLED:
        kernels.warm()
    yield from _causal_1024()
    yield _random_order_4096()
    yield from _dense_4096()
    yield _causal_16384()
    yield from _packed_65536()
    yield from _depth_4096()
    yield from _rejection()


def _peer(module: str, mask: Dense) -> float | None:
    """Seconds of a peer on a lower triangular mask."""
    peer = next(peer for peer in PEERS if peer.module == module)
    if not peer.installed:
        return None
    graph = peer.build(mask)
    return seconds(lambda: peer.run(graph, masks.CASES[0]), repeats=3)


def _kernel(function: Callable[[], object]) -> float | None:
    return seconds(function) if kernels.INSTALLED else None


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or below is None else above / below


def _causal_1024() -> Iterator[Target]:
    mask = masks.causal(1024)
    ours = seconds(lambda: everything(Bits.from_dense(mask).sets))
    fast = _kernel(lambda: kernels.closed(kernels.packed(mask)))
    for module, what, bound in (
        ("rustworkx", "transitive_reduction", 500),
        ("torch", "float32 squaring", 20),
    ):
        theirs = _peer(module, mask)
        yield Target(
            "T1",
            f"causal 1024 from dense, against {module} {what}",
            Figure(_ratio(theirs, ours), bound, "x", at_least=True),
            Figure(_ratio(theirs, fast), bound, "x", at_least=True),
        )


def _random_order_4096() -> Target:
    mask = masks.random_order(4096)
    rows, packed = Bits.from_dense(mask).sets, kernels.packed(mask)
    theirs = _peer("rustworkx", mask)
    return Target(
        "T2",
        "rdag .01 4096, rows given, against rustworkx transitive_reduction",
        Figure(_ratio(theirs, seconds(lambda: everything(rows))), 100, "x", at_least=True),
        Figure(_ratio(theirs, _kernel(lambda: kernels.closed(packed))), 1000, "x", at_least=True),
    )


def _dense_4096() -> Iterator[Target]:
    mask = masks.causal(4096)
    ours = seconds(lambda: first_intransitive(Bits.from_dense(mask).sets))
    pack = seconds(lambda: kernels.packed(mask))
    fast = _kernel(lambda: kernels.transitive(kernels.packed(mask)))
    yield Target(
        "T3",
        "causal 4096 from dense: transitive? (fast: over np.packbits)",
        Figure(ours, 0.012),
        Figure(_ratio(fast, pack), 2, "x"),
    )
    product = None
    if next(peer for peer in PEERS if peer.module == "torch").installed:
        import torch

        torch.set_num_threads(1)
        matrix = torch.from_numpy(mask).float()
        product = seconds(lambda: matrix @ matrix, repeats=3)
    case = "the same, against one float32 product"
    yield Target("T3", case, Figure(_ratio(product, ours), 150, "x", at_least=True))


def _causal_16384() -> Target:
    mask = masks.causal(16384)
    rows, packed = Bits.from_dense(mask).sets, kernels.packed(mask)
    pack = seconds(lambda: np.packbits(mask, axis=1, bitorder="little"))
    read = seconds(lambda: np.bitwise_or.reduce(packed, axis=None)) / packed.nbytes
    limit = read * 3 * 16384**2 / 16
    ours = seconds(lambda: closure(rows))
    fast = _kernel(lambda: kernels.closed(packed))
    return Target(
        "T4",
        "causal 16384, rows given, over np.packbits (fast: over reading 3 n²/16 bytes)",
        Figure(ours / pack, 1.5, "x"),
        Figure(_ratio(fast, limit), 15, "x"),
    )


def _packed_65536() -> Iterator[Target]:
    command = (sys.executable, "-m", "tests.benchmarks.large")
    alone = processes.run(command)
    found = json.loads(processes.run((*command, "--kernel")).output)
    least = min(found["seconds"], json.loads(alone.output)["seconds"])
    yield Target("T5", "causal 65536, packed", Figure(least, 1.2), Figure(found["kernel"], 0.2))
    most = 2 * 65536**2 / 8
    yield Target("T5", "the same: peak memory", Figure(alone.peak / 1e6, most / 1e6, "MB"))


def _depth_4096() -> Iterator[Target]:
    for case, mask, bound in (
        ("slide128 4096: depth", masks.window(4096), 0.8),
        ("sink and window 128, 4096: depth", masks.sink_window(4096), 0.8),
        ("causal 4096: depth", masks.causal(4096), 0.001),
    ):
        rows = Bits.from_dense(mask).sets
        limit = closure(rows).rows
        ours = seconds(lambda r=rows, e=limit: depth([r], e))  # type: ignore[misc]
        yield Target("T8", case, Figure(ours, bound))


def _rejection() -> Iterator[Target]:
    for n in (4096, 16384):
        rows = Bits.from_dense(masks.window(n)).sets
        ours = seconds(lambda r=rows: first_intransitive(r), repeats=200)  # type: ignore[misc]
        yield Target("T9", f"slide128 {n}: first intransitive triple", Figure(ours, 50e-6))
