"""Masks that break their promise at some length: each is one mistake away from a correct one."""

from attnproof.numeric.studies.length_masks import (
    Case,
    block,
    clean,
    keys,
    named,
    noisy_sees_own,
    past,
    prefix,
    rank,
    same,
)
from attnproof.symbolic.formula import at, holds, k, n, q, variable
from attnproof.symbolic.lengths.problem import Problem
from attnproof.symbolic.lengths.properties import causal, documents, forbid, next_token, transitive

_q, _k = clean(q), clean(k)
_diffusion = (
    ((_q // block).eq(_k // block) & (q >= n).eq(k >= n))
    | ((q < n) & (k >= n) & (_k // block <= _q // block))
    | ((q >= n) & (k >= n) & (_k // block <= _q // block))
)
_two_stream = (k >= n) & (rank(k) <= rank(q))

FAULTS = (
    Case("off by one", Problem.of((k <= q + 1) & (q - k < 4)), causal, keeps=False),
    Case("off by one, next token", Problem.of((k <= q + 1) & (q - k < 4)), next_token, keeps=False),
    Case(
        "two-sided window taken for causal",
        Problem.of(abs(q - k) <= keys, least={"keys": 1}),
        causal,
        keeps=False,
    ),
    Case(
        "prefix one too long",
        Problem.of(past | (k <= prefix), least={"prefix": 0}, requires=[prefix < n]),
        forbid((k > q) & (k >= prefix)),
        keeps=False,
    ),
    Case(
        "prefix not per document",
        Problem.of(
            (same & past) | (k < prefix), least={"prefix": 1}, assume={"ids": "nondecreasing"}
        ),
        documents("ids"),
        keeps=False,
    ),
    Case(
        "global token shared by documents",
        Problem.of((same & past) | k.eq(0) | q.eq(0), assume={"ids": "nondecreasing"}),
        documents("ids"),
        keeps=False,
    ),
    Case(
        "identifiers that are not contiguous, or causal",
        Problem.of(past | (same & (at("ids", q) >= 0))),
        forbid((k > q) & ~(same & (at("ids", q) >= 0))),
        keeps=False,
    ),
    Case(
        "identifiers as wanted, one step of transitivity",
        Problem.of(past | (same & (at("ids", q) >= 0))),
        transitive,
        keeps=False,
    ),
    Case(
        "a gap that 100 layers close",
        Problem.of(past & (q - k < 4)),
        forbid(q - k >= 300),
        keeps=False,
    ),
    Case(
        "a gap of 400 by 3",
        Problem.of(past & (q - k < 4)),
        forbid((q - k).eq(400)),
        keeps=False,
    ),
    Case(
        "jumps of 128 that reach far",
        Problem.of((q - k).eq(128) | (q - k).eq(1)),
        forbid((q - k).eq(129)),
        keeps=False,
    ),
    Case(
        "noisy block reads its clean copy",
        Problem.of(_diffusion, size=2 * n, least={"block": 1}),
        forbid(noisy_sees_own),
        keeps=False,
    ),
    Case(
        "query stream reads itself",
        Problem.of(_two_stream, size=2 * n, shapes={"rank": (n,)}, assume={"rank": "permutation"}),
        forbid((q < n) & (k >= n) & (rank(k) >= rank(q))),
        keeps=False,
    ),
    Case(
        "look-ahead",
        Problem.of(named("look_ahead"), least={"right": 0}),
        causal,
        keeps=False,
    ),
    Case(
        "neighbourhood taken for causal",
        Problem.of(
            named("neighborhood"), least={"radius": 0}, requires=[n >= 2 * variable("radius") + 1]
        ),
        causal,
        keeps=False,
    ),
    Case(
        "padding on the wrong side",
        Problem.of(past | ~holds("real", q)),
        causal,
        keeps=False,
    ),
    Case(
        "last layer looks ahead",
        Problem.of([past & (q - k < 4), (k <= q + 1) & (q % 4).eq(0)]),
        causal,
        keeps=False,
    ),
    Case(
        "one head of four looks ahead",
        Problem.of(k <= q + variable("h") // 3, heads=4),
        causal,
        keeps=False,
    ),
    Case("superset of bits", Problem.of((q & k).eq(q)), causal, keeps=False),
)
