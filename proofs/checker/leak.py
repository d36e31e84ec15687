"""leak/v1: a forbidden source reaches a reader, and least after ``least_depth`` layers.

Theorem: a path whose steps are read layer by layer shows that its source reaches its reader. A
derived label that no one carries is known when all of its arguments are there at once; the source
carries one of them, with a residual the last to arrive.

Machine-checked: ``HopMatrix.leak_depth_exact`` and ``NonInterference.product_is_tight``.
"""

from collections.abc import Iterator, Sequence

from .envelope import integer, need, record, string
from .layers import arrives, spread
from .masks import SETTING, Setting, read_setting
from .paths import read_steps, replays
from .properties import read_property
from .tasks import Task

KIND = "attnproof/leak/v1"
_KEYS = SETTING | {"property", "reader", "source", "least_depth", "path", "atom", "head"}
_SHALLOW = "the leak is not there after as many layers as run"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the property fails in this way."""
    found = record(predicate, _KEYS, "the predicate")
    setting = read_setting(found, digests)
    wanted = read_property(found["property"], setting.size)
    reader = integer(found["reader"], setting.size, "reader")
    source = integer(found["source"], setting.size, "source")
    depth = integer(found["least_depth"], None, "least_depth")
    computed = False
    if wanted.task is None:
        need(found["atom"] is None and found["head"] is None, "only a task has atoms and heads")
        need(not wanted.allows(reader, source, source + 1), "the pair is not forbidden")
        _check_present(setting, source, reader, depth)
    else:
        atom = string(found["atom"], "atom")
        head = integer(found["head"], None, "head")
        _check_label(wanted.task, reader, source, atom, head)
        if wanted.task.carriers[atom] >> source & 1:
            _check_present(setting, source, reader, depth)
        else:
            _check_derived(setting, wanted.task, atom, reader, depth)
            computed = not setting.residual
    least = computed or arrives(setting.executed, source, reader, depth)
    need(least, "least_depth is not the least number of layers")
    steps = read_steps(found["path"], setting.size, len(setting.layers))
    need(steps[0] == (source, 0), "the path does not start at the source")
    need(steps[-1] == (reader, depth), "the path does not end at the reader")
    need(replays(setting.executed, steps), "the path is not read by the layers")


def _check_present(setting: Setting, source: int, reader: int, depth: int) -> None:
    """Does the source also reach the reader after as many layers as run?"""
    if setting.depth is not None:
        need(depth <= setting.depth, _SHALLOW)
        if not setting.residual:
            *_, held = spread(setting.executed, 1 << source, setting.depth)
            need(bool(held >> reader & 1), _SHALLOW)


def _check_label(task: Task, reader: int, source: int, atom: str, head: int) -> None:
    """Does a label at the reader forbid ``atom``, and does the source carry some of it?"""
    labels = [one for one in task.labels if (one.position, one.head) == (reader, head)]
    need(bool(labels), "there is no label at this reader and head")
    (label,) = labels
    need(atom in task.carriers, "the atom is unknown")
    parts = [atom]
    if atom == label.atom and not task.is_exempt(label):
        parts = task.with_arguments(atom)
    else:
        need(not task.may_arrive(label, atom), "the atom may arrive at this label")
    carried = any(task.carriers[part] >> source & 1 for part in parts)
    need(carried, "the source does not carry the atom, nor an argument of it")


def _check_derived(setting: Setting, task: Task, atom: str, reader: int, depth: int) -> None:
    """Are all arguments of ``atom`` there at once first after ``depth`` layers, and when all layers
    have run?"""
    for level, arrived in enumerate(_arrivals(setting, task, atom, reader, depth)):
        first = task.follows(atom, arrived) == (level == depth)
        need(first, "the label is not known first after least_depth layers")
    if setting.depth is not None:
        need(depth <= setting.depth, _SHALLOW)
        if not setting.residual:
            *_, arrived = _arrivals(setting, task, atom, reader, setting.depth)
            need(task.follows(atom, arrived), _SHALLOW)


def _arrivals(
    setting: Setting, task: Task, atom: str, reader: int, depth: int
) -> Iterator[set[str]]:
    """Which parts of ``atom`` the reader is reached by after 0, 1, ..., ``depth`` layers."""
    names = task.with_arguments(atom)
    spreads = (spread(setting.executed, task.carriers[name], depth) for name in names)
    for held in zip(*spreads, strict=True):
        yield {name for name, row in zip(names, held, strict=True) if row >> reader & 1}
