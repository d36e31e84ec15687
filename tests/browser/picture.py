"""``python -m tests.browser.picture``: the picture of the page in *Verify a mask*."""

import tempfile
from contextlib import chdir
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import attnproof as ap
from tests.browser.conftest import browser_path
from tests.browser.opened import Opened

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    """Open the page that the text shows and keep what is seen, in few colours."""
    with chdir(DOCS / "examples"):
        report = ap.verify("two_layer_leak.txt", forbid="own_block.json")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        file = Path(place) / "leak.html"
        report.page(str(file))
        browser = playwright.chromium.launch(executable_path=browser_path())
        page = browser.new_page(viewport={"width": 1240, "height": 830})
        Opened(page, file)
        seen = Image.open(BytesIO(page.screenshot()))
        browser.close()
    seen.convert("RGB").quantize(48, dither=Image.Dither.NONE).save(
        DOCS / "report-page.png", optimize=True
    )


if __name__ == "__main__":
    main()
