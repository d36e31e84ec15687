"""One layer of attention in four parametrisations, each circuit one matrix or a product of two.

Scores are ς·xᵀ W_QK x_q, logits W_OV Xᵀ A, the loss is mean cross-entropy. A collapsed circuit has
the parameter ``qk`` or ``ov``; a factorised one has ``key`` and ``query``, W_QK = keyᵀ query, or
``output`` and ``value``, W_OV = output value.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnproof.numeric.attention import native_attention
from attnproof.numeric.circuit_data import Directions, Population, orthonormal, sizes
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.gradient.circuits import Circuits


@dataclass(frozen=True, slots=True)
class Scalars:
    """Where a model stands: α and β, and how far W_OV and W_QK are from α U and γ n̂ q̂ᵀ."""

    alpha: float
    beta: float
    residual_ov: float = 0.0
    residual_qk: float = 0.0

    @property
    def residual(self) -> float:
        """The greater of both distances, in the Frobenius norm."""
        return max(self.residual_ov, self.residual_qk)


class AttentionCircuits(nn.Module):
    """A one-layer attention with its population, in float64 unless it is moved to another type; all
    parameters start at zero.

    ``head_width`` is d_h, the rows of ``key`` and ``query``; ``value_width`` is d_v, the columns of
    ``output``, K unless given. Both are for factorised circuits only.

    >>> from attnproof.symbolic.gradient.circuits import Parametrisation
    >>> from attnproof.symbolic.gradient.data import Data
    >>> circuits = Circuits(Parametrisation.FACO, Data(classes=3, distinct=1, common=4, queries=1))
    >>> model = AttentionCircuits(circuits).on_manifold(2.0, 0.5)
    >>> found = model.scalars()
    >>> round(found.alpha, 12), round(found.beta, 12), found.residual < 1e-14
    (2.0, 0.5, True)

    Raises :class:`ParameterError` for circuits with symbols, and for widths below 1. Source: ours.
    """

    qk: nn.Parameter
    key: nn.Parameter
    query: nn.Parameter
    ov: nn.Parameter
    output: nn.Parameter
    value: nn.Parameter
    inputs: Tensor
    asked: Tensor
    labels: Tensor
    distinct: Tensor

    def __init__(
        self,
        circuits: Circuits,
        *,
        population: Population | None = None,
        head_width: int = 4,
        value_width: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        classes, *_ = sizes(circuits.data)
        given = Population.of(circuits.data, seed=seed) if population is None else population
        value_width = classes if value_width is None else value_width
        for name, width in (("head_width", head_width), ("value_width", value_width)):
            if width < 1:
                raise ParameterError(f"{name} is {width}; give 1 or more", **{name: width})
        self.circuits, self.population, self.seed = circuits, given, seed
        self.score_scale = number("scale", circuits.scale)
        self.directions = Directions.of(circuits.data, given.embeddings)
        kind, d = circuits.parametrisation, given.embeddings.shape[1]
        shapes = {"qk": (d, d)}
        if kind.factorised_attention:
            shapes = {"key": (head_width, d), "query": (head_width, d)}
        self.attention_names = tuple(shapes)
        if kind.factorised_value:
            shapes |= {"output": (given.outputs, value_width), "value": (value_width, d)}
        else:
            shapes |= {"ov": (given.outputs, d)}
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape, dtype=torch.float64)))
        eta_qk, eta_ov = number("eta_qk", circuits.eta_qk), number("eta_ov", circuits.eta_ov)
        self.rates = {name: eta_qk if name in self.attention_names else eta_ov for name in shapes}
        for name, each in (
            ("inputs", given.inputs),
            ("asked", given.asked),
            ("labels", given.labels),
            ("distinct", given.distinct),
        ):
            self.register_buffer(name, each, persistent=False)

    def on_manifold(self, alpha: float, beta: float) -> Self:
        """Start at W_OV = α U and W_QK = (β/ω) n̂ q̂ᵀ, factors with the imbalances of the circuits.

        Raises :class:`ParameterError` for outputs other than the classes, and for d_v < K - 1,
        where U is no product.
        """
        outputs, classes = self.population.outputs, len(self.directions.value)
        if outputs != classes:
            raise ParameterError(
                f"there are {outputs} outputs for {classes} classes, and the manifold of two "
                "scalars is for equally many; start at random",
                outputs=outputs,
            )
        return self.put({**self.value_at(alpha), **self.attention_at(beta)})

    def attention_at(self, beta: float) -> dict[str, Tensor]:
        """The parameters of W_QK = (β/ω) n̂ q̂ᵀ, by name."""
        rays, gamma = self.directions, beta / number("omega", self.circuits.omega)
        if not self.circuits.parametrisation.factorised_attention:
            return {"qk": gamma * torch.outer(rays.key, rays.query)}
        lengths = factors(gamma, number("imbalance_qk", self.circuits.imbalance_qk))
        random = torch.Generator().manual_seed(self.seed + 1)
        shared = torch.randn(len(self.key), generator=random, dtype=torch.float64)
        shared /= shared.norm()
        return {
            "key": lengths[0] * torch.outer(shared, rays.key),
            "query": lengths[1] * torch.outer(shared, rays.query),
        }

    def value_at(self, alpha: float) -> dict[str, Tensor]:
        """The parameters of W_OV = α U, by name; errors as in :meth:`on_manifold`."""
        direction = self.directions.value
        if not self.circuits.parametrisation.factorised_value:
            return {"ov": alpha * direction}
        width, rank = len(self.value), len(direction) - 1
        if width < rank:
            raise ParameterError(
                f"value_width is {width}, and U has rank {rank}; give {rank} or more, or start at "
                "random",
                value_width=width,
            )
        sigma = alpha * math.sqrt(int(self.circuits.data.distinct))
        lengths = factors(sigma, number("imbalance_ov", self.circuits.imbalance_ov))
        left, _, right = torch.linalg.svd(direction, full_matrices=False)
        between = orthonormal(width, width, seed=self.seed + 2)[:rank]
        return {
            "output": lengths[0] * left[:, :rank] @ between,
            "value": lengths[1] * between.T @ right[:rank],
        }

    def at_random(self, deviation: float) -> Self:
        """Start at independent normal entries of this standard deviation, drawn from the seed."""
        random = torch.Generator().manual_seed(self.seed)
        return self.put(
            {
                name: deviation * torch.randn(each.shape, generator=random, dtype=torch.float64)
                for name, each in self.named_parameters()
            }
        )

    @torch.no_grad()
    def put(self, made: Mapping[str, Tensor]) -> Self:
        """Every parameter by its name."""
        for name, each in self.named_parameters():
            each.copy_(made[name])
        return self

    @property
    def w_qk(self) -> Tensor:
        """W_QK ``(d, d)``, from the query on the right to the tokens on the left."""
        return self.key.T @ self.query if "key" in self.attention_names else self.qk

    @property
    def w_ov(self) -> Tensor:
        """W_OV ``(K, d)``, from the mean of tokens to logits."""
        kind = self.circuits.parametrisation
        return self.output @ self.value if kind.factorised_value else self.ov

    def forward(self, inputs: Tensor, asked: Tensor, mask: Tensor | None = None) -> Tensor:
        """The logits ``(b, K)`` for embedded tokens ``(b, t, d)`` and queries ``(b, d)``.

        ``mask[i, j]`` is true where token j of sequence i is read.
        """
        context = self._attend(inputs, asked, inputs, mask)
        if self.circuits.parametrisation.factorised_value:
            return context @ self.value.T @ self.output.T
        return context @ self.ov.T

    def weights(self, inputs: Tensor, asked: Tensor, mask: Tensor | None = None) -> Tensor:
        """The attention ``(b, t)`` on every token, as :meth:`forward` uses it."""
        each = torch.eye(inputs.shape[1], dtype=inputs.dtype, device=inputs.device).expand(
            len(inputs), -1, -1
        )
        return self._attend(inputs, asked, each, mask)

    def _attend(self, inputs: Tensor, asked: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """The mean of values ``(b, t, any)`` by attention."""
        if "key" in self.attention_names:
            keys, queries = inputs @ self.key.T, asked @ self.query.T
        else:
            keys, queries = inputs, asked @ self.qk.T
        return native_attention(
            queries[:, None, None],
            keys[:, None],
            values[:, None],
            None if mask is None else mask[:, None, None],
            scale=self.score_scale,
        )[:, 0, 0]

    def loss(self, some: Tensor | None = None) -> Tensor:
        """Mean cross-entropy over the population, or over the sequences with these numbers."""
        inputs, asked, labels = self.inputs, self.asked, self.labels
        if some is not None:
            inputs, asked, labels = inputs[some], asked[some], labels[some]
        return F.cross_entropy(self(inputs, asked), labels)

    def gradients(self, some: Tensor | None = None) -> tuple[float, dict[str, Tensor]]:
        """The loss, and its gradient in each parameter."""
        loss = self.loss(some)
        named = dict(self.named_parameters())
        found = torch.autograd.grad(loss, list(named.values()))
        return loss.item(), dict(zip(named, found, strict=True))

    @torch.no_grad()
    def attention(self) -> Tensor:
        """The attention on distinct tokens ``(b,)`` of every sequence of the population."""
        return (self.weights(self.inputs, self.asked) * self.distinct).sum(1)

    @torch.no_grad()
    def scalars(self) -> Scalars:
        """α and β by projection on U and n̂ q̂ᵀ, and what is left of W_OV and W_QK.

        For more outputs than classes, U is continued by zeros.
        """
        rays = self.directions
        w_ov, w_qk = (each.double().cpu() for each in (self.w_ov, self.w_qk))
        value = torch.zeros_like(w_ov)
        value[: len(rays.value)] = rays.value
        ray = torch.outer(rays.key, rays.query)
        alpha, gamma = (w_ov * value).sum() / value.square().sum(), (w_qk * ray).sum()
        return Scalars(
            alpha.item(),
            gamma.item() * number("omega", self.circuits.omega),
            (w_ov - alpha * value).norm().item(),
            (w_qk - gamma * ray).norm().item(),
        )

    def vector(self) -> Tensor:
        """All parameters in one vector, a copy."""
        return nn.utils.parameters_to_vector(self.parameters()).detach().clone()

    def set_vector(self, vector: Tensor) -> Self:
        """Parameters from one vector, which is copied."""
        nn.utils.vector_to_parameters(vector.clone(), self.parameters())
        return self

    def velocity(self) -> Callable[[float, Tensor], Tensor]:
        """The gradient flow θ' = -η ∂L/∂θ of all parameters in one vector, the same at any time."""

        def field(_time: float, vector: Tensor) -> Tensor:
            self.set_vector(vector)
            _, found = self.gradients()
            return torch.cat([-self.rates[name] * each.flatten() for name, each in found.items()])

        return field


def factors(product: float, imbalance: float) -> tuple[float, float]:
    """x and y with x y = ``product`` and x² - y² = ``imbalance``.

    >>> factors(-4.0, 0.0), factors(2.0, 3.0)
    ((2.0, -2.0), (2.0, 1.0))
    """
    root = math.hypot(imbalance, 2 * product)
    if imbalance < 0:
        second = math.sqrt((root - imbalance) / 2)
        return product / second, second
    first = math.sqrt((root + imbalance) / 2)
    return first, product / first if first else 0.0


def number(name: str, value: object) -> float:
    """A number as a float.

    >>> from fractions import Fraction
    >>> number("rho", Fraction(1, 2))
    0.5

    Raises :class:`ParameterError` for an expression with symbols.
    """
    try:
        return float(value)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(
            f"{name} is {value}, and a model needs a number; give {name}=...", **{name: value}
        ) from None
