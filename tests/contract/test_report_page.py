"""``--report FILE.html``: a page is written whole, or a message says why there is none."""

from pathlib import Path

import pytest

from tests.contract.conftest import Run


def test_verify_writes_a_page(run: Run, folder: Path) -> None:
    """The exit code and the document stay what they are; the page holds the finding."""
    ran = run(
        *("verify", "two_layers.txt", "--forbid", "forbid.json", "--json", "--report", "out.html")
    )
    assert ran.code == 1
    assert ran.json["findings_total"] == 4
    assert ran.err == "page written: out.html\n"
    text = (folder / "out.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert "token 6 reaches query 2 in 2 layers" in text


def test_merge_writes_a_page(run: Run, folder: Path) -> None:
    """A merged task has a page too."""
    (folder / "family.toml").write_text('[family]\nbuilder = "block"\nm = 3\nb = 2\n')
    ran = run("merge", "family.toml", "--report", "merged.html", "--json")
    assert ran.code == 0, ran.err
    assert "10 positions in 5 classes" in (folder / "merged.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("causal", "--n", "2049"), "a page shows at most 2048 positions, this mask has 2049"),
        (("causal", "--n", "100000"), "a page shows at most 2048 positions"),
        (("causal", "--n", "4", "--draw", "no.html"), "names no kind of picture"),
        (("missing.npy",), "missing.npy"),
    ],
)
def test_nothing_is_half_written(
    run: Run, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    """Exit 2 and one line; what stood there stays."""
    (folder / "kept.html").write_text("kept")
    before = sorted(folder.iterdir())
    ran = run("verify", *arguments, "--report", "kept.html")
    assert ran.code == 2
    assert said in ran.err
    assert (folder / "kept.html").read_text() == "kept"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--report", "page.svg"), "page.svg does not name a page; end the name in .html"),
        (("--report", "no/page.html"), "no/page.html cannot be written"),
        (("--report", "a.html", "--certificate", "a.html"), "would be written twice"),
    ],
)
def test_places_that_are_no_page(run: Run, arguments: tuple[str, ...], said: str) -> None:
    """A place that cannot be a page is refused before anything is computed."""
    ran = run("verify", "causal.txt", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
