"""The relation between input and output positions that a torch program has by its structure."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from attnproof.numeric.probe.relation import StructuralRelation
from attnproof.symbolic.errors import MissingExtra, ParameterError

if TYPE_CHECKING:
    from torch import Tensor, nn


def structural(
    model: "nn.Module | Callable[..., Any]",
    inputs: Any,
    *,
    positions: "Mapping[str | int, int | Tensor] | None" = None,
    constants: "Collection[str | int | Tensor]" = (),
    trained: Collection[str] = (),
    modules: "Collection[nn.Module]" = (),
    output_axis: int | tuple[int, ...] | None = 1,
    bound: float = 4000.0,
    strict_inf: bool = False,
    path: bool = False,
) -> StructuralRelation:
    """Which output positions may depend on which input positions, for all weights and inputs.

    The model runs once for each 63 positions, on the CPU, in evaluation mode and without gradients;
    every element carries the set of input positions it may depend on. Only constants of masks
    remove a dependency, never a zero that the run happens to show. The result is a relation of
    structure: it contains every dependency and may contain one that no weights realise.

    ``inputs`` is a tensor, a tuple of arguments, or a dictionary by name. ``positions`` gives the
    axis of positions of an input, or a tensor with the position of each element (-1: none); left
    out, it is the only tensor, or ``input_ids`` and the like, along axis 1. Several inputs are
    numbered one after the other. ``constants`` names the inputs, or holds the tensors, that belong
    to the claim (masks, position ids); other inputs are data without a position. Buffers are
    constants, but for the statistics of normalisation and those named in ``trained``. ``modules``
    are the modules that a function runs; a model names its own. ``output_axis`` is the axis, or the
    axes, of positions in the outputs; None gives each element a row.

    ``bound`` is the greatest absolute value of a score that meets a finite mask. ``strict_inf``
    accepts only infinite masks. ``path`` takes routing by data as control flow; the result then
    names it as a condition.

    Choose a number of positions that differs from every width, so that the outputs of modules show
    which axis the positions are on. Raises :class:`InputError` for arguments that do not fit and
    when the model raises, :class:`MissingExtra` where torch is not installed.

    Law: the relation contains every measured dependency. Source: ours; the order of treatment is
    that of taint analysis, with storages in place of variables.

    >>> import torch
    >>> structural(lambda x: x.cumsum(1), torch.ones(1, 3)).relation
    Mask 3×3 (row = query)
    #··
    ##·
    ###
    """
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("the structural probe", "torch") from None
    from attnproof.numeric.probe.arguments import arguments_of
    from attnproof.numeric.probe.run import Task, run

    if not bound >= 1:
        raise ParameterError(f"bound is {bound}; a bound on scores is 1 or more", bound=bound)
    names = [each for each in constants if isinstance(each, (str, int))]
    task = Task(
        model=model,
        arguments=arguments_of(inputs, positions, names),
        constants=tuple(each for each in constants if not isinstance(each, (str, int))),
        trained=frozenset(trained),
        modules=tuple(modules),
        output_axes=(output_axis,) if isinstance(output_axis, int) else output_axis,
        bound=bound,
        strict_inf=strict_inf,
        path=path,
    )
    return run(task)
