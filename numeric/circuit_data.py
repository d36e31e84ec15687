"""The population that a one-layer attention learns from, its tokens in random directions.

Embeddings are orthonormal rows in R^d. They are rotated at random, since a matrix and its transpose
look alike in one-hot coordinates.
"""

from dataclasses import dataclass
from itertools import product
from typing import Self

import torch
from torch import Tensor

from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.data import Data

#: Dimensions of embeddings beyond the number of tokens, in which nothing may ever happen.
SPARE = 3
#: The most numbers that embedded sequences, or embeddings, may hold.
_MOST = 2 * 10**7


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Equally likely sequences: ``tokens`` ``(b, t)``, ``queries`` and ``labels`` ``(b,)``.

    Tokens are rows of ``embeddings``: first r for each of the K classes, then the others. There are
    ``outputs`` logits. ``distinct[i, j]`` is true where token j of sequence i tells its label.
    """

    embeddings: Tensor
    tokens: Tensor
    queries: Tensor
    labels: Tensor
    distinct: Tensor
    outputs: int

    @classmethod
    def of(cls, data: Data, *, seed: int = 0, rotated: bool = True) -> Self:
        """All K·Q sequences of the data, in order of class, then of query.

        >>> few = Population.of(Data(classes=2, distinct=1, common=2, queries=2), rotated=False)
        >>> few.tokens.tolist()
        [[0, 3, 2], [0, 2, 3], [1, 3, 2], [1, 2, 3]]

        Law: the last token is the query. Raises :class:`ParameterError` for data with symbols, and
        for more than 20 million numbers.
        """
        classes, distinct, common, queries = sizes(data)
        first = classes * distinct
        width = first + common + SPARE
        if max(width, classes * queries * (distinct + common)) * width > _MOST:
            raise ParameterError(
                f"{data} has {classes * queries} sequences of {distinct + common} tokens in "
                f"{width} dimensions, and a model holds {_MOST} numbers at most; give fewer "
                "classes, tokens or queries",
                data=data,
            )
        tokens = torch.tensor(
            [
                [
                    *range(label * distinct, (label + 1) * distinct),
                    *(c for c in range(first, first + common) if c != query),
                    query,
                ]
                for label, query in product(range(classes), range(first, first + queries))
            ]
        )
        return cls(
            embeddings=orthonormal(first + common, width, seed=seed, rotated=rotated),
            tokens=tokens,
            queries=tokens[:, -1],
            labels=tokens[:, 0] // distinct,
            distinct=tokens < first,
            outputs=classes,
        )

    @property
    def inputs(self) -> Tensor:
        """The embedded tokens ``(b, t, d)``."""
        return self.embeddings[self.tokens]

    @property
    def asked(self) -> Tensor:
        """The embedded queries ``(b, d)``."""
        return self.embeddings[self.queries]


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """The rays of the invariant manifold: W_OV = α·``value``, W_QK = γ·``key`` ``query``ᵀ.

    ``value`` is U = Σ_k (e_k - 1/K) D_kᵀ of shape ``(K, d)``; ``key`` is n̂, from the mean common
    token to the mean distinct one, and ``query`` is q̂, the mean query; both have length 1.
    """

    value: Tensor
    key: Tensor
    query: Tensor

    @classmethod
    def of(cls, data: Data, embeddings: Tensor) -> Self:
        """The rays for tokens embedded as these rows.

        >>> rays = Directions.of(Data(2, 1, 1, 1), torch.eye(3))
        >>> rays.value.tolist(), rays.query.tolist()
        ([[0.5, -0.5, 0.0], [-0.5, 0.5, 0.0]], [0.0, 0.0, 1.0])
        """
        classes, distinct, common, queries = sizes(data)
        first = classes * distinct
        own = embeddings[:first].reshape(classes, distinct, -1)
        value = own.sum(1) - own.sum((0, 1)) / classes
        key = own.mean((0, 1)) - embeddings[first : first + common].mean(0)
        query = embeddings[first : first + queries].sum(0)
        return cls(value, key / key.norm(), query / query.norm())


def orthonormal(rows: int, columns: int, *, seed: int = 0, rotated: bool = True) -> Tensor:
    """Orthonormal rows in float64: random ones, or the first rows of the identity.

    >>> orthonormal(1, 2, rotated=False).tolist()
    [[1.0, 0.0]]
    """
    if not rotated:
        return torch.eye(rows, columns, dtype=torch.float64)
    random = torch.Generator().manual_seed(seed)
    drawn = torch.randn(columns, columns, generator=random, dtype=torch.float64)
    basis, _ = torch.linalg.qr(drawn)
    return torch.as_tensor(basis)[:rows].contiguous()


def sizes(data: Data) -> tuple[int, int, int, int]:
    """K, r, M and Q as integers.

    >>> sizes(Data(classes=5, distinct=1, common=15, queries=1))
    (5, 1, 15, 1)

    Raises :class:`ParameterError` where one is a symbol.
    """
    found = []
    for name in ("classes", "distinct", "common", "queries"):
        value = getattr(data, name)
        if not value.is_Integer:
            raise ParameterError(
                f"{name} is {value}, and a model needs a number; give Data({name}=...)",
                **{name: value},
            )
        found.append(int(value))
    return found[0], found[1], found[2], found[3]
