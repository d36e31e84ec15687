"""The population gradients of both matrices at a point of the invariant manifold, exactly.

Embeddings are one-hot; the weights, the attention odds e^β and the probability of the wrong classes
are symbols, so that one comparison of matrices is an identity for all of them.
"""

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sympy import Expr, Matrix, Symbol


class Sizes(NamedTuple):
    """Numbers of classes, of distinct tokens of a class, of common tokens and of queries."""

    classes: int
    distinct: int
    common: int
    queries: int

    @property
    def tokens(self) -> int:
        """K r + M."""
        return self.classes * self.distinct + self.common


class Point(NamedTuple):
    """α, e^β and e, the probability of all wrong classes: three free positive symbols."""

    alpha: "Symbol"
    ratio: "Symbol"
    wrong: "Symbol"


def point() -> Point:
    """The symbols of :class:`Point`, always the same."""
    from sympy import Symbol

    return Point(*(Symbol(name, positive=True) for name in ("alpha", "B", "e")))


def attention(sizes: Sizes) -> "Expr":
    """s = r e^β/(r e^β + M)."""
    read = sizes.distinct * point().ratio
    return read / (read + sizes.common)


def centred(sizes: Sizes) -> "Matrix":
    """U = Σ_k u_k D_kᵀ with u_k = e_k - 1/K: shape (K, K r + M).

    >>> centred(Sizes(2, 1, 1, 1)).tolist()
    [[1/2, -1/2, 0], [-1/2, 1/2, 0]]
    """
    from sympy import Matrix, Rational

    K = sizes.classes
    return Matrix(
        K,
        sizes.tokens,
        lambda j, t: int(j == k) - Rational(1, K) if (k := t // sizes.distinct) < K else 0,
    )


def contrast(sizes: Sizes) -> "Matrix":
    """n, the mean of the distinct tokens less the mean of the common ones, times the mean query:
    n (Q⁻¹ Σ c_j)ᵀ, of shape (K r + M, K r + M)."""
    from sympy import Matrix, Rational

    first = sizes.classes * sizes.distinct
    n = [Rational(1, first)] * first + [-Rational(1, sizes.common)] * sizes.common
    return Matrix(
        sizes.tokens,
        sizes.tokens,
        lambda t, q: n[t] / sizes.queries if first <= q < first + sizes.queries else 0,
    )


def descents(sizes: Sizes, values: "Matrix") -> "tuple[Matrix, Matrix]":
    """-∂L/∂W_OV and -∂L/∂W_QK for score scale 1, where W_OV = ``values`` (K, K r + M), the scores
    are β on distinct and 0 on common tokens, and each wrong class has probability e/(K-1).

    Every class and every query is summed over, token by token. Source: ours.
    """
    from sympy import Matrix, zeros

    _, ratio, wrong = point()
    K, first = sizes.classes, sizes.classes * sizes.distinct
    share = 1 / (sizes.distinct * ratio + sizes.common)
    ov, qk = zeros(K, sizes.tokens), zeros(sizes.tokens, sizes.tokens)
    for k, query in product(range(K), range(first, first + sizes.queries)):
        own = range(k * sizes.distinct, (k + 1) * sizes.distinct)
        read = dict.fromkeys(own, ratio * share)
        read |= dict.fromkeys(range(first, sizes.tokens), share)
        missed = Matrix(K, 1, lambda j, _, k=k: wrong if j == k else -wrong / (K - 1))
        gains = {t: (missed.T * values[:, t])[0] for t in read}
        mean = sum(a * gains[t] for t, a in read.items())
        for t, a in read.items():
            ov[:, t] += missed * a / (K * sizes.queries)
            qk[t, query] += a * (gains[t] - mean) / (K * sizes.queries)
    return ov, qk
