"""Block-wise prediction: all tokens of a block at once, from the clean blocks before it.

Task ``j`` reads the clean tokens of the blocks before ``j``, block by block or token by token, and
one mask position for each token of block ``j``, which read everything and each other. Merged, the
tasks are the block two-stream mask. The last block may be short.
"""

from attnproof.symbolic.families.family import (
    Builder,
    Family,
    check_size,
    first,
    named,
    query,
    task,
    token,
)
from attnproof.symbolic.named.kinds import at_least, choice
from attnproof.symbolic.named.named import Parameter, require
from attnproof.symbolic.tasks.task import Task


def make(m: int | None, b: int, n: int | None, clean: str) -> Family:
    require(
        m is not None or n is not None, "block needs m, the number of blocks, or n, that of tokens"
    )
    n = n or (m or 0) * b
    blocks = -(-n // b)
    check_size("block", blocks * n)
    require(
        m in (None, blocks),
        f"block: {n} tokens are {blocks} blocks of {b}, and m is {m}; make them agree",
        m=m,
    )
    last = (blocks - 1) * b
    tasks, places = [], []
    for start in range(0, n, b):
        stop = min(start + b, n)
        tasks.append(_task(start, stop, n, b if clean == "block" else 1))
        places.append([*range(start), *range(last + start, last + stop)])
    return Family("block", tuple(tasks), named("block_two_stream", places, n, b=b, clean=clean))


def _task(start: int, stop: int, n: int, step: int) -> Task:
    positions = [*map(token, range(1, start + 1)), *map(query, range(start + 1, stop + 1))]
    rows = [first(p // step * step + step) for p in range(start)] + [first(stop)] * (stop - start)
    labels = {p: p + 1 for p in range(start, stop)}
    return task(f"x{start + 1}..x{stop}", n, positions, labels, rows)


BUILDER = Builder(
    name="block",
    doc="The tokens of a block are predicted together, from the blocks before it.",
    source="arXiv:2606.09951 (layout ours)",
    parameters=(
        Parameter("m", "how many blocks; follows from n", at_least(1), None),
        Parameter("b", "how many tokens a block has", at_least(1)),
        Parameter("n", "how many tokens; m * b unless the last block is short", at_least(1), None),
        Parameter("clean", "how clean tokens read each other", choice("block", "token"), "block"),
    ),
    make=make,
)
