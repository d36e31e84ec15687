"""What the user intends, in every form it is held: documents, forbidden pairs, tasks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnproof as ap
from attnproof.ask import intent
from attnproof.errors import FileError, InputError, ShapeError
from attnproof.symbolic.order.properties import Forbidden

ids = st.lists(st.integers(0, 4), min_size=1, max_size=8)
lengths = st.lists(st.integers(1, 4), min_size=1, max_size=5)


def pairs_of(forbidden: Forbidden) -> set[tuple[int, int]]:
    """The forbidden pairs, asked bit by bit."""
    n = forbidden.size
    return {(q, k) for q in range(n) for k in range(n) if forbidden.forbidden(q) >> k & 1}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("ids.npy", np.array([0, 0, 1]))
    np.savez("both.npz", ids=np.array([0, 0, 1]), floats=np.array([0.0, 0.0, 1.0]))
    Path("ids.json").write_text("[0, 0, 1]")
    Path("pairs.json").write_text("[[0, 1], [0, 2]]")
    Path("rule.py").write_text("def later(q, k):\n    return k > q\n\nnumber = 3\n")
    Path("rules.py").write_text(
        "def rule(b, h, q, k):\n    return k <= q\n\ndef earlier(q, k):\n    return k < q\n"
    )
    Path("ids.py").write_text("import numpy as np\n\nids = np.arange(3)\n")
    return tmp_path


@given(lengths)
def test_lengths_are_counted_off(given_: list[int]) -> None:
    """A text of lengths gives each position the number of its document; ids say the same."""
    by_text = intent.documents(",".join(map(str, given_)), sum(given_))
    counted = [i for i, length in enumerate(given_) for _ in range(length)]
    assert list(by_text.ids) == counted
    assert intent.documents(counted, len(counted)) == by_text


@given(ids)
def test_ids_are_kept_in_every_form(given_: list[int]) -> None:
    """A list, a tuple and an array of ids are the same documents."""
    expected = tuple(given_)
    for form in (given_, tuple(given_), np.array(given_), np.array(given_, dtype=np.uint8)):
        assert intent.documents(form, len(given_)).ids == expected


@pytest.mark.parametrize("given_", ["ids.npy", Path("ids.npy"), "ids.json", "both.npz:ids"])
def test_ids_from_a_file(folder: Path, given_: object) -> None:
    """Files hold ids, one a position."""
    assert intent.documents(given_, 3).ids == (0, 0, 1)


def test_a_list_that_fits_both_ways_is_ids() -> None:
    """[1, 2] has one entry a position of two: these are ids. Of three positions it is lengths."""
    assert intent.documents([1, 2], 2).ids == (1, 2)
    assert intent.documents([1, 2], 3).ids == (0, 1, 1)
    assert intent.documents("1,1", 2).ids == (0, 1)


@pytest.mark.parametrize(
    ("given_", "size", "error", "words"),
    [
        ("3,3", 5, ShapeError, "the documents 3,3 have 6 positions in all, the mask has 5"),
        ("3,0,2", 5, ShapeError, "give lengths of 1 or more"),
        ("0", 1, ShapeError, "give lengths of 1 or more"),
        (",", 1, ShapeError, "have 0 positions in all"),
        ("3 3", 6, ShapeError, "give the lengths with commas between them, as in 3,3"),
        ("²", 2, InputError, "²"),
        ([0, 1], 5, ShapeError, "documents has 2 ids for 5 positions"),
        ([0.0, 1.0], 2, InputError, "documents must be integers"),
        ([True, False], 2, InputError, "documents must be integers"),
        (np.zeros((2, 2), int), 2, InputError, "documents must be integers"),
        (7, 2, InputError, "int given"),
        ("missing.npy", 2, FileError, "missing.npy"),
        ("both.npz:floats", 3, InputError, "must be integers"),
        ("both.npz:none", 3, InputError, "ids"),
        ("@document_id", 2, InputError, "--all-n"),
        ("", 2, ShapeError, "have 0 positions in all"),
        ("9" * 5000, 2, ShapeError, "are no lengths"),
    ],
)
def test_documents_that_are_none(
    folder: Path, given_: object, size: int, error: type[InputError], words: str
) -> None:
    """One message: what was given, what was needed."""
    with pytest.raises(error) as raised:
        intent.documents(given_, size)
    assert words in str(raised.value)


@given(st.data(), st.integers(1, 6))
def test_forbidden_pairs_are_kept(data: st.DataObject, n: int) -> None:
    """Pairs and a predicate that is true on them forbid the same."""
    position = st.integers(0, n - 1)
    pairs = data.draw(st.sets(st.tuples(position, position)))
    listed = [list(pair) for pair in sorted(pairs)]
    forms: list[Any] = [sorted(pairs), listed, lambda q, k: (q, k) in pairs, pairs]
    if pairs:
        forms.append(np.array(listed))
    for form in forms:
        assert pairs_of(intent.forbid(form, n)) == pairs


def test_forbidden_pairs_from_files(folder: Path) -> None:
    """A JSON file of pairs, or a predicate by the name of its file."""
    assert pairs_of(intent.forbid("pairs.json", 3)) == {(0, 1), (0, 2)}
    assert pairs_of(intent.forbid(folder / "pairs.json", 3)) == {(0, 1), (0, 2)}
    assert pairs_of(intent.forbid("rule.py:later", 3)) == {(0, 1), (0, 2), (1, 2)}
    assert pairs_of(intent.forbid(f"{folder}/rule.py:later", 2)) == {(0, 1)}


def raising(q: int, k: int) -> bool:
    raise ZeroDivisionError("by nothing")


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ([(0, 3)], "hold [0, 3], but the mask has positions 0 to 2"),
        ([(-1, 0)], "hold [-1, 0]"),
        ([(0, 1, 2)], "pairs [reader, source]; (0, 1, 2) is none"),
        ([(0, True)], "(0, True) is none"),
        ([(0, 1.0)], "(0, 1.0) is none"),
        (["01"], "'01' is none"),
        (7, "7 is none"),
        ({"0": 1}, "'0' is none"),
        ("missing.json", "missing.json cannot be read"),
        ("ids.npy", "ids.npy is no JSON"),
        ("rule.py", "rule.py holds later; name a predicate of it, as in rule.py:later"),
        ("rules.py", "holds earlier, rule; name a predicate of it, as in rules.py:earlier"),
        ("ids.py", "ids.py defines no predicate; name a file that does"),
        ("rule.py:number", "rule.py:number is no function"),
        ("rule.py:earlier", "later"),
        ("no.such.module:later", "there is no module 'no'"),
        (raising, "by nothing"),
        (lambda q: True, "the predicate"),
        (lambda q, k: np.array([True, False]), "the predicate returns ndarray; a predicate"),
        (lambda q, k: (k - q) % 3, "the predicate returns int; a predicate returns one Boolean"),
        (lambda q, k: None, "the predicate returns NoneType; a predicate returns one Boolean"),
        (lambda q, k: lambda: True, "the predicate returns function; a predicate returns one"),
        (zip([0], [1], strict=True), "the forbidden pairs are an iterator, which can be read once"),
        (lambda q, k, far: k > far, "the predicate also takes far; a predicate takes q and k"),
    ],
)
def test_forbidden_pairs_that_are_none(folder: Path, given_: object, words: str) -> None:
    """One message: what was given, what was needed; a predicate that raises is the user's."""
    with pytest.raises(InputError) as raised:
        intent.forbid(given_, 3)
    assert words in str(raised.value)


IDS = [0, 0, 1, 1, 1, 2, 0, 2]
PREDICATES: dict[str, Callable[[Any, Any], Any]] = {
    "later": lambda q, k: k > q,
    "a band of rows": lambda q, k: (k > q + 1) & (q != 3),
    "a row alone": lambda q, k: q == 2,
    "and, or": lambda q, k: k > q and (q < 2 or k % 2 == 0),
    "a list": lambda q, k: IDS[q] != IDS[k],
    "an array": lambda q, k: np.array(IDS)[q] != np.array(IDS)[k],
    "a set": lambda q, k: (q, k) in {(0, 3), (5, 1)},
    "a sum of Booleans": lambda q, k: (q == 4) + (k == 5) == 2,
    "a complement of a Boolean": lambda q, k: ~(k == 5) + 2 * (q != 4) == -2,
    "a hash that wraps around": lambda q, k: (k * 6364136223846793005 + q) % 509 < 5,
    "roots of floats": lambda q, k: (k + 1) ** (1 / 3) % 1 == 0,
    "numbers that numpy has no type for": lambda q, k: 2**k % 7 == q,
    "by its type": lambda q, k: k > q if isinstance(k, int) else k < q,
    "powers that wrap around in 64 bits": lambda q, k: (k + 2) ** 70 > (q + 2) ** 70,
}


@pytest.mark.parametrize("name", PREDICATES)
def test_a_predicate_says_what_it_says_of_each_pair(name: str) -> None:
    """Asked for a row at once or for a pair at a time, the answers are those of single pairs."""
    predicate, n = PREDICATES[name], len(IDS)
    expected = {(q, k) for q in range(n) for k in range(n) if predicate(q, k)}
    assert pairs_of(intent.forbid(predicate, n)) == expected


def test_parameters_of_the_mask_are_known_by_their_names() -> None:
    """A predicate may need what the mask was made with; what has a default may be left out."""
    far = intent.forbid(lambda q, k, keys, least=0: q - k >= keys, 4, {"keys": 3, "other": 1})
    assert pairs_of(far) == {(3, 0)}
    report = ap.verify("window", n=4, params={"keys": 2}, forbid=lambda q, k, keys: q - k >= keys)
    assert report.verdict is ap.Verdict.FAILS
    assert (report.findings[0].reader, report.findings[0].source) == (2, 0)


def test_arithmetic_is_asked_for_rows() -> None:
    """A predicate that is arithmetic on arrays is not called once a pair."""
    calls = []

    def later(q: Any, k: Any) -> Any:
        calls.append((q, k))
        return k > q

    later_pairs = {(q, k) for q in range(200) for k in range(q + 1, 200)}
    assert pairs_of(intent.forbid(later, 200)) == later_pairs
    assert len(calls) <= 12 * 200


def test_a_predicate_is_not_asked_for_ever() -> None:
    """Every pair may have to be asked; long masks want pairs."""
    with pytest.raises(ShapeError, match="would be asked for 16785409 pairs"):
        intent.forbid(lambda q, k: False, 4097)


TASK = """
name = "next"
atoms = ["x1", "x2"]
[[position]]
atoms = ["x1"]
[[position]]
atoms = ["x2"]
[[label]]
position = 0
atom = "x2"
[mask]
rows = ["1.", "11"]
"""


def test_a_task_as_a_file_and_as_a_value(tmp_path: Path) -> None:
    """A path, its text and the value are the same task, with its own mask or another."""
    file = tmp_path / "task.toml"
    file.write_text(TASK)
    value = ap.Task.build(["x1", "x2"], {0: "x2"}, ["1.", "11"], name="next")
    for form in (file, str(file), value):
        assert ap.verify(task=form).verdict is ap.Verdict.HOLDS
        assert ap.verify("full", n=2, task=form).verdict is ap.Verdict.FAILS
    assert ap.verify(task=file).source == "next"


def test_what_a_task_says_holds_unless_something_else_is_asked(tmp_path: Path) -> None:
    """Depth, residual and empty rows are the task's own, and those of the call where given."""
    task = ap.Task.build(
        ["x1", None, "x3"], {1: "x1"}, ["1..", "..1", "1.1"], depth=1, residual=False
    )
    assert ap.verify(task=task).to_json()["layers"] == 1
    assert ap.verify(task=task).verdict is ap.Verdict.HOLDS
    assert ap.verify(task=task, layers=2).verdict is ap.Verdict.FAILS
    assert ap.verify(task=task).to_json()["residual"] is False
    assert ap.verify(task=task, residual=True).to_json()["residual"] is True
    assert ap.verify(task=task, empty_row="uniform").to_json()["empty_row"] == "uniform"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ap.verify("causal", n=2, task=7), "a task is a file or an attnproof.Task; int"),
        (lambda: ap.verify("causal", n=2, task="missing.toml"), "missing.toml"),
        (
            lambda: ap.verify("causal", n=3, task=ap.Task.build(["a"], {}, ["1"])),
            "the task has 1 position, the mask 3",
        ),
        (lambda: ap.verify(), "no mask was given"),
        (lambda: ap.verify("causal", "full", n=3), "2 sources were given; with per_layer"),
        (lambda: ap.verify("causal", n=3, max_findings=0), "max_findings is 0"),
        (lambda: ap.verify("causal", n=3, layers=-1), "-1 layers were asked for"),
        (lambda: ap.verify("causal", n=3, empty_row="none"), "choose zero, uniform or nan"),
        (lambda: ap.verify("causal", n=3, properties=["nice"]), "'nice' is not a structural"),
        (lambda: ap.verify("causal", n=3, properties=["depth=-1"]), "'depth=-1' is not"),
        (lambda: ap.verify("causal", n=3, properties=["depth=²"]), "'depth=²' is not"),
        (lambda: ap.verify("causal", n=3, properties="causal"), "'causal' is not a structural"),
        (lambda: ap.verify("causal", n=3, equals=["1.", "11"]), "list has 2 positions"),
        (
            lambda: ap.verify("causal", "full", n=3, per_layer=True, equals="causal"),
            "equals compares one mask with another",
        ),
        (
            lambda: ap.verify("causal", n=2, equals=np.stack([np.eye(2) > 0, np.ones((2, 2)) > 0])),
            "2 distinct masks",
        ),
    ],
)
def test_questions_that_are_none(call: Callable[[], object], words: str) -> None:
    """What contradicts itself is refused before anything is computed."""
    with pytest.raises(InputError) as raised:
        call()
    assert words in str(raised.value)


def test_pairs_in_json_are_whole_numbers(tmp_path: Path) -> None:
    """1.0 in JSON is no position."""
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps([[0, 1.0]]))
    with pytest.raises(InputError, match=r"must be pairs \[reader, source\]"):
        intent.forbid(str(file), 2)


def test_ids_may_be_an_array_of_a_module(folder: Path) -> None:
    """``file.py:name`` is read where a file of ids is; anything else is refused by its type."""
    Path("packed.py").write_text("import numpy\nids = numpy.array([0, 0, 1])\n")
    assert intent.documents("packed.py:ids", 3).ids == (0, 0, 1)
    with pytest.raises(InputError, match="documents must be integers, one a position"):
        intent.documents("rule.py:later", 3)


@pytest.mark.parametrize("source", [(), ("causal",)])
def test_a_query_without_its_own_key_may_read_nothing(source: tuple[str, ...]) -> None:
    """Position 0 of a causal mask reads itself alone; where a task takes that key away, what it
    reads instead is not known, and nothing is said."""
    labels = {0: "x2", 1: "x3"}
    odd = ap.Task.build(["x1", "x2"], labels, "causal", diag_in_softmax=False, empty_row="uniform")
    with pytest.raises(InputError, match="position 0 reads nothing, and empty_row is uniform"):
        ap.verify(*source, n=2 if source else None, task=odd)
    plain = ap.Task.build(["x1", "x2"], labels, "causal", diag_in_softmax=False)
    assert ap.verify(*source, n=2 if source else None, task=plain).verdict is ap.Verdict.HOLDS


@pytest.mark.parametrize("kind", ["whole", "float", "product", "item", "large"])
def test_a_predicate_of_tensors_says_what_it_says_of_each_pair(kind: str) -> None:
    """Sums and comparisons of whole numbers are asked for rows; floats, products and numbers that
    may wrap around for many as not for one are asked pair by pair, with the same answers."""
    torch = pytest.importorskip("torch")
    ids, n = torch.tensor(IDS), len(IDS)
    calls = []
    predicates: dict[str, Callable[[Any, Any], Any]] = {
        "whole": lambda q, k: (ids[q] != ids[k]) & (k - 1 > q),
        "float": lambda q, k: ids[k] / 3 + k > q,
        "product": lambda q, k: ids[k] * k * 3 > q,
        "item": lambda q, k: ids[k].item() > ids[q].item(),
        "large": lambda q, k: k + (1 << 40) > q + (1 << 40),
    }

    def counted(q: Any, k: Any) -> Any:
        calls.append((q, k))
        return predicates[kind](q, k)

    expected = {(q, k) for q in range(n) for k in range(n) if predicates[kind](q, k)}
    assert pairs_of(intent.forbid(counted, n)) == expected
    alone = sum(isinstance(k, int) for _, k in calls)
    assert (alone < n * n + n) if kind in ("whole", "large") else alone >= n * n


def test_keys_are_not_changed_in_place() -> None:
    """What a predicate does to its own k stays with that row."""

    def shifted(q: Any, k: Any) -> Any:
        k -= 5
        return k == q

    assert pairs_of(intent.forbid(shifted, 8)) == {(q, q + 5) for q in range(3)}
