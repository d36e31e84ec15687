"""Separating helpers: each token from all others, with as few helpers as possible.

Tokens get different codes, subsets of ``h`` helpers of half their number; helper ``t`` is given the
tokens whose code holds ``t``, and the query of a token reads the helpers that its code lacks. No
code contains another, so these hold all tokens but its own. ``h`` is least with ``C(h, h // 2) >=
n``; fewer do not suffice for queries without input (Sperner).
"""

from itertools import combinations, count, islice
from math import comb

from attnproof.symbolic.families.family import (
    Builder,
    ClosedForm,
    Family,
    check_size,
    first,
    query,
    task,
)
from attnproof.symbolic.formula import at, k, q, variable
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import Parameter
from attnproof.symbolic.tasks.task import Position

helpers = variable("helpers")
itself = k.eq(q)
query_reads_helper = (q >= helpers) & (k < helpers)
lacks = ((at("code", q) // at("bit", k)) % 2).eq(0)


def helper_count(n: int) -> int:
    """How many helpers ``n`` tokens need.

    >>> [helper_count(n) for n in (1, 2, 3, 6, 7, 1024)]
    [0, 2, 3, 4, 5, 13]
    """
    return next(h for h in count() if comb(h, h // 2) >= n)


def make(n: int) -> Family:
    check_size("separating", n * (helper_count(n) + 1))
    h = helper_count(n)
    codes = list(islice(combinations(range(h), h // 2), n))
    given = [tuple(f"x{i}" for i, code in enumerate(codes, 1) if t in code) for t in range(h)]
    tasks, places = [], []
    for i, code in enumerate(codes, 1):
        read = [t for t in range(h) if t not in code]
        positions = [Position(given[t], t + 1, "helper") for t in read]
        rows = [1 << p for p in range(len(read))]
        tasks.append(
            task(f"x{i}", n, [*positions, query(i)], {len(read): i}, [*rows, first(len(read) + 1)])
        )
        places.append((*read, h + i - 1))
    values = {
        "helpers": h,
        "code": (*[0] * h, *(sum(1 << t for t in code) for code in codes)),
        "bit": (*(1 << t for t in range(h)), *[1] * n),
    }
    closed = ClosedForm(
        "separating",
        itself | (query_reads_helper & lacks),
        values,
        tuple(places),
        "A query reads the helpers that the code of its token lacks.",
        {"query_reads_helper": query_reads_helper, "lacks": lacks},
    )
    return Family("separating", tuple(tasks), closed)


BUILDER = Builder(
    name="separating",
    doc="Each token is predicted from all others, through helpers that hold many tokens.",
    source="ours, after Sperner 1928 and Spencer 1970",
    parameters=(Parameter("n", "how many tokens", at_least(1)),),
    make=make,
)
