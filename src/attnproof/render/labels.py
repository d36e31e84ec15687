"""Words for the parts of an order: a class as ``{3,4,5}``, a path as ``5 -> 7 -> 2``.

Convention: a path runs from the source to the reader.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise

from attnproof.symbolic.verdict import Finding, Path
from attnproof.symbolic.words import counted

_LISTED = 4
_LONGEST = 22
_HOPS = 8


def class_label(members: Sequence[int]) -> str:
    """The members of a class: one alone, a few in full, many as ranges.

    >>> class_label([7]), class_label([3, 4, 5]), class_label(range(3, 10))
    ('7', '{3,4,5}', '{3..9}')
    >>> class_label([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22])
    '{0,2,4,6,8,.. 12 in all}'
    """
    if len(members) == 1:
        return str(members[0])
    parts = [str(m) for m in members] if len(members) <= _LISTED else _ranges(members)
    whole = "{" + ",".join(parts) + "}"
    if len(whole) <= _LONGEST:
        return whole
    tail = f",.. {len(members)} in all}}"
    kept = parts[:1]
    for part in parts[1:]:
        if len("{" + ",".join([*kept, part]) + tail) > _LONGEST + 4:
            break
        kept.append(part)
    return "{" + ",".join(kept) + tail


def _ranges(members: Sequence[int]) -> list[str]:
    parts: list[str] = []
    for _, group in groupby(enumerate(sorted(members)), key=lambda pair: pair[1] - pair[0]):
        run = [m for _, m in group]
        parts += [f"{run[0]}..{run[-1]}"] if len(run) > 2 else [str(m) for m in run]
    return parts


def tokens_of(path: Path) -> tuple[int, ...]:
    """The tokens of a path, source first; a token that waits for a layer stands once.

    >>> tokens_of(((5, 0), (5, 1), (7, 2), (2, 3)))
    (5, 7, 2)
    """
    tokens = [step if isinstance(step, int) else step[0] for step in path]
    return tuple(tokens[:1] + [b for a, b in pairwise(tokens) if a != b])


def path_text(tokens: Sequence[int], most: int = _HOPS) -> str:
    """A path with arrows; the middle of a long one is counted, not listed.

    >>> path_text([5, 7, 2])
    '5 -> 7 -> 2'
    >>> path_text(range(0, 40, 2))
    '0 -> 2 -> 4 -> … 14 tokens … -> 34 -> 36 -> 38'
    """
    names = [str(t) for t in tokens]
    if len(names) > most:
        left_out = len(names) - 6
        names = [*names[:3], f"… {left_out} tokens …", *names[-3:]]
    return " -> ".join(names)


def caption(finding: Finding) -> str:
    """One line for a finding: its own message, or a short form where its path is long.

    >>> caption(Finding("leak", "token 1 reaches query 0 in 1 layer: 1 -> 0"))
    'token 1 reaches query 0 in 1 layer: 1 -> 0'
    """
    path, depth = finding.path, finding.depth
    if path is None or depth is None or len(path) <= _HOPS:
        return finding.message
    return (
        f"token {finding.source} reaches query {finding.reader} in {counted(depth, 'layer')}: "
        f"{path_text(tokens_of(path))}"
    )
