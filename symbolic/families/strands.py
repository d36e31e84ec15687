"""The merged tasks of the builders, class by class.

Classes are counted from 1, as tokens are. A chain's first class covers nothing, so it stands as a
strand of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from sympy import Expr, Integer, Sum, Symbol, factorial, floor

from attnproof.symbolic.families.counts import Strand, Strands

_ONE, _NONE = Integer(1), Integer(0)


def _natural(name: str) -> Expr:
    return Symbol(name, integer=True, positive=True)


n, m, b, v, h = map(_natural, "nmbvh")
i, r = Symbol("i", integer=True), Symbol("r", integer=True, nonnegative=True)


def _chain(name: str, last: Expr, reads: Expr, size: Expr = _ONE) -> tuple[Strand, ...]:
    """Classes 1 to ``last``, each covering the one before."""
    start = reads.subs(i, 1)
    return (
        Strand(f"{name}, first", _ONE, _ONE, start, _NONE, _ONE, size),
        Strand(name, Integer(2), last, reads, _ONE, i, size),
    )


def autoregressive() -> Strands:
    """Prefixes 1 to n - 1 in a chain."""
    first, rest = _chain("prefix", n - 1, i)
    return Strands("autoregressive", i, (replace(first, widest=True), rest), {n: 2})


def bidirectional_prefix() -> Strands:
    """One class of each size below n, apart from each other."""
    prefix = Strand("prefix", _ONE, n - 1, i, _NONE, _ONE, size=i, widest=True)
    return Strands("bidirectional_prefix", i, (prefix,), {n: 2})


def permutation(order: str) -> Strands:
    """One order: a chain of n - 1 contents, and the query of each place on the content before it.

    All orders: a content for each sequence of i tokens, a query for each that goes on by one. Each
    content has a query of its own above it, so that the queries are a widest antichain. There are
    n!/0! + ... + n!/(n-1)! = floor(e n!) - 1 sequences that are not empty.
    """
    if order == "one":
        query = Strand("query, first", _ONE, _ONE, _ONE, _NONE, _ONE, widest=True)
        queries = Strand("query", Integer(2), n, i, _ONE, i, widest=True)
        return Strands("permutation", i, (*_chain("content", n - 1, i), query, queries), {n: 2})
    prefixes, going_on = factorial(n) / factorial(n - i), factorial(n) / factorial(n - 1 - i)
    strands = (
        Strand("content, first", _ONE, _ONE, i, _NONE, i, times=prefixes),
        Strand("content", Integer(2), n - 1, i, _ONE, i, times=prefixes),
        Strand("query, first", _NONE, _NONE, _ONE, _NONE, _ONE, times=going_on, widest=True),
        Strand("query", _ONE, n - 1, i + 1, _ONE, i + 1, times=going_on, widest=True),
    )
    full = factorial(n)
    some = Sum(full / factorial(i), (i, 0, n - 1))
    sums = {
        "positions": 2 * some - full,
        "classes": 2 * some - full,
        "covers": 2 * some - full - 2 * n,
        "width": some,
        "edges": 2 * (n - 1) * some + 2 * n - n * full,
    }
    return Strands("permutation", i, strands, {n: 2}, sums)


def block(clean: str) -> Strands:
    """Clean blocks before the last, or their tokens, in a chain; each block of masks reads the
    clean blocks before its own. Masks are the antichain; the chain goes with those of the last."""
    if clean == "block":
        stream = _chain("clean block", m - 1, i * b, size=b)
    else:
        stream = _chain("clean token", (m - 1) * b, i)
    level = i if clean == "block" else (i - 1) * b + 1
    masks = (
        Strand("masks, first", _ONE, _ONE, b, _NONE, _ONE, b, widest=True),
        Strand("masks", Integer(2), m, i * b, _ONE, level, b, widest=True),
    )
    return Strands("block", i, (*stream, *masks), {m: 2, b: 1})


def butterfly() -> Strands:
    """Two chains of n - 1; a centre covers the ends of what it reads of each, at the borders of
    one. The centres are the antichain; one chain goes with the first of them, one with the last."""
    half, both, far = floor(n / 2), Integer(2), n + 1 - i
    centres = (
        Strand("centre, first", _ONE, _ONE, n, _ONE, n, widest=True),
        Strand("centre, left", Integer(2), half, n, both, far, widest=True, falls=True),
        Strand("centre, right", half + 1, n - 1, n, both, i, widest=True),
        Strand("centre, last", n, n, n, _ONE, n, widest=True),
    )
    chains = (*_chain("forward", n - 1, i), *_chain("backward", n - 1, i))
    return Strands("butterfly", i, (*chains, *centres), {n: 2})


def comb() -> Strands:
    """A class for each residue modulo 2r + 1; n is so many full rounds, and ``more`` tokens."""
    step = 2 * r + 1
    rounds = floor(n / step)
    more = n - step * rounds
    longer, shorter = rounds + 1, rounds
    strands = (
        Strand("longer", _ONE, more, longer, _NONE, _ONE, longer, widest=True),
        Strand("shorter", more + 1, step, shorter, _NONE, _ONE, shorter, widest=True),
    )
    return Strands("comb", i, strands, {r: 0, n: step})


def separating() -> Strands:
    """Each of n queries reads, of h helpers, the upper half of them that its code lacks.

    The queries are a widest antichain: the helpers have queries of their own above them. By Hall's
    theorem, since the queries that read none of s given helpers have codes that hold all s, and of
    the h - 1 that do not serve n tokens, C(h-1, h//2-1) >= C(h-s, h//2-s) + s - 1 by Pascal's rule.
    """
    read = h - floor(h / 2)
    strands = (
        Strand("helper", _ONE, h, _ONE, _NONE, _ONE),
        Strand("query", _ONE, n, read + 1, read, Integer(2), widest=True),
    )
    return Strands("separating", i, strands, {n: 2, h: 2})


def crown() -> Strands:
    """Each query reads all tokens but its own, so that it has a token of its own below it."""
    strands = (
        Strand("token", _ONE, n, _ONE, _NONE, _ONE),
        Strand("query", _ONE, n, n, n - 1, Integer(2), widest=True),
    )
    return Strands("crown", i, strands, {n: 2})


def masked_autoencoder(masked: str) -> Strands:
    """One class of v visible tokens below the others, which are one class or n - v of them."""
    visible = Strand("visible", _ONE, _ONE, v, _NONE, _ONE, size=v)
    if masked == "clique":
        rest = Strand("masked", _ONE, _ONE, n, _ONE, Integer(2), size=n - v, widest=True)
    else:
        rest = Strand("masked", _ONE, n - v, v + 1, _ONE, Integer(2), widest=True)
    return Strands("masked_autoencoder", i, (visible, rest), {v: 1, n: v + 1})


def mae_ladder() -> Strands:
    """Steps of b tokens in a chain, and on each step the tokens that are still hidden."""
    hidden = Strand("masked", _ONE, m, n, _ONE, i + 1, size=n - i * b, widest=True)
    steps = _chain("step", m, i * b, size=b)
    return Strands("mae_ladder", i, (*steps, hidden), {m: 1, b: 1, n: m * b + 1})


#: Name of the builder to its description, and the variants that this takes, the default first.
DESCRIPTIONS: Mapping[str, tuple[Callable[..., Strands], Mapping[str, tuple[str, ...]]]] = {
    "autoregressive": (autoregressive, {}),
    "bidirectional_prefix": (bidirectional_prefix, {}),
    "permutation": (permutation, {"order": ("one", "all")}),
    "block": (block, {"clean": ("block", "token")}),
    "butterfly": (butterfly, {}),
    "comb": (comb, {}),
    "separating": (separating, {}),
    "crown": (crown, {}),
    "masked_autoencoder": (masked_autoencoder, {"masked": ("clique", "cross")}),
    "mae_ladder": (mae_ladder, {}),
}
