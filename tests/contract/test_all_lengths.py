"""``attnproof verify --all-n`` and ``attnproof closure``: every length, from outside."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import Run
from tests.contract.test_verify import TOP
from tests.contract.user_rules import RULES

torch = pytest.importorskip("torch", reason="rules are traced with the extra torch")
pytest.importorskip("cvc5", reason="proofs need two solvers: the extra prove")

Wrong = tuple[str, tuple[str, ...], str]


@pytest.fixture(scope="session", autouse=True)
def rules(folder: Path) -> Path:
    """The file of masks, in the folder where commands run."""
    (folder / "rules.py").write_text(RULES)
    return folder / "rules.py"


def test_it_holds_for_every_length(run: Run) -> None:
    """Two properties of a packed mask: exit 0, both solvers, an invariant each, no finding."""
    ran = run(
        *("verify", "rules.py:packed", "--all-n", "--causal", "--documents", "@document_id"),
        *("--assume", "document_id=nondecreasing", "--json", "--certificate", "packed.json"),
    )
    assert (ran.code, ran.err) == (0, "certificate written: packed.json\n")
    report = ran.json
    assert set(report) >= TOP
    assert (report["n"], report["scope"], report["flow"]) == (None, "all n", None)
    assert report["verdicts"] == {"causal": "holds", "documents": "holds"}
    assert (report["evidence"]["grade"], report["certificate"]) == ("certified", "packed.json")
    assert report["evidence"]["solvers"] == ["z3", "cvc5"]
    assert report["evidence"]["invariant"] == "k <= q"
    assert report["evidence"]["invariants"]["documents"] == "document_id[q] == document_id[k]"
    assert (report["findings"], report["findings_total"]) == ([], 0)
    checked = run("check", "packed.json", "--mask", "rules.py:packed", "--json")
    assert [claim["grade"] for claim in checked.json["claims"]] == ["certified"] * 2
    assert checked.code == 0
    assert run("check", "packed.json", "--mask", "rules.py:shared_sink").code == 1


WRONG: dict[str, Wrong] = {
    "the diagonal is off by one": ("off_by_one", ("--symbolic", "w", "--causal"), "causal"),
    "the prefix is of no document": (
        "one_prefix_for_all",
        ("--documents", "@document_id", "--assume", "document_id=nondecreasing"),
        "documents",
    ),
    "documents share a token that reads": (
        "shared_sink",
        ("--documents", "@document_id", "--assume", "document_id=nondecreasing"),
        "documents",
    ),
    "blocks that are not contiguous": (
        "blocks_or_causal",
        ("--forbid", "rules.py:later_outside_the_block"),
        "forbid",
    ),
    "what a window reaches through 101 layers": (
        "three_keys",
        ("--forbid", "rules.py:two_hundred_back"),
        "forbid",
    ),
}
#: The greatest length that may be found, the least but for the blocks, and the depth there.
FOUND = {
    "the diagonal is off by one": (2, 1),
    "the prefix is of no document": (2, 1),
    "documents share a token that reads": (2, 1),
    "blocks that are not contiguous": (6, 2),
    "what a window reaches through 101 layers": (202, 101),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_found_at_a_small_length(run: Run, mistake: str) -> None:
    """A mask with one mistake fails, exit 1, at a length, with parameters and tensors at which the
    function of the user itself reads every step of the path."""
    name, options, property = WRONG[mistake]
    ran = run("verify", f"rules.py:{name}", "--all-n", *options, "--json")
    assert ran.code == 1, ran.out + ran.err
    report = ran.json
    assert report["verdicts"] == {property: "fails"}
    assert report["evidence"]["grade"] == "replayed"
    (found,) = report["findings"]
    assert (found["kind"], found["severity"], found["property"]) == ("leak", "error", property)
    most, depth = FOUND[mistake]
    assert (found["n"] <= most, found["depth"]) == (True, depth)
    path = found["path"]
    assert (path[0], path[-1], len(path)) == (found["source"], found["reader"], found["depth"] + 1)
    reads = reading(name, found)
    assert all(reads(q, k) for k, q in pairwise(path))


def reading(name: str, found: dict[str, Any]) -> Callable[[int, int], bool]:
    """The function of the user with the parameters and tensors of a finding."""
    space: dict[str, Any] = {}
    exec(RULES, space)
    space |= {key: torch.tensor(values) for key, values in found["tensors"].items()}
    rule = space[name](**found["parameters"]) if found["parameters"] else space[name]
    return lambda q, k: bool(rule(0, 0, torch.tensor(q), torch.tensor(k)))


def test_blocks_that_are_contiguous_do_not_leak(run: Run) -> None:
    """The same mask and promise hold where every block stands in one piece."""
    ran = run(
        *("verify", "rules.py:blocks_or_causal", "--all-n", "--json"),
        *("--forbid", "rules.py:later_outside_the_block", "--assume", "block=contiguous"),
    )
    assert (ran.code, ran.json["verdict"]) == (0, "holds"), ran.out


def test_a_branch_is_refused_or_followed(run: Run) -> None:
    """An ``if`` is exit 2 with its line and the way out; --split follows both branches."""
    source = ("verify", "rules.py:two_branches", "--all-n", "--causal")
    ran = run(*source)
    assert (ran.code, ran.out) == (2, "")
    line = RULES.splitlines().index("    if k > q:") + 1
    assert f"rules.py, line {line}: `if k > q:`" in ran.err
    assert "--split" in ran.err
    assert run(*source, "--split").code == 0


def test_a_small_budget_is_unknown_with_what_was_tried(run: Run) -> None:
    """Exit 3 when steps run out, the same at every run, and the report lists what was tried."""
    ran = run("verify", "rules.py:packed", "--all-n", "--causal", "--budget", "2", "--json")
    assert ran.code == 3
    assert ran.json["verdicts"] == {"causal": "unknown"}
    assert ran.json["evidence"]["grade"] is None
    tried = ran.json["tried"]["causal"]
    assert tried[0] == "instances of small lengths"
    assert tried[-1] == "the budget of 2 steps is used up"
    text = run("verify", "rules.py:packed", "--all-n", "--causal", "--budget", "2")
    assert "UNKNOWN  causal" in text.out
    assert f"  tried: {tried[-1]}" in text.out


def test_an_assumption_that_the_tensor_fails(run: Run) -> None:
    """Exit 2 says which elements of the user's own tensor fail what is assumed of it."""
    ran = run(
        *("verify", "rules.py:packed", "--all-n", "--causal"),
        *("--assume", "document_id=injective"),
    )
    assert (ran.code, ran.out) == (2, "")
    assert "document_id[0] = 0 and document_id[1] = 0" in ran.err


def test_a_named_mask_for_every_value_of_its_parameters(run: Run, folder: Path) -> None:
    """--symbolic leaves a parameter open; --equals compares with another mask at every length."""
    source = ("verify", "window", "--all-n", "--symbolic", "keys")
    assert run(*source, "--causal").code == 0
    assert run(*source, "--equals", "rules.py:window", "--param", "keys=3").code == 2
    ran = run(*source, "--equals", "causal", "--json", "--emit-test", "test_window.py")
    assert ran.code == 1
    space: dict[str, Any] = {}
    exec((folder / "test_window.py").read_text(), space)
    with pytest.raises(AssertionError, match="the mask leaks: equals fails"):
        space["test_window_equals"]()
    assert (ran.json["findings"][0]["n"], ran.json["findings"][0]["parameters"]) == (2, {"keys": 1})
    same = ("verify", "rules.py:window", "--all-n", "--symbolic", "w", "--equals")
    assert run(*same, "rules.py:window").code == 0


def test_exactly_so_many_layers(run: Run) -> None:
    """--layers asks of that many: three keys go 200 back through 100 layers, and no further."""
    source = ("verify", "rules.py:three_keys", "--all-n", "--forbid", "far.py:four_back")
    ran = run(*source, "--layers", "2")
    assert ran.code == 0, ran.out + ran.err
    assert "through exactly 2 layers, for every length" in ran.out
    assert run(*source, "--layers", "3").code == 1


@pytest.fixture(scope="session", autouse=True)
def far(folder: Path) -> None:
    """A predicate in a file of its own."""
    (folder / "far.py").write_text("def four_back(q, k):\n    return q - k > 4\n")


def test_layers_in_turn(run: Run) -> None:
    """With --per-layer the formula of each layer is read, and the path tells the layer."""
    ran = run(
        *("verify", "rules.py:packed", "rules.py:shared_sink", "--all-n", "--per-layer"),
        *("--documents", "@document_id", "--json"),
    )
    assert ran.code == 1
    assert ran.json["schedule"] == 2
    assert ran.json["findings"][0]["path"] == [[1, 0], [0, 2]]


def test_description_is_a_formula(run: Run) -> None:
    """Without a property what reaches what is described: verdict null, exit 0."""
    ran = run("verify", "rules.py:window", "--all-n", "--symbolic", "w", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, None)
    assert ran.json["flow"]["exact"] is True
    assert ran.json["flow"]["relation"] == "q == k or (k <= q and w > 1)"


def test_outputs(run: Run, folder: Path) -> None:
    """A leak is drawn, certified at its length, and shown by a test that fails with it."""
    ran = run(
        *("verify", "rules.py:shared_sink", "--all-n", "--documents", "@document_id", "--json"),
        *("--emit-test", "test_sink.py", "--certificate", "sink.json", "--draw", "sink.svg"),
    )
    assert (ran.code, ran.json["certificate"]) == (1, "sink.json")
    assert run("check", "sink.json").code == 0
    assert (folder / "sink.svg").read_text().startswith("<svg")
    space: dict[str, Any] = {"__file__": str(folder / "test_sink.py")}
    exec((folder / "test_sink.py").read_text(), space)
    with pytest.raises(AssertionError, match=r"the mask leaks: documents fails \(.*, 2 positions"):
        space["test_shared_sink_documents"]()
    fixed = RULES.replace("| (k == 0) | (q == 0)", "")
    (folder / "rules.py").write_text(fixed)
    try:
        space["test_shared_sink_documents"]()
    finally:
        (folder / "rules.py").write_text(RULES)


def test_no_test_of_what_holds(run: Run, folder: Path) -> None:
    """Nothing is written where nothing fails."""
    ran = run("verify", "causal", "--all-n", "--causal", "--emit-test", "test_none.py")
    assert ran.code == 0
    assert "no test was written: nothing fails" in ran.err
    assert not (folder / "test_none.py").exists()


def test_a_test_of_one_length(run: Run, folder: Path) -> None:
    """--emit-test also writes a leak of one length down."""
    ran = run(
        *("verify", "look_ahead.txt", "--causal", "--json", "--emit-test", "test_ahead.py"),
    )
    assert ran.code == 1
    space: dict[str, Any] = {"__file__": str(folder / "test_ahead.py")}
    exec((folder / "test_ahead.py").read_text(), space)
    with pytest.raises(AssertionError, match="the mask leaks: causal fails"):
        space["test_look_ahead_causal"]()
    again = run("verify", "look_ahead.txt", "--causal", "--emit-test", "test_ahead.py")
    assert (again.code, "test written" in again.err) == (1, True)


def test_closure(run: Run, folder: Path) -> None:
    """What reaches what is printed as a formula and as a mask_mod: exit 0 when it is exact."""
    source = ("closure", "rules.py:packed", "--json", "--emit-mask-mod", "reached.py")
    ran = run(*source)
    assert ran.code == 0
    found = ran.json
    assert (found["sound"], found["exact"], found["free"]) == (True, True, [])
    assert found["relation"] == "document_id[q] == document_id[k] and k <= q"
    assert found["formula"][0] == "and"
    assert (folder / "reached.py").read_text() == found["mask_mod"]
    assert run("compare", "reached.py:reached", "rules.py:packed", "--n", "6").code == 0
    ran = run("closure", "window", "--symbolic", "keys", "--budget", "2", "--json")
    assert (ran.code, ran.json["sound"]) == (3, False)
    assert ran.json["tried"]
    assert "Traceback" not in json.dumps(ran.json)


def test_a_project_lists_masks_of_every_length(run: Run, folder: Path) -> None:
    """all_n, symbolic and assume are keys of an entry of pyproject.toml."""
    (folder / "pyproject.toml").write_text(
        "[[tool.attnproof.mask]]\nsource = 'rules.py:off_by_one'\nall_n = true\n"
        "symbolic = ['w']\nproperties = ['causal']\nexpect = 'fails'\n"
        "[[tool.attnproof.mask]]\nsource = 'rules.py:packed'\nall_n = true\n"
        "assume = ['document_id=nondecreasing']\nproperties = ['documents=@document_id']\n"
    )
    try:
        ran = run("verify", "--json")
    finally:
        (folder / "pyproject.toml").unlink()
    assert ran.code == 0, ran.out + ran.err
    assert [(one["scope"], one["met"]) for one in ran.json["reports"]] == [("all n", True)] * 2


def test_what_holds_has_no_length_to_draw(run: Run, folder: Path) -> None:
    """The verdict is told all the same, and nothing is drawn."""
    done = run("verify", "causal", "--all-n", "--causal", "--draw", "nothing.svg")
    assert (done.code, "HOLDS  causal" in done.out) == (0, True)
    assert "there is no length to show" in done.err
    assert not (folder / "nothing.svg").exists()


def content_of(path: Path) -> Any:
    """What a page shows."""
    return json.loads(path.read_text().partition('id="report">')[2].partition("</script>")[0])


def test_a_page_of_what_fails_names_the_length(run: Run, folder: Path) -> None:
    """The source, that every length was asked, and the length and parameters at which it fails."""
    asked = ("rules.py:off_by_one", "--all-n", "--causal", "--symbolic", "w")
    assert run("verify", *asked, "--report", "failed.html").code == 1
    content = content_of(folder / "failed.html")
    (view,) = content["views"]
    assert (content["title"], view["verdict"], view["n"]) == ("rules.py:off_by_one", "fails", 2)
    assert view["read"].endswith("for every length")
    assert view["comments"][0] == "causal fails at n = 2, w = 1"
    assert view["findings"][0]["path"] == [[1, 0], [0, 1]]


def test_a_page_of_what_holds_shows_an_example(run: Run, folder: Path) -> None:
    """The mask at a small length that fulfils what is assumed, with what is said of every one."""
    asked = ("rules.py:packed", "--all-n", "--causal", "--documents", "@document_id")
    assumed = ("--assume", "document_id=nondecreasing")
    assert run("verify", *asked, *assumed, "--report", "held.html").code == 0
    content = content_of(folder / "held.html")
    (view,) = content["views"]
    assert (content["title"], view["verdict"]) == ("rules.py:packed", "holds")
    assert view["verdicts"] == {"causal": "holds", "documents": "holds"}
    assert view["asked"] == "at any depth, for every length"
    assert view["comments"][0] == "drawn at n = 6, document_id = [0, 0, 0, 1, 1, 2]"
    assert "what shows causal: k <= q" in view["facts"]["Evidence"]
