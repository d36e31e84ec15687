"""Autoregressive prediction: task ``k`` reads the tokens 1 to ``k`` causally and predicts the next.

Merged, the tasks are one chain of ``n - 1`` prefixes: the causal mask. That prefixes are shared is
derived; that each task is causal is given.
"""

from attnproof.symbolic.families.family import Builder, Family, check_size, named, task, token
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import Parameter


def make(n: int) -> Family:
    check_size("autoregressive", n * n // 2)
    tasks = [
        task(f"x{k + 1}", n, [token(i) for i in range(1, k + 1)], {k - 1: k + 1}, "causal")
        for k in range(1, n)
    ]
    return Family("autoregressive", tuple(tasks), named("causal", map(range, range(1, n)), n - 1))


BUILDER = Builder(
    name="autoregressive",
    doc="Each token after the first is predicted from those before it.",
    source="arXiv:2606.09951 (family ours)",
    parameters=(Parameter("n", "how many tokens", at_least(2)),),
    make=make,
)
