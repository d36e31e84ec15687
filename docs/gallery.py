"""The directive ``gallery``: a picture, the counts and the verdict of every named mask."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import attnproof as ap
from attnproof.render.of_report import report_picture
from attnproof.render.svg import svg
from attnproof.symbolic.named import registry
from attnproof.symbolic.named.named import NamedMask

#: The counts that are shown: the words for one, and for several.
COUNTS = {
    "edges": ("pair", "pairs"),
    "classes": ("class", "classes"),
    "covers": ("cover", "covers"),
    "depth": ("layer until it settles", "layers until it settles"),
}


class Gallery(SphinxDirective):
    """One figure a mask, in the order of the registry."""

    def run(self) -> list[nodes.Node]:
        """Each mask as its example, verified for causality."""
        return [node for name in registry.names() for node in self.shown(registry.get(name))]

    def shown(self, mask: NamedMask) -> list[nodes.Node]:
        """What a mask is, the command that shows it, its picture, and what holds of it."""
        report = ap.verify(mask.mask(**mask.example), causal=True, width=True)
        given = [
            f"--n {value}" if name == "n" else f"--param {name}={written(value)}"
            for name, value in mask.example.items()
        ]
        command = " ".join(["attnproof verify", mask.name, *given, "--causal"])
        drawn = f'<figure class="mask">{svg(report_picture(report))}</figure>'
        told = f"{counted(report.flow.to_json())}. {causality(report)}."
        return [
            *self.parse_text_to_nodes(f"**{mask.name}**: {mask.doc}\n\n`{command}`"),
            nodes.raw("", drawn, format="html"),
            nodes.paragraph("", told),
        ]


def written(value: object) -> str:
    """A parameter as the command line takes it."""
    text = str(list(value) if isinstance(value, tuple) else value).replace(" ", "")
    return text.lower() if isinstance(value, bool) else text


def counted(flow: dict[str, object]) -> str:
    """The counts of a flow, in words."""
    words = [
        f"{flow[key]} {one if flow[key] == 1 else more}" for key, (one, more) in COUNTS.items()
    ]
    return ", ".join([*words, f"height {flow['height']}, width {flow['width']}"])


def causality(report: ap.Report) -> str:
    """Whether a later key reaches an earlier query, and where first."""
    if report.verdict is ap.Verdict.HOLDS:
        return "No query is reached from a later key"
    first = report.findings[0]
    layers = "1 layer" if first.depth == 1 else f"{first.depth} layers"
    return f"Key {first.source} reaches query {first.reader} in {layers}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
