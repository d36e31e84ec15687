"""A leak counts only when its path can be walked on the object that the user holds."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import attnproof as ap
from attnproof.ask.replay import replays
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.setting import EmptyRow, Setting
from attnproof.symbolic.verdict import Path


def asked(setting: Setting) -> list[Callable[[int, int], bool]]:
    """The masks of a setting, asked pair by pair."""
    return [lambda q, k, mask=mask: mask[q, k] for mask in setting.layers]  # type: ignore[misc]


def setting(
    *layers: Sequence[str], offset: int = 0, residual: bool = True, empty_row: str = "zero"
) -> Setting:
    masks = tuple(Mask.from_rows(rows, offset=offset) for rows in layers)
    return Setting(masks, None, residual, EmptyRow(empty_row))


CHAIN = ("1..", "11.", ".11")
SHIFT = ("...", "1..", ".1.")


@pytest.mark.parametrize(
    ("path", "how", "walked"),
    [
        ((0, 1, 2), setting(CHAIN), True),
        ((0, 2), setting(CHAIN), False),
        ((2, 1), setting(CHAIN), False),
        ((1,), setting(CHAIN), True),
        ((2, 2), setting(("..1", "...", "...")), True),
        ((2, 2), setting(("..1", "...", "..."), residual=False), False),
        (((0, 0), (1, 1), (2, 2)), setting(SHIFT, CHAIN), True),
        (((0, 0), (1, 2)), setting(("...",) * 3, SHIFT), True),
        (((0, 0), (1, 1)), setting(("...",) * 3, SHIFT), False),
        (((0, 0), (1, 2)), setting(("...",) * 3, SHIFT, residual=False), False),
        (((0, 0), (1, 2)), setting(("1..", "...", "..."), SHIFT, residual=False), True),
        (((0, 0), (1, 3)), setting(SHIFT, ("...",) * 3), True),
        ((2, 0), setting(("...", "11.", "1.1"), empty_row="uniform"), True),
        ((2, 0), setting(("...", "11.", "1.1"), empty_row="zero"), False),
        ((2, 1), setting(("...", "11.", "1.1"), empty_row="uniform"), False),
        ((0, 2), setting(("1.", "11"), offset=1), True),
        ((0, 2), setting(("1.", ".1"), offset=1), False),
        ((1, 2), setting(("1.", "11"), offset=1), True),
        ((0, 0), setting(("1.", "11"), offset=1, residual=False), True),
        ((0, 1), setting(("1.", "11"), offset=1), True),
        ((2, 1), setting(("1.", "11"), offset=1), False),
    ],
)
def test_a_step_is_read_by_the_layer_that_takes_it(path: Path, how: Setting, walked: bool) -> None:
    """Steps go from source to reader; the residual carries a token that waits, a cached position
    keeps its state, and a uniform row reads every key."""
    assert replays(path, how, asked(how)) is walked


def test_a_rule_that_changes_its_mind_claims_nothing() -> None:
    """The second answer is not the first: unknown, exit code 3, no finding, no certificate."""
    first = [True]

    def rule(b: int, h: int, q: int, k: int) -> bool:
        return q >= k or ((int(q), int(k)) == (0, 1) and bool(first) and first.pop())

    report = ap.verify(rule, n=4, causal=True)
    assert report.verdict is ap.Verdict.UNKNOWN
    assert report.exit_code == 3
    assert [finding.severity for finding in report.findings] == ["note"]
    assert report.certificate.statements == ()
    assert report.certificate.check() == ()
    assert report.grade is None
    assert "does not replay on the mask as given, so nothing is claimed" in report.comments[-1]
    with pytest.raises(ap.InputError, match="nothing to certify"):
        report.certificate.save("never.cert.json")


def test_an_array_that_changes_after_it_was_read_is_noticed() -> None:
    """Only the property whose path fails is unknown; the others keep their verdicts."""
    flips = np.ones((3, 3), dtype=bool)

    class Fickle:
        """An array whose second conversion differs from its first."""

        def __array__(self, dtype: object = None, copy: object = None) -> object:
            return flips

    report = ap.verify(Fickle(), causal=True, properties=["reflexive"])
    assert report.verdicts == {"causal": ap.Verdict.FAILS, "reflexive": ap.Verdict.HOLDS}
    assert report.grade == "replayed"


def test_a_schedule_replays_layer_by_layer() -> None:
    """Each step is asked of the object of its own layer, heads and offsets as they were read."""
    first = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    second = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
    report = ap.verify(first, second, per_layer=True, forbid=[(2, 0)])
    assert report.findings[0].path == ((0, 0), (1, 1), (2, 2))
    assert report.grade == "replayed"
    turned = ap.verify(second, first, per_layer=True, forbid=[(2, 0)], layers=2)
    assert turned.verdict is ap.Verdict.HOLDS


def test_united_heads_and_batches_replay() -> None:
    """A path may take one step in one head and the next in another, in its own batch element."""
    heads = np.zeros((2, 2, 3, 3), dtype=bool)
    heads[1, 0, 1, 0] = heads[1, 1, 2, 1] = True
    report = ap.verify(heads, forbid=[(2, 0)])
    assert report.batch == (1,)
    assert report.findings[0].path == (0, 1, 2)
    assert report.grade == "replayed"


def test_a_structural_counterexample_in_a_schedule() -> None:
    """Two reads of one layer are no walk through the schedule: the checker certifies them."""
    report = ap.verify(
        ["1..", "11.", ".11"], ["1..", ".1.", "..1"], per_layer=True, properties=["transitive"]
    )
    assert report.verdict is ap.Verdict.FAILS
    assert report.grade == "certified"
