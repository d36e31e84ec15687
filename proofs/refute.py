"""Refutations: that fewer edges do not suffice, found by a solver in the checker's own formula.

The solver is Glucose, whose proof is the clauses that it learns, each a consequence of those before
by unit propagation. Effort is counted in conflicts, so that an answer repeats on any machine.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from attnproof.proofs.checker.counting import Formula
from attnproof.proofs.checker.envelope import Invalid
from attnproof.proofs.checker.spanners import Edges, path, spanner
from attnproof.proofs.checker.supergraphs import Union, order_of, supergraph, total
from attnproof.symbolic.errors import MissingExtra
from attnproof.symbolic.evidence import FewestMerged, Steps
from attnproof.symbolic.progress import tick
from attnproof.symbolic.tasks.minimal import Counted, orders
from attnproof.symbolic.tasks.task import Task

#: Layers as sets of bits, the diagonal included.
Layers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """``model`` holds the literals of a model, ``steps`` a refutation; neither when the conflicts
    did not suffice."""

    model: frozenset[int] | None
    steps: Steps | None
    conflicts: int


@dataclass(frozen=True, slots=True)
class PathBounds:
    """``lengths`` holds for paths of 2, 3, ... positions, as far as the conflicts went, how many
    edges are needed, with the refutation of one edge less. ``layers`` have so many for the last of
    them, where a search found these."""

    layers: Layers | None
    lengths: tuple[tuple[int, Steps], ...]
    conflicts: int


def decide(formula: Formula, conflicts: int) -> Decision:
    """Does the formula have a model?

    Raises :class:`MissingExtra` without python-sat.

    >>> formula = Formula()
    >>> formula.add(formula.variable())
    >>> formula.add(-1)
    >>> decide(formula, 10).steps
    ()
    """
    if find_spec("pysat") is None:
        raise MissingExtra("a refutation", "optimal")
    from pysat.solvers import Glucose4

    if any(not clause for clause in formula.clauses):
        return Decision(None, (), 0)
    if conflicts <= 0:
        return Decision(None, None, 0)
    with Glucose4(bootstrap_with=formula.clauses, with_proof=True) as solver:
        solver.conf_budget(conflicts)
        satisfied = solver.solve_limited()
        spent = solver.accum_stats()["conflicts"]
        if satisfied is None:
            return Decision(None, None, spent)
        if satisfied:
            return Decision(frozenset(solver.get_model()), None, spent)
        return Decision(None, tuple(map(_step, solver.get_proof() or ())), spent)


def _step(line: str) -> tuple[int, ...]:
    """One line of a proof in the DRUP format; a deletion begins with 0."""
    deletes = line.startswith("d")
    literals = line.split()[1 if deletes else 0 : -1]
    return (*((0,) if deletes else ()), *map(int, literals))


def without(
    rows: Sequence[int], layers: int, schedule: bool, edges: int, conflicts: int
) -> Steps | None:
    """A refutation of one edge less than ``edges`` for a closed relation; None if none was found.

    >>> without((0b001, 0b011, 0b111), 2, False, 2, 1000) is None
    False
    """
    try:
        formula, _ = spanner(rows, layers, schedule, edges - 1)
    except Invalid:
        return None
    return decide(formula, conflicts).steps


def path_bounds(
    size: int, layers: int, schedule: bool, known: Callable[[int], int], conflicts: int
) -> PathBounds:
    """How many edges a path of ``size`` positions needs; ``known(n)`` edges are enough for one of
    ``n``.

    Lengths are taken in turn, since the shorter ones bound every interval of the longer ones.

    >>> found = path_bounds(5, 2, False, known=lambda n: n * (n - 1) // 2, conflicts=1000)
    >>> [edges for edges, _ in found.lengths]
    [1, 2, 4, 6]
    """
    fewest = [0, 0]
    lengths: list[tuple[int, Steps]] = []
    held: Layers | None = None
    steps: Steps
    left = conflicts
    for n in range(2, size + 1):
        tick(n, size)
        edges, steps, held = fewest[-1] + 1, (), None
        while held is None and edges < known(n):
            decision = _decide_path(n, layers, schedule, edges, fewest, left)
            left -= decision.conflicts
            if decision.steps is not None:
                edges, steps = edges + 1, decision.steps
            elif decision.layers is not None:
                held = decision.layers
            else:
                return PathBounds(None, tuple(lengths), conflicts - left)
        fewest.append(edges)
        lengths.append((edges, steps))
    return PathBounds(held, tuple(lengths), conflicts - left)


@dataclass(frozen=True, slots=True)
class _PathDecision:
    layers: Layers | None
    steps: Steps | None
    conflicts: int


def _decide_path(
    n: int, layers: int, schedule: bool, edges: int, fewest: Sequence[int], conflicts: int
) -> _PathDecision:
    """Do so many edges suffice? Neither answer where conflicts, or the formula's size, forbid."""
    try:
        formula, variables = path(n, layers, schedule, edges, fewest)
    except Invalid:
        return _PathDecision(None, None, 0)
    found = decide(formula, conflicts)
    held = None if found.model is None else _layers(n, variables, found.model)
    return _PathDecision(held, found.steps, found.conflicts)


def _layers(n: int, edges: Edges, model: frozenset[int]) -> Layers:
    rows = [[1 << q for q in range(n)] for _ in edges]
    for layer, variables in zip(rows, edges, strict=True):
        for (q, k), variable in variables.items():
            if variable in model:
                layer[q] |= 1 << k
    return tuple(map(tuple, rows))


def fewest_merged(
    tasks: Sequence[Task],
    counted: Counted = Counted.CLASSES,
    *,
    injective: bool = False,
    conflicts: int,
) -> FewestMerged | None:
    """The least common supergraph of dense tasks, with a refutation of one less; None where the
    conflicts did not suffice.

    >>> tasks = [Task.build([f"x{i}" for i in range(k)], {}, "causal") for k in (1, 2, 3)]
    >>> found = fewest_merged(tasks, conflicts=1000)
    >>> found.fewest, found.vertices
    (3, ((0,), (0, 1), (0, 1, 2)))

    Raises :class:`~attnproof.symbolic.errors.TaskError` for tasks that are no labelled orders.
    """
    orders(tasks)
    given = [order_of(task.executed.inputs, task.executed.below) for task in tasks]
    listed = [order for order, _ in given]
    union = Union(listed, injective)
    image = list(range(len(union.places)))
    left, steps = conflicts, None
    most = total(listed, _placed(union, image), counted.value, injective)
    while most and steps is None:
        formula, same = supergraph(listed, counted.value, most - 1, injective)
        found = decide(formula, left)
        left, steps = left - found.conflicts, found.steps
        if found.model is None and steps is None:
            return None
        if found.model is not None:
            image = _first_images(same, found.model, len(image))
            most = total(listed, _placed(union, image), counted.value, injective)
    placed = _placed(union, image)
    vertices = tuple(tuple(placed[t][c] for c in of) for t, (_, of) in enumerate(given))
    return FewestMerged(tuple(tasks), counted.value, most, vertices, injective, steps or ())


def _first_images(
    same: Mapping[tuple[int, int], int], model: frozenset[int], size: int
) -> list[int]:
    """Each element mapped to the first that is the same."""
    image = list(range(size))
    for (d, e), variable in sorted(same.items()):
        if variable in model:
            image[e] = min(image[e], d)
    return image


def _placed(union: Union, image: Sequence[int]) -> list[list[int]]:
    """The images by order and element, counted through in order of first occurrence."""
    number: dict[int, int] = {}
    found: list[list[int]] = [[] for _ in union.orders]
    for (t, _), e in zip(union.places, image, strict=True):
        found[t].append(number.setdefault(e, len(number)))
    return found
