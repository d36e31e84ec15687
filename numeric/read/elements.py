"""Does a rule depend on which head, or which batch element, it is asked for?

Without their numbers a rule is evaluated for head 0 of batch element 0, so a rule that reads these
indices is told of: what it says of others was not seen.
"""

from typing import Any, NoReturn

from attnproof.numeric.read.callables import CHUNK, Rule
from attnproof.numeric.read.signature import Kind
from attnproof.numeric.read.torch_scalars import maker
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.verdict import Finding

_OPERATORS = (
    *("bool", "int", "float", "index", "hash", "len", "iter", "str", "format", "array"),
    *("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "getitem"),
    *(f"{side}{name}" for side in ("", "r") for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
        "rshift",
    )),
)  # fmt: skip


class _Read(Exception):
    """An index was looked at."""


def _raise(*_: Any, **__: Any) -> NoReturn:
    raise _Read


class _Watched:
    """An index that raises whatever is done with its value."""

    __torch_function__ = classmethod(_raise)

    def __init__(self, real: Any) -> None:
        self.real = real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("new_") or name in ("device", "dtype", "shape", "ndim"):
            return getattr(self.real, name)
        raise _Read


for _name in _OPERATORS:
    setattr(_Watched, f"__{_name}__", _raise)


def unasked(rule: Rule, n: int, *, heads: bool, batches: bool) -> tuple[Finding, ...]:
    """Notes on heads and batch elements that there seem to be and that were not asked for.

    >>> from attnproof.numeric.read.signature import Kind
    >>> [note.kind for note in unasked(
    ...     Rule(lambda b, h, q, k: (q >= k) | (h == 1), Kind.MASK_MOD, "rule"), 4,
    ...     heads=True, batches=True)]
    ['one_head']
    """
    notes = []
    if heads and _reads(rule, n, 1) and _masks(rule, n):
        notes.append(
            Finding(
                "one_head",
                f"{rule.name} reads its head index, and head 0 alone was evaluated; give --heads "
                "H, how many there are",
                severity="note",
            )
        )
    if batches and _reads(rule, n, 0):
        notes.append(
            Finding(
                "one_batch",
                f"{rule.name} reads its batch index, and batch element 0 alone was evaluated; give "
                "--batches B, how many there are",
                severity="note",
            )
        )
    return tuple(notes)


def _masks(rule: Rule, n: int) -> bool:
    """Does the head matter to what is read? A score_mod may only add to scores by it."""
    if rule.kind is Kind.MASK_MOD or rule.by_pairs is not None or n * n > CHUNK:
        return True
    first, second = rule.dense(0, range(2), range(n), n)
    return bool((first != second).any())


def _reads(rule: Rule, n: int, place: int) -> bool:
    """Does the rule look at an index (0 the batch element, 1 the head), and has it a second?"""
    corners = [(q, k) for q in {0, n - 1} for k in {0, n - 1}]
    return any(_looks(rule, q, k, place) for q, k in corners) and _has_second(rule, n, place)


def _looks(rule: Rule, q: int, k: int, place: int) -> bool:
    wrap = maker(rule.device)
    given: list[Any] = [wrap(0), wrap(0), wrap(q), wrap(k)]
    given[place] = _Watched(given[place])
    score = (wrap(0.0),) if rule.kind is Kind.SCORE_MOD else ()
    try:
        with rule.calling():
            rule.function(*score, *given)
    except Exception:
        return True
    return False


def _has_second(rule: Rule, n: int, place: int) -> bool:
    """Is there an answer for index 1? A captured tensor of one element has none."""
    try:
        rule.at(*((1, 0) if place == 0 else (0, 1)), n - 1, 0)
    except InputError:
        return False
    return True
