"""interpolate: a transformer that maps given sequences exactly to given sequences."""

from attnproof.ask.construct import Options, construct
from attnproof.ask.net import Net
from attnproof.keywords import keywords
from attnproof.symbolic.interpolation import ball, exact
from attnproof.symbolic.interpolation.build import Construction


@keywords()
def interpolate(
    pairs: object,
    *,
    mode: str | None = None,
    robust: bool = False,
    stable: bool = False,
    moves: int | None = None,
    pad_to_claim: bool = False,
    tau: object = None,
    mask: str | None = None,
    heads: int | None = None,
    balance: bool = False,
) -> Net:
    """A transformer with rational weights that maps every input to its output, as sets of tokens.

    ``pairs`` are ``(input, output)``, each ``(n, d)``: lists, arrays, a JSON object or a file.
    Modes: ``uniform`` (plain means; hardmax and softmax agree at every temperature), ``leader``
    (hardmax), ``phased`` (the four phases of the paper), ``softmax1`` (softmax at the one
    temperature ``tau``). ``robust`` gives every target a plateau, which softmax needs in the modes
    ``leader`` and ``phased``; ``stable`` keeps floats exact on integers, ``moves`` targets a block.
    The mode is ``uniform`` unless given, and ``leader`` with ``heads``, that many queries a block.
    With ``mask="causal"`` a token reads those up to it, and two orders of a set are two inputs.
    ``balance`` rescales weights by powers of two to the least sum of squares.

    >>> import attnproof as ap
    >>> net = ap.interpolate([([[-1], [1]], [[5]]), ([[-2], [2]], [[7]])])
    >>> net.apply([[-2], [2]])
    ((Fraction(7, 1),), (Fraction(7, 1),))
    >>> net.tau_star
    'infinity'

    The bound on blocks counts pairs and outputs; of the length of an input it knows only whether
    the output is shorter. Width is at most 4, with several heads 4 or one more than these. Verified
    before it is returned. Raises :class:`~attnproof.errors.InfeasibleData` for an output longer
    than its input, for equal inputs with different outputs, and under a mask for inputs that begin
    alike where their outputs leave no room; :class:`~attnproof.errors.InputError` for what is no
    data and for options that have no construction together. Source: Alcalde, Fantuzzi, Zuazua,
    arXiv 2502.02270, for the statement and the modes' phases; the constructions ours.
    """
    options = Options(
        mode=mode,
        robust=robust,
        stable=stable,
        moves=moves,
        pad_to_claim=pad_to_claim,
        tau=tau,
        mask=mask,
        heads=heads,
        balance=balance,
    )
    name, made, even = construct(pairs, options)
    if isinstance(made, Construction) and made.tau is not None:
        return Net(name, made, ball.verify(made.net, made.data, made.tau), even)
    return Net(name, made, exact.verify(made.net, made.data), even)
