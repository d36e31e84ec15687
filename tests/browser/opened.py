"""An open page, as a reader handles it: pointer, keys, and the colours that are seen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Dialog, Page

Pair = tuple[int, int]
Colour = tuple[int, int, int]


class Opened:
    """A page that is ready; ``said`` lists console messages and errors, ``asked`` what it loads."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.file = file
        self.said: list[str] = []
        self.asked: list[str] = []
        self._heard: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "dialog": self._dismiss,
            "request": lambda request: self.asked.append(request.url),
        }
        for event, heard in self._heard.items():
            cast(Any, page).on(event, heard)
        page.mouse.move(0, 0)
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        self.painted()

    def _dismiss(self, dialog: Dialog) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def leave(self) -> None:
        """Hear nothing more."""
        for event, heard in self._heard.items():
            self.page.remove_listener(event, heard)

    def painted(self) -> None:
        """Wait until what was asked for is painted."""
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def text(self, selector: str) -> str:
        """What an element says."""
        return self.page.inner_text(selector)

    def press(self, *keys: str) -> None:
        """Press keys, then wait for what they do."""
        for key in keys:
            self.page.keyboard.press(key)
        self.painted()

    def after(self, layers: int) -> None:
        """Put the slider to a number of layers, by its keys."""
        self.page.focus("#layers")
        self.press("Home", *["ArrowRight"] * layers)

    def place(self, pair: Pair, *, first_row: int = 0, share: float = 0.5) -> tuple[float, float]:
        """Where a cell (query, key) stands on the canvas: ``share`` of its side from its corner."""
        (place,) = self.places([pair], first_row=first_row, share=share)
        return place

    def places(
        self, pairs: list[Pair], *, first_row: int = 0, share: float = 0.5
    ) -> list[tuple[float, float]]:
        """Where some cells stand."""
        left, top, cell = self.page.eval_on_selector(
            "#grid", "c => [c.dataset.left, c.dataset.top, c.dataset.cell].map(Number)"
        )
        return [(left + (k + share) * cell, top + (q - first_row + share) * cell) for q, k in pairs]

    def colours(self, places: list[tuple[float, float]]) -> list[Colour]:
        """The colours of the canvas at some places."""
        found: list[list[int]] = self.page.eval_on_selector(
            "#grid",
            """(canvas, places) => {
                const copy = new OffscreenCanvas(canvas.width, canvas.height);
                const pen = copy.getContext("2d", { willReadFrequently: true });
                pen.drawImage(canvas, 0, 0);
                const { width, data } = pen.getImageData(0, 0, canvas.width, canvas.height);
                const first = ([x, y]) => 4 * (Math.floor(y) * width + Math.floor(x));
                return places.map((at) => [...data.slice(first(at), first(at) + 3)]);
            }""",
            places,
        )
        return [(r, g, b) for r, g, b in found]

    def cell_colours(self, size: int) -> dict[Pair, Colour]:
        """The colour of every cell, near a corner that no number and no path covers."""
        pairs = [(q, k) for q in range(size) for k in range(size)]
        seen = self.colours(self.places(pairs, share=0.17))
        return dict(zip(pairs, seen, strict=True))

    def click(self, pair: Pair) -> None:
        """Click a cell, then wait for its path."""
        x, y = self.place(pair)
        self.page.click("#grid", position={"x": x, "y": y})
        self.painted()

    def hover(self, pair: Pair) -> None:
        """Point at a cell."""
        x, y = self.place(pair)
        self.page.hover("#grid", position={"x": x, "y": y})
        self.painted()

    def steps(self) -> list[str]:
        """The path that is told, step by step."""
        return [" ".join(step.split()) for step in self.page.locator("#steps li").all_inner_texts()]


def rgb(colour: str) -> Colour:
    """
    >>> rgb("#ff8000")
    (255, 128, 0)
    """
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return r, g, b
