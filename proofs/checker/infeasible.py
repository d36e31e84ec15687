"""infeasible/v1: no transformer without positions maps every input to its output, as sets.

Such a map moves tokens by one rule, ``x -> g(x; X)``. So an output has at most as many tokens as
its input, and equal sets of distinct tokens, one sequence up to order, have equal outputs.
"""

from collections.abc import Sequence

from .envelope import Invalid, integers, need, record, string
from .networks import read_pairs

KIND = "attnproof/infeasible/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the pairs that are named show it."""
    fields = record(predicate, {"pairs", "because", "at"}, "the predicate")
    need(len(digests) == 1, "the subject is not the pairs alone")
    pairs = read_pairs(fields["pairs"], digests[0])
    because, named = string(fields["because"], "because"), integers(fields["at"], len(pairs), "at")
    shown = [pairs[j] for j in named]
    if because == "longer-output":
        need(len(shown) == 1, "at does not name one pair")
        need(len(set(shown[0].output)) > len(set(shown[0].input)), "the output is not longer")
    elif because == "conflicting-targets":
        need(len(shown) == 2, "at does not name two pairs")
        a, b = shown
        need(len(set(a.input)) == len(a.input), "an input holds a token twice")
        need(len(set(b.input)) == len(b.input), "an input holds a token twice")
        need(set(a.input) == set(b.input), "the inputs are different sets")
        need(set(a.output) != set(b.output), "the outputs are one set")
    else:
        raise Invalid("because is neither longer-output nor conflicting-targets")
