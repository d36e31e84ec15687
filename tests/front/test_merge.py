"""merge at the front door: the mask_mod reads back as the mask that was derived."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import attnproof as ap
from attnproof.symbolic.families.registry import build
from attnproof.symbolic.tasks.masks import Heads, Layers
from attnproof.symbolic.tasks.task import Position, Task
from attnproof.symbolic.tasks.writing import to_toml

torch = pytest.importorskip("torch")


def loaded(path: Path) -> ModuleType:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pairs(rule: Any, n: int, head: int = 0) -> list[list[bool]]:
    """What a rule says of every pair."""
    at = torch.arange(n)
    found: list[list[bool]] = rule(0, head, at[:, None], at[None, :]).expand(n, n).tolist()
    return found


def dense(mask: Any) -> list[list[bool]]:
    """A mask as lists."""
    return [[mask[q, k] for k in range(mask.keys)] for q in range(mask.queries)]


@pytest.mark.parametrize(
    ("builder", "parameters", "name"),
    [
        ("autoregressive", {"n": 5}, "causal"),
        ("bidirectional_prefix", {"n": 4}, "bidirectional_prefix"),
        ("permutation", {"order": [3, 1, 4, 2]}, "two_stream"),
        ("permutation", {"n": 3, "order": "all"}, "permutation"),
        ("block", {"n": 7, "b": 3, "clean": "token"}, "block_two_stream"),
        ("butterfly", {"n": 5}, "butterfly"),
        ("comb", {"n": 6}, "comb"),
        ("separating", {"n": 5}, "separating"),
        ("crown", {"n": 4}, "crown"),
        ("masked_autoencoder", {"n": 6, "visible": [1, 4]}, "masked_autoencoder"),
        ("masked_autoencoder", {"n": 4, "visible": [[1], [2, 3]], "masked": "cross"},
         "masked_autoencoders"),
        ("mae_ladder", {"n": 6, "visible": [[1, 4], [2], [3, 6]]}, "mae_ladder"),
    ],
)  # fmt: skip
def test_the_mask_mod_is_the_merged_mask(
    tmp_path: Path, builder: str, parameters: dict[str, Any], name: str
) -> None:
    """Written and read back through verify: the same edges, also where there is no closed form."""
    merged = ap.merge(build(builder, **parameters))
    path = tmp_path / "merged.py"
    merged.save_mask_mod(str(path))
    report = ap.verify(f"{path}:{name}", n=merged.task.size, equals=merged.mask)
    assert report.verdict is ap.Verdict.HOLDS


def test_a_table_for_each_layer_and_head(tmp_path: Path) -> None:
    """Heads are told apart by h, layers by name."""
    one, other = ap.Mask(["1.", "11"]), ap.Mask(["1.", ".1"])
    task = Task.build(["a", "b"], {}, Layers((Heads((one, other)), Heads((other, other)))))
    merged = ap.merge([task])
    path = tmp_path / "heads.py"
    merged.save_mask_mod(str(path))
    module = loaded(path)
    assert pairs(module.merged_0, 2, 0) == dense(one)
    assert pairs(module.merged_0, 2, 1) == pairs(module.merged_1, 2, 0) == dense(other)


def test_multiplicities_are_added_to_the_score(tmp_path: Path) -> None:
    """A key that stands for two gets the logarithm of two."""
    fed = [Position(("s",)), Position(("s",)), Position((), kind="mask")]
    twins = Task.build(fed, {}, ["1..", ".1.", "111"], pos_mode="none")
    quotient = ap.merge([twins]).quotient
    assert quotient is not None
    path = tmp_path / "weighted.py"
    quotient.save_mask_mod(str(path))
    score = loaded(path).merged_score(torch.zeros(()), 0, 0, torch.tensor(1), torch.tensor(0))
    assert score.item() == pytest.approx(math.log(2))


def test_what_is_given_to_merge(tmp_path: Path) -> None:
    """Tasks, paths of task files, the path of a family, a family; anything else is refused."""
    merged = ap.merge(build("autoregressive", n=3))
    for i, task in enumerate(merged.tasks):
        (tmp_path / f"{i}.toml").write_text(to_toml(task))
    (tmp_path / "family.toml").write_text('[family]\nbuilder = "autoregressive"\nn = 3\n')
    assert ap.merge(tmp_path / "family.toml").mask == merged.mask
    assert ap.merge([str(tmp_path / "0.toml"), merged.tasks[1]]).mask == merged.mask
    assert (merged.minimal.value, merged.grade, len(merged.classes)) == ("proved", "certified", 2)
    assert ap.merge(merged.task).mask == merged.mask
    assert ap.merge(str(tmp_path / "family.toml") + ":0").task.size == 1
    with pytest.raises(ap.InputError, match="int is no family of tasks; give a list of tasks"):
        ap.merge(3)


def test_a_task_or_an_answer_as_a_mask() -> None:
    """Where a mask is asked for, a task and a merge report stand for theirs; several layers are
    given one by one."""
    merged = ap.merge(build("block", m=2, b=2))
    for source in (merged, merged.task):
        assert ap.scans(source).tier == "forked"
        assert ap.compare(source, merged.mask).edges_equal
        assert any("labels are asked with task=" in one for one in ap.verify(source).comments)
    two = ap.Task.build(["x"], {}, {"layers": [{"rows": ["1"]}] * 2})
    with pytest.raises(ap.InputError, match="the task has 2 layers of masks; give its layers"):
        ap.verify(two)


def test_a_long_merge_says_that_nothing_was_checked() -> None:
    """The checker is asked of short tasks, and otherwise when a certificate is written."""
    long = ap.Task.build([f"x{i}" for i in range(1100)], {}, "causal")
    assert "minimal: proved; not checked (long): --certificate writes and checks it" in str(
        ap.merge([long])
    )
    assert "\n  not checked (long)" in str(ap.equivalent(long, 0, long, 0))


@pytest.mark.parametrize(
    ("builder", "parameters"),
    [
        ("autoregressive", {"n": 4}),
        ("permutation", {"order": [2, 1, 3]}),
        ("block", {"m": 2, "b": 2}),
        ("butterfly", {"n": 3}),
    ],
)
def test_a_certificate_refutes_smaller_ones(
    tmp_path: Path, builder: str, parameters: dict[str, Any]
) -> None:
    """Fewer classes, order pairs or covers are refuted for any common supergraph; the checker
    replays that, and the numbers are those of the merged task."""
    pytest.importorskip("pysat")
    report = ap.merge(build(builder, **parameters), refute=True)
    report.certificate.save(tmp_path / "merged.json")
    assert ap.check(tmp_path / "merged.json").valid
    order = report.flow.closure
    below = sum(row.bit_count() for row in order.rows) - sum(
        len(members) ** 2 for members in report.classes
    )
    found = {one.counted: one.fewest for one in report.refuted}
    assert found["classes"] == len(report.classes)
    assert found["covers"] == sum(map(len, order.covers))
    if all(len(members) == 1 for members in report.classes):
        assert found["pairs"] == below
