"""Long masks: a million positions are judged like ten, and every representation judges alike."""

import json
import sys
from collections.abc import Callable
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnproof as ap
from attnproof.ask import hints
from attnproof.ask.verify import verify
from attnproof.errors import ShapeError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.blocks import Blocks
from attnproof.symbolic.masks.forms import to
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import Rows
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.sparse import Sparse
from attnproof.symbolic.masks.tiling import tiled
from attnproof.symbolic.named import named
from attnproof.symbolic.named.registry import get, names
from attnproof.symbolic.order import flow as order_flow
from attnproof.symbolic.order import run_arrays, run_flow, run_judge
from attnproof.symbolic.order.run_flow import RunFlow
from tests.benchmarks import processes

LONG = 1 << 17
MILLION = 1 << 20

REPRESENTATIONS: dict[str, Callable[[Bits], Rows]] = {
    "bits": lambda rows: rows,
    "runs": lambda rows: to(rows, Runs),
    "sparse": lambda rows: to(rows, Sparse),
    "blocks": lambda rows: to(rows, Blocks),
    "small blocks": lambda rows: tiled(rows, (3, 2)),
}

SMALL_MASKS: dict[str, dict[str, Any]] = {
    "causal": {"n": 9},
    "window": {"n": 9, "keys": 3},
    "sink_window": {"n": 12, "sinks": 2, "keys": 3},
    "prefix_lm": {"n": 9, "prefix": 4},
    "documents": {"lengths": [2, 4, 3]},
    "block_diffusion": {"n": 6, "block": 2},
    "strided": {"n": 12, "stride": 3},
    "two_stream": {"n": 5},
    "left_padded": {"n": 8, "padding": 3},
}


def reports(rows: Bits, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is said of a mask in each representation, judged on bit sets and on runs."""
    said = {}
    for limit in (order_flow.LIMIT, 0):
        with monkeypatch.context() as patched:
            patched.setattr(order_flow, "LIMIT", limit)
            patched.setattr(order_flow, "SMALL", min(limit, order_flow.SMALL))
            patched.setattr(hints, "LENGTH", 0)
            for name, form in REPRESENTATIONS.items():
                mask = Mask.of(form(rows), name="mask")
                size = mask.size
                half = f"{size // 2},{size - size // 2}" if size > 1 else "1"
                report = verify(
                    *(mask,),
                    causal=True,
                    next_token=True,
                    documents=half,
                    forbid=[(0, size - 1)],
                    properties=("reflexive", "transitive", "antisymmetric", "no-empty-rows"),
                    equals=Mask.of(rows, name="same"),
                )
                assert isinstance(report.flow, RunFlow) == (limit == 0)
                said[f"{name}, at most {limit} in bits"] = report.to_json(), mask.digest
    return said


@pytest.mark.parametrize("name", SMALL_MASKS)
def test_every_representation_of_a_named_mask_is_judged_alike(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdicts, flow, findings with their paths, and the digest are the same."""
    mask = get(name).mask(**SMALL_MASKS[name])
    said = reports(to(mask.rows, Bits), monkeypatch)
    first = said["bits, at most 65536 in bits"]
    assert {name for name, one in said.items() if one != first} == set()


@given(
    rows=st.integers(1, 8).flatmap(
        lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n)
    )
)
@settings(max_examples=25, deadline=None)
def test_every_representation_of_any_mask_is_judged_alike(rows: list[int]) -> None:
    """The same law for masks that nobody has named."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        said = reports(Bits(tuple(rows), len(rows)), monkeypatch)
    first = said["bits, at most 65536 in bits"]
    assert {name for name, one in said.items() if one != first} == set()


def described(source: str, n: int, **params: Any) -> dict[str, Any]:
    """The report on a named mask, asked whether it is causal."""
    return ap.verify(source, n=n, params=params, causal=True).to_json()


def flow(**numbers: Any) -> dict[str, Any]:
    """The flow of a causal mask, but for the given numbers."""
    n = numbers.pop("n", LONG)
    return {
        "transitive": True,
        "antisymmetric": True,
        "depth": 1,
        "classes": n,
        "covers": n - 1,
        "height": n,
        "width": 1,
        "edges": n * (n + 1) // 2,
        "edges_off_diagonal": n * (n - 1) // 2,
        "empty_rows": [],
        **numbers,
    }


def test_a_million_causal_positions_on_the_command_line() -> None:
    """``attnproof verify causal --n 1048576 --causal`` holds, in less than 500 MB."""
    command = ("verify", "causal", "--n", str(MILLION), "--causal", "--json")
    ran = processes.run((sys.executable, "-m", "attnproof", *command))
    report = json.loads(ran.output)
    assert (report["verdict"], report["evidence"]["invariant"]) == ("holds", "k <= q")
    assert report["flow"] == flow(n=MILLION)
    assert ran.peak < 500e6


def test_a_long_window() -> None:
    """The window settles after ceil((n - 1) / (keys - 1)) layers."""
    report = described("window", LONG, keys=128)
    pairs = 128 * LONG - 128 * 127 // 2
    assert report["verdict"] == "holds"
    assert report["flow"] == flow(
        transitive=False,
        depth=ceil((LONG - 1) / 127),
        edges=pairs,
        edges_off_diagonal=pairs - LONG,
    )


def test_a_long_window_with_sinks() -> None:
    """The sinks are read at once; the first token behind them takes the most layers."""
    report = described("sink_window", LONG, sinks=4, keys=128)
    pairs = 128 * LONG - 128 * 127 // 2 + sum(min(4, q - 127) for q in range(128, LONG))
    assert report["verdict"] == "holds"
    assert report["flow"] == flow(
        transitive=False,
        depth=ceil((LONG - 1 - 4) / 127),
        edges=pairs,
        edges_off_diagonal=pairs - LONG,
    )


def test_a_long_prefix() -> None:
    """The prefix is one class; every later token of it leaks, counted and not listed."""
    prefix = LONG // 4
    report = described("prefix_lm", LONG, prefix=prefix)
    pairs = LONG * (LONG + 1) // 2 + prefix * (prefix - 1) // 2
    assert report["findings_total"] == prefix * (prefix - 1) // 2
    assert len(report["findings"]) == 100
    assert report["findings"][0]["path"] == [1, 0]
    assert report["flow"] == flow(
        antisymmetric=False,
        classes=LONG - prefix + 1,
        covers=LONG - prefix,
        height=LONG - prefix + 1,
        edges=pairs,
        edges_off_diagonal=pairs - LONG,
    )


def test_a_long_packed_batch() -> None:
    """131072 tokens from cu_seqlens: documents of 1 to 1024 tokens reach nothing of each other."""
    lengths = [1 + 7919 * i % 1024 for i in range(255)]
    lengths.append(LONG - sum(lengths))
    ends = [sum(lengths[:i]) for i in range(257)]
    report = ap.verify(
        *("cu_seqlens",),
        params={"cu_seqlens": ends},
        causal=True,
        documents=",".join(map(str, lengths)),
    ).to_json()
    pairs = sum(length * (length + 1) // 2 for length in lengths)
    assert report["verdicts"] == {"causal": "holds", "documents": "holds"}
    assert report["flow"] == flow(
        covers=LONG - 256,
        height=max(lengths),
        width=256,
        edges=pairs,
        edges_off_diagonal=pairs - LONG,
    )


def test_a_long_block_diffusion() -> None:
    """Every block is a class; a noisy one covers the clean one before its own."""
    tokens, block = LONG // 2, 32
    blocks = tokens // block
    report = described("block_diffusion", tokens, block=block)
    within = block * (block - 1) // 2
    pairs = block * block * (blocks + blocks * (blocks - 1) // 2 + blocks * (blocks + 1) // 2)
    assert report["findings_total"] == 2 * blocks * within + block**2 * blocks * (blocks - 1) // 2
    assert report["flow"] == flow(
        antisymmetric=False,
        classes=2 * blocks,
        covers=2 * blocks - 2,
        height=blocks,
        width=blocks + 1,
        edges=pairs,
        edges_off_diagonal=pairs - LONG,
    )


def test_a_long_report_is_short() -> None:
    """Leaks of one form are a line, and so are a hundred thousand rows that read nothing; a
    notebook shows the same without a picture."""
    shifted = Runs.from_rows((((q, min(q + 2, LONG)),) for q in range(LONG)), LONG)
    leaking = ap.verify(Mask.of(shifted, name="shifted"), next_token=True)
    text = leaking.text()
    assert "  token q + 1 reaches query q in 1 layer: q + 1 -> q, for q = 0 to 99\n" in text
    assert f"  … and {LONG - 1 - 100} more after these\n" in text
    assert len(text.splitlines()) < 20
    assert len(leaking._repr_html_()) < 10_000
    late = Runs.from_rows((((0, 1),) if q >= LONG // 2 else () for q in range(LONG)), LONG)
    report = ap.verify(Mask.of(late, name="late"))
    assert f"  rows that read nothing: 0 to {LONG // 2 - 1}\n" in report.text()
    listed: Any = report.to_json()["flow"]
    assert (len(listed["empty_rows"]), listed["empty_rows_total"]) == (1000, LONG // 2)


def streamed(monkeypatch: pytest.MonkeyPatch, *, held: int) -> None:
    """Treat masks of any length as long ones, of which only ``held`` runs fit."""
    for name, value in {"SMALL": 0, "LARGE": 0, "HELD": 0, "PORTION": 8, "MANY": 1 << 20}.items():
        monkeypatch.setattr(named, name, value)
    for module in (order_flow, run_flow, run_judge):
        monkeypatch.setattr(module, "LIMIT", 0)
    monkeypatch.setattr(order_flow, "SMALL", 0)
    monkeypatch.setattr(run_arrays, "SMALL", 1)
    monkeypatch.setattr(run_arrays, "MOST_HELD", held)


def asked(name: str) -> dict[str, Any]:
    """The report on the example of a named mask, without hints."""
    params = dict(get(name).example)
    n = params.pop("n", None)
    own = len(get(name).mask(n, **params).rows)
    half = f"{own // 2},{own - own // 2}"
    return verify(name, n=n, params=params, causal=True, documents=half, max_findings=9).to_json()


@pytest.mark.parametrize("name", names())
def test_every_named_mask_is_judged_alike_when_it_is_streamed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are made in portions, or held in runs, get the report of the same rows as bits."""
    monkeypatch.setattr(hints, "LENGTH", 0)
    expected = asked(name)
    streamed(monkeypatch, held=1 << 22)
    assert asked(name) == expected


@pytest.mark.parametrize("name", names())
def test_without_a_closure_no_verdict_changes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can hold the flow, what is said stays true: verdicts, numbers, findings of one
    layer. Numbers that are missing are named, and so is a count that leaves leaks out."""
    expected = asked(name)
    streamed(monkeypatch, held=0)
    report = asked(name)
    assert report["verdicts"] == expected["verdicts"]
    missing = report["flow"].pop("not_computed", {})
    for key, value in report["flow"].items():
        assert value == (None if key in missing else expected["flow"][key])
    leaks = [found for found in expected["findings"] if found.get("depth", 1) == 1]
    assert report["findings"][: len(leaks)] == leaks
    if report["findings_total"] < expected["findings_total"]:
        assert any("leaks of one layer are counted" in one for one in report["comments"])


def test_a_long_mask_of_twenty_runs_a_row() -> None:
    """Every position reads the one before it: the flow is the chain, whatever else is read. The
    depth is out of reach, and the report says so."""
    report = described("log_sparse", LONG)
    missing = report["flow"].pop("not_computed")
    pairs = LONG + sum((LONG - (1 << bit)) for bit in range(17))
    assert report["verdict"] == "holds"
    assert report["flow"] == flow(
        transitive=False, depth=None, edges=pairs, edges_off_diagonal=pairs - LONG
    )
    assert set(missing) == {"depth"}
    assert "for at most 65536 positions, and the mask has 131072" in missing["depth"]
    text = ap.verify("log_sparse", n=LONG, causal=True).text()
    assert "  not computed: depth; of rows in very many runs" in text


def test_a_million_dilated_positions() -> None:
    """The flow falls into a quarter of a million runs a row; that it is causal is seen without."""
    report = described("dilated", MILLION, keys=5, dilation=4)
    missing = report["flow"].pop("not_computed")
    pairs = 5 * MILLION - 4 * sum(range(5))
    assert (report["verdict"], report["evidence"]["invariant"]) == ("holds", "k <= q")
    unknown = dict.fromkeys(missing)
    assert report["flow"] == flow(
        n=MILLION, edges=pairs, edges_off_diagonal=pairs - MILLION, **unknown
    )
    assert list(missing) == ["transitive", "depth", "covers", "height", "width"]


@pytest.mark.parametrize(
    ("name", "n", "params", "message"),
    [
        (
            "comb",
            MILLION,
            {"radius": 1},
            "comb at n = 1048576 has 349525 runs a row on average, and beyond 65536 positions at "
            "most 64 are read; with these parameters give n of at most 65536",
        ),
        (
            "strided",
            MILLION,
            {"stride": 1024},
            "strided at n = 1048576 has 512 runs a row on average, and beyond 65536 positions at "
            "most 64 are read; with these parameters give n of at most 131072",
        ),
        (
            "perm",
            None,
            {"order": [*range(0, LONG, 2), *range(1, LONG, 2)]},
            "perm at n = 131072 has 32768 runs a row on average, and beyond 65536 positions at "
            "most 64 are read; give parameters for at most 65536 positions",
        ),
        (
            "butterfly",
            MILLION,
            {},
            "butterfly at n = 1048576 has 3145726 positions, above the memory guard of 1048576; "
            "give n of at most 349526",
        ),
        (
            "causal",
            MILLION + 1,
            {},
            "causal at n = 1048577 is above the memory guard of 1048576 positions; give n of at "
            "most 1048576",
        ),
    ],
)
def test_guards_say_what_is_too_much_and_what_would_do(
    name: str, n: int | None, params: dict[str, Any], message: str
) -> None:
    """One line: the number that was met, the bound, and the greatest length that works."""
    with pytest.raises(ShapeError) as raised:
        ap.verify(name, n=n, params=params, causal=True)
    assert str(raised.value) == message


def test_a_depth_that_is_out_of_reach_refuses_no_other_question() -> None:
    """Without a residual the depth of a long mask is not computed, and the verdict stands."""
    params = {"padding": 1}
    asked_for = ap.verify("left_padded", n=LONG, params=params, causal=True, residual=False)
    report: Any = asked_for.to_json()
    assert report["verdict"] == "holds"
    assert (report["flow"]["depth"], set(report["flow"]["not_computed"])) == (None, {"depth"})


def test_a_leak_through_several_layers_alone_is_not_guessed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the closure is out of reach and no layer shows the answer, there is no verdict."""
    monkeypatch.setattr(run_arrays, "MOST_HELD", 1 << 17)
    dilated: dict[str, Any] = {"n": 70_000, "params": {"keys": 4, "dilation": 4}}
    with pytest.raises(ShapeError) as raised:
        ap.verify("dilated", forbid=[(16, 0)], **dilated)
    assert str(raised.value) == (
        "rows in very many runs are judged for at most 65536 positions, and the mask has 70000; "
        "give a shorter mask"
    )
    report: dict[str, Any] = ap.verify("dilated", forbid=[(12, 0), (16, 0)], **dilated).to_json()
    assert (report["verdict"], report["findings_total"]) == ("fails", 1)
    assert any("leaks of one layer are counted" in one for one in report["comments"])
    later = ap.verify("dilated", forbid=[(0, 4)], next_token=True, **dilated)
    assert later.to_json()["verdicts"] == {"next-token": "holds", "forbid": "holds"}
