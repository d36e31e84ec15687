"""Crown: each token from all others, one by one, by a query that reads them directly (T-TA)."""

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
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import Parameter


def make(n: int) -> Family:
    check_size("crown", n * n)
    tasks, places = [], []
    for i in range(1, n + 1):
        others = [j for j in range(1, n + 1) if j != i]
        rows = [*(1 << p for p in range(n - 1)), first(n)]
        positions = [*map(token, others), query(i)]
        tasks.append(task(f"x{i}", n, positions, {n - 1: i}, rows))
        places.append([*(j - 1 for j in others), n + i - 1])
    return Family("crown", tuple(tasks), named("crown", places, n))


BUILDER = Builder(
    name="crown",
    doc="Each token is predicted by a query that reads all others.",
    source="Shin et al., T-TA, arXiv:2004.08097 (family ours)",
    parameters=(Parameter("n", "how many tokens", at_least(2)),),
    make=make,
)
