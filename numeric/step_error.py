"""The error of gradient descent with step h against the flow, in (α, β): it is C h + O(h²).

So 2|v_h - v_{h/2}| estimates the error of v_h, and 2 v_{h/2} - v_h has an error of order 2
(Richardson). Neither needs the flow, which is then compared with them.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[float, float]

#: An error is allowed to be this part of its estimate.
ALLOWED = 1.25


def apart(a: Pair, b: Pair) -> float:
    """The greater of both differences.

    >>> apart((1.0, 2.0), (1.5, 2.25))
    0.5
    """
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def richardson(coarse: Pair, fine: Pair) -> Pair:
    """Twice the value at half the step, less the value: an error C h cancels.

    >>> richardson((1.5, 1.0), (1.25, 1.0))
    (1.0, 1.0)
    """
    return 2 * fine[0] - coarse[0], 2 * fine[1] - coarse[1]


def orders(errors: Sequence[float]) -> tuple[float, ...]:
    """The exponents with which errors fall as steps are halved.

    >>> orders([0.4, 0.2, 0.05])
    (1.0, 2.0)
    """
    return tuple(math.log2(a / b) if a > 0 and b > 0 else math.nan for a, b in pairwise(errors))
