"""Encoder and decoder in one mask: encoder tokens first, then decoder tokens.

This is the union of encoder self-attention, decoder self-attention and cross-attention: what flows
through any number of layers. As a relation it is :mod:`prefix_lm` with the encoder as the prefix.
"""

from collections.abc import Iterator
from typing import Any

from attnproof.symbolic.formula import k, q, variable
from attnproof.symbolic.masks.rows import RowRuns
from attnproof.symbolic.named.intervals import Intervals
from attnproof.symbolic.named.kinds import at_least
from attnproof.symbolic.named.named import NamedMask, Parameter, require

encoder = variable("encoder")
decodes = q >= encoder
encoder_self = ~decodes & (k < encoder)
cross = decodes & (k < encoder)
decoder_self = decodes & (k >= encoder) & (k <= q)


def row_runs(n: int, encoder: int) -> Iterator[RowRuns]:
    for row in range(n):
        yield ((0, max(encoder, row + 1)),)


def intervals(q: Any, n: int, encoder: int) -> Intervals:
    return [(0, (q + 1).clip(min=encoder))]


def check(n: int, encoder: int) -> None:
    require(
        encoder <= n,
        f"encoder_decoder: the encoder has {encoder} of {n} tokens; n counts encoder and decoder "
        "tokens together",
        n=n,
        encoder=encoder,
    )


MASK = NamedMask(
    name="encoder_decoder",
    doc="The first `encoder` tokens read each other; later ones read them and the past.",
    source="Vaswani et al., Attention is all you need, arXiv:1706.03762",
    definition=encoder_self | cross | decoder_self,
    row_runs=row_runs,
    intervals=intervals,
    example={"n": 8, "encoder": 3},
    parameters=(Parameter("encoder", "how many tokens the encoder has", at_least(0)),),
    check=check,
)
