"""For which temperatures a net with fixed weights is exact: all in ``(0, star]``.

Softmax knows weights only through ``A / tau``, so another star is had from other weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from attnproof.symbolic.interpolation import ball, exact
from attnproof.symbolic.interpolation.build import Construction
from attnproof.symbolic.interpolation.causal import Causal
from attnproof.symbolic.interpolation.data import Data
from attnproof.symbolic.interpolation.heads import Multihead
from attnproof.symbolic.interpolation.intervals import Interval
from attnproof.symbolic.interpolation.net import Net
from attnproof.symbolic.interpolation.rationals import dyadic_between
from attnproof.symbolic.progress import tick
from attnproof.symbolic.verdict import Verdict

#: Halvings of the bracket, whose ends differ by a factor of 2.
_STEPS = 4
#: Temperatures between which is searched.
_LEAST = Fraction(1, 1 << 60)
_MOST = Fraction(1 << 40)


@dataclass(frozen=True, slots=True)
class Temperature:
    """``star`` is certified together with every temperature below it; None is infinity, and 0 says
    that none is certified. ``closed`` is a lower bound in closed form, None where there is none.

    ``capped`` says that the search ended at its greatest temperature.
    """

    star: Fraction | None
    closed: Fraction | None
    depends: bool
    capped: bool = False


def temperature(construction: Construction | Causal | Multihead) -> Temperature:
    """The temperatures at which a construction is exact, by bisection.

    Infinity only where no head has both a value and a score matrix, which the weights show.
    """
    net, data = construction.net, construction.data
    if not net.depends_on_temperature:
        holds = exact.verify(net, data).verdict is Verdict.HOLDS
        return Temperature(None if holds else Fraction(0), None, depends=False)
    closed = closed_form(construction) if isinstance(construction, Construction) else None
    star, capped = search(net, data, closed)
    return Temperature(star, closed, depends=True, capped=capped)


def search(net: Net, data: Data, start: Fraction | None = None) -> tuple[Fraction, bool]:
    """The greatest dyadic temperature that is certified with all below it, to one part in 16.

    Begins near ``start``; also says whether the search ended at its greatest temperature. It is
    the least that any pair allows, so a pair is searched only where it allows less than those
    before it.
    """
    star = _MOST
    for j, pair in enumerate(data.pairs):
        tick(j, len(data.pairs))
        alone = Data((pair,))

        def holds(tau: Fraction, alone: Data = alone) -> bool:
            found = ball.verify(net, alone, tau, below=True, most_precision=ball.PRECISION)
            return found.verdict is Verdict.HOLDS

        if not holds(star):
            star = _below(holds, start or Fraction(1), star)
        if star == 0:
            break
    return star, star == _MOST


def _below(holds: Callable[[Fraction], bool], start: Fraction, failing: Fraction) -> Fraction:
    """A temperature that holds, near the greatest below one that fails; 0 where none is found."""
    if not holds(_LEAST):
        return Fraction(0)
    low = start
    while low >= failing:
        low /= 2
    low = max(_LEAST, low)
    while not holds(low):
        low = max(_LEAST, low / 4)
    while 2 * low < failing and holds(2 * low):
        low *= 2
    step = low
    for _ in range(_STEPS):
        step /= 2
        if low + step < failing and holds(low + step):
            low += step
    return low


def closed_form(construction: Construction) -> Fraction | None:
    """A temperature that is small enough, from the queries of leaders and the plateaus alone.

    ``min_k T_k d_k / (4 ln(2 q K_k G_k (n - 1) D_k / r))`` over the queries k: least position
    ``T_k``, least lead ``d_k``, factor ``K_k``, greatest diameter ``D_k``, ``G_k`` the product of
    ``1 + K_i`` over later queries, ``r`` the least of the margins. None where it says nothing.
    Source: ours.
    """
    queries, margin = construction.queries, construction.margin
    longest = max(len(pair.input) for pair in construction.data.pairs)
    if margin is None or construction.mode.value != "leader":
        return None
    active = [one for one in queries if one.factor > 0 and one.lead > 0]
    allowed = min(
        [margin]
        + [one.lead / 4 for one in queries if one.lead > 0]
        + [one.least / 2 for one in queries]
        + [one.diameter / 2 for one in queries if one.diameter > 0]
    )
    bounds = []
    for one in active:
        later = prod((1 + other.factor for other in queries[queries.index(one) + 1 :]), start=1)
        ratio = 2 * len(queries) * one.factor * later * (longest - 1) * one.diameter / allowed
        if ratio > 1:
            bounds.append(one.least * one.lead / (4 * _logarithm_above(ratio)))
    if not bounds:
        return None
    least = min(bounds)
    return dyadic_between(least * Fraction(63, 64), least)


def _logarithm_above(value: Fraction) -> Fraction:
    """A rational that the natural logarithm of ``value > 1`` does not exceed, to 2^-20."""
    low, high = Fraction(0), Fraction(value.numerator.bit_length())
    while high - low > Fraction(1, 1 << 20):
        middle = (low + high) / 2
        if Interval.around(-middle, 64 + 2 * value.numerator.bit_length()).exp() * value < 1:
            high = middle
        else:
            low = middle
    return high
