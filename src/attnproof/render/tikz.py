"""TikZ: a standalone document with the Hasse diagram and, up to 32 positions, the mask.

Convention: row = query; flow is drawn upward, the rank of a class is its height.
"""

from attnproof.render.diagram import diagram
from attnproof.render.grid import Cell, Grid, grid, hops, outline, runs
from attnproof.render.heading import heading, hot_nodes
from attnproof.render.heatmap import role_of
from attnproof.render.layout import layout
from attnproof.render.palette import LIGHT
from attnproof.render.picture import Picture

_DRAWN = 32
_COLUMN = 0.19
_RANK = 1.1
_CELL = 0.4
_LATEX = {
    "\\": r"\textbackslash{}",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: "\\" + letter for letter in "{}%_#&$"},
}


def tikz(picture: Picture) -> str:
    r"""A document that ``pdflatex`` turns into the picture.

    >>> from attnproof.symbolic.masks.mask import Mask
    >>> two = Picture("two", Mask.from_rows(["1.", "11"]), ((0,), (1,)), ((0, 1),))
    >>> tikz(two).splitlines()[-5].strip()
    '\\node[class] (c1) at (3.285, 0) {1};'
    """
    cells = grid(picture) if max(picture.mask.queries, picture.mask.size) <= _DRAWN else None
    drawn = diagram(picture.classes, picture.covers)
    lines = [
        r"\documentclass[border=4mm]{standalone}",
        r"\usepackage{tikz}",
        *(
            rf"\definecolor{{{role}}}{{HTML}}{{{colour[1:].upper()}}}"
            for role, colour in sorted(LIGHT.items())
            if role in _roles(cells)
        ),
        r"\begin{document}",
        r"\begin{tikzpicture}[font=\sffamily\footnotesize,",
        r"  class/.style={draw=rim, fill=node, rounded corners=1.5mm, minimum height=5mm},",
        r"  leaking/.style={class, draw=leak, text=leak, thick},",
        r"  hop/.style={draw=leak, thick, ->, shorten >=1.4mm,",
        r"    preaction={draw=paper, line width=2.4pt, -}},",
        r"  token/.style={circle, draw=leak, text=leak, fill=paper, inner sep=0.8pt, "
        r"font=\sffamily\tiny}]",
    ]
    if cells is not None:
        lines += _mask(picture, cells)
    lines += _hasse(picture, 0.0 if cells is None else cells.columns * _CELL + 2.2)
    words = r" \\ ".join(map(_escaped, heading(picture, drawn).splitlines()))
    lines.append(
        r"  \node[anchor=south west, align=left, yshift=2mm] at (current bounding box.north west) "
        f"{{{words}}};"
    )
    return "\n".join([*lines, r"\end{tikzpicture}", r"\end{document}", ""])


def _roles(cells: Grid | None) -> set[str]:
    shown = {role_of(cell) for row in cells.cells for cell in row if cell} if cells else set()
    return {"leak", "rim", "node", "edge", "hair", "quiet", "paper"} | shown


def _mask(picture: Picture, cells: Grid) -> list[str]:
    """Cells with the upper left corner of the grid at the origin."""
    drawn: list[str] = []
    right, bottom = _n(cells.columns * _CELL), _n(-cells.rows * _CELL)
    middle = _n(cells.columns * _CELL / 2), _n(-cells.rows * _CELL / 2)
    for r, row in enumerate(cells.cells):
        for start, stop, cell in runs(row):
            if cell != Cell.NOT_READ:
                drawn.append(
                    rf"  \fill[{role_of(cell)}] ({_n(start * _CELL)}, {_n(-r * _CELL)}) "
                    rf"rectangle ({_n(stop * _CELL)}, {_n(-(r + 1) * _CELL)});"
                )
    drawn.append(rf"  \draw[paper, step={_CELL}] (0, 0) grid ({right}, {bottom});")
    drawn.append(rf"  \draw[hair] (0, 0) rectangle ({right}, {bottom});")
    for k in range(cells.columns):
        drawn.append(rf"  \node[quiet, font=\sffamily\tiny] at ({_at(k)}, 0.2) {{{k}}};")
    for r in range(cells.rows):
        name = cells.first + r
        drawn.append(rf"  \node[quiet, font=\sffamily\tiny] at (-0.25, {_at(r, -1)}) {{{name}}};")
    drawn.append(rf"  \node at ({middle[0]}, 0.6) {{key (source)}};")
    drawn.append(rf"  \node[rotate=90] at (-0.7, {middle[1]}) {{row = query (reader)}};")
    for a, b in outline(cells.leaked):
        drawn.append(
            rf"  \draw[leak, thick] ({_n(a[0] * _CELL)}, {_n(-a[1] * _CELL)}) -- "
            rf"({_n(b[0] * _CELL)}, {_n(-b[1] * _CELL)});"
        )
    for k, q in hops(picture):
        points = (
            f"({_at(x)}, {_at(max(y - cells.first, -1), -1)})" for x, y in ((k, k), (k, q), (q, q))
        )
        drawn.append(rf"  \draw[hop] {' -- '.join(points)};")
    for t in dict.fromkeys(t for hop in hops(picture) for t in hop):
        place = f"({_at(t)}, {_at(max(t - cells.first, -1), -1)})"
        drawn.append(rf"  \node[token] at {place} {{{t}}};")
    return drawn


def _hasse(picture: Picture, left: float) -> list[str]:
    drawn = diagram(picture.classes, picture.covers)
    placed = layout(drawn)
    hot = hot_nodes(picture, drawn)
    lines: list[str] = []
    bottom = -(placed.height - 1) * _RANK if left else 0.0
    for i, label in enumerate(drawn.labels):
        x, y = left + placed.x[i] * _COLUMN, bottom + placed.rank[i] * _RANK
        style = "leaking" if i in hot else "class"
        lines.append(rf"  \node[{style}] (c{i}) at ({_n(x)}, {_n(y)}) {{{_escaped(label)}}};")
    for (a, b), route in zip((*drawn.covers, *drawn.links), placed.routes, strict=True):
        between = "".join(
            f" ({_n(left + x * _COLUMN)}, {_n(bottom + rank * _RANK)}) --"
            for x, rank in route[1:-1]
        )
        dashed = ", dashed" if (a, b) in drawn.links else ""
        lines.append(rf"  \draw[edge{dashed}] (c{a}) --{between} (c{b});")
    return lines


def _at(index: int, sign: int = 1) -> str:
    return _n(sign * (index + 0.5) * _CELL)


def _n(value: float) -> str:
    """A number with three decimals at most."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
