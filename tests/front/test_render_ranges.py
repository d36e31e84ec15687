"""Ranges: many findings of one form are one sentence, which stands for exactly these."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnproof as ap
from attnproof.render.ranges import Told, ranges, spans
from attnproof.render.words import key_counts
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.blocks import Blocks
from attnproof.symbolic.masks.forms import to
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.runs import Runs
from attnproof.symbolic.masks.sparse import Sparse

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), unique=True).map(sorted)


def leaks(pairs: list[tuple[int, int]]) -> list[Told]:
    """Sentences for pairs (reader, source), in that order."""
    return [
        Told(
            f"token {source} reaches query {reader} in 1 layer: {source} -> {reader}",
            reader,
            source,
        )
        for reader, source in pairs
    ]


def spoken(told: Told) -> list[str]:
    """The sentences that one with ranges stands for, read from its text alone."""
    ends = re.findall(
        r", for ([kq]) = ([^,]*?) to ([^,]*?)(?: in steps of (\d+))?(?=,|$)", told.text
    )
    sentence = told.text.partition(", for ")[0]
    texts: list[tuple[str, dict[str, int]]] = [(sentence, {})]
    for name, start, stop, step in reversed(ends):
        texts = [
            (text, {**values, name: value})
            for text, values in texts
            for value in range(
                evaluated(start, values), evaluated(stop, values) + 1, int(step or 1)
            )
        ]
    return [filled(text, values) for text, values in texts]


def filled(sentence: str, values: dict[str, int]) -> str:
    """The sentence with ``q``, ``q + 1`` and the like as numbers."""
    return re.sub(r"\b[kq]\b( [+-] \d+)?", lambda part: str(evaluated(part[0], values)), sentence)


def evaluated(term: str, values: dict[str, int]) -> int:
    """``q + 1`` where q is known."""
    name, *more = term.split(" ")
    base = values[name] if name in values else int(name)
    return base + (int("".join(more)) if more else 0)


@given(PAIRS)
def test_a_range_stands_for_exactly_its_sentences(pairs: list[tuple[int, int]]) -> None:
    """Read back, the ranges are the sentences, each once, and the counts are theirs."""
    told = ranges(leaks(pairs))
    assert sorted(text for one in told for text in spoken(one)) == sorted(
        one.text for one in leaks(pairs)
    )
    assert [one.count for one in told] == [len(spoken(one)) for one in told]


def test_a_diagonal_a_row_and_a_rectangle() -> None:
    """Leaks one key ahead, to one reader, and from one document to another are a line each."""
    diagonal = [(q, q + 1) for q in range(99)]
    row = [(200, k) for k in range(201, 300)]
    rectangle = [(q, k) for q in range(400, 410) for k in range(300, 305)]
    assert [one.text for one in ranges(leaks([*diagonal, *row, *rectangle]))] == [
        "token q + 1 reaches query q in 1 layer: q + 1 -> q, for q = 0 to 98",
        "token k reaches query 200 in 1 layer: k -> 200, for k = 201 to 299",
        "token k reaches query q in 1 layer: k -> q, for k = 300 to 304, for q = 400 to 409",
    ]


def test_steps_and_a_growing_range() -> None:
    """Blocks advance in steps; above the diagonal a range starts where its query stands."""
    blocks = [(q, q + 32) for q in range(0, 320, 32)]
    assert ranges(leaks(blocks))[0].text.endswith(", for q = 0 to 288 in steps of 32")
    above = [(q, k) for q in range(5) for k in range(q + 1, 9)]
    assert ranges(leaks(above))[0].text == (
        "token k reaches query q in 1 layer: k -> q, for k = q + 1 to 8, for q = 0 to 4"
    )


def test_few_or_uneven_sentences_stay_as_they_are() -> None:
    """Two of a form, or numbers that do not advance together, are told one by one."""
    for pairs in ([(0, 1), (1, 2)], [(0, 9), (1, 7), (2, 5), (3, 3)]):
        assert ranges(leaks(pairs)) == leaks(pairs)


@given(st.sets(st.integers(0, 40)))
def test_spans_hold_the_numbers_and_no_others(numbers: set[int]) -> None:
    """The ranges in words are the set; a limit on ranges counts the rest."""
    held: set[int] = set()
    for part in filter(None, spans(sorted(numbers), most=99).split(", ")):
        start, _, stop = part.partition(" to ")
        held.update(range(int(start), int(stop or start) + 1))
    assert held == numbers


def test_spans_count_what_is_not_listed() -> None:
    """Beyond the listed ranges a number says how many there are."""
    assert spans(range(0, 40, 2), most=3) == "0, 2, 4 and 17 more"
    assert spans(range(1000), unlisted=5) == "0 to 999 and 5 more"


def test_a_report_of_many_leaks_stays_short() -> None:
    """A thousand leaks of one form are one line and a count, and the total is in it."""
    mask = [["0"] * 1000 for _ in range(1000)]
    for q in range(1000):
        mask[q][q] = "1"
        mask[q][min(q + 1, 999)] = "1"
    report = ap.verify(["".join(row) for row in mask], next_token=True)
    lines = report.text().splitlines()
    assert "  token q + 1 reaches query q in 1 layer: q + 1 -> q, for q = 0 to 99" in lines
    assert "  … and 899 more after these" in lines
    assert len(lines) < 20
    assert len(report.to_json()["findings"]) == 100  # type: ignore[arg-type]


def test_empty_rows_are_ranges() -> None:
    """Rows that read nothing are told as ranges, those that JSON leaves out included."""
    mask = Mask.of(Runs.from_rows([() if q < 5000 else ((0, 1),) for q in range(9000)], 9000))
    report = ap.verify(mask)
    assert "  rows that read nothing: 0 to 4999\n" in report.text()
    said = "queries 0 to 4999 read nothing: the output there is zero"
    assert [finding.message for finding in report.findings] == [said]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["1..", "...", "111"], "query 1 reads nothing: "),
        (["...", "1..", "..."], "queries 0, 2 read nothing: "),
        (["...."] * 3 + ["1..."], "queries 0 to 2 read nothing: "),
        (["1" * 20 if q % 2 else "." * 20 for q in range(20)],
         "queries 0, 2, 4, 6, 8, 10, 12, 14 and 2 more read nothing: "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("empty_row", ["zero", "nan"])
def test_a_note_names_empty_rows_as_ranges(rows: list[str], words: str, empty_row: str) -> None:
    """One finding for all rows that read nothing, however many."""
    (finding,) = ap.verify(rows, empty_row=empty_row).findings
    assert finding.message.startswith(words)


@given(
    st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n))
)
def test_key_counts_do_not_depend_on_the_representation(rows: list[int]) -> None:
    """Counted on integers and on runs, the sentence is the same."""
    bits = Bits(tuple(rows), len(rows))
    held = (bits, to(bits, Runs), to(bits, Blocks), to(bits, Sparse))
    assert len({key_counts(Mask.of(rows, offset=1)) for rows in held}) == 1


def test_two_properties_are_told_apart() -> None:
    """Where several properties leak, each line says which."""
    text = ap.verify(["11.", "111", "111"], causal=True, next_token=True).text()
    assert "  causal: token 1 reaches query 0 in 1 layer: 1 -> 0" in text
    assert "  next-token: token 1 reaches query 0 in 1 layer: 1 -> 0" in text
