"""What is said of a program that is not consistent with its task: one finding a fault.

Errors break C1, C2 or C3; what is undecided and labels that no call emits are notes.
"""

from collections.abc import Sequence

from attnproof.symbolic.tasks.differing import below_words, differing, own_words
from attnproof.symbolic.tasks.equivalence import Equivalence, Grounds
from attnproof.symbolic.tasks.program import Emit
from attnproof.symbolic.verdict import Finding, Verdict
from attnproof.symbolic.words import counted


def not_trained(c: int, emit: Emit, against: Sequence[Equivalence], verdict: Verdict) -> Finding:
    """C1: call ``c`` emits what no position in ``against`` has trained."""
    where = f"call {c} emits {emit.atom} at position {emit.position}"
    head = "" if emit.head is None else f" with head {emit.head}"
    if not against:
        told = f"{where}, and no training position predicts it{head}"
    else:
        listed = ", ".join(f"{one.a.position}: {_why(one, 'in training')}" for one in against)
        told = f"{where}, unlike the training position that predicts it{head} ({listed})"
        if len(against) > 1:
            told = f"{where}, unlike all training positions that predict it{head} ({listed})"
    return Finding(
        "not_trained",
        told if verdict is Verdict.FAILS else f"{told}; undecided within the budget",
        severity="error" if verdict is Verdict.FAILS else "note",
        property="C1",
        details={
            "call": c,
            "position": emit.position,
            "atom": emit.atom,
            "verdict": verdict.value,
            "training": [one.a.position for one in against],
        },
    )


def stale_state(c: int, p: int, earlier: int, at: int, found: Equivalence) -> Finding:
    """C2: position ``p`` of call ``c`` is not that from which its state is taken."""
    decided = found.verdict is Verdict.FAILS
    return Finding(
        "stale_state",
        f"call {c} takes position {p} from position {at} of call {earlier}: "
        f"{_why(found, f'in call {earlier}')}",
        severity="error" if decided else "note",
        property="C2",
        details={
            "call": c,
            "position": p,
            "reused": [earlier, at],
            "verdict": found.verdict.value,
        },
    )


def not_available(c: int, p: int, atom: str) -> Finding:
    """C3: call ``c`` carries an atom that is not known yet."""
    return Finding(
        "not_available",
        f"call {c} carries {atom} at position {p}, which is neither given nor emitted before",
        property="C3",
        details={"call": c, "position": p, "atom": atom},
    )


def unused_label(v: int, atoms: Sequence[str], verdict: Verdict) -> Finding:
    """C4: no call emits what training position ``v`` predicts."""
    return Finding(
        "unused_label",
        f"training position {v} predicts {' and '.join(atoms)}, and no call emits it there",
        severity="note",
        property="C4",
        details={"position": v, "atoms": list(atoms), "verdict": verdict.value},
    )


def _why(found: Equivalence, there: str) -> str:
    """Why the position ``b`` of a call is not equivalent to ``a``, which stands ``there``."""
    a, b = found.a, found.b
    keys = differing(a, b)
    if keys:
        said = f"here {own_words(b)}, {there} {own_words(a)}"
        return f"their own inputs differ in {' and '.join(keys)}: {said}"
    below = f"here it reads {below_words(b)}, {there} {below_words(a)}"
    if len(a.upstream) != len(b.upstream):
        told = f"it depends on {counted(len(b.upstream), 'position')} instead of {len(a.upstream)}"
        return f"{told}: {below}"
    if found.round is not None:
        same = below_words(a) == below_words(b)
        told = f"what they depend on differs (round {found.round})"
        return told if same else f"{told}: {below}"
    return {
        Grounds.SEARCH: "no isomorphism of what they depend on, by exhausted search",
        Grounds.BUDGET: "the search for an isomorphism spent its budget",
    }[found.grounds]
