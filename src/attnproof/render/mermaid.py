"""Mermaid: the Hasse diagram as a flowchart, for pages that render it.

Convention: edges are (source, reader) and flow is drawn upward (``flowchart BT``).
"""

import json

from attnproof.render.diagram import diagram
from attnproof.render.heading import heading, hot_nodes
from attnproof.render.picture import Picture


def mermaid(picture: Picture) -> str:
    """The Hasse diagram of a picture's flow; the classes on the leak path are red.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> two = Picture("two", Mask.from_rows(["1.", "11"]), ((0,), (1,)), ((0, 1),))
    >>> print(mermaid(two), end="")
    ---
    title: "two; flow goes upward; in the mask, row = query"
    ---
    flowchart BT
      c0(["0"])
      c1(["1"])
      c0 --- c1
    """
    drawn = diagram(picture.classes, picture.covers)
    title = json.dumps("; ".join(heading(picture, drawn).splitlines()), ensure_ascii=False)
    lines = ["---", f"title: {title}", "---", "flowchart BT"]
    lines += [f'  c{i}(["{_escaped(label)}"])' for i, label in enumerate(drawn.labels)]
    lines += [f"  c{a} --- c{b}" for a, b in drawn.covers]
    lines += [f"  c{a} -.- c{b}" for a, b in drawn.links]
    hot = sorted(hot_nodes(picture, drawn))
    if hot:
        lines.append("  classDef leak stroke:#d0312d,color:#d0312d,stroke-width:2px")
        lines.append(f"  class {','.join(f'c{i}' for i in hot)} leak")
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    return text.replace('"', "#quot;")
