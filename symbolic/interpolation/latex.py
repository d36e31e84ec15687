r"""A net in LaTeX, block by block, with exact fractions.

A block is ``x \mapsto \eta x + W \sigma(U x + b)`` for every token, with ``\sigma`` the relu, and
then ``x_q \mapsto \rho x_q + V m_q``, where ``m_q`` is the mean of what ``q`` reads by the scores
``x_k^\top A x_q``. A layer that does nothing is left out.
"""

from collections.abc import Sequence
from fractions import Fraction

from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net


def latex(net: Net, tau: Fraction | None = None) -> str:
    r"""The layers one under the other, in LaTeX without dollar signs; softmax where ``tau`` is
    given, else hardmax.

    >>> one = Fraction(1)
    >>> print(latex(Net(1, (Block(-one, heads=(Head(Matrix(one / 2), Matrix(one)),)),))))
    \begin{aligned}
    x &\mapsto -x \\
    x_q &\mapsto x_q + \frac{1}{2} \operatorname{mean}_{k:\ x_k^\top x_q\ \text{greatest}} x_k
    \end{aligned}
    """
    lines = [line for block in net.blocks for line in _layers(block, net, tau)]
    return "\n".join(
        [r"\begin{aligned}", " \\\\\n".join(lines or ["x &\\mapsto x"]), r"\end{aligned}"]
    )


def _layers(block: Block, net: Net, tau: Fraction | None) -> list[str]:
    """The feed-forward layer, then the attention layer, each if it does something."""
    lines = []
    if block.neurons or block.eta != 1:
        bent = [_bent(block)] if block.neurons else []
        lines.append(rf"x &\mapsto {_sum([*_multiple(block.eta, 'x'), *bent])}")
    heads = [_head(head, net, tau) for head in block.heads if not head.value.is_zero]
    if heads or block.rho != 1:
        lines.append(rf"x_q &\mapsto {_sum([*_multiple(block.rho, 'x_q'), *heads])}")
    return lines


def _bent(block: Block) -> str:
    write = _pmatrix(list(zip(*(one.write for one in block.neurons), strict=True)))
    read = _pmatrix([one.read for one in block.neurons])
    bias = _pmatrix([(one.bias,) for one in block.neurons])
    return rf"{write} \sigma\left({read} x + {bias}\right)"


def _head(head: Head, net: Net, tau: Fraction | None) -> str:
    seen = r"k \le q" if net.causal else "k"
    score = " ".join([r"x_k^\top", *_matrix(head.score), "x_q"])
    if head.score.is_zero:
        mean = rf"\operatorname{{mean}}_{{{seen}}} x_k"
    elif tau is None:
        mean = rf"\operatorname{{mean}}_{{{seen}:\ {score}\ \text{{greatest}}}} x_k"
    else:
        scaled = score if tau == 1 else rf"{_number(1 / tau)}\, {score}"
        mean = rf"\sum_{{{seen}}} \operatorname{{softmax}}_{{{seen}}}\left({scaled}\right) x_k"
    return " ".join([*_matrix(head.value), mean])


def _matrix(matrix: Matrix) -> list[str]:
    """Its entries, or a number for a multiple of the identity; nothing for the identity."""
    if not (any(matrix.left) and any(matrix.right)):
        return [] if matrix.scale == 1 else [_number(matrix.scale)]
    rows = [
        [a * b + (matrix.scale if i == j else 0) for j, b in enumerate(matrix.right)]
        for i, a in enumerate(matrix.left)
    ]
    return [_pmatrix(rows)]


def _pmatrix(rows: Sequence[Sequence[Fraction]]) -> str:
    inside = r" \\ ".join(" & ".join(map(_number, row)) for row in rows)
    return rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}"


def _multiple(number: Fraction, thing: str) -> list[str]:
    if number in (-1, 0, 1):
        return [f"-{thing}" if number < 0 else thing] if number else []
    return [f"{_number(number)} {thing}"]


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(terms).replace(" + -", " - ") or "0"


def _number(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number.numerator)
    sign = "-" if number < 0 else ""
    return rf"{sign}\frac{{{abs(number.numerator)}}}{{{number.denominator}}}"
