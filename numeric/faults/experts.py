"""A mixture of experts between layers of causal attention: who is routed where, and by what."""

from enum import Enum

import torch
from torch import Tensor, nn

from attnproof.numeric.faults.kinds import Architecture, switched
from attnproof.numeric.faults.masked import Form, Held
from attnproof.numeric.faults.softmax import Block
from attnproof.numeric.faults.specimen import (
    WIDTH,
    N,
    Relation,
    Specimen,
    Stack,
    causal,
    everything,
    itself,
    seeded,
    stacked,
)

EXPERTS, CAPACITY = 3, 2


class Routing(Enum):
    """Who chooses whom; the last four are faults."""

    TOKENS_CHOOSE = "tokens choose"
    GATHERED = "tokens gathered by expert"
    FIRST_COME = "capacity for the first"
    EXPERTS_CHOOSE = "experts choose"
    LAST_COME = "capacity for the last"
    PRIORITY = "capacity by score"
    BALANCED = "gates normalised over positions"

    @property
    def relation(self) -> Relation:
        """What a position reads when it is routed."""
        match self:
            case Routing.TOKENS_CHOOSE | Routing.GATHERED:
                return itself(N)
            case Routing.FIRST_COME:
                return causal(N)
            case Routing.LAST_COME:
                return causal(N).T
            case _:
                return everything(N)


class Experts(nn.Module):
    """Each position passes through the expert that it is routed to, weighted by its gate."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS)
        self.experts = nn.Parameter(torch.randn(EXPERTS, WIDTH, WIDTH) / WIDTH**0.5)
        self.routing = Routing.TOKENS_CHOOSE

    def forward(self, state: Tensor) -> Tensor:
        """States ``(b, n, d)`` to states of the same shape."""
        score: Tensor = self.router(state)
        gate = score.softmax(1 if self.routing is Routing.BALANCED else 2)
        if self.routing is Routing.GATHERED:
            return state + self._gathered(state, gate)
        read = torch.einsum("bnd,xde->bnxe", state, self.experts)
        mixed: Tensor = (read.tanh() * (gate * self._taken(score))[..., None]).sum(2)
        return state + mixed

    def _taken(self, score: Tensor) -> Tensor:
        """One where a position is served by an expert ``(b, n, x)``."""
        if self.routing is Routing.EXPERTS_CHOOSE:
            chosen = score.topk(CAPACITY, 1).indices
            return torch.zeros_like(score).scatter(1, chosen, 1.0)
        wants = torch.zeros_like(score).scatter(2, score.argmax(2, keepdim=True), 1.0)
        match self.routing:
            case Routing.FIRST_COME:
                return wants * (wants.cumsum(1) <= CAPACITY)
            case Routing.LAST_COME:
                return wants * (wants.flip(1).cumsum(1).flip(1) <= CAPACITY)
            case Routing.PRIORITY:
                best = (score * wants - 1e9 * (1 - wants)).topk(CAPACITY, 1).indices
                return wants * torch.zeros_like(score).scatter(1, best, 1.0)
            case _:
                return wants

    def _gathered(self, state: Tensor, gate: Tensor) -> Tensor:
        """Expert by expert, on the positions that it serves."""
        rows, flat = state.flatten(0, 1), gate.flatten(0, 1)
        served = flat.argmax(1)
        out = torch.zeros_like(rows)
        for number, weight in enumerate(self.experts):
            (places,) = torch.where(served == number)
            read = (rows[places] @ weight).tanh() * flat[places, number, None]
            out = out.index_add(0, places, read)
        return out.view_as(state)


def build(seed: int) -> Specimen:
    """Attention, experts, attention, experts."""

    def make() -> Stack:
        held = [Held(Block(2 * seed + k), causal(N), Form.READS) for k in range(2)]
        return Stack([held[0], Experts(), held[1], Experts()])

    model = seeded(seed, make)
    return stacked(model, model.layers, [causal(N), itself(N)] * 2)


LEAKING = (Routing.EXPERTS_CHOOSE, Routing.LAST_COME, Routing.PRIORITY, Routing.BALANCED)
EXPERTS_MIXED = Architecture(
    "mixture of experts",
    build,
    (0, 1, 2, 3),
    tuple(
        switched("routing", routing, routing.relation, (1, 3), routing in LEAKING)
        for routing in (*LEAKING, Routing.GATHERED, Routing.FIRST_COME)
    ),
)
