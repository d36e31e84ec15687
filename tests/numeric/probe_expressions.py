"""Expressions over a 4x4 tensor, for tests of operator rules: name, function, and what is promised.

``EXACT``: every dependency of the structural relation is realised by some input.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Expression = Callable[[Tensor], Tensor]

LOWER = torch.ones(4, 4, dtype=torch.bool).tril()
ORDER = torch.tensor([2, 0, 1])
ADDITIVE = torch.where(LOWER, 0.0, -3e38).double()
torch.manual_seed(0)
KERNEL = torch.randn(2, 2, 3, dtype=torch.float64)
DEPTHWISE = torch.randn(4, 1, 3, dtype=torch.float64)
GRU = nn.GRU(4, 4, batch_first=True).double().eval()
LSTM = nn.LSTM(4, 4, batch_first=True).double().eval()
HEADS = nn.MultiheadAttention(4, 2, batch_first=True).double().eval()
LAYER = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).double().eval()
MODULES = (GRU, LSTM, HEADS, LAYER)
CONSTANTS = (LOWER, ORDER, ADDITIVE)


def zeros() -> Tensor:
    return torch.zeros(4, 4, dtype=torch.float64)


def writes_overlap(x: Tensor) -> Tensor:
    y = x.clone()
    y[1:3] = y[0:2] * 2
    y[:, 1].add_(y[:, 2])
    return y


def writes_transposed(x: Tensor) -> Tensor:
    y = zeros()
    y.t()[1:].copy_(x[:3])
    y[0, 0] = 1.0
    return y


def writes_other_type(x: Tensor) -> Tensor:
    y = zeros()
    y.view(torch.int64)[1:].copy_(x.view(torch.int64)[:3])
    return y


def writes_shifted(x: Tensor) -> Tensor:
    y = torch.zeros(5, 4, dtype=torch.float64)
    y[:4] += x
    y[1:].add_(y[:-1].clone())
    return y


def writes_out(x: Tensor) -> Tensor:
    y = zeros()
    torch.mul(x, LOWER, out=y)
    return y


def writes_pairs(x: Tensor) -> Tensor:
    y = torch.zeros(4, 2, 2, dtype=torch.float64)
    torch.view_as_complex(y).mul_(0).add_(torch.complex(x[:, :2], x[:, 2:]))
    return y


def fills(x: Tensor) -> Tensor:
    y = x.clone()
    y[1].fill_(x[0, 3] * 2)
    return y


def puts(x: Tensor) -> Tensor:
    y = x.clone()
    y[ORDER] = x[:3] * 2
    return y


def puts_where(x: Tensor) -> Tensor:
    y = x.clone()
    y[x > 0.5] = 0.0
    return y


def manual_softmax(x: Tensor) -> Tensor:
    scores = x.masked_fill(~LOWER, -1e9)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    return (weights / weights.sum(-1, keepdim=True))[1:]


def indices(x: Tensor) -> Tensor:
    return (x > 0).long()


def attention(x: Tensor, **given: Any) -> Tensor:
    return F.scaled_dot_product_attention(x[None], x[None], x[None], **given)


EXACT: dict[str, Expression] = {
    "sum": lambda x: x.sum(0),
    "sum of all": lambda x: x.sum(),
    "mean": lambda x: x.mean(-1, keepdim=True),
    "variance": lambda x: x.var(1),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(0),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "softmax": lambda x: x.softmax(-1),
    "softmax under -inf": lambda x: x.masked_fill(~LOWER, -float("inf")).softmax(-1),
    "softmax under a finite mask": lambda x: (x + ADDITIVE).softmax(-1),
    "softmax by hand": manual_softmax,
    "softmax over 1 - mask": lambda x: (x - (1.0 - LOWER.double()) * 1e30).softmax(-1),
    "log softmax": lambda x: x.masked_fill(~LOWER, -float("inf")).log_softmax(-1)[3],
    "log softmax under a finite mask": lambda x: (x + 1e-3 * ADDITIVE).log_softmax(-1)[3],
    "logsumexp": lambda x: x.logsumexp(0),
    "logsumexp under a mask": lambda x: x.masked_fill(~LOWER, -1e9).logsumexp(1),
    "matmul": lambda x: x @ x,
    "matmul with zeros": lambda x: (x * LOWER) @ x,
    "matmul with weights": lambda x: x.tril() @ torch.eye(4, dtype=x.dtype),
    "vector products": lambda x: torch.stack([x[0] @ x[1], (x @ x[2])[3]]),
    "einsum": lambda x: torch.einsum("ij,kj,kl->il", x, x * LOWER, x),
    "addmm": lambda x: torch.addmm(x, x * LOWER, x.tril()),
    "convolution": lambda x: F.conv1d(x[None], KERNEL, padding=1, groups=2),
    "transposed convolution": lambda x: F.conv_transpose1d(x[None], DEPTHWISE, stride=2, groups=4),
    "average pool": lambda x: F.avg_pool1d(x[None], 2),
    "maximum pool": lambda x: F.max_pool1d(x[None], 2),
    "layer norm": lambda x: F.layer_norm(x, (4,)),
    "rms norm": lambda x: F.rms_norm(x, (4,)),
    "group norm": lambda x: F.group_norm(x[None], 2),
    "batch norm": lambda x: F.batch_norm(x, None, None, training=True),
    "roll": lambda x: torch.roll(x, 1, 0),
    "flip": lambda x: x.flip(1),
    "tril": lambda x: x.tril(),
    "triu": lambda x: x.triu(1),
    "pad": lambda x: F.pad(x, (1, 0))[:, :4],
    "reflection pad": lambda x: F.pad(x[None], (1, 1), mode="reflect"),
    "pick": lambda x: x[ORDER],
    "gather": lambda x: x.gather(0, ORDER.repeat(4).view(4, 3)),
    "where by a constant": lambda x: torch.where(LOWER, x, x.roll(1, 0)),
    "multiplexer": lambda x: torch.where(x > 0, x.roll(1, 0), x),
    "amax": lambda x: x.amax(0),
    "amin": lambda x: x.amin(1),
    "max": lambda x: x.max(1).values,
    "argmax": lambda x: x.argmax(1),
    "sort": lambda x: x.sort(1).values,
    "argsort": lambda x: x.argsort(0),
    "topk": lambda x: x.topk(2, 1).values,
    "median": lambda x: x.median(0).values,
    "cat": lambda x: torch.cat([x[1:], x[:1]]),
    "stack": lambda x: torch.stack([x[0], x[3]]),
    "overlapping writes": writes_overlap,
    "writes through a transpose": writes_transposed,
    "writes through another type": writes_other_type,
    "shifted writes": writes_shifted,
    "out=": writes_out,
    "fill by a value": fills,
    "put at places": puts,
    "index_add": lambda x: zeros().index_add_(0, torch.tensor([0, 0, 3, 1]), x),
    "index_select": lambda x: x.index_select(1, ORDER),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 0),
    "repeat": lambda x: x.repeat(2, 1),
    "unfold": lambda x: x.unfold(0, 2, 1).sum(-1),
    "kronecker": lambda x: torch.kron(x[:1], x[:, :1]),
    "outer": lambda x: torch.outer(x[0], x[1]),
    "norm": lambda x: x / x.norm(dim=1, keepdim=True),
    "prelu": lambda x: F.prelu(x, torch.tensor(0.1, dtype=x.dtype)),
    "glu": lambda x: F.glu(x, 1),
    "gelu": lambda x: F.gelu(x),
    "triangular solve": lambda x: torch.linalg.solve_triangular(
        x.tril(-1) + torch.eye(4, dtype=x.dtype), x, upper=False
    ),
    "inverse": lambda x: torch.linalg.inv(x + 9 * torch.eye(4, dtype=x.dtype)),
    "causal attention": lambda x: attention(x, is_causal=True),
    "masked attention": lambda x: attention(x, attn_mask=LOWER),
    "nan_to_num": lambda x: torch.nan_to_num(x),
    "product": lambda x: x.prod(1),
    "product with zeros": lambda x: (x * LOWER)[2:].prod(1),
    "difference": lambda x: x.diff(dim=0),
    "interpolate": lambda x: F.interpolate(x[None], scale_factor=2),
    "lerp": lambda x: torch.lerp(x, x.roll(1, 0), 0.5),
    "trace": lambda x: x.trace(),
    "diagonal": lambda x: torch.diag_embed(x.diagonal()),
    "add a multiple": lambda x: torch.add(x, x.roll(1, 1), alpha=2),
    "add nothing of a mask": lambda x: torch.add(x, ADDITIVE * 0 - 3e38, alpha=0),
    "sigmoid of a mask": lambda x: (x + ADDITIVE).sigmoid(),
    "clamp": lambda x: x.clamp(-5, 5),
    "gru": lambda x: GRU(x[None])[0],
    "lstm": lambda x: LSTM(x[None])[0],
    "multihead attention": lambda x: HEADS(
        x[None], x[None], x[None], attn_mask=~LOWER, need_weights=False
    )[0],
    "encoder layer": lambda x: LAYER(x[None], src_mask=~LOWER),
}

SOUND: dict[str, Expression] = {
    "any": lambda x: (x > 0).any(0),
    "all": lambda x: (x > 0).all(1),
    "fft": lambda x: torch.fft.fft(x, dim=0).imag,
    "gather by values": lambda x: x.gather(1, indices(x)),
    "pick by values": lambda x: x[indices(x[:, 0]), ORDER.repeat(2)[:4]],
    "scatter by values": lambda x: zeros().scatter(1, indices(x), x),
    "scatter_add by values": lambda x: zeros().scatter_add(0, indices(x), x),
    "put where": puts_where,
    "masked_scatter": lambda x: zeros().masked_scatter(x > 0, x.flip(0)),
    "masked_scatter at places": lambda x: x.masked_scatter(LOWER, x.flip(0)),
    "index_fill": lambda x: x.index_fill(0, ORDER, 3.0),
    "index_copy by values": lambda x: zeros().index_copy(0, x[0].argsort(), x),
    "put twice at one place": lambda x: zeros().index_put((torch.tensor([1, 1]),), x[:2]),
    "put and add": lambda x: x.index_put((torch.tensor([1, 1]),), x[:2], accumulate=True),
    "complex": lambda x: torch.view_as_real(
        torch.view_as_complex(x.reshape(4, 2, 2).contiguous()) * 2j
    ),
    "writes of pairs": writes_pairs,
    "real fft": lambda x: torch.fft.fft(x, dim=0).real,
    "distances": lambda x: torch.cdist(x, x),
    "masked by values": lambda x: x.masked_fill(x > 0, 0.0),
    "embedding by values": lambda x: F.embedding(indices(x[0]), x),
    "one hot": lambda x: F.one_hot(indices(x), 2),
    "histogram": lambda x: torch.histc(x, 4),
    "softmax masked by values": lambda x: x.masked_fill(x > 0, -1e9).softmax(1),
    "safe softmax masked by values": lambda x: attention(x, attn_mask=(x.t() > x) & LOWER),
    "maximum with a mask": lambda x: torch.maximum(x, ADDITIVE).softmax(-1),
    "power": lambda x: x.abs() ** x.roll(1, 0),
    "bitwise": lambda x: (x > 0) & (x.roll(1, 0) > 0) | ~LOWER,
    "kth value": lambda x: x.kthvalue(2, 1).values,
    "standard deviation": lambda x: x.std(0),
    "quantile": lambda x: x.quantile(0.3, dim=0),
    "cummax": lambda x: x.cummax(1).values,
    "searchsorted": lambda x: torch.searchsorted(x[0].sort().values, x[1:].contiguous()),
    "pixel shuffle": lambda x: F.pixel_shuffle(x.reshape(1, 4, 2, 2), 2),
    "fold": lambda x: F.unfold(x[None, None], 2),
    "bilinear": lambda x: F.interpolate(x[None, None], scale_factor=2, mode="bilinear"),
    "cosine": lambda x: F.cosine_similarity(x, x.roll(1, 0), dim=1),
    "cholesky": lambda x: torch.linalg.cholesky(x @ x.t() + torch.eye(4, dtype=x.dtype)),
    "matrix exponential": lambda x: torch.linalg.matrix_exp(x),
    "nansum": lambda x: x.nansum(0),
    "remainder": lambda x: x % 2 + torch.floor_divide(x, 2),
    "dropout of nothing": lambda x: F.dropout(x, 0.5, training=False),
    "ssm step": lambda x: torch.exp(torch.cumsum(-F.softplus(x), 0)) * x,
}
