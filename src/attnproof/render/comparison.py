"""Two masks compared, in words: the same pairs, the same flow, or neither."""

from collections.abc import Sequence
from typing import Any

from attnproof.render.words import Json
from attnproof.symbolic.words import counted

_SHOWN = 6


def compare_text(comparison: Json) -> str:
    """A comparison, or a sweep of them, as text.

    >>> print(compare_text({"a": "a.npy", "b": "b.npy", "n": 6, "edges_equal": False,
    ...     "equal_off_diagonal": False, "flow_equal": True,
    ...     "only_in_a": [], "only_in_b": [[3, 0], [4, 1]]}), end="")
    a.npy and b.npy, n = 6
      edges differ: 2 pairs only in b.npy: query 3 reads key 0, query 4 reads key 1
      flow is the same: at some depth both let through the same
    """
    lengths: Sequence[Json] | None = comparison.get("sweep") or comparison.get("lengths")
    if lengths:
        return "".join(_one({**comparison, **one}) for one in lengths)
    return _one(comparison)


def _one(comparison: Json) -> str:
    a, b = str(comparison.get("a", "a")), str(comparison.get("b", "b"))
    names = (a, b) if a != b else ("the first", "the second")
    n = comparison.get("n")
    lines = [f"{a} and {b}" + (f", n = {n}" if n is not None else "")]
    if comparison.get("edges_equal"):
        lines.append("  edges are the same, as given")
    else:
        diagonal = comparison.get("equal_off_diagonal")
        where = "edges differ on the diagonal only" if diagonal else "edges differ"
        lines.append(f"  {where}: {_sides(comparison, '', names, 'query {} reads key {}')}")
    if comparison.get("flow_equal"):
        lines.append("  flow is the same: at some depth both let through the same")
    else:
        sides = _sides(comparison, "flow_", names, "token {1} reaches query {0}")
        lines.append(f"  flow differs: {sides}")
    lines += [f"  note: {note}" for note in comparison.get("notes") or ()]
    return "\n".join([*lines, ""])


def _sides(comparison: Json, prefix: str, names: tuple[str, str], sentence: str) -> str:
    parts: list[str] = []
    for side, name in zip("ab", names, strict=True):
        listed: Any = comparison.get(f"{prefix}only_in_{side}") or ()
        pairs: Sequence[Sequence[int]] = () if isinstance(listed, int) else listed
        least = listed if isinstance(listed, int) else len(pairs)
        total = int(comparison.get(f"{prefix}only_in_{side}_total") or least)
        if not total:
            continue
        shown = ", ".join(sentence.format(*pair) for pair in pairs[:_SHOWN])
        more = total - len(pairs[:_SHOWN])
        words = f"{counted(total, 'pair')} only in {name}"
        words += f": {shown}" if shown else ""
        parts.append(words + (f", … and {more} more" if shown and more else ""))
    return "; ".join(parts) or "somewhere"
