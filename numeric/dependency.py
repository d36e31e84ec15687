"""Dependency: which outputs of a function change with which inputs, as measured.

Convention: ``relation[q, k]`` is true when output position ``q`` depends on input position ``k``.
A function maps ``(n, d)`` or ``(b, n, d)`` to tensors of the same number of axes; the positions
are the last axis but one. Batch elements are changed together and their relations united.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import torch
from torch import Tensor

from attnproof.symbolic.errors import InputError, ShapeError
from attnproof.symbolic.masks.mask import Mask

#: How far one position is moved: near it, by its own size, and past most finite masks.
SCALES = (1e-3, 1.0, 1e3, 1e9)


class Method(Enum):
    """How a dependency is seen.

    NaN at one input and then at an output; a derivative that is not exactly zero; an output that
    is not the same number when one input is another.
    """

    POISON = "poison"
    JACOBIAN = "jacobian"
    PERTURBATION = "perturbation"

    @property
    def misses(self) -> str:
        """The dependencies that this method cannot see."""
        return {
            Method.POISON: "what passes only through a comparison, sign, nan_to_num, fmax, nansum, "
            "a conversion to integers or an index (argmax, sort), and every output that is NaN "
            "without the poison",
            Method.JACOBIAN: "what has derivative zero at the points tried: steps, rounding, "
            "argmax, a closed gate, detached tensors, weights that underflow",
            Method.PERTURBATION: "what none of the changes tried brings about, and what is lost in "
            "the rounding of float64 or beyond its range",
        }[self]

    @property
    def over_reports(self) -> str:
        """What this method shows although no finite input has an effect."""
        return {
            Method.POISON: "0 * NaN, NaN - NaN and NaN + -inf are NaN: a masked weight of zero "
            "times a value, a masked score behind an additive mask, x - x",
            Method.JACOBIAN: "the rounding left where derivatives cancel, as in a fused backward "
            "pass, and 0 * NaN behind a state or a branch that is NaN",
            Method.PERTURBATION: "rounding: (a + b) - b changes with b; large changes that "
            "overflow",
        }[self]


@dataclass(frozen=True, slots=True)
class Dependency:
    """A measured relation, the method, and at how many points it was measured."""

    relation: Mask
    method: Method
    points: int

    @property
    def misses(self) -> str:
        """What the method cannot see."""
        return self.method.misses

    @property
    def over_reports(self) -> str:
        """What the method shows in excess."""
        return self.method.over_reports

    def __repr__(self) -> str:
        many = f"{self.points} point" + "s" * (self.points != 1)
        return f"Dependency by {self.method.value} at {many}\n{self.relation!r}"


def dependency(
    function: Callable[[Tensor], Tensor],
    inputs: Tensor,
    method: Method = Method.PERTURBATION,
    *,
    points: int = 2,
    seed: int = 0,
) -> Dependency:
    """The relation between outputs and inputs that a function really has.

    The first point is ``inputs``, further ones are random, from ``seed``; poison needs one.

    >>> dependency(lambda x: x.cumsum(0), torch.ones(3, 1, dtype=torch.float64))
    Dependency by perturbation at 2 points
    Mask 3×3 (row = query)
    #··
    ##·
    ###

    Laws: the relation is the union of those at each point. A pair seen by the Jacobian or by
    perturbation is real up to rounding (``over_reports``); a pair not seen may still exist
    (``misses``). Raises :class:`ShapeError` for inputs or outputs of other shapes and
    :class:`InputError` for inputs that are not float64, for no point at all, for outputs without a
    gradient where one is needed, and for a function that answers the same input twice differently.
    """
    if inputs.ndim not in (2, 3) or not inputs.numel():
        raise ShapeError(
            f"the inputs are {tuple(inputs.shape)}; give (n, d) or (b, n, d), none of them 0",
            shape=tuple(inputs.shape),
        )
    if inputs.dtype != torch.float64:
        raise InputError(
            f"the inputs are {inputs.dtype}; give float64, and a model in float64, so that "
            "rounding hides as little as it can",
            dtype=inputs.dtype,
        )
    if points < 1:
        raise InputError(f"{points} points were asked for; give 1 or more", points=points)
    measure = {
        Method.POISON: _poisoned,
        Method.JACOBIAN: _jacobian,
        Method.PERTURBATION: _perturbed,
    }[method]
    random = torch.Generator().manual_seed(seed)
    point = inputs.detach()
    tried = 1 if method is Method.POISON else points
    found = measure(function, point, random)
    for _ in range(1, tried):
        found |= measure(function, _noise(point, random), random)
    return Dependency(Mask.from_dense(found.numpy()), method, tried)


def _poisoned(function: Callable[[Tensor], Tensor], point: Tensor, _: torch.Generator) -> Tensor:
    """NaN at one position: the outputs that become NaN."""
    before = _evaluated(function, point).isnan()
    columns = []
    for k in range(point.shape[-2]):
        poisoned = point.clone()
        poisoned[..., k, :] = torch.nan
        columns.append(_positions(_evaluated(function, poisoned).isnan() & ~before))
    return torch.stack(columns, 1)


def _jacobian(function: Callable[[Tensor], Tensor], point: Tensor, _: torch.Generator) -> Tensor:
    """Derivatives of every output entry; a pair is there where one of them is not zero."""
    variable = point.clone().requires_grad_()
    with torch.enable_grad():
        output = _checked(function(variable), point)
    if not output.requires_grad:
        raise InputError(
            "the output carries no gradient; leave out no_grad and detach, or measure by "
            "perturbation"
        )
    found = torch.zeros(output.shape[-2], point.shape[-2], dtype=torch.bool)
    entries = output.movedim(-2, 0).reshape(output.shape[-2], -1)
    for q, row in enumerate(entries):
        for entry in row:
            (gradient,) = torch.autograd.grad(
                entry, variable, retain_graph=True, materialize_grads=True
            )
            found[q] |= _positions(gradient != 0)
    return found


def _perturbed(
    function: Callable[[Tensor], Tensor], point: Tensor, random: torch.Generator
) -> Tensor:
    """Another value at one position, near and far: the outputs that are another number."""
    before = _evaluated(function, point)
    if _differs(before, _evaluated(function, point)).any():
        raise InputError(
            "the function answers the same input twice differently; set eval(), fix its seeds, or "
            "measure by poison"
        )
    columns = []
    for k in range(point.shape[-2]):
        changed = torch.zeros(before.shape[-2], dtype=torch.bool)
        for moved in _moves(point, k, random):
            changed |= _positions(_differs(before, _evaluated(function, moved)))
        columns.append(changed)
    return torch.stack(columns, 1)


def _moves(point: Tensor, k: int, random: torch.Generator) -> Iterator[Tensor]:
    for scale in SCALES:
        moved = point.clone()
        moved[..., k, :] += scale * _noise(point, random)[..., k, :]
        yield moved


def _noise(point: Tensor, random: torch.Generator) -> Tensor:
    return torch.randn(point.shape, generator=random, dtype=point.dtype).to(point.device)


def _evaluated(function: Callable[[Tensor], Tensor], point: Tensor) -> Tensor:
    with torch.no_grad():
        return _checked(function(point), point)


def _checked(output: Tensor, point: Tensor) -> Tensor:
    if output.ndim != point.ndim or output.shape[:-2] != point.shape[:-2]:
        raise ShapeError(
            f"the output is {tuple(output.shape)} for inputs {tuple(point.shape)}; the positions "
            "must stand on the last axis but one, the batch before them",
            shape=tuple(output.shape),
        )
    return output


def _differs(a: Tensor, b: Tensor) -> Tensor:
    """Where two numbers are not the same; NaN is the same as NaN, zero as minus zero."""
    return (a != b) & ~(a.isnan() & b.isnan())


def _positions(entries: Tensor) -> Tensor:
    """The positions with some true entry."""
    return entries.movedim(-2, 0).reshape(entries.shape[-2], -1).any(1).cpu()
