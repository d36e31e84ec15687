"""The directive ``named-masks``: every mask of the registry with its formula and an example."""

from collections.abc import Iterator

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from attnproof.symbolic.named import registry
from attnproof.symbolic.named.named import REQUIRED, NamedMask


class NamedMasks(SphinxDirective):
    """One definition list entry a mask, in the order of the registry."""

    def run(self) -> list[Node]:
        """The entries, parsed as Markdown."""
        lines = [line for name in registry.names() for line in entry(registry.get(name))]
        return self.parse_text_to_nodes("\n".join(lines))


def entry(mask: NamedMask) -> Iterator[str]:
    """Name, sentence, formula, parameters and a picture of one mask, as Markdown."""
    example = dict(mask.example)
    yield f"`{mask.name}`"
    body = [f"{mask.doc} Source: {mask.source}; {mask.positions_doc}.", ""]
    given = {name: value for name, value in example.items() if name != "n"}
    body += ["```text", str(mask.formula(**given)), "```", ""]
    for parameter in mask.parameters:
        default = "" if parameter.default is REQUIRED else f"; default {shown(parameter.default)}"
        body.append(f"- `{parameter.name}`: {parameter.doc} ({parameter.kind.words}{default})")
    keywords = ", ".join(f"{name}={value!r}" for name, value in example.items())
    body += ["", f"With `{keywords}`:", "", "```text", repr(mask.mask(**example)), "```"]
    yield ": " + "\n  ".join("\n".join(body).splitlines())
    yield ""


def shown(default: object) -> str:
    """A default as it is written on the command line."""
    if default is None:
        return "none"
    return str(default).lower() if isinstance(default, bool) else f"`{default}`"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("named-masks", NamedMasks)
    return {"parallel_read_safe": True}
