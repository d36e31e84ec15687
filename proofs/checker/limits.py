"""How large a certificate may be, and how long it may take; beyond that it is not accepted."""

from .envelope import Invalid

#: Positions up to which a relation is held as bits; beyond, as runs.
MOST_BITS = 1 << 15
#: Positions that are accepted.
MOST_POSITIONS = 1 << 20
#: Positions that are accepted where rows are fragmented: more runs a row, on average, than these.
MOST_FRAGMENTED = 1 << 17
MOST_RUNS = 64
#: Covers of a Hasse diagram that are accepted where rows are runs.
MOST_COVERS = 1 << 25
#: Unions of rows beyond which a sequence of layers is not followed.
MOST_STEPS = 1 << 27
#: Products of numbers beyond which a net is not run.
MOST_PRODUCTS = 1 << 30
#: Positions of sparse masks and of scans, whose rows are all held as bits.
MOST_SPARSE = 1 << 13
#: Clauses, and variables, of a formula that is refuted.
MOST_CLAUSES = 1 << 21
#: How many steps a part of a formula that is kept counts, since it takes memory.
KEPT = 1 << 4
#: Parts of formulas that what has to be proved for a claim may hold.
MOST_PARTS = 1 << 23
#: How many unions of bits one union of runs stands for.
RUN_STEP = 1 << 3


class Steps:
    """How many steps may still be taken."""

    def __init__(self, most: int | None = None) -> None:
        self.left = MOST_STEPS if most is None else most

    def take(self, count: int) -> None:
        """Raise :class:`Invalid` when so many are not left."""
        self.left -= count
        if self.left < 0:
            raise Invalid("it takes too many steps to check this")
