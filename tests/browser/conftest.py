"""One headless browser a session; without chromium these tests are skipped."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

import attnproof as ap
from attnproof.ask.merge import MergeReport
from tests.browser.opened import Opened

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
Open = Callable[..., Opened]


def browser_path() -> str | None:
    """Where the browser of the system is."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def window() -> Iterator[Page]:
    """A window of the system's browser: ``make browser`` installs one on Debian."""
    found = browser_path()
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed (make browser)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--disable-gpu"])
        yield browser.new_page()
        browser.close()


@pytest.fixture
def opened(window: Page, tmp_path: Path) -> Iterator[Open]:
    """Open the page of a report; in the end it has said nothing on its console, thrown no error,
    and asked for no other file."""
    pages: list[Opened] = []

    def write_and_open(
        report: ap.Report | MergeReport, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> Opened:
        file = tmp_path / "page.html"
        report.page(str(file))
        window.set_viewport_size({"width": width, "height": height})
        window.emulate_media(color_scheme="dark" if dark else "light")
        pages.append(Opened(window, file))
        return pages[-1]

    yield write_and_open
    for one in pages:
        one.leave()
        assert one.said == []
        assert one.asked == [one.file.as_uri()]
