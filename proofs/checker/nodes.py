"""A position of a task, what lies below it, what each position is fed and which keys it has.

A query is among its own keys exactly where ``diag_in_softmax`` says so; the diagonal of a mask is
not looked at. Two nodes are compared under one model: all that describes it must agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .envelope import Invalid, array, boolean, integer, need, record, string
from .limits import Steps
from .masks import SETTING, Setting, read_setting
from .relations import elements

_SIDE = SETTING | {"heads", "pos_mode", "diag_in_softmax", "positions", "node"}
READS_NOTHING = "a query reads nothing, and empty_row is not zero"
POS_MODES = ("absolute", "relative", "none")


@dataclass(frozen=True)
class Side:
    """The node, and for every position below it its input, its place and its keys.

    ``keys[layer][head][q]`` lists positions. ``inputs`` hold a position id where ids are absolute;
    ``places`` are ids where their differences are seen, else all 0.
    """

    node: int
    inputs: Mapping[int, object]
    places: Mapping[int, int]
    keys: tuple[tuple[Mapping[int, tuple[int, ...]], ...], ...]


@dataclass(frozen=True)
class Pair:
    """Two nodes, the sense in which they are compared, and how many layers run."""

    a: Side
    b: Side
    mode: str
    depth: int | None
    steps: Steps

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.a, self.b


def read_pair(predicate: object, more: str, digests: Sequence[str]) -> tuple[Pair, object]:
    """The two nodes of a predicate, and the value of its one further key."""
    found = record(predicate, {"a", "b", "mode", more}, "the predicate")
    mode = found["mode"]
    if not isinstance(mode, str) or mode not in ("iso", "wl", "softmax"):
        raise Invalid("mode is neither iso nor wl nor softmax")
    steps = Steps()
    first = record(found["a"], _SIDE, "a")
    split = len(array(first["layers"], "layers"))
    a, model, depth = _read_side(first, digests[:split], steps)
    b, other, _ = _read_side(record(found["b"], _SIDE, "b"), digests[split:], steps)
    need(model == other, "the two tasks are not run by one model")
    return Pair(a, b, mode, depth, steps), found[more]


def _read_side(
    found: dict[str, object], digests: Sequence[str], steps: Steps
) -> tuple[Side, tuple[object, ...], int | None]:
    setting = read_setting(found, digests)
    check_setting(setting)
    heads = integer(found["heads"], None, "heads")
    need(heads > 0 and len(setting.layers) % heads == 0, "heads does not divide the masks")
    pos_mode = found["pos_mode"]
    if not isinstance(pos_mode, str) or pos_mode not in POS_MODES:
        raise Invalid("pos_mode is neither absolute nor relative nor none")
    own_key = boolean(found["diag_in_softmax"], "diag_in_softmax")
    node = integer(found["node"], setting.size, "node")
    positions = array(found["positions"], "positions")
    need(len(positions) == setting.size, "the task has another number of positions than the mask")
    read = [read_position(position, pos_mode) for position in positions]
    lists = _keys_below(setting, node, own_key, steps)
    below = lists[0].keys()
    side = Side(
        node,
        {p: read[p][0] for p in below},
        {p: read[p][1] for p in below},
        tuple(tuple(lists[i : i + heads]) for i in range(0, len(lists), heads)),
    )
    model = (setting.depth, setting.empty_row, heads, pos_mode, own_key)
    return side, model, setting.depth


def check_setting(setting: Setting) -> None:
    """Each position is a query and a key, keeps its own state, and adds nothing to it where it
    reads nothing."""
    need(setting.residual, "without a residual nothing is said of nodes")
    square = all(one.queries == one.keys == setting.size for one in setting.layers)
    need(square, "some position is no query, or no key")
    need(
        setting.empty_row == "zero" or not any(x.rows.has_empty_row() for x in setting.layers),
        READS_NOTHING,
    )


def read_position(value: object, pos_mode: str) -> tuple[object, int]:
    """What a position is fed, and its place."""
    found = record(value, {"atoms", "pos", "kind", "segment"}, "a position")
    atoms = sorted(string(atom, "an atom") for atom in array(found["atoms"], "atoms"))
    pos = found["pos"]
    if isinstance(pos, bool) or not (pos is None or isinstance(pos, int)):
        raise Invalid("pos is not an integer")
    kind, segment = string(found["kind"], "kind"), _read_segment(found["segment"])
    if pos_mode == "absolute":
        return (tuple(atoms), pos, kind, segment), 0
    if pos_mode == "none":
        return (tuple(atoms), kind, segment), 0
    if pos is None:
        raise Invalid("a position has no pos, and differences are seen")
    return (tuple(atoms), kind, segment), pos


def _read_segment(value: object) -> object:
    if isinstance(value, list):
        return tuple(_read_id(one) for one in value)
    return None if value is None else _read_id(value)


def _read_id(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Invalid("segment holds what is neither an integer nor a string")
    return value


def _keys_below(
    setting: Setting, node: int, own_key: bool, steps: Steps
) -> list[dict[int, tuple[int, ...]]]:
    """For every mask, position to keys; the positions are all that can reach the node."""
    lists: list[dict[int, tuple[int, ...]]] = [{} for _ in setting.executed]
    waiting, seen = [node], {node}
    while waiting:
        q = waiting.pop()
        for keys, rows in zip(lists, setting.executed, strict=True):
            row = rows.bits(q)
            steps.take(row.bit_count() + setting.size // 64 + 1)
            keys[q] = tuple(k for k in elements(row) if own_key or k != q)
            need(bool(keys[q]) or setting.empty_row == "zero", READS_NOTHING)
            waiting += (k for k in keys[q] if k not in seen)
            seen.update(keys[q])
    return lists
