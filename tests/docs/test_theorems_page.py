"""The page of theorems, against the Coq files and the checker that it is made from."""

import re

import pytest

from tests.docs.theorems_page import COQ, DOCS, entries, kernels, page, table

FILES = re.findall(r"^(\w+)\.v$", (COQ / "_CoqProject").read_text(), re.MULTILINE)


def test_the_page_is_made_from_the_files() -> None:
    """Each statement, definition and function on the page is that of its file."""
    assert (DOCS / "theorems.md").read_text() == page()


def test_the_page_has_every_file_in_the_order_of_reading() -> None:
    """What Coq checks is what the page lists, and nothing in the folder is left out."""
    listed = [file["name"] for section in table()["section"] for file in section["file"]]
    assert listed == FILES
    assert {file.stem for file in COQ.glob("*.v")} - {"assumptions"} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_every_statement_has_its_words(file: str) -> None:
    """A comment stands before each theorem and definition, so that none is missing on the page."""
    text = (COQ / f"{file}.v").read_text()
    kinds = "Theorem|Corollary|Lemma|Definition|Fixpoint|Record|Inductive"
    named = re.findall(rf"^(?:{kinds}) (\w+)", text, re.MULTILINE)
    assert [entry.name for entry in entries(file)] == named
    assert len(text.splitlines()) <= 260


def test_what_the_kernels_and_the_page_name_is_there() -> None:
    """Each theorem that a kernel names is proved, and each kernel names one that is."""
    proved = {
        f"{file}.{entry.name}"
        for file in FILES
        for entry in entries(file)
        if entry.kind in ("Theorem", "Corollary", "Lemma")
    }
    assert {"safe", "flow", "equivalent", "merged", "scans"} <= kernels().keys()
    for module, names in kernels().items():
        assert names, module
        assert set(names) <= proved, module
