"""T12: the fewest edges of a causal mask in K layers, by MaxSAT, by decisions, and replayed."""

from collections.abc import Iterator
from time import process_time

from attnproof.ask.sparsify import sparsify
from attnproof.proofs.checker import check_text
from attnproof.symbolic.sparse.maxsat import sparsest
from tests.benchmarks.figures import Figure
from tests.benchmarks.targets import Target

MINUTE = 60.0


def spanner_targets() -> Iterator[Target]:
    """Every target in turn; each is measured once."""
    for n, layers, wanted in ((15, 2, 34), (18, 3, 31)):
        rows = tuple((2 << q) - 1 for q in range(n))
        start = process_time()
        found = sparsest(rows, layers, False, 1 << 20).fewest
        took = process_time() - start
        yield _target(f"RC2: causal {n} in {layers} layers", found, wanted, took)
    for n, layers, wanted in ((17, 2, 42), (20, 3, 36)):
        start = process_time()
        sparse = sparsify("causal", n=n, layers=layers, budget=1 << 20)
        took = process_time() - start
        proved = sparse.edges_off_diagonal if sparse.optimal == "proved" else -1
        yield _target(f"decisions: causal {n} in {layers} layers", proved, wanted, took)
        if n == 17:
            text = sparse.certificate.text
            start = process_time()
            valid = check_text(text)[0].valid
            took = process_time() - start
            yield _target(f"the checker replays the certificate of {n}", int(valid), 1, took)


def _target(case: str, found: int, wanted: int, took: float) -> Target:
    """A wrong answer has no time."""
    return Target("T12", case, Figure(took if found == wanted else float("inf"), MINUTE))
