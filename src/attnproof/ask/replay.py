"""Replay: a leak counts only when its path can be walked on the user's own object."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from attnproof.symbolic.order.judge import Judgement
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.verdict import Path

#: Does the user's own object let query q read key k?
Reads = Callable[[int, int], bool]


def replays(path: Path, setting: Setting, reads: Sequence[Reads]) -> bool:
    """Is every step of a path read by the object of its layer?

    A token that waits is carried by the residual; a cached position keeps its own state; a query
    that reads nothing reads everything where softmax makes its row uniform.
    """
    for (source, begin), (reader, end) in pairwise(_timed(path)):
        waiting = range(begin, end - 1)
        if not all(_reads(source, source, setting, reads, level) for level in waiting):
            return False
        if not _reads(reader, source, setting, reads, end - 1):
            return False
    return True


def _timed(path: Path) -> Iterator[tuple[int, int]]:
    """(token, layer after which it holds); the path of one mask takes one step a layer."""
    steps: Iterable[int | tuple[int, int]] = path
    for level, step in enumerate(steps):
        yield (step, level) if isinstance(step, int) else step


def _reads(reader: int, source: int, setting: Setting, reads: Sequence[Reads], level: int) -> bool:
    mask = setting.layers[level % len(setting.layers)]
    q = reader - mask.offset
    if reader == source and (setting.residual or not 0 <= q < mask.queries):
        return True
    if not 0 <= q < mask.queries or source >= mask.keys:
        return False
    if setting.empty_row is EmptyRow.UNIFORM and not mask.rows.row(q):
        return True
    return reads[level % len(reads)](q, source)


def walks(judgement: Judgement) -> list[Path]:
    """The paths along which information leaks, layer by layer; those of structural properties
    need not follow the layers."""
    return [
        finding.path
        for finding in judgement.findings
        if finding.path is not None and finding.severity == "error" and finding.kind != "structure"
    ]


def all_replay(judgement: Judgement, setting: Setting, reads: Sequence[Reads]) -> bool:
    """Does every path that the judgement lists replay?"""
    return all(replays(path, setting, reads) for path in walks(judgement))
