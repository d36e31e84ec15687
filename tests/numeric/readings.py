"""Pairs of readings, for tests: positions of queries and keys."""

from attnproof.source import Reading

Pairs = set[tuple[int, int]]


def pairs_of(reading: Reading, batch: int = 0) -> Pairs:
    """The pairs (position of the query, key) of a batch element."""
    (mask,) = (mask for indices, mask in reading.masks if batch in indices)
    offset = mask.offset
    return {(offset + q, k) for q in range(mask.queries) for k in range(mask.keys) if mask[q, k]}


def replayed(reading: Reading, batch: int = 0) -> Pairs:
    """The same pairs, asked again of what the user holds."""
    mask = reading.masks[0][1]
    every = ((q, k) for q in range(mask.queries) for k in range(mask.keys))
    return {(mask.offset + q, k) for q, k in every if reading.replay(batch, q, k)}
