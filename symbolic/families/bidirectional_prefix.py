"""Next tokens from prefixes that are read both ways: nothing can be shared.

A prefix of ``k`` tokens is one class of ``k`` positions, and no two are equivalent: merged, the
tasks stand side by side, ``n (n - 1) / 2`` positions in ``n - 1`` classes.
"""

from attnproof.symbolic.families.family import Builder, ClosedForm, Family, check_size, task, token
from attnproof.symbolic.formula import at, k, q
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import Parameter

same_prefix = at("prefix", k).eq(at("prefix", q))


def make(n: int) -> Family:
    check_size("bidirectional_prefix", n * n // 2)
    tasks = [
        task(
            f"x{size + 1}", n, [token(i) for i in range(1, size + 1)], {size - 1: size + 1}, "full"
        )
        for size in range(1, n)
    ]
    closed = ClosedForm(
        "bidirectional_prefix",
        same_prefix,
        {"prefix": tuple(size for size in range(1, n) for _ in range(size))},
        tuple(tuple(range(s * (s - 1) // 2, s * (s + 1) // 2)) for s in range(1, n)),
        "A query reads the tokens of its own prefix.",
    )
    return Family("bidirectional_prefix", tuple(tasks), closed)


BUILDER = Builder(
    name="bidirectional_prefix",
    doc="Each token after the first is predicted from those before it, read both ways.",
    source="ours",
    parameters=(Parameter("n", "how many tokens", at_least(2)),),
    make=make,
)
