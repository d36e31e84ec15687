"""Agreements of two solvers that a statement records, asked of them again."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attnproof.proofs.checker import length_claims, length_settings
from attnproof.proofs.checker.envelope import Invalid, need
from attnproof.proofs.checker.formulas import names_of
from attnproof.proofs.lengths import nested
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.formula import from_json, simplify
from attnproof.symbolic.lengths.assumptions import Assumption, Tensor, instances
from attnproof.symbolic.lengths.bits import POSITION
from attnproof.symbolic.lengths.budget import STEPS, Budget
from attnproof.symbolic.lengths.division import QUOTIENT, REMAINDER
from attnproof.symbolic.lengths.ground import proved
from attnproof.symbolic.lengths.obligation import Obligation
from attnproof.symbolic.lengths.solvers import Solvers

Json = dict[str, Any]
#: Functions by which solvers are asked about division.
_OF_DIVISION = re.compile(rf"({QUOTIENT}|{REMAINDER})\d+")


def agreed(predicate: Mapping[str, object], *, budget: int = STEPS) -> bool:
    """Whether both solvers prove all that follows from a claim about every length.

    What has to be proved is derived by the checker; what holds of bit vectors alone is not proved
    where the claim has no limit ``below`` that they reach. Raises :class:`InputError` for a
    predicate that is not in order.
    """
    fields: Json = dict(predicate)
    try:
        setting = length_settings.read_setting(fields)
        asked = length_claims.obligations(setting, length_settings.read_claim(fields, setting))
        below = fields["below"]
        terms = [term for each in asked for term in (*each.premises, each.goal)]
        odd = [
            name for name in {*names_of(*terms), *setting.tensors} if _OF_DIVISION.fullmatch(name)
        ]
        need(not odd, "a name is one that proofs use")
    except (Invalid, KeyError) as error:
        raise InputError(f"the statement is not in order ({error}); write it again") from None
    tensors = {
        one["name"]: Tensor(one["name"], tuple(map(from_json, one["shape"])), one["boolean"])
        for one in fields["tensors"]
    }
    laws = [
        Assumption(one["schema"], tensors[one["tensor"]], from_json(one["law"]), one["indices"])
        for one in fields["assumptions"]
    ]
    solvers = Solvers(Budget(budget))
    limited = below is not None and below <= 1 << POSITION
    return all(_proved(each, laws, solvers, limited) for each in asked)


def _proved(
    asked: length_settings.Obligation,
    laws: Sequence[Assumption],
    solvers: Solvers,
    limited: bool,
) -> bool:
    premises = [from_json(nested(one)) for one in asked.premises]
    goal = from_json(nested(asked.goal))
    for part in goal.children if goal.op == "and" else (goal,):
        given = (*premises, *instances(laws, [*premises, part]))
        kept = tuple(dict.fromkeys(x for x in map(simplify, given) if x.value is not True))
        found = proved(solvers, Obligation(asked.name, kept, simplify(part)))
        if found is None or not found.agreed or not (limited or found.width is None):
            return False
    return True
