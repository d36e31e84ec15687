"""infeasible/v1: no transformer without positions, or no causal one, does what the pairs ask.

Without positions tokens move by one rule, ``x -> g(x; X)``. So an output has at most as many tokens
as its input, and equal sets of distinct tokens, one sequence up to order, have equal outputs. Under
a causal mask, positions or not, token i of a sequence becomes what its first i tokens determine. So
the first i tokens of inputs that begin alike become tokens that all their outputs hold.

Machine-checked: ``Infeasible.output_not_longer``, ``Infeasible.same_set_same_output``,
``Infeasible.same_prefix_same_states`` and ``Infeasible.prefix_leaves_room``.
"""

from collections.abc import Sequence

from .envelope import Invalid, integer, integers, need, record, string
from .networks import Pair, read_pairs

KIND = "attnproof/infeasible/v1"


def check(predicate: object, digests: Sequence[str]) -> None:
    """Raise Invalid unless the pairs that are named show it."""
    causal = isinstance(predicate, dict) and predicate.get("because") == "prefix"
    keys = {"pairs", "because", "at", *(("length", "sharing") if causal else ())}
    fields = record(predicate, keys, "the predicate")
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
    elif because == "prefix":
        need(len(shown) == 1, "at does not name one pair")
        sharing = integers(fields["sharing"], len(pairs), "sharing")
        length = integer(fields["length"], len(shown[0].input) + 1, "length")
        _check_prefix(shown[0], length, [pairs[j] for j in sharing])
    else:
        raise Invalid("because is none of longer-output, conflicting-targets, prefix")


def _check_prefix(own: Pair, length: int, sharing: Sequence[Pair]) -> None:
    """The first ``length`` tokens have no token to become, or too few for the rest to complete."""
    need(length > 0, "the prefix is empty")
    prefix = own.input[:length]
    need(all(pair.input[:length] == prefix for pair in sharing), "an input begins otherwise")
    common = set(own.output).intersection(*(pair.output for pair in sharing))
    reached = len(common) + len(own.input) - length
    need(not common or reached < len(set(own.output)), "the prefix leaves room for the output")
