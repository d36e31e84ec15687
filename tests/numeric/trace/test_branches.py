"""Control flow: refused with the line that does it, or followed along every path."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="rules are traced with torch")

from attnproof.numeric.read.objects import resolve
from attnproof.numeric.trace import TraceError, trace, tracing
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import evaluate

#: A body of a rule, the text that the refusal shows, and what it says to write instead.
REFUSED: dict[str, tuple[str, str, str]] = {
    "if": ("if q < 4:\n        k = k + 1\n    return k <= q", "if q < 4:", "torch.where(condition"),
    "conditional": (
        "return k <= q if q < 4 else k < 4",
        "k <= q if q < 4 else k < 4",
        "split=True",
    ),
    "while": ("while q > k: k = k + 1\n    return k <= q", "while q > k:", "fixed number of steps"),
    "assert": ("assert q >= 0\n    return k <= q", "assert q >= 0", "where the mask_mod is built"),
    "and": ("return k <= q and q - k < 4", "k <= q and q - k < 4", "write a & b"),
    "or": ("return (k <= q) or (k < 4)", "(k <= q) or (k < 4)", "write a | b"),
    "not": ("return not k > q", "not k > q", "write ~a"),
    "chain": ("return q - 4 < k <= q", "q - 4 < k <= q", "write (a <= b) & (b < c)"),
    "min": ("return min(q, k) == k", "min(q, k)", "write torch.minimum"),
    "max": ("return max(q, 3) >= k", "max(q, 3)", "write torch.maximum"),
    "in": ("return k in (0, 1)", "k in (0, 1)", "write torch.isin"),
    "item": ("return k.item() <= q", "k.item()", "leave it a tensor"),
    "int": ("return int(k) <= q", "int(k)", "an index is an integer"),
    "float": ("return float(k) <= q", "float(k)", "stay with integers"),
    "bool": ("return bool(k <= q)", "bool(k <= q)", "compare it"),
    "range": ("return sum(j <= k for j in range(q)) > 2", "range(q)", "fixed number of steps"),
    "slice": ("return IDS[k:].sum() > 3", "IDS[k:]", "whole indices"),
    "list": ("return LEVELS[q] >= k", "LEVELS[q]", "whole indices"),
    "any": ("return any([k <= q, k < 2])", "any([k <= q, k < 2])", "write torch.any"),
    "log2": ("return torch.log2(q + 1) > k", "torch.log2(q + 1)", "table of the logarithms"),
    "round": ("return torch.round(q / 3) > k", "torch.round(q / 3)", "(2 * x + 1) // 2"),
    "argmax": ("return torch.stack([q, k]).argmax() > 0", "argmax()", "the elements themselves"),
    "indices": (
        "return torch.stack([q, k]).max(0).indices > 0",
        ".indices",
        "compare the elements",
    ),
    "in place": (
        "m = q >= k\n    m.logical_or_(k < 2)\n    return m",
        "logical_or_(k < 2)",
        "assign",
    ),
    "item assignment": ("q[0] = 3\n    return q >= k", "q[0]", "write"),
    "tensor": ("return torch.tensor(q) >= k", "torch.tensor(q)", "is a tensor already"),
    "size": ("return torch.arange(q).sum() >= k", "torch.arange(q)", "give the size a value"),
    "caught": (
        "try: return int(k) <= q\n    except Exception: return k <= q",
        "int(k)",
        "leave it",
    ),
    "inexact": ("return k * 0.1 <= q", "k * 0.1", "stay with integers"),
    "quotients": ("return k / 3 <= q / 7", "k / 3 <= q / 7", "write a // b"),
    "divisor": ("return k / (q + 1) <= 3", "k / (q + 1)", "write a // b"),
    "form": ("return torch.add(q, k, out=None) > 0", "torch.add(q, k, out=None)", "form"),
    "nothing": ("return None", "the rule returns NoneType", "one Boolean for each pair"),
    "integer": ("return q - k", "torch.int64", "one Boolean for each pair"),
    "row": ("return torch.stack([q, k]) > 0", "shape (2,)", "one Boolean for each pair"),
    "both Booleans": ("return (q > k) - (k > 3) == 0", "(q > k) - (k > 3)", ".long() first"),
    "half": ("return q.half() > k", "q.half()", "comparisons"),
    "bfloat": ("return q.to(torch.bfloat16) > k", "q.to(torch.bfloat16)", "rounds small integers"),
    "narrow": ("return q.to(torch.uint8) > k", "q.to(torch.uint8)", "wraps around"),
    "zero": ("return q // 0 > k", "q // 0", "give a positive divisor"),
    "scalar rows": ("return [x for x in q][0] > k", "elements of a scalar", ""),
}
HEAD = "import torch\nIDS = torch.tensor([0, 0, 1, 1])\nLEVELS = [0, 1, 2]\n\n"


def rule_in_file(folder: Path, body: str) -> Callable[..., Any]:
    """A rule of a file; its body starts at line 6."""
    file = folder / "mask.py"
    file.write_text(f"{HEAD}def rule(b, h, q, k):\n    {body}\n")
    function = resolve(f"{file}:rule")
    assert callable(function)
    return function


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_formula_is_refused_by_its_line(name: str, tmp_path: Path) -> None:
    """The refusal has the file, the line, the code and what to write instead."""
    body, shown, instead = REFUSED[name]
    with pytest.raises(TraceError) as error:
        trace(rule_in_file(tmp_path, body))
    message = str(error.value)
    assert shown in message
    assert instead in message
    if "the rule returns" not in message:
        first = (
            next(i for i, line in enumerate(body.splitlines(), 6) if shown.rstrip(":") in line)
            if any(shown.rstrip(":") in line for line in body.splitlines())
            else 6
        )
        assert message.startswith(f"{tmp_path / 'mask.py'}, line {first}: `")
        assert error.value.parts["line"] == first


def branching(b: Any, h: Any, q: Any, k: Any) -> Any:
    if q < 4:
        return k < 4
    if k == 9 or q - 3 <= k <= q:
        return True
    return not k


def clipped(b: Any, h: Any, q: Any, k: Any) -> Any:
    return max(q - 2, 0) <= k <= min(q, 7)


def by_head(b: Any, h: Any, q: Any, k: Any) -> Any:
    while h > 2:
        h = h - 2
    return q - k < 2 + h and k <= q


FOLLOWED: dict[str, tuple[Callable[..., Any], int]] = {
    "branching": (branching, 6),
    "clipped": (clipped, 6),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_split_follows_every_path(name: str) -> None:
    """The cases of a rule with branches are Python's own values."""
    rule, paths = FOLLOWED[name]
    traced = trace(rule, split=True)
    assert len(traced.paths) <= paths
    for q in range(12):
        for k in range(12):
            assert evaluate(traced.term, {"q": q, "k": k}) == bool(rule(0, 0, q, k))


def test_paths_that_cannot_be_taken_are_not_followed() -> None:
    """A branch that contradicts those before it is not a case."""

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        if q < 4:
            return k > 0 if q < 8 else 1 // 0
        return k <= q if q >= 0 else 1 // 0

    traced = trace(rule, split=True)
    assert repr(traced.term) == "(k > 0 if q < 4 else k <= q)"
    assert len(traced.paths) == 2


def test_obligations_hold_on_their_path_alone() -> None:
    """An index that a branch guards must be in range where the branch is taken."""
    import torch

    ids = torch.tensor([0, 0, 1, 1])

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        if q < 4 and k < 4:
            return ids[q] == ids[k]
        return k <= q

    traced = trace(rule, split=True)
    shown = repr(traced.obligations[0])
    assert shown == "index: not (q < 4 and k < 4) or q >= 0 and q < 4 for `ids[q]`"


def test_a_loop_without_end_is_refused() -> None:
    """A path that takes one branch after another ends."""
    with pytest.raises(TraceError, match=r"`while h > 2:` takes more than 32 branches"):
        trace(by_head, split=True)


def test_a_rule_with_too_many_paths_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Following every path ends."""
    monkeypatch.setattr(tracing, "PATHS", 4)

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return (q > 4 or k > 3) and (b > 0 or h > 0)

    with pytest.raises(TraceError, match=r"more than 4 paths; write torch\.where"):
        trace(rule, split=True)


def test_a_rule_of_an_imported_module_is_refused_by_its_line(tmp_path: Path) -> None:
    """The line is that of the function which does it, where it is called from another file."""
    helper = tmp_path / "helper.py"
    helper.write_text("def near(q, k):\n    return abs(q - k) < 3 and k <= q\n")
    spec = importlib.util.spec_from_file_location("helper", helper)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(TraceError, match=r"helper\.py, line 2: `abs\(q - k\) < 3 and k <= q`"):
        trace(lambda b, h, q, k: module.near(q, k))


def test_what_the_rule_raises_is_one_message() -> None:
    """An error of the user's code is told with its line, and no traceback."""

    def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
        return q.windows(3)

    def stopping(b: Any, h: Any, q: Any, k: Any) -> Any:
        raise BaseException("stop")

    with pytest.raises(InputError, match=r"rule raised AttributeError: .*'windows' \(.*line"):
        trace(rule)
    with pytest.raises(InputError, match=r"rule raised BaseException: stop \(.*line"):
        trace(stopping, name="rule")
