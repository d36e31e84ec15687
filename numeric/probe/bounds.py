"""What a model, and each of its layers, may depend on: the product of the promised masks.

Convention: ``mask[q, k]`` is true when row ``q`` may depend on input position ``k``. Rows of
padding are free, and no live row may read them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from attnproof.numeric.probe.promised import LayerKind, Promise, Reads
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.order.closure import closure
from attnproof.symbolic.order.relation import relation, union
from attnproof.symbolic.order.schedule import product

Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """Positions that belong together: a document, or padding, which is not live."""

    length: int
    live: bool = True


@dataclass(frozen=True, slots=True)
class Stack:
    """The names of the modules that are the layers of a model, first layer first."""

    layers: tuple[str, ...] = ()
    encoder: tuple[str, ...] = ()


NO_STACK = Stack()


@dataclass(frozen=True, slots=True)
class Bound:
    """The pairs that the outputs may show, and those of parts of a model by the layer they run in.

    ``parts[layer][count]`` is for tensors with ``count`` rows within a layer, under None for those
    outside of all layers. ``readers[count]`` are the positions of so many rows,
    ``output_readers`` those of the output rows, ``free`` the output rows of padding.

    >>> window = Promise((LayerKind(Reads.WINDOW, 2),) * 2)
    >>> bound_of(window, [Segment(4)], Stack(("h.0", "h.1"))).of("h.0", 4)
    Mask 4×4 (row = query)
    #···
    ##··
    ·##·
    ··##
    """

    outputs: Mask
    output_readers: tuple[int, ...]
    parts: Mapping[str | None, Mapping[int, Mask]] = field(default_factory=dict)
    readers: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    free: frozenset[int] = frozenset()

    def of(self, layer: str | None, rows: int) -> Mask | None:
        """The bound of a tensor with so many rows, or None where nothing is promised."""
        known = self.parts.get(layer, self.parts.get(None, {}))
        return known.get(rows)


def bound_of(
    promise: Promise,
    segments: Sequence[Segment],
    stack: Stack = NO_STACK,
    *,
    split: Iterable[int] = (),
) -> Bound:
    """The bound of a model of one stream.

    ``split`` are the places where the rows are cut: a cached continuation is computed in parts.
    """
    layers = [_executed(kind, segments) for kind in promise.layers]
    n = len(layers[0])
    groups = _between([0, *split, n])
    free = frozenset(p for p in range(n) if not _live(segments) >> p & 1)
    if promise.any_depth:
        held, named = [closure(union(layers)).rows], NO_STACK
    else:
        held, named = _levels(layers, n), stack
    parts = _parts(held, named.layers, groups, n)
    return Bound(_mask(held[-1], range(n), n), tuple(range(n)), parts, _readers(groups), free)


def encoder_decoder_bound(
    promise: Promise,
    segments: Sequence[Segment],
    decoder: int,
    stack: Stack = NO_STACK,
    *,
    split: Iterable[int] = (),
) -> Bound:
    """The bound of an encoder, over ``segments``, and a decoder of so many positions after it.

    The rows of the outputs are those of the decoder.
    """
    encoder = sum(each.length for each in segments)
    total = encoder + decoder
    layers = _both(promise, segments, decoder)
    held = _levels(layers, total)
    groups = [range(encoder), *_between([encoder, *(encoder + cut for cut in split), total])]
    named = (*stack.encoder, *stack.layers)
    names = named if len(named) == len(layers) else ()
    decoded = range(encoder, total)
    parts = _parts(held, names, groups, total)
    return Bound(_mask(held[-1], decoded, total), tuple(decoded), parts, _readers(groups))


def schedule(promise: Promise, n: int, decoder: int = 0) -> tuple[Mask, ...]:
    """The masks of the layers over ``n`` positions, and over those of a decoder after an encoder.

    >>> len(schedule(Promise((LayerKind(Reads.PAST),) * 2), 4))
    2
    """
    if promise.encoder:
        total = n + decoder
        layers = _both(promise, [Segment(n)], decoder)
        return tuple(_mask(layer, range(total), total) for layer in layers)
    return tuple(kind.mask(n) for kind in promise.layers)


def two_stream_bound(
    promise: Promise, blocked: Sequence[int], targets: Sequence[int], stack: Stack = NO_STACK
) -> Bound:
    """The bound of a query stream at ``targets`` over a content stream.

    ``blocked[q]`` is the set of keys that ``perm_mask`` blocks for query ``q``. A content position
    reads itself all the same; a query does not read its own content. Source: Yang et al., XLNet,
    arXiv:1906.08237, section 2.3.
    """
    n = len(blocked)
    layers: list[Rows] = []
    for kind in promise.layers:
        reads = [row & ~out for row, out in zip(kind.mask(n).rows.bits(), blocked, strict=True)]
        content = [row | 1 << q for q, row in enumerate(reads)]
        queries = [reads[target] | 1 << n + place for place, target in enumerate(targets)]
        layers.append((*content, *queries))
    total = n + len(targets)
    held = _levels(layers, total)
    groups = _between([0, n, total])
    parts = _parts(held, stack.layers, groups, n)
    readers = {n: tuple(range(n)), len(targets): tuple(targets)}
    return Bound(_mask(held[-1], groups[1], n), tuple(targets), parts, readers)


def apart(count: int) -> Bound:
    """The bound of ``count`` batch elements: each depends on itself alone, in every part."""
    elements = range(count)
    own = _mask(tuple(1 << b for b in elements), elements, count)
    return Bound(own, tuple(elements), {None: {count: own}}, _readers([elements]))


def _executed(kind: LayerKind, segments: Sequence[Segment]) -> Rows:
    """The relation of one layer; positions of a layer with a name are counted in each segment."""
    rows: list[int] = []
    n = sum(each.length for each in segments)
    given = relation(kind.mask(n)) if kind.reads is Reads.GIVEN else None
    for each in segments:
        start, stop = len(rows), len(rows) + each.length
        if not each.live:
            rows += [(1 << n) - 1] * each.length
        elif given is not None:
            inside = (1 << stop) - (1 << start)
            rows += [row & inside for row in given[start:stop]]
        else:
            rows += [row << start for row in relation(kind.mask(each.length))]
    return tuple(rows)


def _both(promise: Promise, segments: Sequence[Segment], decoder: int) -> list[Rows]:
    """The layers of an encoder, which leave the decoder alone, and those of a decoder after it."""
    encoder = sum(each.length for each in segments)
    own = tuple(1 << p for p in range(encoder + decoder))
    layers = [(*_executed(kind, segments), *own[encoder:]) for kind in promise.encoder]
    for kind in promise.layers:
        rows = (row << encoder | _live(segments) for row in _executed(kind, [Segment(decoder)]))
        layers.append((*own[:encoder], *rows))
    return layers


def _live(segments: Sequence[Segment]) -> int:
    bits = start = 0
    for each in segments:
        bits |= ((1 << each.length) - 1) << start if each.live else 0
        start += each.length
    return bits


def _levels(layers: Sequence[Rows], positions: int) -> list[Rows]:
    """The reach relation after 0, 1, ... layers."""
    held = [tuple(1 << p for p in range(positions))]
    for layer in layers:
        held.append(product(layer, held[-1]))
    return held


def _parts(
    held: Sequence[Rows], names: Sequence[str], groups: Sequence[range], keys: int
) -> dict[str | None, Mapping[int, Mask]]:
    parts: dict[str | None, Mapping[int, Mask]] = {None: _grouped(held[-1], groups, keys)}
    for name, level in zip(names, held[1:], strict=False):
        parts[name] = _grouped(level, groups, keys)
    return parts


def _between(cuts: Sequence[int]) -> list[range]:
    return [range(start, stop) for start, stop in pairwise(cuts)]


def _readers(groups: Sequence[range]) -> dict[int, tuple[int, ...]]:
    return {len(group): tuple(group) for group in groups}


def _grouped(level: Rows, groups: Sequence[range], keys: int) -> dict[int, Mask]:
    """By the number of rows; groups of one size allow what any of them does."""
    found: dict[int, Mask] = {}
    for group in groups:
        mask = _mask(level, group, keys)
        found[len(group)] = found[len(group)] | mask if len(group) in found else mask
    return found


def _mask(level: Sequence[int], rows: range, keys: int) -> Mask:
    low = (1 << keys) - 1
    return Mask.of(Bits(tuple(level[q] & low for q in rows), keys))
