"""``python3 oracle.py``: the kernels of the checker and the functions of the theorems, compared.

Coq runs the programs of ``Lists.v``, which are proved to be the functions that the theorems speak
of; the checker runs its kernels. All masks on up to four positions are compared, and larger ones
drawn at random. Each list of cases ends with a wrong one, which Coq must find and nothing else.
"""

import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from checker import check_statement, relations  # noqa: E402
from checker.bit_rows import BitRows  # noqa: E402
from checker.envelope import Invalid  # noqa: E402
from checker.hasse import read_diagram  # noqa: E402

Rows = tuple[int, ...]
Case = tuple[object, ...]

#: What Coq asks of a case of each kind; the answer of the checker stands last in the case.
PROGRAMS = {
    "limit": "(c : N * N * N * bool) := let: (n, A, R, verdict) := c in\n"
    "  (list_limit n (rows n A) == rows n R) == verdict",
    "cover": "(c : N * N * N * bool) := let: (n, R, C, verdict) := c in\n"
    "  (list_cover n (rows n R) == rows n C) == verdict",
    "invariant": "(c : N * N * N * N * bool) := let: (n, A, J, bad, verdict) := c in\n"
    "  list_check_invariant n (rows n A) (rows n J) (rows n bad) == verdict",
    "hops": "(c : N * N * seq (seq N) * bool) := let: (n, A, H, verdict) := c in\n"
    "  list_check_hops n (rows n A) (map (map hop_of) (map nats H)) == verdict",
    "width": "(c : N * N * seq N * seq (seq N) * bool) := let: (n, R, A, chains, verdict) := c in\n"
    "  list_check_width n (rows n R) (nats A) (map nats chains) == verdict",
    "isomorphism": "(c : N * N * N * seq N * seq N * seq N * N * N * bool) :=\n"
    "  let: (n, A, B, a, b, f, v, w, verdict) := c in\n"
    "  list_check_isomorphism n n.-1 (rows n A) (rows n B) (nats a) (nats b) (nats f) v w\n"
    "  == verdict",
}
HEAD = """From Coq Require Import BinNat.
From mathcomp Require Import all_ssreflect.
From Attention Require Import Lists.
Set Printing Depth 10000.
Local Open Scope N_scope.
Definition nats : seq N -> seq nat := map N.to_nat.
Definition rows (n : N) := rows_of n.
Definition hop_of (d : nat) : option nat := if d is e.+1 then Some e else None.
Definition places {T : Type} (agrees : T -> bool) (cases : seq T) : seq nat :=
  [seq p.1 | p <- zip (iota 0 (size cases)) (map agrees cases) & ~~ p.2].
"""


def main() -> int:
    """Compare all kinds; 0 when Coq and the checker agree."""
    source = random.Random(2606)
    masks = [*every(4), *(drawn(source, source.randint(5, 8)) for _ in range(200))]
    orders = [each for each in map(closure, masks) if relations.is_antisymmetric(each)]
    some = source.sample(masks, 400)
    cases: dict[str, list[Case]] = {
        "limit": [case for mask in masks for case in limits(mask, source)],
        "cover": [case for order in orders for case in covers(order, source)],
        "invariant": [case for mask in some for case in invariants(mask, source)],
        "hops": [case for mask in some for case in hops(mask, source)],
        "width": [case for order in source.sample(orders, 400) for case in widths(order, source)],
        "isomorphism": [case for mask in some for case in isomorphisms(closure(mask), source)],
    }
    text = "\n".join(program(kind, wrong(of)) for kind, of in cases.items())
    answers = evaluate(text)
    failed = False
    for (kind, of), found in zip(cases.items(), answers, strict=True):
        yes = sum(case[-1] is True for case in of)
        agree = found == [len(of)]
        failed |= not agree or yes in (0, len(of))
        word = "agree" if agree else "DISAGREE"
        print(f"{kind}: Coq and the checker {word}: {len(of)} cases, {yes} accepted")
    return int(failed)


def every(most: int) -> Iterator[Rows]:
    """All masks without a diagonal on up to so many positions."""
    for n in range(1, most + 1):
        yield from product(*([r for r in range(1 << n) if not r >> q & 1] for q in range(n)))


def drawn(source: random.Random, n: int) -> Rows:
    """A mask, sparse or dense, with a diagonal in part; half of them have no cycle."""
    density, later = source.random() ** 2, source.random() < 0.5
    return tuple(
        sum(1 << k for k in range(n if later else q + 1) if source.random() < density)
        for q in range(n)
    )


def own(mask: Rows) -> Rows:
    """The mask with its diagonal."""
    return tuple(row | 1 << q for q, row in enumerate(mask))


def closure(mask: Rows) -> Rows:
    """The closure, as the checker computes it."""
    return relations.closure(own(mask))


def changed(rows: Rows, source: random.Random) -> Rows:
    """One pair more or less."""
    q, k = source.randrange(len(rows)), source.randrange(len(rows))
    return tuple(row ^ (1 << k) * (q == p) for p, row in enumerate(rows))


def limits(mask: Rows, source: random.Random) -> Iterator[Case]:
    """The closure, and a relation that differs from it: closed, generated, and containing all."""
    for found in (closure(mask), changed(closure(mask), source)):
        layer = own(mask)
        is_limit = (
            relations.contains(found, layer)
            and relations.is_closed(found)
            and relations.is_generated(found, layer)
        )
        yield len(mask), mask, found, is_limit


def covers(order: Rows, source: random.Random) -> Iterator[Case]:
    """The covers by a product, and others; the checker reads them as a diagram."""
    n = len(order)
    strict = tuple(row & ~(1 << q) for q, row in enumerate(order))
    twice = relations.product(strict, strict)
    right = tuple(a & ~b for a, b in zip(strict, twice, strict=True))
    place = {q: i for i, q in enumerate(sorted(range(n), key=lambda q: order[q].bit_count()))}
    for found in (right, changed(right, source)):
        pairs = sorted([place[k], place[q]] for q in range(n) for k in relations.elements(found[q]))
        try:
            read_diagram([[q] for q in place], pairs, BitRows(order))
        except Invalid:
            yield n, order, found, False
        else:
            yield n, order, found, True


def invariants(mask: Rows, source: random.Random) -> Iterator[Case]:
    """A closed relation as an invariant, for pairs that must not be reached."""
    n = len(mask)
    for held in (closure(mask), closure(drawn(source, n))):
        bad = tuple(source.getrandbits(n) & source.getrandbits(n) & ~row for row in held)
        for forbidden in (bad, changed(bad, source)):
            claim = {
                **setting(mask),
                "property": {
                    "name": "forbid",
                    "pairs": {str(q): runs(row) for q, row in enumerate(forbidden)},
                },
                "relation": [runs(row) for row in held],
            }
            yield n, mask, held, forbidden, accepted("safe", claim, mask)


def hops(mask: Rows, source: random.Random) -> Iterator[Case]:
    """Distances as the checker finds them, plus one so that 0 is none; and others."""
    n = len(mask)
    found = [[relations.distance(own(mask), k, q) for k in range(n)] for q in range(n)]
    right = [[0 if d is None else d + 1 for d in row] for row in found]
    q, k = source.randrange(n), source.randrange(n)
    yield n, mask, right, True
    other = source.choice([d for d in range(n + 2) if d != right[q][k]])
    yield n, mask, [*right[:q], [*right[q][:k], other, *right[q][k + 1 :]], *right[q + 1 :]], False


def widths(order: Rows, source: random.Random) -> Iterator[Case]:
    """An antichain and chains, found greedily or drawn; the checker reads them in a flow."""
    n = len(order)
    rank = sorted(range(n), key=lambda q: (order[q].bit_count(), q))
    # positions are renamed so that each comes after those that reach it
    place = {q: i for i, q in enumerate(rank)}
    order = tuple(sum(1 << place[k] for k in relations.elements(order[q])) for q in rank)
    strict = tuple(row & ~(1 << q) for q, row in enumerate(order))
    twice = relations.product(strict, strict)
    pairs = sorted([k, q] for q in range(n) for k in relations.elements(strict[q] & ~twice[q]))
    height = [0] * n
    for k, q in sorted(pairs, key=lambda pair: pair[1]):
        height[q] = max(height[q], height[k] + 1)
    for drop in (False, True):
        chains: list[list[int]] = []
        for q in range(n):
            fitting = [one for one in chains if order[q] >> one[-1] & 1]
            if fitting and not (drop and source.random() < 0.2):
                source.choice(fitting).append(q)
            else:
                chains.append([q])
        anti: list[int] = []
        for q in source.sample(range(n), n):
            if drop or all(not (order[q] >> p & 1 or order[p] >> q & 1) for p in anti):
                anti.append(q)
        anti = sorted(anti)[: len(chains)]
        claim = {
            **setting(order),
            "relation": [runs(row) for row in order],
            "classes": [[q] for q in range(n)],
            "covers": pairs,
            "transitive": True,
            "antisymmetric": True,
            "convergence": int(any(strict)),
            "height": 1 + max(height),
            "width": len(anti),
            "antichain": anti,
            "chains": chains,
        }
        yield n, order, anti, chains, accepted("flow", claim, order)


def isomorphisms(order: Rows, source: random.Random) -> Iterator[Case]:
    """Maps of what lies below a position to what lies below its image in a renamed copy."""
    n = len(order)
    inputs = [source.randint(0, 1) for _ in range(n)]
    name = source.sample(range(n), n)
    other = [0] * n
    theirs = [0] * n
    for q in range(n):
        other[name[q]] = sum(1 << name[k] for k in relations.elements(order[q]))
        theirs[name[q]] = inputs[q]
    v = source.randrange(n)
    for swap in (False, True):
        f = list(name)
        below = [q for q in relations.elements(order[v]) if q != v]
        if swap and len(below) > 1:
            a, b = source.sample(below, 2)
            f[a], f[b] = f[b], f[a]
        target = changed(tuple(other), source) if swap and source.random() < 0.3 else tuple(other)
        if not relations.is_closed(target):
            continue
        w = f[v]
        sides = {
            "a": side(order, inputs, v),
            "b": side(target, theirs, w),
            "mode": "iso",
            "map": [[q, f[q]] for q in relations.elements(order[v])],
        }
        answer = accepted("equivalent", sides, order, target)
        yield n, order, target, inputs, theirs, f, v, w, answer


def setting(mask: Rows) -> dict[str, object]:
    """One mask, any number of layers."""
    n = len(mask)
    layer = {"queries": n, "keys": n, "offset": 0, "rows": [runs(row) for row in mask]}
    return {
        "layers": [layer],
        "depth": "any",
        "residual": True,
        "empty_row": "zero",
        "origin": {},
    }


def side(order: Rows, inputs: Sequence[int], node: int) -> dict[str, object]:
    """A position of a task whose inputs are kinds."""
    fed: list[object] = [
        {"atoms": [], "pos": None, "kind": str(one), "segment": None} for one in inputs
    ]
    model = {"heads": 1, "pos_mode": "none", "diag_in_softmax": True}
    return {**setting(order), **model, "positions": fed, "node": node}


def runs(row: int) -> list[list[int]]:
    """A row as its maximal runs."""
    inside = [k for k in range(row.bit_length() + 1) if row >> k & 1 != (row << 1) >> k & 1]
    return [[a, b] for a, b in zip(inside[::2], inside[1::2], strict=True)]


def accepted(kind: str, predicate: object, *masks: Rows) -> bool:
    """Does the checker accept the claim?"""
    subject = []
    for mask in masks:
        n = len(mask)
        text = json.dumps([[n, n], 0, [runs(row) for row in mask]], separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        subject.append({"name": "mask", "digest": {"sha256": digest}})
    statement = {
        "_type": "attnproof/statement/v1",
        "subject": subject,
        "predicateType": f"attnproof/{kind}/v1",
        "predicate": predicate,
    }
    return check_statement(statement).valid


def wrong(cases: Sequence[Case]) -> list[Case]:
    """The cases and one of them again with the opposite answer."""
    return [*cases, (*cases[0][:-1], not cases[0][-1])]


def program(kind: str, cases: Sequence[Case]) -> str:
    """The cases of one kind in Coq, and the places of those on which it disagrees."""
    listed = ";\n  ".join(written(case) for case in cases)
    return (
        f"Definition {kind}_agrees {PROGRAMS[kind]}.\n"
        f"Definition {kind}_cases := [::\n  {listed}].\n"
        f"Eval vm_compute in places {kind}_agrees {kind}_cases.\n"
    )


def written(value: object) -> str:
    """Numbers, Booleans, lists and cases in Coq; a relation is one number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[:: {'; '.join(map(written, value))}]" if value else "[::]"
    if isinstance(value, tuple) and any(isinstance(one, bool) for one in value):
        return f"({', '.join(map(written, value))})"
    if isinstance(value, tuple):
        return str(sum(row << len(value) * q for q, row in enumerate(value)))
    raise TypeError(value)


def evaluate(text: str) -> list[list[int]]:
    """What Coq prints for each kind: a list of places."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "Cases.v"
        file.write_text(HEAD + text)
        command = ("coqc", "-Q", str(HERE), "Attention", "-w", "none", str(file))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"Coq does not read the cases:\n{done.stdout}{done.stderr}")
    parts = done.stdout.split(": seq nat")[:-1]
    return [[int(one) for one in re.findall(r"\d+", part.split("=")[-1])] for part in parts]


if __name__ == "__main__":
    sys.exit(main())
