"""Net: a transformer that was built for data, what it computes, and what shows that it is exact."""

import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from typing import TYPE_CHECKING

from attnproof.ask.construct import Constructed
from attnproof.certificate import Certificate
from attnproof.symbolic.errors import InputError, MissingExtra
from attnproof.symbolic.evidence import Evidence, Interpolates, InterpolatesSoftmax
from attnproof.symbolic.files import write_atomically
from attnproof.symbolic.interpolation import ball, data, exact, latex, radius, temperature
from attnproof.symbolic.interpolation.balance import Balanced
from attnproof.symbolic.interpolation.build import Construction, Mode
from attnproof.symbolic.interpolation.data import Token
from attnproof.symbolic.interpolation.exact import Verification
from attnproof.symbolic.interpolation.net import Block
from attnproof.symbolic.interpolation.spread import Spread, spread
from attnproof.symbolic.interpolation.temperature import Temperature
from attnproof.symbolic.verdict import Verdict
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    import torch

    from attnproof.numeric.float_report import FloatReport
    from attnproof.numeric.interpolant import Interpolant

SCHEMA = "attnproof/interpolation/v1"

#: Bits of the enclosures in a certificate, besides twice those of the longest weight.
_PRECISION = 512
#: Most coordinates times blocks of a net that a notebook shows.
_SHOWN = 16


@dataclass(frozen=True, repr=False)
class Net:
    """A net that was built for data and verified on it.

    >>> import attnproof as ap
    >>> net = ap.interpolate([([[0, 1], [2, 3]], [[5, 5]]), ([[2, 3]], [[1, "1/3"]])])
    >>> net
    Net: uniform, 2 blocks, width 3, exact
    >>> net.as_set([[2, 3]])
    frozenset({(Fraction(1, 1), Fraction(1, 3))})
    """

    source: str
    construction: Constructed
    verification: Verification
    balance: Balanced | None = None
    certificate_file: str | None = None
    net_file: str | None = None
    picture_file: str | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The weights, as exact fractions: a feed-forward layer, then an attention layer, each.

        A block has ``eta`` and ``neurons``, each a row ``read`` of U, a ``bias`` and a column
        ``write`` of W: ``x`` becomes ``eta x + sum of write relu(read . x + bias)``. Then ``rho``
        and ``heads``, each with the matrices ``value`` V and ``score`` A, which are ``scale I +
        left right^T``: ``x_q`` becomes ``rho x_q`` and V times the mean of the tokens ``x_k`` of
        greatest ``<A x_q, x_k>``, or of all by softmax. ``phase`` names what the block is for.

        >>> import attnproof as ap
        >>> ap.interpolate([([[-1], [1]], [[5]]), ([[-2], [2]], [[7]])]).blocks[0].heads
        (Head: V = 12 I, A = 0 I,)
        """
        return self.construction.net.blocks

    @property
    def latex(self) -> str:
        """The layers one under the other in LaTeX, with exact fractions."""
        return latex.latex(self.construction.net, self.tau)

    def _repr_latex_(self) -> str | None:
        """The layers, where the net is small enough to read."""
        small = self.construction.net.dimension * len(self.blocks) <= _SHOWN
        return f"${self.latex}$" if small else None

    @property
    def verdict(self) -> Verdict:
        """HOLDS where every output is exact; UNKNOWN where enclosures do not decide."""
        return self.verification.verdict

    @property
    def exact(self) -> bool:
        """Is every output verified, exactly?"""
        return self.verdict is Verdict.HOLDS

    @property
    def mode(self) -> str | None:
        """What separates the inputs; None under a causal mask, where prefixes are marked."""
        if isinstance(self.construction, Construction):
            return self.construction.mode.value
        return None if self.construction.net.causal else Mode.LEADER.value

    @property
    def heads(self) -> int:
        """The most heads of a block."""
        return max(len(block.heads) for block in self.blocks)

    @property
    def robust(self) -> bool:
        """Does every target have a plateau because that was asked for?"""
        found = self.construction
        return found.robust if isinstance(found, Construction) else found.margin is not None

    @property
    def tau(self) -> Fraction | None:
        """The one temperature that the weights are for, in the mode ``softmax1``."""
        found = self.construction
        return found.tau if isinstance(found, Construction) else None

    @cached_property
    def temperature(self) -> Temperature:
        """The temperatures at which softmax with these weights is exact, ``(0, star]``."""
        return temperature.temperature(self.construction)

    @property
    def tau_star(self) -> str | None:
        """``star`` as text, "infinity" or "0" (none is certified); None for ``softmax1``, whose
        weights are for the one temperature given."""
        if self.tau is not None:
            return None
        star = self.temperature.star
        return "infinity" if star is None else str(star)

    @property
    def tau_capped(self) -> bool:
        """Did the search for ``tau_star`` end at its greatest temperature, 2^40? Then weights may
        be exact above it too; "infinity" is only said of weights that show it."""
        return self.tau is None and self.temperature.capped

    @property
    def radius(self) -> Fraction | None:
        """Every coordinate of an input may move by less than this and the outputs stay the same
        set; None without plateaus, in the modes ``phased`` and ``softmax1``, under a causal mask
        and with several heads."""
        found = self.construction
        if not isinstance(found, Construction):
            return None
        known = found.mode in (Mode.UNIFORM, Mode.LEADER) and found.margin is not None
        return radius.radius(found) if known else None

    def apply(self, tokens: object) -> tuple[Token, ...]:
        """The token that each of the tokens ``(n, d)`` becomes, in their order, exactly.

        The leftmost tokens along the net's direction take the least targets. With hardmax; in the
        mode ``softmax1`` with softmax at its temperature, and InputError where that is irrational.
        Under a causal mask a token of an input becomes what its prefix is labelled with.
        """
        given = data.read_tokens(tokens)
        net, tau = self.construction.net, self.tau
        if tau is None:
            return exact.forward(net, given)
        found = ball.forward(net, given, tau)
        if found is None or any(None in token for token in found):
            raise InputError(
                "the output is not rational here: softmax is exact on the plateaus around the "
                "inputs of the data; apply one of these, or use to_torch() for floats"
            )
        return found  # type: ignore[return-value]

    def as_set(self, tokens: object) -> frozenset[Token]:
        """The distinct tokens of :meth:`apply`."""
        return frozenset(self.apply(tokens))

    def to_torch(
        self, *, dtype: "torch.dtype | None" = None, temperature: float | None = None
    ) -> "Interpolant":
        """The same blocks as a torch module with weights rounded to ``dtype``, float64 by default.

        Softmax at ``temperature``; without one, hardmax, and in the mode ``softmax1`` its own.
        Warns where ``T_max / gap`` is more than ``dtype`` can hold, 2^22 for float32: then tokens
        that must stay apart may be rounded to one. :meth:`float_report` measures what comes out.
        """
        _need_torch()
        import torch

        from attnproof.numeric.float_report import most

        dtype = torch.float64 if dtype is None else dtype
        if self.spread.ratio >= most(dtype):
            warnings.warn(
                f"{str(dtype).removeprefix('torch.')} holds T_max / gap up to {most(dtype):.3g} "
                f"and it is {float(self.spread.ratio):.3g} here, so outputs may be wrong; use a "
                "longer format, or the mode uniform with stable",
                stacklevel=2,
            )
        return self._module(dtype, temperature)

    def float_report(
        self, *, dtype: "torch.dtype | None" = None, temperature: float | None = None
    ) -> "FloatReport":
        """The measured error of :meth:`to_torch` against the outputs of the data, and ``T_max /
        gap``, which says whether ``dtype`` can hold the net.

        >>> import attnproof as ap
        >>> ap.interpolate([([[0], [4]], [[1], [2]])], stable=True, moves=1).float_report()
        FloatReport: float64, error 0; T_max / gap = 20, below 2.25e+15
        """
        _need_torch()
        import torch

        from attnproof.numeric.float_report import report

        module = self._module(torch.float64 if dtype is None else dtype, temperature)
        return report(module, self.construction.data, self.spread)

    @cached_property
    def spread(self) -> Spread:
        """The greatest position ``T_max`` of a token on the net's line, and the gap that floats
        must keep: the margin of plateaus, or the least distance of positions."""
        found = self.construction
        return spread(found.net, found.data, found.margin)

    def _module(self, dtype: "torch.dtype", temperature: float | None) -> "Interpolant":
        from attnproof.numeric.interpolant import Interpolant

        tau = self.tau
        own = temperature if temperature is not None or tau is None else float(tau)
        return Interpolant(self.construction.net, temperature=own, dtype=dtype)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """That the net interpolates: with hardmax, and with softmax at the temperatures known."""
        found = self.construction
        if not self.exact:
            return ()
        precision = _PRECISION + 2 * found.net.bits
        if self.tau is not None:
            softmax = InterpolatesSoftmax(found.net, found.data, self.tau, False, precision)
            return (softmax,)
        hardmax = Interpolates(found.net, found.data)
        star = self.temperature.star
        if star == 0:
            return (hardmax,)
        return hardmax, InterpolatesSoftmax(found.net, found.data, star, True, precision)

    @cached_property
    def certificate(self) -> Certificate:
        """The evidence as a certificate: the net and the data in full."""
        return Certificate.of(self.evidence)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the net as canonical JSON, whole or not at all."""
        write_atomically(path, self.construction.net.text + "\n")

    def draw(self, path: str | PathLike[str]) -> None:
        """Draw the run on the data, a panel a phase, as .svg or .png.

        Raises :class:`InputError` where tokens are not in the plane, for more sequences than
        colours, and in the mode ``softmax1``, whose positions are irrational.
        """
        from attnproof.render.trace import draw
        from attnproof.symbolic.interpolation.trace import trace

        if self.tau is not None:
            raise InputError(
                "the run of a softmax1 net has irrational positions and is not drawn; choose the "
                "mode uniform, leader or phased"
            )
        draw(path, trace(self.construction.net, self.construction.data))

    def written(
        self, *, net: str | None = None, certificate: str | None = None, picture: str | None = None
    ) -> "Net":
        """The same, with the picture, the certificate and the net written to these files."""
        if picture is not None:
            self.draw(picture)
        if certificate is not None:
            self.certificate.save(certificate)
        if net is not None:
            self.save(net)
        return replace(self, certificate_file=certificate, net_file=net, picture_file=picture)

    @property
    def exit_code(self) -> int:
        """0 exact, 1 not, 3 unknown."""
        return self.verdict.exit_code

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object; ``tau_bound`` is the lower bound in closed form."""
        found, paper = self.construction, self._of_the_paper
        closed = None if self.tau is not None else self.temperature.closed
        even = self.balance
        return {
            "schema": SCHEMA,
            "source": self.source,
            "mode": self.mode,
            "mask": "causal" if found.net.causal else None,
            "heads": self.heads,
            "robust": self.robust,
            "stable": paper is not None and paper.stable,
            "pairs": len(found.data.pairs),
            "dimension": found.data.dimension,
            "outputs": found.data.outputs,
            "exact": self.exact,
            "blocks": len(found.net.blocks),
            "phases": found.net.phases,
            "bound": found.bound,
            "claimed_blocks": None if paper is None else paper.claimed,
            "width": found.net.width,
            "parameters": found.net.parameters,
            "bits": found.net.bits,
            "tau": None if self.tau is None else str(self.tau),
            "tau_star": self.tau_star,
            "tau_capped": self.tau_capped,
            "tau_bound": None if closed is None else str(closed),
            "depends_on_tau": found.net.depends_on_temperature,
            "radius": None if self.radius is None else str(self.radius),
            "balanced": None if even is None else [str(even.before), str(even.after)],
            "net": self.net_file,
            "certificate": self.certificate_file,
            "picture": self.picture_file,
        }

    @property
    def _attention(self) -> str:
        """What the net is exact with, in words."""
        if self.tau is not None:
            return f"softmax at temperature {self.tau}"
        if self.tau_star == "infinity":
            return "hardmax; softmax at every temperature"
        if self.tau_star == "0":
            return "hardmax; no temperature of softmax is certified"
        ended = ", where the search ended" if self.tau_capped else ""
        return f"hardmax; softmax at every temperature up to {self.tau_star}{ended}"

    @property
    def _of_the_paper(self) -> Construction | None:
        """The construction where the theorem of the paper speaks of it."""
        return self.construction if isinstance(self.construction, Construction) else None

    def __repr__(self) -> str:
        net = self.construction.net
        state = {0: "exact", 1: "not exact", 3: "exactness unknown"}[self.exit_code]
        several = f" with {self.heads} heads" if self.heads > 1 else ""
        blocks = counted(len(net.blocks), "block")
        kind = "causal" if net.causal else f"{self.mode}{several}"
        return f"Net: {kind}, {blocks}, width {net.width}, {state}"

    def __str__(self) -> str:
        found, net = self.construction, self.construction.net
        phases = ", ".join(f"{name} {count}" for name, count in net.phases.items())
        paper, even = self._of_the_paper, self.balance
        claimed = "" if paper is None else f", {paper.claimed} in the paper's theorem"
        norm = "" if even is None else f"; {even!r}"
        return "\n".join(
            [
                f"{self.source}: {found.data!r}",
                f"  {self!r}",
                f"  blocks: {phases}; at most {found.bound}{claimed}",
                f"  weights: {net.parameters} that are not zero, up to {net.bits} bits{norm}",
                f"  attention: {self._attention}",
            ]
        )


def _need_torch() -> None:
    if find_spec("torch") is None:
        raise MissingExtra("a net as a torch module", "torch")
