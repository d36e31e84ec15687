"""Comb: as many positions as tokens, each given its neighbours, each predicting its own token.

Task ``i`` holds the positions of the residue of ``i`` modulo ``2r + 1``; each is given the ``r``
tokens on either side, so that together they know the tokens of all other residues. With ``cyclic``
the last token is next to the first.
"""

from attnproof.symbolic.families.butterfly import neighbours
from attnproof.symbolic.families.family import Builder, Family, check_size, named, task
from attnproof.symbolic.named.kinds import at_least, flag
from attnproof.symbolic.named.named import Parameter, require
from attnproof.symbolic.tasks.task import Position


def make(n: int, r: int, cyclic: bool) -> Family:
    step = 2 * r + 1
    check_size("comb", n * (n // step + 1))
    require(
        not cyclic or n % step == 0,
        f"comb: cyclic, {n} tokens are no multiple of 2r + 1 = {step}, and some token would reach "
        "the position that predicts it; give such an n",
        n=n,
        r=r,
    )
    tasks, places = [], []
    for i in range(1, n + 1):
        own = range((i - 1) % step + 1, n + 1, step)
        positions = [Position(_around(j, n, r, cyclic), j, "ctr") for j in own]
        tasks.append(task(f"x{i}", n, positions, {own.index(i): i}, "full"))
        places.append([j - 1 for j in own])
    return Family("comb", tuple(tasks), named("comb", places, n, radius=r))


def _around(i: int, n: int, r: int, cyclic: bool) -> tuple[str, ...]:
    if not cyclic:
        return neighbours(i, n, r)
    near = (1 + (i - 1 + step) % n for step in range(-r, r + 1) if step)
    return tuple(f"x{j}" for j in dict.fromkeys(near))


BUILDER = Builder(
    name="comb",
    doc="Each token is predicted from the neighbours of the tokens of its residue.",
    source="ours",
    parameters=(
        Parameter("n", "how many tokens", at_least(1)),
        Parameter("r", "how many neighbours are given, each side", at_least(0), 1),
        Parameter("cyclic", "whether the ends are neighbours", flag, False),
    ),
    make=make,
)
