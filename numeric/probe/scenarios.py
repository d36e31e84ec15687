"""Scenarios: the ways in which models are run, each with the bound it must stay within.

A scenario is a function of a :class:`Subject` that returns a :class:`Case`, and raises
:class:`NotRun` with the reason where the model does not support it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnproof.numeric.probe.bounds import (
    Bound,
    Segment,
    apart,
    bound_of,
    encoder_decoder_bound,
    two_stream_bound,
)
from attnproof.numeric.probe.case import Case, NotRun
from attnproof.numeric.probe.subject import Subject, first_tensor, held
from attnproof.symbolic.errors import InputError

#: Padding, documents and batches of a scenario: enough to tell them apart.
PAD, BATCH = 3, 3


def plain(subject: Subject) -> Case:
    """One sequence, nothing else."""
    return _simple(subject, subject.n)


def off_chunk(subject: Subject) -> Case:
    """A length that is no multiple of the chunk, and longer than one chunk."""
    chunk = subject.chunk
    if chunk is None:
        raise NotRun("the model does not cut its input into chunks")
    fitting = [n for n in range(subject.n, chunk, -1) if n % chunk]
    if not fitting:
        raise NotRun(
            f"chunks have {chunk} tokens and n is {subject.n}; give an n above {chunk + 1}"
        )
    return replace(_simple(subject, fitting[0]), name="off chunk")


def left_padding(subject: Subject) -> Case:
    """Padding first: no live query reads it."""
    return _padded(subject, "left padding", [Segment(_pad(subject), live=False), _rest(subject)])


def right_padding(subject: Subject) -> Case:
    """Padding last: no live query reads it."""
    return _padded(subject, "right padding", [_rest(subject), Segment(_pad(subject), live=False)])


def batch(subject: Subject) -> Case:
    """Several sequences together: nothing flows from one to another."""
    tokens = subject.tokens(subject.n, BATCH)
    arguments = subject.plain_arguments(tokens)
    elements = torch.arange(BATCH)
    positions: dict[str, int | Tensor] = {subject.input: _along(elements, tokens)}
    if subject.promise.encoder:
        after = subject.tokens(decoded(subject.n), BATCH, place=1)
        arguments["decoder_input_ids"] = after
        positions["decoder_input_ids"] = _along(elements, after)
    return Case(
        "batch",
        subject.model,
        subject.model,
        arguments,
        positions,
        apart(BATCH),
        subject.stack(),
        axis=0,
        unit="batch element",
    )


def continuation(subject: Subject) -> Case:
    """A cached prefix, and several tokens at once after it."""
    return _cached(subject, "cached continuation", step=None)


def steps(subject: Subject) -> Case:
    """A cached prefix, and one token at a time after it, as in generation."""
    return _cached(subject, "cached steps", step=1)


def packed(subject: Subject) -> Case:
    """Documents in one row, told apart by position ids that start again: none reads another."""
    promise = subject.promise
    if not promise.packed:
        raise NotRun("the model does not promise to keep documents apart by their position ids")
    if not subject.takes("position_ids"):
        raise NotRun("the model takes no position_ids")
    if subject.n < 4:
        raise NotRun(f"n is {subject.n}; two documents need 4 positions")
    first = subject.n // 2 - 1
    segments = [Segment(first), Segment(subject.n - first)]
    case = _simple(subject, subject.n)
    ids = torch.cat([torch.arange(each.length) for each in segments])[None]
    return replace(
        case,
        name="packed",
        arguments={**case.arguments, "position_ids": ids},
        constants=("position_ids",),
        bound=bound_of(promise, segments, case.stack),
    )


def two_stream(subject: Subject) -> Case:
    """Queries at the last targets of an order of prediction: none reads its own content."""
    if not subject.promise.two_stream:
        raise NotRun("the model has one stream")
    n = subject.n
    if n < 4:
        raise NotRun(f"n is {n}; three targets need 4 positions")
    made = torch.Generator().manual_seed(subject.seed)
    rank = torch.randperm(n, generator=made)
    targets = rank.argsort()[-min(5, n - 1) :].tolist()
    blocks = rank[None, :] >= rank[:, None]
    mapping = torch.zeros(1, len(targets), n)
    mapping[0, range(len(targets)), targets] = 1.0
    blocked = [sum(1 << k for k in range(n) if row[k]) for row in blocks.tolist()]
    case = _simple(subject, n)
    given = {"perm_mask": blocks[None].float(), "target_mapping": mapping}
    return replace(
        case,
        name="two stream",
        arguments={**case.arguments, **given},
        constants=tuple(given),
        bound=two_stream_bound(subject.promise, blocked, targets, case.stack),
    )


def eager(subject: Subject) -> Case:
    """Left padding through the plain implementation of attention."""
    return _with_backend(subject, "eager")


def sdpa(subject: Subject) -> Case:
    """Left padding through scaled_dot_product_attention."""
    return _with_backend(subject, "sdpa")


def flex(subject: Subject) -> Case:
    """Left padding through FlexAttention."""
    return _with_backend(subject, "flex_attention")


Scenario = Callable[[Subject], Case]

#: Every scenario by name, in the order in which they are run.
SCENARIOS: dict[str, Scenario] = {
    "plain": plain,
    "off chunk": off_chunk,
    "left padding": left_padding,
    "right padding": right_padding,
    "batch": batch,
    "cached continuation": continuation,
    "cached steps": steps,
    "packed": packed,
    "two stream": two_stream,
    "eager": eager,
    "sdpa": sdpa,
    "flex": flex,
}


def _simple(subject: Subject, n: int) -> Case:
    """One sequence of this length; an encoder has a decoder with fewer positions beside it."""
    stack, promise = subject.stack(), subject.promise
    arguments = subject.plain_arguments(subject.tokens(n))
    positions: dict[str, int | Tensor] = {subject.input: 1}
    if promise.encoder:
        arguments["decoder_input_ids"] = subject.tokens(decoded(n), place=1)
        positions["decoder_input_ids"] = 1
    bound = _bound(subject, [Segment(n)])
    return Case("plain", subject.model, subject.model, arguments, positions, bound, stack)


def _bound(subject: Subject, segments: Sequence[Segment], split: Sequence[int] = ()) -> Bound:
    if subject.promise.encoder:
        n = sum(each.length for each in segments)
        return encoder_decoder_bound(
            subject.promise, segments, decoded(n), subject.stack(), split=split
        )
    return bound_of(subject.promise, segments, subject.stack(), split=split)


def decoded(n: int) -> int:
    """How many positions a decoder has beside an encoder of n: another number."""
    return n // 2 + 1 if n > 2 else n + 1


def _along(elements: Tensor, tensor: Tensor) -> Tensor:
    """The batch element of each entry."""
    return elements.reshape(-1, *[1] * (tensor.dim() - 1)).expand(tensor.shape)


def _pad(subject: Subject) -> int:
    if subject.n < 2:
        raise NotRun("n is 1; padding needs a second position")
    return min(PAD, subject.n - 1)


def _rest(subject: Subject) -> Segment:
    return Segment(subject.n - _pad(subject))


def _padded(subject: Subject, name: str, segments: Sequence[Segment]) -> Case:
    if not subject.takes("attention_mask"):
        raise NotRun("the model takes no attention_mask")
    case = _simple(subject, subject.n)
    live = torch.cat([torch.full((each.length,), int(each.live)) for each in segments])[None]
    return replace(
        case,
        name=name,
        arguments={**case.arguments, "attention_mask": live},
        constants=("attention_mask",),
        bound=_bound(subject, segments),
    )


def _with_backend(subject: Subject, backend: str) -> Case:
    if not subject.hugging_face:
        raise NotRun("the model does not choose between implementations of attention")
    if not subject.promise.attends:
        raise NotRun("the model has no attention")
    known = {"sdpa": "_supports_sdpa", "flex_attention": "_supports_flex_attn"}
    if backend in known and not getattr(subject.model, known[backend], False):
        raise NotRun(f"the model does not support {backend} attention")
    case = left_padding(subject)
    return replace(case, name=backend.removesuffix("_attention"), backend=backend)


def _cached(subject: Subject, name: str, step: int | None) -> Case:
    cache, promise = subject.cache, subject.promise
    if cache is None:
        raise NotRun("the model takes no cache")
    if not promise.causal:
        raise NotRun("a model that reads ahead has no cache")
    length = decoded(subject.n) if promise.encoder else subject.n
    if length < 4:
        raise NotRun(f"there are {length} positions; a prefix and its continuation need 4")
    prefix = length // 2 + 1
    encoded = {subject.input: subject.tokens(subject.n)} if promise.encoder else {}
    tokens = subject.tokens(length, place=1 if promise.encoder else 0)
    arguments = {**encoded, "prefix": tokens[:, :prefix], "continuation": tokens[:, prefix:]}
    return Case(
        name,
        subject.model,
        _continued(subject, cache, step),
        arguments,
        dict.fromkeys(arguments, 1),
        _bound(subject, [Segment(subject.n)], split=(prefix,)),
        subject.stack(),
    )


def _continued(subject: Subject, cache: str, step: int | None) -> Callable[..., Tensor]:
    """Run the prefix, then its continuation on the cache, ``step`` tokens at a time."""
    model = subject.model
    varied = "decoder_input_ids" if subject.promise.encoder else subject.input

    def run(prefix: Tensor, continuation: Tensor, **encoder: Tensor) -> Tensor:
        output: Any = model(**encoder, **{varied: prefix, "use_cache": True})
        outputs = [first_tensor(output, subject.name)]
        given: dict[str, Any] = dict(encoder)
        if encoder:
            given = {"encoder_outputs": (output.encoder_last_hidden_state,)}
        for tokens in torch.split(continuation, step or continuation.shape[1], 1):
            kept = held(output, cache)
            if kept is None:
                raise InputError(
                    f"{subject.name} returns no {cache}; its cache cannot be continued"
                )
            output = model(**given, **{varied: tokens, cache: kept, "use_cache": True})
            outputs.append(first_tensor(output, subject.name))
        return torch.cat(outputs, 1)

    return run
