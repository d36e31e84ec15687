"""The Python surface: the names, their types, and what importing them costs."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import attnproof as ap
from attnproof.symbolic.verdict import Verdict

PACKAGE = Path(ap.__file__).parent
NAMES = {
    "AttnproofError", "Certificate", "Finding", "Flow", "InputError", "Mask", "Report", "Task",
    "Verdict", "assert_no_leak", "check", "compare", "consistent", "counts", "equivalent", "merge",
    "verify",
}  # fmt: skip
#: The stub lists the names one by one, so type checkers know no ``__all__``.
SURFACE: list[str] = vars(ap)["__all__"]
HEAVY = ("numpy", "torch", "sympy", "z3", "networkx", "scipy", "matplotlib", "typer", "rich")


def test_names() -> None:
    """Every name of the surface is there, in ``dir`` and in ``__all__``."""
    assert set(SURFACE) >= NAMES
    assert sorted(SURFACE) == SURFACE
    assert set(dir(ap)) == {*SURFACE, "__version__", "errors", "testing"}
    assert (ap.errors.__name__, ap.testing.__name__) == ("attnproof.errors", "attnproof.testing")
    for name in SURFACE:
        assert getattr(ap, name).__name__ == name


def test_the_stub_lists_the_same_names() -> None:
    """What type checkers see is what is there, each from the module that defines it."""
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    imported = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert all(
        alias.asname == alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )
    assert sorted(imported.keys() - {"errors", "testing"}) == SURFACE
    for name, module in imported.items():
        assert module is not None
        found = getattr(__import__(module, fromlist=[name]), name)
        assert getattr(ap, name) is found


def test_an_unknown_name() -> None:
    """Said as Python says it."""
    with pytest.raises(AttributeError, match="module 'attnproof' has no attribute 'verfy'"):
        ap.verfy  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="verfy"):
        exec("from attnproof import verfy")


@pytest.mark.parametrize(
    "code",
    [
        "import attnproof; dir(attnproof); attnproof.__version__",
        "from attnproof import Verdict, Finding, InputError",
        "import attnproof as ap; ap.verify(['1.', '11'], causal=True).to_json()",
    ],
)
def test_importing_is_light(code: str) -> None:
    """No library is imported before something needs it."""
    script = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_star_import() -> None:
    """``from attnproof import *`` brings the whole surface."""
    names: dict[str, Any] = {}
    exec("from attnproof import *", names)
    assert names.keys() >= NAMES


CAUSAL = np.tril(np.ones((3, 3), dtype=bool))


def rule(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


@pytest.mark.parametrize(
    ("source", "how"),
    [
        (CAUSAL, {}),
        (CAUSAL.astype(np.uint8), {}),
        (CAUSAL.tolist(), {}),
        (["1..", "11.", "111"], {}),
        ({"rows": ["1..", "11.", "111"]}, {}),
        (ap.Mask("causal", n=3), {}),
        ("causal", {"n": 3}),
        (rule, {"n": 3}),
        ("mask.npy", {}),
        (Path("mask.npy"), {}),
    ],
)
def test_sources(
    source: object, how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An array, rows, a Mask, a rule, a name and a path: one mask, one verdict, one digest."""
    monkeypatch.chdir(tmp_path)
    np.save("mask.npy", CAUSAL)
    report = ap.verify(source, causal=True, equals=CAUSAL, **how)
    assert report.verdict is Verdict.HOLDS
    assert set(report.certificate.digests[0]) == {ap.Mask(CAUSAL).digest}
    ap.assert_no_leak(source, causal=True, **how)
    assert ap.compare(source, CAUSAL, **how).edges_equal


def test_tensors() -> None:
    """Tensors of torch, Boolean and additive."""
    torch = pytest.importorskip("torch")
    reads = torch.tensor(CAUSAL)
    assert ap.verify(reads, causal=True).verdict is Verdict.HOLDS
    biases = torch.zeros(3, 3).masked_fill(~reads, float("-inf"))
    assert ap.verify(biases, causal=True).encoding == "additive"
    assert ap.compare(reads, biases).edges_equal


def test_graphs() -> None:
    """The Hasse diagram has one node a class; edges of every graph run from source to reader."""
    flow = ap.verify(["1...", "111.", ".11.", "1..1"]).flow
    hasse = flow.hasse()
    assert isinstance(hasse, nx.DiGraph)
    members = nx.get_node_attributes(hasse, "members")
    assert set(members.values()) == {(0,), (1, 2), (3,)}
    assert {(members[a], members[b]) for a, b in hasse.edges} == {
        ((0,), (1, 2)),
        ((0,), (3,)),
    }
    layer = flow.layer_graph()
    assert set(layer.edges) == {(0, 0), (0, 1), (1, 1), (2, 1), (1, 2), (2, 2), (0, 3), (3, 3)}
    unrolled = flow.unrolled(3)
    assert len(unrolled) == 4 * 4
    assert all(after == level + 1 for (_, level), (_, after) in unrolled.edges)
    assert nx.has_path(unrolled, (0, 0), (2, 3))
    assert not nx.has_path(unrolled, (3, 0), (2, 3))


def test_check_and_certificates(tmp_path: Path) -> None:
    """Saved, checked, loaded; equal certificates are equal texts."""
    path = tmp_path / "mask.cert.json"
    report = ap.verify(CAUSAL, causal=True)
    report.certificate.save(path)
    assert ap.check(path).valid
    assert ap.check(path, mask=CAUSAL).valid
    assert ap.check(path, mask="causal").valid
    assert not ap.check(path, mask="full").valid
    assert ap.Certificate.load(path).text == report.certificate.text
    with pytest.raises(ap.InputError, match="missing"):
        ap.check(tmp_path / "missing.json")


def test_masks_are_built_from_names_and_arrays() -> None:
    """``ap.Mask`` reads what ``verify`` reads; keywords are the parameters of a named mask."""
    window = ap.Mask("window", n=4, keys=2)
    assert repr(window).splitlines()[1:] == ["#···", "##··", "·##·", "··##"]
    assert window == ap.Mask(["1...", "11..", ".11.", "..11"])
    assert isinstance(window, ap.Mask)
    for name in ("offset", "digest", "anything"):
        with pytest.raises(AttributeError, match=f"a Mask is frozen; '{name}' cannot be set"):
            setattr(window, name, 1)
        with pytest.raises(AttributeError, match=f"a Mask is frozen; '{name}' cannot be deleted"):
            delattr(window, name)
    assert window.offset == 0
    with pytest.raises(ap.InputError, match="choose one with batch"):
        ap.Mask(np.stack([CAUSAL, ~CAUSAL]))
    assert ap.Mask(np.stack([CAUSAL, ~CAUSAL]), batch=1) == ap.Mask(~CAUSAL)


def test_a_rectangular_mask_is_placed_once() -> None:
    """A Mask knows where its queries stand; nobody has to say it again."""
    for offset in (0, 1):
        mask = ap.Mask(["1..", "11."], q_offset=offset)
        assert ap.verify(mask, causal=True).n == 3
        assert ap.verify(mask, equals=mask).verdict is Verdict.HOLDS
    with pytest.raises(ap.InputError, match="--q-offset"):
        ap.verify(["1..", "11."], causal=True)


def test_errors_are_one_family() -> None:
    """One except clause catches what a user can do wrong, with its parts as attributes."""
    assert issubclass(ap.InputError, ap.AttnproofError)
    with pytest.raises(ap.InputError) as raised:
        ap.verify(np.ones((2, 3)), causal=True)
    assert raised.value.parts


def test_tasks() -> None:
    """A task is judged with its own mask."""
    task = ap.Task.build(["x1", "x2", "x3"], {0: "x3"}, ["11.", ".11", "..1"])
    report = ap.verify(task=task)
    assert report.findings[0].path == (2, 1, 0)
    assert ap.verify(task=task, layers=1).verdict is Verdict.HOLDS


def test_notebooks_show_masks_flows_and_reports() -> None:
    """Each has a picture of itself."""
    report = ap.verify(CAUSAL, causal=True)
    for value in (ap.Mask(CAUSAL), report.flow, report):
        assert "<svg" in vars(type(value))["_repr_html_"](value)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda front: front.verify("causal", n=3, causl=True),
            "causl=...; did you mean 'caus",
        ),
        (
            lambda front: front.verify("window", n=6, keys=3),
            "what is made by parameters takes them in params={'k",
        ),
        (
            lambda front: front.gradient_flow("CACO", K=3),
            "takes no K=...; did you mean 'cla",
        ),
        (lambda front: front.merge([], mod="wl"), "merge takes no mod=...; did you mean 'mode'?"),
        (
            lambda front: front.interpolate([], nothing=1),
            "takes no nothing=...; known: pairs, ",
        ),
    ],
)
def test_a_keyword_that_there_is_not_says_which_was_meant(ask: Any, told: str) -> None:
    """A TypeError, as Python's own, with the way out."""
    with pytest.raises(TypeError) as raised:
        ask(ap)
    assert told in str(raised.value)
