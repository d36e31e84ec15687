"""A whole task: what each position is fed and predicts, which keys it has, and what lies below it.

A query is among its own keys exactly where ``diag_in_softmax`` says so. Rows are sets of positions
as bits, ``keys[layer][head][q]``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .envelope import Invalid, array, boolean, integer, need, record, string
from .limits import MOST_SPARSE, Steps
from .masks import SETTING, read_setting
from .nodes import POS_MODES, READS_NOTHING, Side, check_setting, read_position
from .relations import elements

_MODEL = SETTING | {"heads", "pos_mode", "diag_in_softmax", "positions", "labels"}

#: Position to its labels, (head, atom).
Labels = Mapping[int, frozenset[tuple[int, str]]]


@dataclass(frozen=True)
class Model:
    """``conventions`` are what one model has in common: depth, empty_row, heads, pos_mode, own key.

    ``places`` are position ids where differences are seen, else all 0.
    """

    conventions: tuple[object, ...]
    depth: int | None
    inputs: Sequence[object]
    places: Sequence[int]
    keys: tuple[tuple[tuple[int, ...], ...], ...]
    below: tuple[int, ...]
    labels: Labels

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.inputs)

    def colours(self, steps: Steps) -> list[int]:
        """The stable colours: isomorphic positions have one."""
        held = _named(list(self.inputs))
        quiet = level = 0
        while quiet < len(self.keys):
            heads = self.keys[level % len(self.keys)]
            steps.take(sum(rows[q].bit_count() for rows in heads for q in range(self.size)))
            finer = _named([
                (held[q], *(self._bag(held, q, rows[q]) for rows in heads))
                for q in range(self.size)
            ])  # fmt: skip
            quiet = quiet + 1 if max(finer) == max(held) else 0
            held, level = finer, level + 1
        return held

    def _bag(self, held: Sequence[int], q: int, row: int) -> object:
        place = self.places[q]
        return tuple(sorted((held[k], place - self.places[k]) for k in elements(row)))

    def side(self, node: int) -> Side:
        """A position with all that lies below it."""
        positions = list(elements(self.below[node]))
        return Side(
            node,
            {p: self.inputs[p] for p in positions},
            {p: self.places[p] for p in positions},
            tuple(
                tuple({p: tuple(elements(rows[p])) for p in positions} for rows in heads)
                for heads in self.keys
            ),
        )


def read_model(value: object, digests: Sequence[str], steps: Steps) -> tuple[Model, Sequence[str]]:
    """A task whose masks have the first of the digests, and the digests that are left."""
    found = record(value, _MODEL, "a task")
    count = len(array(found["layers"], "layers"))
    setting = read_setting(found, digests[:count])
    check_setting(setting)
    need(setting.size <= MOST_SPARSE, f"a task has more than {MOST_SPARSE} positions")
    heads = integer(found["heads"], None, "heads")
    need(heads > 0 and count % heads == 0, "heads does not divide the masks")
    pos_mode = found["pos_mode"]
    if not isinstance(pos_mode, str) or pos_mode not in POS_MODES:
        raise Invalid("pos_mode is neither absolute nor relative nor none")
    own_key = boolean(found["diag_in_softmax"], "diag_in_softmax")
    positions = array(found["positions"], "positions")
    need(len(positions) == setting.size, "the task has another number of positions than the mask")
    read = [read_position(position, pos_mode) for position in positions]
    lists = []
    for rows in setting.executed:
        bits = [rows.bits(q) for q in range(setting.size)]
        steps.take(setting.size * (setting.size // 64 + 1))
        lists.append(tuple(row if own_key else row & ~(1 << q) for q, row in enumerate(bits)))
    need(setting.empty_row == "zero" or all(map(all, lists)), READS_NOTHING)
    model = Model(
        (setting.depth, setting.empty_row, heads, pos_mode, own_key),
        setting.depth,
        [fed for fed, _ in read],
        [place for _, place in read],
        tuple(tuple(lists[i : i + heads]) for i in range(0, count, heads)),
        _below(lists, setting.size, steps),
        read_labels(found["labels"], setting.size),
    )
    return model, digests[count:]


def read_labels(value: object, size: int) -> Labels:
    """The labels of each position: one atom a head."""
    found: dict[int, dict[int, str]] = {}
    for label in array(value, "labels"):
        one = record(label, {"position", "atom", "head"}, "a label")
        heads = found.setdefault(integer(one["position"], size, "the position of a label"), {})
        head = integer(one["head"], None, "head")
        need(head not in heads, "two labels stand at one position and head")
        heads[head] = string(one["atom"], "atom")
    return {p: frozenset(heads.items()) for p, heads in found.items()}


def _below(lists: Sequence[Sequence[int]], size: int, steps: Steps) -> tuple[int, ...]:
    """Everything that can reach each position, itself among it."""
    read = [1 << q for q in range(size)]
    for rows in lists:
        read = [a | b for a, b in zip(read, rows, strict=True)]
    found = []
    for row in read:
        seen = fresh = row
        while fresh:
            more = 0
            steps.take(fresh.bit_count() * (size // 64 + 1))
            for k in elements(fresh):
                more |= read[k]
            fresh = more & ~seen
            seen |= fresh
        found.append(seen)
    return tuple(found)


def _named(values: Sequence[object]) -> list[int]:
    """Equal values become equal numbers."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
