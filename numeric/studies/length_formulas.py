"""Random masks: formulas that no mask of practice has, to test what is said of every length."""

from random import Random

from attnproof.symbolic.formula import Term, at, constant, ite, k, maximum, minimum, n, q, variable
from attnproof.symbolic.lengths.problem import Problem

_LAWS: tuple[tuple[str, ...], ...] = ((), ("nondecreasing",), ("injective",), ("contiguous",))


def random_problem(seed: int, place: int) -> Problem:
    """A mask of up to four comparisons, with a parameter or a tensor at times.

    >>> random_problem(0, 3)
    for every n, w >= 1: k <= q and k < w
    """
    random = Random(f"{seed} {place}")
    tensor = random.random() < 0.25
    mask = _formula(random, random.randint(1, 2), tensor)
    if random.random() < 0.5:
        mask = (k <= q) & mask
    text = repr(mask)
    return Problem.of(
        mask,
        least={"w": 1} if "w" in text else {},
        assume={"ids": random.choice(_LAWS)} if "ids" in text else {},
        residual=random.random() < 0.8,
    )


def _formula(random: Random, depth: int, tensor: bool) -> Term:
    if depth == 0:
        return _comparison(random, tensor)
    left, right = (_formula(random, depth - 1, tensor) for _ in range(2))
    kind = random.random()
    if kind < 0.45:
        return left & right
    if kind < 0.9:
        return left | right
    return ~left & right


def _comparison(random: Random, tensor: bool) -> Term:
    c = constant(random.choice((1, 2, 3, 4, 5)))
    w = variable("w")
    atoms = [
        k <= q,
        k <= q + c,
        q - k <= c,
        abs(q - k) <= c,
        k < c,
        q >= c,
        q - k <= w,
        k < w,
        (q // c).eq(k // c),
        k // c <= q // c,
        (q % c).eq(k % c),
        ((q - k) % c).eq(0),
        k.eq(n - 1),
        k <= minimum(q + c, n - c),
        k >= maximum(q - c, 0),
        q.ne(k),
        ite(q < c, k < c, k >= c),
    ]
    if tensor and random.random() < 0.5:
        i, j = at("ids", q), at("ids", k)
        return random.choice((i.eq(j), j <= i, i > 0))
    return random.choice(atoms)
