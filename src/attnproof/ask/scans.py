"""scans: how many recurrences realise what a mask lets through."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from attnproof.ask.one import one_flow
from attnproof.certificate import Certificate
from attnproof.keywords import keywords
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.evidence import Scanned
from attnproof.symbolic.order.flow import Flow
from attnproof.symbolic.sparse.scans import Scan, Scans, Tier
from attnproof.symbolic.sparse.scans import scans as found_scans
from attnproof.symbolic.words import counted

#: Writes that are listed for people.
_SHOWN = 16

_ONE = {
    Tier.IN_PLACE: "one pass, each token read at its own time",
    Tier.SNAPSHOT: "one pass, each reader reads one earlier state",
    Tier.FORKED: "one recurrence whose state forks, each reader reads one of its states; or {} "
    "without forks, their read-outs summed",
    Tier.SEVERAL: "no single recurrence",
}


@dataclass(frozen=True)
class ScansReport:
    """The scans of one mask; ``found`` holds their writes and reads."""

    source: str
    flow: Flow
    found: Scans

    @property
    def tier(self) -> str:
        """in-place, snapshot, forked or several."""
        return self.found.tier.value

    @property
    def scans(self) -> int:
        """How many scans, their read-outs summed, realise the flow."""
        return len(self.found.chains)

    @property
    def chains(self) -> tuple[Scan, ...]:
        """Each scan: what is written in turn, and after how many writes each token reads."""
        return self.found.chains

    @property
    def optimal(self) -> Literal["proved", "unknown"]:
        """Is it proved that fewer scans do not suffice?"""
        return "proved" if self.found.optimal else "unknown"

    @property
    def certificate(self) -> Certificate:
        """The evidence as a certificate."""
        return Certificate.of([self.evidence])

    @property
    def evidence(self) -> Scanned:
        """That these scans realise the flow, and, where it is shown, that fewer do not."""
        return Scanned(
            self.flow.setting,
            self.flow.closure.rows,
            self.found.rule,
            self.tier,
            [(scan.writes, scan.reads) for scan in self.chains],
            self.found.least,
        )

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object; ``bounds`` are the least and the found number."""
        parents = self.found.parents
        return {
            "source": self.source,
            "n": self.flow.setting.size,
            "rule": self.found.rule,
            "tier": self.tier,
            "scans": self.scans,
            "optimal": self.optimal,
            "bounds": [self.found.fewest, self.scans],
            "chains": [
                {"writes": list(scan.writes), "reads": list(scan.reads)} for scan in self.chains
            ],
            "parents": None if parents is None else list(parents),
        }

    def _number(self) -> str:
        scans = counted(self.scans, "scan")
        return f"{self.found.fewest} to {scans}" if self.found.fewest < self.scans else scans

    def __repr__(self) -> str:
        return f"{self.source}, n = {self.flow.setting.size}: {self.tier}, {self._number()}"

    def __str__(self) -> str:
        lines = [repr(self), f"  {_ONE[self.found.tier].format(self._number())}"]
        for number, scan in enumerate(self.chains, 1):
            shown = ", ".join(map(str, scan.writes[:_SHOWN]))
            more = " ..." if len(scan.writes) > _SHOWN else ""
            lines.append(f"  scan {number} writes {shown}{more}")
        return "\n".join(lines)


@keywords()
def scans(
    source: object,
    *,
    rule: str = "sum",
    n: int | None = None,
    params: Mapping[str, object] | None = None,
    encoding: str = "auto",
    q_offset: int | None = None,
    budget: int = 20_000_000,
) -> ScansReport:
    """How many scans, such as those of linear attention, realise the flow of a mask.

    Scan c writes the tokens ``chains[c].writes`` one after the other into a state; token q reads
    the state after ``chains[c].reads[q]`` of these writes, 0 being the empty one. What q reads in
    all scans, and q itself, is exactly what reaches q. With the writes ``w[k]`` of any recurrence
    ``S = step(S, w[k])`` the answer is run as it stands::

        states = [empty]
        for k in chain.writes:
            states.append(step(states[-1], w[k]))
        out = [read(q, states[chain.reads[q]]) for q in range(n)]

    The tier says how *one* recurrence would do it: ``in-place`` (each token read at its own time,
    with resets), ``snapshot`` (one earlier state a reader), ``forked`` (states form a forest; see
    ``found.parents``) or ``several``. Under the rule ``gated`` (gated or delta rules) the order of
    writes matters: each write must read the one before it, which a V, two sources of which neither
    reads the other, forces into two scans.

    >>> import attnproof as ap
    >>> ap.scans("butterfly", n=4)
    butterfly, n = 10: several, 2 scans
    >>> ap.scans(["1..", "11.", "111"]).chains
    (Scan(writes=(0, 1), reads=(0, 1, 2)),)

    Exact up to two scans, and beyond where a search within ``budget`` solver steps settles it; else
    ``optimal`` is "unknown" and ``found.fewest`` a lower bound. Raises
    :class:`~attnproof.errors.InputError` for an unknown rule, and under ``gated`` for positions
    that read each other. Laws: at most as many scans as the order is wide; one suffices exactly
    when it holds no 2+2. Source: Fishburn (1970), Cogis (1982), Yannakakis (1982); the tiers ours.
    """
    name, flow = one_flow(source, n=n, params=params, encoding=encoding, q_offset=q_offset)
    if rule == "sum":
        found = found_scans(flow.closure, rule="sum", steps=budget)
    elif rule == "gated":
        found = found_scans(flow.closure, rule="gated", steps=budget)
    else:
        raise InputError(f"the rule is {rule!r}; choose sum or gated", rule=rule)
    return ScansReport(name, flow, found)
