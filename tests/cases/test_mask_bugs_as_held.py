"""Fifty public mask bugs, each as its user would hold it, through ``verify`` and ``compare``."""

import pytest

pytest.importorskip("torch", reason="several masks are objects of torch: install the extra torch")

from attnproof.symbolic.verdict import Verdict
from tests.cases.bugs import depth_and_scope, documents_and_padding, values_and_bounds
from tests.cases.bugs.held import Case, Differs, Held, Refused

TABLES = (values_and_bounds, documents_and_padding, depth_and_scope)
CASES: list[Case] = [case for table in TABLES for case in table.CASES]
HELD = [case for case in CASES if isinstance(case, Held)]
REFUSED = [case for case in CASES if isinstance(case, Refused)]
DIFFERS = [case for case in CASES if isinstance(case, Differs)]


def named(case: Case) -> str:
    return f"{case.case}, {case.how}"


def test_every_bug_is_in_the_table() -> None:
    """B01 to B50, each at least once, none twice under the same words."""
    assert {case.case for case in CASES} == {f"B{number:02}" for number in range(1, 51)}
    assert len({named(case) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", HELD, ids=named)
def test_verdict(case: Held) -> None:
    """The verdict, the exit code, every leak with its least depth, and what the report and its
    findings say."""
    report = case.ask()
    assert report.verdict is case.verdict
    assert report.exit_code == int(case.verdict is Verdict.FAILS)
    found = [one for one in report.findings if one.severity == "error"]
    if case.leaks:
        assert sorted((one.reader, one.source) for one in found) == sorted(case.leaks)
        assert {one.kind for one in found} == {case.kind}
        assert min((one.depth for one in found), key=lambda x: (x is None, x)) == case.depth
    else:
        assert {one.kind for one in found} <= {case.kind}
        assert bool(found) == (case.verdict is Verdict.FAILS)
    text = "\n".join([str(report), *map(str, report.findings)])
    for words in case.told:
        assert words in text


@pytest.mark.parametrize("case", HELD, ids=named)
def test_evidence(case: Held) -> None:
    """A leak replays on the mask as held, every other verdict is certified, and the checker
    accepts every claim."""
    report = case.ask()
    walked = any(one.path for one in report.findings if one.severity == "error")
    assert report.grade == ("replayed" if walked else "certified")
    results = report.certificate.check()
    assert results
    assert all(result.valid for result in results)


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_refusal(case: Refused) -> None:
    """What can be read two ways, or not at all, is refused with the way out."""
    with pytest.raises(case.error) as raised:
        case.ask()
    assert type(raised.value) is case.error
    for words in case.told:
        assert words in str(raised.value)


@pytest.mark.parametrize("case", DIFFERS, ids=named)
def test_comparison(case: Differs) -> None:
    """The pairs too many, the pairs missing, and whether the flow is the same."""
    found = case.ask()
    told = found.to_json()
    assert told["only_in_a"] == sorted(map(list, case.extra))
    assert told["only_in_b"] == sorted(map(list, case.missing))
    assert found.edges_equal == (not case.extra and not case.missing)
    assert found.flow_equal == case.flow_equal
