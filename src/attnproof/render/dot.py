"""DOT: the Hasse diagram, and the layers unrolled, as text for Graphviz.

Convention: edges are (source, reader) and flow is drawn upward (``rankdir=BT``).
"""

from attnproof.render.diagram import diagram
from attnproof.render.heading import heading, hot_nodes
from attnproof.render.picture import Picture
from attnproof.render.ranks import ranks
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.rows import members

_LEAK = "#d0312d"
_WIDEST = 64
_DEEPEST = 64


def dot(picture: Picture) -> str:
    """The Hasse diagram of a picture's flow; the classes on the leak path are red.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> print(dot(Picture("two", Mask.from_rows(["1.", "11"]), ((0,), (1,)), ((0, 1),))), end="")
    digraph hasse {
      label="two\\nflow goes upward; in the mask, row = query";
      labelloc=t;
      rankdir=BT;
      fontname="sans-serif";
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [arrowhead=none];
      c0 [label="0"];
      c1 [label="1"];
      { rank=same; c0; }
      { rank=same; c1; }
      c0 -> c1;
    }
    """
    drawn = diagram(picture.classes, picture.covers)
    hot = hot_nodes(picture, drawn)
    lines = [
        "digraph hasse {",
        f"  label={_quoted(heading(picture, drawn))};",
        "  labelloc=t;",
        "  rankdir=BT;",
        '  fontname="sans-serif";',
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        "  edge [arrowhead=none];",
    ]
    for i, label in enumerate(drawn.labels):
        red = f', color="{_LEAK}", fontcolor="{_LEAK}"' if i in hot else ""
        lines.append(f"  c{i} [label={_quoted(label)}{red}];")
    levels: dict[int, list[int]] = {}
    for i, rank in enumerate(ranks(len(drawn.labels), (*drawn.covers, *drawn.links))):
        levels.setdefault(rank, []).append(i)
    for rank in sorted(levels):
        lines.append(f"  {{ rank=same; {' '.join(f'c{i};' for i in levels[rank])} }}")
    lines += [f"  c{a} -> c{b};" for a, b in drawn.covers]
    lines += [f"  c{a} -> c{b} [style=dashed];" for a, b in drawn.links]
    return "\n".join([*lines, "}", ""])


def unrolled_dot(picture: Picture, layers: int) -> str:
    """The layered graph of ``layers`` layers on nodes (position, layer), layer 0 at the bottom.

    A path of the finding is red. Raises :class:`InputError` above 64 positions or layers.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> two = Picture("two", Mask.from_rows(["1.", "11"]), layers=((0b01, 0b11),))
    >>> [line.strip() for line in unrolled_dot(two, 1).splitlines() if "->" in line]
    ['p0_0 -> p0_1;', 'p0_0 -> p1_1;', 'p1_0 -> p1_1;']
    """
    size = picture.mask.size
    check_unrolled(size, layers)
    red = _walked(picture, layers)
    lines = [
        "digraph unrolled {",
        f"  label={_quoted(f'{picture.title}, {layers} layers unrolled, layer 0 is the input')};",
        "  labelloc=t;",
        "  rankdir=BT;",
        '  fontname="sans-serif";',
        '  node [shape=circle, fixedsize=true, width=0.4, fontname="sans-serif"];',
        "  edge [arrowsize=0.5];",
    ]
    for level in range(layers + 1):
        names = " ".join(f"p{p}_{level};" for p in range(size))
        lines += [f'  p{p}_{level} [label="{p}", group={p}];' for p in range(size)]
        lines.append(f"  {{ rank=same; {names} }}")
    for level in range(layers):
        relation = picture.layers[level % len(picture.layers)]
        edges = [(k, q) for q, row in enumerate(relation) for k in members(row)]
        for k, q in sorted(edges):
            hot = f' [color="{_LEAK}", penwidth=2]' if (k, q, level) in red else ""
            lines.append(f"  p{k}_{level} -> p{q}_{level + 1}{hot};")
    return "\n".join([*lines, "}", ""])


def check_unrolled(size: int, layers: int) -> None:
    """Raise :class:`InputError` where so many positions or layers make no readable picture."""
    if size > _WIDEST:
        raise InputError(
            f"the layers of {size} positions unrolled make no readable picture; give a mask of at "
            f"most {_WIDEST} positions",
            size=size,
        )
    if not 0 <= layers <= _DEEPEST:
        raise InputError(
            f"{layers} layers unrolled make no readable picture; give 0 to {_DEEPEST} layers",
            layers=layers,
        )


def _walked(picture: Picture, layers: int) -> set[tuple[int, int, int]]:
    """The edges (source, reader, layer before) that the path of the finding walks."""
    finding = picture.finding
    if finding is None or finding.path is None or finding.depth is None:
        return set()
    held: list[int] = []
    for entry in finding.path:
        token, level = (entry, len(held)) if isinstance(entry, int) else (entry[0], entry[1])
        held += held[-1:] * (level - len(held))
        held.append(token)
    held += held[-1:] * (layers + 1 - len(held))
    return {(held[i], held[i + 1], i) for i in range(layers)}


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
