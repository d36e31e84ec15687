"""The two-pass audit, and the inspection of the masks that a model holds.

The audit is ours, after the description in arXiv 2608.22876: change the last position, run again,
and compare every earlier row of every module's output with that of the first pass.
"""

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from attnproof.numeric.faults.masked import Held
from attnproof.numeric.faults.specimen import Relation, Specimen, itself, product
from attnproof.symbolic.masks.bits import Bits
from attnproof.symbolic.masks.encoding import decode
from attnproof.symbolic.masks.mask import Mask

#: A difference counts where it is more than this share of the largest entry, or of one.
TOLERANCE = 1e-6

Passed = list[tuple[str, Tensor]]


def dense(mask: Mask) -> Relation:
    """A mask as a Boolean array."""
    return Bits(mask.rows.bits(), mask.keys).dense()


def inspected(specimen: Specimen) -> Relation | None:
    """What the outputs may read by the masks that the layers hold; None without any mask.

    Masks are decoded as ``attnproof verify`` decodes them. Layers without one keep their promise.
    """
    layers, any_held = [], False
    for place, slot in enumerate(specimen.slots):
        holder = next((each for each in slot.layer.modules() if isinstance(each, Held)), None)
        layers.append(specimen.promised[place].copy())
        if holder is None:
            continue
        any_held = True
        mask = holder.get_buffer("mask").numpy()
        decoded = decode(mask if mask.ndim == 2 else mask[None]).masks[0][1]
        reads = dense(Mask.of(decoded)) | itself(len(slot.positions))
        places = np.array(slot.positions)
        layers[-1][np.ix_(places, places)] = reads
    return product(layers) if any_held else None


def audited(specimen: Specimen, inputs: Tensor, perturbations: int, seed: int) -> str | None:
    """The first module, in the order in which calls end, that shows a leak; None without any.

    Rows that the promise lets read the last position are left out; the model itself is ``""``.
    """
    hidden = ~specimen.promise[:, -1]
    rows = {specimen.n: hidden}
    for slot in specimen.slots:
        rows[len(slot.positions)] = hidden[np.array(slot.positions)]
    made = torch.Generator().manual_seed(seed)
    first = _pass(specimen, inputs)
    for _ in range(perturbations):
        changed = inputs.clone()
        changed[:, -1] = torch.randn(changed[:, -1].shape, generator=made, dtype=inputs.dtype)
        for (name, before), (_name, after) in zip(first, _pass(specimen, changed), strict=True):
            kept = torch.from_numpy(rows[before.shape[1]])
            moved = (before - after)[:, kept].abs()
            scale = max(1.0, float(before.abs().max()))
            if moved.numel() and not bool((moved <= TOLERANCE * scale).all()):
                return name
    return None


def _pass(specimen: Specimen, inputs: Tensor) -> Passed:
    """The output of each module that has an axis of positions, in order of completion."""
    lengths = {specimen.n, *(len(slot.positions) for slot in specimen.slots)}
    passed: Passed = []
    hooks = []
    for name, module in specimen.model.named_modules():

        def record(_: object, given: object, output: object, name: str = name) -> None:
            for each in tree_leaves(output):
                if isinstance(each, Tensor) and each.ndim == 3 and each.shape[1] in lengths:
                    passed.append((name, each.detach().clone()))
                    break

        hooks.append(module.register_forward_hook(record))
    try:
        with torch.no_grad():
            specimen.model(inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return passed
