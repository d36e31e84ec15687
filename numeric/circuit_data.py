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
    def of(
        cls, data: Data, *, seed: int = 0, rotated: bool = True, outputs: int | None = None
    ) -> Self:
        """All K·Q sequences of the data, in order of class, then of query.

        >>> few = Population.of(Data(classes=2, distinct=1, common=2, queries=2), rotated=False)
        >>> few.tokens.tolist()
        [[0, 3, 2], [0, 2, 3], [1, 3, 2], [1, 2, 3]]

        Law: the last token is the query. ``outputs`` above K are labels that never occur. Raises
        :class:`ParameterError` for data with symbols, for fewer outputs than classes, and for more
        than 20 million numbers.
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
        rows = [
            (
                [
                    *range(label * distinct, (label + 1) * distinct),
                    *(first + c for c in range(common) if c != query),
                    first + query,
                ],
                first + query,
                label,
            )
            for label, query in product(range(classes), range(queries))
        ]
        return cls._build(rows, data, first + common, seed, rotated, outputs)

    @classmethod
    def with_repeats(cls, data: Data, draws: int, *, seed: int = 0, rotated: bool = True) -> Self:
        """Common tokens drawn ``draws`` times with repetition, and one query, always the same.

        >>> few = Population.with_repeats(Data(2, 1, 3, 1), draws=1, rotated=False)
        >>> few.tokens.tolist()
        [[0, 3, 2], [0, 4, 2], [1, 3, 2], [1, 4, 2]]

        The first of the M common tokens is the query, and it is attended; the draws are independent
        and uniform over the others, and every outcome is written out. Raises
        :class:`ParameterError` as :meth:`of`, for no token to draw, and for more than 4096
        sequences.
        """
        classes, distinct, common, _ = sizes(data)
        query, others = classes * distinct, common - 1
        count = classes * others ** max(draws, 0)
        if draws < 1 or not 0 < count <= 4096:
            raise ParameterError(
                f"{draws} draws of {others} common tokens other than the query are {count} "
                f"sequences of {classes} classes; give 1 draw or more, and at most 4096 sequences",
                draws=draws,
            )
        rows = [
            (
                [
                    *range(label * distinct, (label + 1) * distinct),
                    *(query + 1 + c for c in drawn),
                    query,
                ],
                query,
                label,
            )
            for label in range(classes)
            for drawn in product(range(others), repeat=draws)
        ]
        return cls._build(rows, data, query + common, seed, rotated, None)

    @classmethod
    def _build(
        cls,
        rows: list[tuple[list[int], int, int]],
        data: Data,
        vocabulary: int,
        seed: int,
        rotated: bool,
        outputs: int | None,
    ) -> Self:
        classes, distinct, _, _ = sizes(data)
        if outputs is not None and outputs < classes:
            raise ParameterError(
                f"outputs is {outputs}, and there are {classes} classes; give {classes} or more",
                outputs=outputs,
            )
        tokens, queries, labels = (torch.tensor(list(column)) for column in zip(*rows, strict=True))
        return cls(
            orthonormal(vocabulary, vocabulary + SPARE, seed=seed, rotated=rotated),
            tokens,
            queries,
            labels,
            tokens < classes * distinct,
            outputs or classes,
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
