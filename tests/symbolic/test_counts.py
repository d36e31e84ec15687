"""The numbers of merged tasks, in the parameters of their builders, against the merged tasks."""

from collections import Counter
from typing import Any

import pytest
from sympy import Rational, Sum, Symbol, factorial, sympify

import attnproof as ap
from attnproof.symbolic.errors import ParameterError
from attnproof.symbolic.families.counts import Counts, counts
from attnproof.symbolic.families.registry import build, names
from attnproof.symbolic.families.separating import helper_count
from attnproof.symbolic.families.strands import DESCRIPTIONS
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.tasks.merge import merge

n, m, b, r, v = map(Symbol, "nmbrv")
i = Symbol("i", integer=True)
T = (m - 1) * b

#: builder, its variant, numbers in its parameters (spec values, sections 5 and 7).
CLOSED: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("autoregressive", {}, {"classes": n - 1, "covers": n - 2, "height": n - 1, "width": 1}),
    ("bidirectional_prefix", {}, {"positions": n * (n - 1) / 2, "classes": n - 1, "covers": 0}),
    ("permutation", {}, {"classes": 2 * n - 1, "covers": 2 * n - 3, "height": n, "edges": n**2}),
    ("block", {}, {"positions": (2 * m - 1) * b, "classes": 2 * m - 1, "covers": 2 * m - 3,
                   "height": m, "width": m, "edges": (m * b) ** 2}),
    ("block", {"clean": "token"}, {"classes": T + m, "covers": T - 1 + m - 1, "height": T + 1,
      "width": m, "edges": T * (T + 1) / 2 + b**2 * m * (m + 1) / 2}),
    ("butterfly", {}, {"positions": 3 * n - 2, "covers": 4 * n - 6, "height": n, "width": n,
                       "edges": 2 * n**2 - n}),
    ("crown", {}, {"positions": 2 * n, "covers": n * (n - 1), "height": 2}),
    ("masked_autoencoder", {}, {"classes": 2, "covers": 1, "height": 2, "width": 1}),
    ("masked_autoencoder", {"masked": "cross"}, {"classes": n - v + 1, "covers": n - v}),
]  # fmt: skip

#: builder, what it is built with, the parameters of the counts.
INSTANCES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(("autoregressive", {"n": k}, {"n": k}) for k in (2, 3, 6)),
    *(("bidirectional_prefix", {"n": k}, {"n": k}) for k in (2, 3, 5)),
    *(("permutation", {"n": k}, {"n": k}) for k in (2, 3, 5)),
    *(("permutation", {"n": k, "order": "all"}, {"n": k, "order": "all"}) for k in (2, 3)),
    *(
        ("block", {"m": k, "b": size, "clean": clean}, {"m": k, "b": size, "clean": clean})
        for k, size in ((2, 1), (2, 3), (3, 2), (4, 2))
        for clean in ("block", "token")
    ),
    *(("butterfly", {"n": k}, {"n": k}) for k in (2, 3, 4, 6)),
    *(("comb", {"n": k, "r": s}, {"n": k, "r": s}) for k, s in ((3, 1), (8, 1), (9, 1), (7, 2))),
    *(("separating", {"n": k}, {"n": k, "h": helper_count(k)}) for k in (2, 3, 5, 7, 11)),
    *(("crown", {"n": k}, {"n": k}) for k in (2, 3, 5)),
    *(
        (
            "masked_autoencoder",
            {"n": k, "visible": list(range(1, seen + 1)), "masked": masked},
            {"n": k, "v": seen, "masked": masked},
        )
        for k, seen in ((2, 1), (6, 2), (5, 4))
        for masked in ("clique", "cross")
    ),
    *(
        (
            "mae_ladder",
            {"n": k, "visible": [list(range(s * size + 1, s * size + size + 1)) for s in range(t)]},
            {"n": k, "m": t, "b": size},
        )
        for k, t, size in ((2, 1, 1), (6, 2, 2), (7, 3, 2))
    ),
]
NUMBERS = ("positions", "classes", "covers", "height", "width", "edges")


def measured(flow: Flow) -> dict[str, int | None]:
    """The numbers of a flow whose mask is dense."""
    return {
        "positions": flow.setting.size,
        "classes": len(flow.classes),
        "covers": len(flow.covers),
        "height": flow.height,
        "width": flow.width(),
        "edges": sum(row.bit_count() for row in flow.closure.rows),
    }


def classes_of(flow: Flow) -> Counter[tuple[int, ...]]:
    """How often a class has so many positions, reads so many, covers so many, stands so high."""
    under = Counter(reader for _, reader in flow.covers)
    level = [1] * len(flow.classes)
    for source, reader in sorted(flow.covers, key=lambda pair: pair[1]):
        level[reader] = max(level[reader], level[source] + 1)
    rows = flow.closure.rows
    return Counter(
        (len(members), rows[members[0]].bit_count(), under[c], level[c])
        for c, members in enumerate(flow.classes)
    )


def described(name: str, chosen: dict[str, Any]) -> Counter[tuple[int, ...]]:
    """The same, read from the strands one class after the other."""
    describe, variants = DESCRIPTIONS[name]
    strands = describe(**{key: chosen.get(key, legal[0]) for key, legal in variants.items()})
    values = {symbol: chosen[str(symbol)] for symbol in strands.least}
    found: Counter[tuple[int, ...]] = Counter()
    for strand in strands.strands:
        first, last = (int(sympify(end).subs(values)) for end in (strand.first, strand.last))
        for i in range(first, last + 1):
            at = {strands.index: i, **values}
            size, reads, below, level, times = (
                int(sympify(one).subs(at))
                for one in (strand.size, strand.reads, strand.below, strand.level, strand.times)
            )
            found[size, reads, below, level] += times
    return found


def name_of(case: tuple[str, dict[str, Any], dict[str, Any]]) -> str:
    """As in a test's id."""
    return f"{case[0]}-{'-'.join(map(str, case[2].values()))}"


@pytest.mark.parametrize("case", INSTANCES, ids=name_of)
def test_the_numbers_of_merged_tasks(case: tuple[str, dict[str, Any], dict[str, Any]]) -> None:
    """What is derived from the tasks has the numbers that the sums say, and class by class what
    the strands say."""
    name, given, chosen = case
    flow = merge(build(name, **given)).flow
    found = counts(name, **chosen)
    assert {number: int(getattr(found, number)) for number in NUMBERS} == measured(flow)
    assert described(name, chosen) == classes_of(flow)
    assert found.edges_off_diagonal == found.edges - found.positions


@pytest.mark.parametrize("case", CLOSED, ids=lambda case: f"{case[0]}{'-'.join(case[1].values())}")
def test_closed_forms(case: tuple[str, dict[str, str], dict[str, Any]]) -> None:
    """The sums come out as the closed forms of the case studies."""
    name, variant, expected = case
    found = counts(name, **variant)
    for number, value in expected.items():
        assert sympify(getattr(found, number) - value).expand() == 0, number


def test_the_public_name_and_plain_symbols() -> None:
    """Expressions are in symbols without assumptions, expanded."""
    assert ap.counts("butterfly").covers == 4 * n - 6
    assert str(ap.counts("butterfly").covers) == "4*n - 6"
    assert ap.counts("block", m=3, b=2).edges == 36
    assert ap.counts("bidirectional_prefix").edges.coeff(n, 3) == Rational(1, 3)
    assert ap.counts("autoregressive").least == {"n": 2}


def test_how_counts_are_shown() -> None:
    """One is in the singular; in a notebook they are equations, with what is assumed below."""
    assert repr(counts("block", m=2, b=1)) == (
        "block: 3 positions, 3 classes, 1 cover, height 2, width 2, 4 edges"
    )
    shown = counts("butterfly")._repr_latex_()
    assert shown.startswith(r"$\begin{aligned} \text{positions} &= 3 n - 2 \\ ")
    assert shown.endswith(r"\text{edges} &= 2 n^{2} - n \\ n &\ge 2 \end{aligned}$")


def test_every_builder_is_described() -> None:
    """And nothing else."""
    assert set(DESCRIPTIONS) == set(names())


def test_all_permutations() -> None:
    """One sum is left, and is that of the strands; 104 positions for four tokens, as counted in the
    trie."""
    found: Counts = counts("permutation", order="all")
    assert all(len(getattr(found, number).atoms(Sum)) <= 1 for number in NUMBERS)
    assert found.width == Sum(factorial(n) / factorial(i), (i, 0, n - 1))
    for size in range(2, 9):
        chosen = {"n": size, "order": "all"}
        said, strands = counts("permutation", **chosen), described("permutation", chosen).items()
        assert said.classes == sum(times for _, times in strands)
        assert said.positions == sum(one[0] * times for one, times in strands)
        assert said.covers == sum(one[2] * times for one, times in strands)
        assert said.edges == sum(one[0] * one[1] * times for one, times in strands)
        assert said.width == sum(factorial(size) / factorial(j) for j in range(size))
    four = found.at(n=4)
    assert (four.positions, four.covers, four.width, four.edges) == (104, 96, 64, 296)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("butterfy", {}, "no builder of families named 'butterfy'; did you mean 'butterfly'"),
        ("butterfly", {"m": 2}, r"counts of butterfly have no 'm'; they take n \(tokens\)"),
        (
            "masked_autoencoder",
            {"visible": 2},
            r"they take masked \('clique' or 'cross'\), v \(vis",
        ),
        ("mae_ladder", {"visible": 2}, r"they take m \(blocks, or steps\), b \(tokens of a block"),
        ("window", {}, r"window is a mask.*attnproof\.closure\('window'\).*--property depth=2"),
        ("butterfly", {"n": 1}, "butterfly: n is 1; give an integer, 2 or more"),
        ("butterfly", {"n": 2.5}, "butterfly: n is 2.5; give an integer, 2 or more"),
        ("block", {"clean": "both"}, "block: clean is 'both'; give 'block' or 'token'"),
        ("comb", {"r": 1, "n": 2}, "comb: n is 2; give an integer, 3 or more"),
        ("mae_ladder", {"n": 2}, r"n is to be b\*m \+ 1 or more; give b and m too"),
    ],
)
def test_messages(name: str, given: dict[str, Any], told: str) -> None:
    """What was given, what is needed."""
    with pytest.raises(ParameterError, match=told):
        counts(name, **given)
