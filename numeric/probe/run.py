"""One run for each word of positions, and the relation that the runs make together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.utils._pytree import tree_flatten_with_path

from attnproof.numeric.probe.arguments import Arguments, call
from attnproof.numeric.probe.bits import WORD, joined, rows
from attnproof.numeric.probe.masking import Masking
from attnproof.numeric.probe.mode import DependencyMode, Log, OutsideMode
from attnproof.numeric.probe.modules import ModuleCall, followed
from attnproof.numeric.probe.relation import (
    Condition,
    MaskedRows,
    ModuleRelation,
    OperatorRelation,
    StructuralRelation,
    United,
)
from attnproof.numeric.probe.settings import simple_operators
from attnproof.numeric.probe.store import Kind, Store
from attnproof.numeric.read.user_code import user_code
from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.masks.rows import members

_Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked: a model, its arguments, what is constant, and the options."""

    model: Any
    arguments: Arguments
    constants: tuple[Tensor, ...]
    trained: frozenset[str]
    modules: tuple[nn.Module, ...]
    output_axes: tuple[int, ...] | None
    bound: float
    strict_inf: bool
    path: bool

    @property
    def name(self) -> str:
        """What messages call the model."""
        return getattr(self.model, "__name__", type(self.model).__name__)

    def named_modules(self) -> dict[str, nn.Module]:
        """All modules by dotted name; those of a function are numbered, if there are several."""
        if isinstance(self.model, nn.Module):
            return dict(self.model.named_modules())
        if len(self.modules) == 1:
            return dict(self.modules[0].named_modules())
        found: dict[str, nn.Module] = {}
        for place, module in enumerate(self.modules):
            found.update(module.named_modules(prefix=str(place)))
        return found


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run found; sets hold the positions of its block."""

    outputs: dict[str, _Rows]
    modules: list[ModuleCall]
    log: Log
    weakest: float


def run(task: Task) -> StructuralRelation:
    """Run the model once for each block of positions and join the results."""
    blocks = range(max(1, -(-task.arguments.total // WORD)))
    return _together([_run(task, block) for block in blocks], task.arguments.total)


def _run(task: Task, block: int) -> _Run:
    masking = Masking(task.bound, task.strict_inf)
    mode = DependencyMode(masking, path=task.path, lengths=task.arguments.lengths)
    modules = task.named_modules()
    arguments = task.arguments.copied()
    _mark_modules(mode.store, modules, task.trained)
    for tensor in task.constants:
        mode.store.mark(tensor, Kind.CONSTANT)
    task.arguments.mark(arguments, mode.store, block)
    try:
        with simple_operators(modules.values()), followed(modules, mode) as calls:
            with user_code(task.name), OutsideMode(mode.store, mode.log), mode:
                result = call(task.model, arguments)
            outputs = _outputs(task, mode, result)
    finally:
        mode.store.clear()
    return _Run(outputs, calls, mode.log, masking.weakest)


def _mark_modules(store: Store, modules: Mapping[str, nn.Module], trained: frozenset[str]) -> None:
    """Buffers are constants, but for statistics of normalisation; parameters are not."""
    unknown = set(trained)
    for name, module in modules.items():
        statistics = isinstance(module, nn.modules.batchnorm._NormBase)
        for own, buffer in module.named_buffers(name, recurse=False):
            unknown.discard(own)
            weights = statistics or own in trained
            store.mark(buffer, Kind.UNKNOWN if weights else Kind.CONSTANT)
    if unknown:
        raise InputError(f"no buffer is named {sorted(unknown)[0]!r}; trained names buffers")
    for module in modules.values():
        for parameter in module.parameters(recurse=False):
            store.mark(parameter.detach(), Kind.UNKNOWN)


def _outputs(task: Task, mode: DependencyMode, result: Any) -> dict[str, _Rows]:
    """The relation of each output tensor that has the axes of positions.

    The first counts whatever its length; others where it is that of the first or of an input.
    """
    found: dict[str, _Rows] = {}
    axes = task.output_axes
    lengths: set[tuple[int, ...]] = {(length,) for length in task.arguments.lengths}
    for path, leaf in tree_flatten_with_path(result)[0]:
        if not isinstance(leaf, Tensor) or (axes and not _has_axes(leaf, axes)):
            continue
        if axes is not None:
            size = tuple(leaf.shape[axis] for axis in axes)
            if found and size not in lengths:
                continue
            lengths.add(size)
        found[_name(path)] = rows(mode.store.read(leaf).sets, axes)
    if not found:
        raise InputError(
            f"{task.name} returns no tensor with axis {axes}; give output_axis, the axis of "
            "positions in its output"
        )
    return found


def _has_axes(tensor: Tensor, axes: Sequence[int]) -> bool:
    return all(-tensor.dim() <= axis < tensor.dim() for axis in axes)


def _name(path: Iterable[Any]) -> str:
    parts = [getattr(key, "key", getattr(key, "idx", getattr(key, "name", key))) for key in path]
    return ".".join(map(str, parts)) or "output"


def _together(runs: Sequence[_Run], total: int) -> StructuralRelation:
    """The union of the runs, which must have run the same operators."""
    first = runs[0]
    if any(_trace(each) != _trace(first) for each in runs):
        raise InputError(
            "the model ran other operators in its second run on the same inputs; make it "
            "deterministic, or give at most 63 positions"
        )
    shared: dict[_Rows, Bits] = {}

    def bits(blocks: Iterable[_Rows]) -> Bits:
        whole = joined(list(blocks))
        return shared.setdefault(whole, Bits(whole, total))

    outputs = {name: Mask.of(bits(each.outputs[name] for each in runs)) for name in first.outputs}
    operators = tuple(
        OperatorRelation(module, operator, bits(each.log.operators[i][2] for each in runs))
        for i, (module, operator, _) in enumerate(first.log.operators)
    )
    modules = tuple(
        ModuleRelation(
            made.module,
            made.type,
            Mask.of(bits(each.modules[i].relation for each in runs)),
            _inputs([each.modules[i].inputs for each in runs], bits),
            made.first,
            made.last,
        )
        for i, made in enumerate(first.modules)
    )
    weakest = min(each.weakest for each in runs)
    return StructuralRelation(
        outputs,
        modules,
        operators,
        united=_united(runs),
        conditions=_conditions(runs),
        weakest=None if weakest == float("inf") else weakest,
        unregistered=tuple(dict.fromkeys(x for each in runs for x in each.log.unregistered)),
        masked_rows=tuple(
            MaskedRows(becomes, operator, module, count)
            for (becomes, operator, module), count in first.log.masked_rows.items()
        ),
    )


def _inputs(blocks: Sequence[_Rows | None], bits: Callable[[Iterable[_Rows]], Bits]) -> Mask | None:
    held = [block for block in blocks if block is not None]
    return Mask.of(bits(held)) if len(held) == len(blocks) else None


def _trace(found: _Run) -> object:
    operators = [(module, operator) for module, operator, _ in found.log.operators]
    shapes = {name: len(relation) for name, relation in found.outputs.items()}
    return operators, [(x.module, x.first, x.last) for x in found.modules], shapes


def _united(runs: Sequence[_Run]) -> tuple[United, ...]:
    """By operator: the most calls of a run, and the first module."""
    counts: dict[str, tuple[int, str]] = {}
    for each in runs:
        own: dict[str, tuple[int, str]] = {}
        for (operator, module), count in each.log.united.items():
            before, where = own.get(operator, (0, module))
            own[operator] = before + count, where
        for operator, (count, where) in own.items():
            counts[operator] = max(counts.get(operator, (0, where)), (count, where), key=_count)
    return tuple(United(name, count, where) for name, (count, where) in counts.items())


def _count(found: tuple[int, str]) -> int:
    return found[0]


def _conditions(runs: Sequence[_Run]) -> tuple[Condition, ...]:
    positions: dict[tuple[Any, str, str], int] = {}
    for block, each in enumerate(runs):
        for key, word in each.log.conditions.items():
            positions[key] = positions.get(key, 0) | word << WORD * block
    return tuple(Condition(*key, tuple(members(word))) for key, word in positions.items())
