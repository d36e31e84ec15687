"""How nets, their weights and what shows that they are exact are shown."""

from fractions import Fraction

import pytest

import attnproof as ap
from attnproof.symbolic.interpolation.latex import latex
from attnproof.symbolic.interpolation.net import Block, Head, Matrix, Net, Neuron

ONE = Fraction(1)
PAIRS = [([(0, 1), (2, 3)], [(5, 5)]), ([(2, 3)], [(1, "1/3")])]
VECTOR = (ONE, Fraction(-2))
FULL = Head(Matrix(Fraction(1, 2), VECTOR, VECTOR), Matrix(Fraction(3)))
MEAN = Head(Matrix(Fraction(-2)), Matrix(Fraction(0)))
BENT = Neuron((Fraction(0), Fraction(1, 3)), Fraction(-5), VECTOR)


def lines(block: Block, *, causal: bool = False, tau: Fraction | None = None) -> list[str]:
    """What stands between the first line and the last."""
    return latex(Net(2, (block,), causal), tau).splitlines()[1:-1]


def test_weights_are_at_the_front_door() -> None:
    """Blocks are those of the net, with fractions, and each is shown as the map that it is."""
    net = ap.interpolate(PAIRS)
    assert net.blocks == net.construction.net.blocks
    assert repr(net.blocks[0].neurons) == "(Neuron: (1, 0) relu((4, 0) . x + 6),)"
    assert repr(net.blocks[1].neurons[0]) == "Neuron: (-1, 5/21) relu((1, 0) . x - 5)"
    assert repr(net.blocks[0].heads) == "(Head: V = 2 I, A = 0 I,)"


def test_a_small_net_is_shown_in_a_notebook() -> None:
    """A large one keeps its line of text."""
    net = ap.interpolate(PAIRS)
    assert net._repr_latex_() == f"${net.latex}$"
    long = ap.interpolate([([(j, j)], [(j * j, 1)]) for j in range(40)])
    assert long._repr_latex_() is None
    assert long.latex.count(r"\sigma") == len(long.blocks)


@pytest.mark.parametrize(
    ("block", "causal", "tau", "told"),
    [
        (Block(ONE), False, None, [r"x &\mapsto x"]),
        (Block(0 * ONE), False, None, [r"x &\mapsto 0"]),
        (Block(ONE, rho=-ONE), False, None, [r"x_q &\mapsto -x_q"]),
        (
            Block(Fraction(1, 2), (BENT,)),
            False,
            None,
            [
                r"x &\mapsto \frac{1}{2} x + \begin{pmatrix} 1 \\ -2 \end{pmatrix} \sigma\left("
                r"\begin{pmatrix} 0 & \frac{1}{3} \end{pmatrix} x + "
                r"\begin{pmatrix} -5 \end{pmatrix}\right)"
            ],
        ),
        (
            Block(ONE, heads=(MEAN,)),
            True,
            None,
            [r"x_q &\mapsto x_q - 2 \operatorname{mean}_{k \le q} x_k"],
        ),
        (
            Block(ONE, rho=0 * ONE, heads=(FULL,)),
            False,
            Fraction(1, 2),
            [
                r"x_q &\mapsto \begin{pmatrix} \frac{3}{2} & -2 \\ -2 & \frac{9}{2} \end{pmatrix} "
                r"\sum_{k} \operatorname{softmax}_{k}\left(2\, x_k^\top 3 x_q\right) x_k"
            ],
        ),
    ],
)
def test_layers_in_latex(block: Block, causal: bool, tau: Fraction | None, told: list[str]) -> None:
    """What does nothing is left out; matrices stand entry by entry."""
    assert lines(block, causal=causal, tau=tau) == told


def test_the_paper_is_named_where_its_count_is() -> None:
    """The number of blocks of the theorem is said to be the paper's."""
    assert "at most 2, 9 in the paper's theorem" in str(ap.interpolate(PAIRS))


def test_evidence_is_a_line() -> None:
    """No net and no mask is written out."""
    assert [repr(one) for one in ap.interpolate(PAIRS).evidence] == [
        "Interpolates: T(X) = Y for 2 pairs, T of 2 blocks with hardmax",
        "Interpolates: T(X) = Y for 2 pairs, T of 2 blocks with softmax at every temperature",
    ]
    at_one = ap.interpolate(PAIRS, mode="softmax1", tau="1/2").evidence
    assert repr(at_one[0]).endswith("with softmax at temperature 1/2")
