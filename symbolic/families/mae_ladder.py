"""Masked autoencoders on growing sets of visible tokens: the encoder is shared.

Task ``j`` sees the first ``j`` increments, encoded block by block, and predicts the rest with
masked positions that read all of it and each other. Merged: the last visible set once, and one
masked position for each task and hidden token.
"""

from itertools import accumulate, pairwise
from operator import add

from attnproof.symbolic.families.family import (
    Builder,
    ClosedForm,
    Family,
    check_size,
    first,
    query,
    task,
    token,
    tokens_said,
)
from attnproof.symbolic.families.masked_autoencoder import SETS, Sets
from attnproof.symbolic.formula import at, holds, k, q
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import Parameter, require

reads_visible = holds("visible", k) & (at("step", k) <= at("step", q))
same_task = at("step", k).eq(at("step", q))
reads_masked = ~holds("visible", k) & ~holds("visible", q) & same_task


def make(n: int, visible: Sets) -> Family:
    check_size("mae_ladder", n * len(visible))
    steps = _increments(n, visible)
    seen = list(accumulate(steps, add))
    hidden = [[i for i in range(1, n + 1) if i not in past] for past in seen]
    order = seen[-1]
    rows_seen = [first(len(past)) for past, step in zip(seen, steps, strict=True) for _ in step]
    tasks, places, offset = [], [], len(order)
    for past, rest in zip(seen, hidden, strict=True):
        positions = [*map(token, past), *map(query, rest)]
        rows = [*rows_seen[: len(past)], *[first(n)] * len(rest)]
        labels = {len(past) + p: i for p, i in enumerate(rest)}
        name = "from " + ",".join(f"x{i}" for i in sorted(past))
        tasks.append(task(name, n, positions, labels, rows))
        places.append((*range(len(past)), *range(offset, offset + len(rest))))
        offset += len(rest)
    encoder = [j for j, step in enumerate(steps) for _ in step]
    decoder = [j for j, rest in enumerate(hidden) for _ in rest]
    closed = ClosedForm(
        "mae_ladder",
        reads_visible | reads_masked,
        {
            "step": (*encoder, *decoder),
            "visible": (*[True] * len(encoder), *[False] * len(decoder)),
        },
        tuple(places),
        "All read the visible tokens so far; masked ones read those of their own task.",
        {"reads_visible": reads_visible, "same_task": same_task, "reads_masked": reads_masked},
    )
    return Family("mae_ladder", tuple(tasks), closed)


def _increments(n: int, visible: Sets) -> list[tuple[int, ...]]:
    """What each step adds, from the steps or from the growing sets themselves.

    >>> _increments(6, ((1, 4), (2,))), _increments(6, ((1, 4), (1, 2, 4)))
    ([(1, 4), (2,)], [(1, 4), (2,)])
    """
    name = "mae_ladder: visible"
    shift = 1 if any(0 in one for one in visible) else 0
    sets = [tokens_said(name, [i + shift for i in one], n) for one in visible]
    if sum(map(len, sets)) == len(set().union(*sets)):
        steps = sets
    else:
        steps = [sets[0]]
        for before, after in pairwise(sets):
            steps.append(tuple(i for i in after if i not in before))
            require(
                set(before) < set(after),
                f"{name} holds {list(after)} after {list(before)}; give disjoint steps, or sets "
                "each of which contains the one before and more",
                visible=visible,
            )
    require(all(steps), f"{name} holds an empty step; let each step add a token", visible=visible)
    return steps


BUILDER = Builder(
    name="mae_ladder",
    doc="The hidden tokens are predicted from growing sets of visible ones.",
    source="ours",
    parameters=(
        Parameter("n", "how many tokens", at_least(1)),
        Parameter("visible", "what each step adds, or the growing sets", SETS),
    ),
    make=make,
)
