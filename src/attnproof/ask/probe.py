"""probe: does a model depend on what its mask lets it depend on, and on nothing else?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attnproof.ask.probe_model import found, module_of, named, shared
from attnproof.ask.probe_report import Probed
from attnproof.keywords import keywords
from attnproof.source import name_of, read, unnamed
from attnproof.symbolic.errors import InputError, MissingExtra, ParameterError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnproof.numeric.probe.promised import Promise

METHODS = ("both", "numeric", "structural")


@keywords()
def probe(
    model: object,
    n: int = 12,
    *,
    causal: bool = False,
    mask: object = None,
    params: "Mapping[str, object] | None" = None,
    layers: int | None = None,
    per_layer: bool = False,
    width: int | None = None,
    packed: bool = False,
    scenarios: Sequence[str] = (),
    method: str = "both",
    bound: float = 4000.0,
    seed: int = 0,
    max_findings: int = 100,
) -> Probed:
    """Does a model depend on what its mask lets it depend on, and on nothing else?

    ``model`` is a torch module, the name of a small one with random weights (``"gpt2"``), or
    ``pkg.mod:name`` or ``path/file.py:name`` of a module or of what makes one. A model of
    transformers promises what its configuration says; any model can be held to ``causal``, or to a
    ``mask`` in any form that :func:`attnproof.verify` reads, at any depth or through ``layers``
    layers. With ``per_layer`` the mask is a list, one for each layer. ``params`` are keywords of
    what makes the model, or of the mask: each belongs to the one that takes it. ``packed`` adds the
    promise that position ids that start again keep documents apart. A module of your own is called
    with token ids ``(b, n)``, or with vectors ``(b, n, width)``, and returns ``(b, n, ...)``.

    Every scenario that the model supports is run, or those that are named. ``method`` is "numeric"
    (positions are changed, outputs compared bit by bit), "structural" (every operator is followed,
    for all weights) or "both". ``bound`` is the greatest absolute value of a score that meets a
    finite mask.

    A dependency that was seen fails; one that only structure allows is unknown; structure within
    the promise holds, under the conditions that are listed.

    >>> import attnproof as ap, torch
    >>> print(repr(ap.probe(torch.nn.Embedding(8, 4), 4, causal=True, scenarios=["plain"])))
    Probe of Embedding, n = 4: holds in 1 of 1 scenario

    Raises :class:`~attnproof.errors.InputError` for a model that cannot be built or run, returns
    NaN, or promises nothing. Source: ours; the numeric part is the audit by two passes.
    """
    from attnproof.numeric.probe.models import check_name
    from attnproof.numeric.read.objects import names_object

    if isinstance(model, str) and not names_object(model):
        if model.endswith(".py"):
            raise unnamed(model, "model", "name a model of it, or what makes one", callable)
        check_name(model)
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("a probe", "torch") from None
    from attnproof.numeric.probe.outcome import Methods, run_scenario
    from attnproof.numeric.probe.scenarios import SCENARIOS
    from attnproof.numeric.probe.subject import subject_of

    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}; give one of {', '.join(METHODS)}")
    chosen = tuple(scenarios) or tuple(SCENARIOS)
    for each in chosen:
        if each not in SCENARIOS:
            known = ", ".join(SCENARIOS)
            raise ParameterError(f"there is no scenario {each!r}; there are {known}", name=each)
    masks = () if mask is None else _successive(mask, per_layer)
    maker, name = found(model), named(model)
    own, theirs = shared(params or {}, maker, name, masks)
    promise = _promise(causal, tuple(zip(masks, theirs, strict=True)), layers, per_layer)
    module = module_of(maker, name, seed, own)
    subject = subject_of(module, promise, n=n, width=width, seed=seed, name=name)
    if packed:
        subject = replace(subject, promise=replace(subject.promise, packed=True))
    methods = Methods(method != "structural", method != "numeric", bound)
    promised = _promised(subject.promise, n)
    outcomes = tuple(run_scenario(subject, each, SCENARIOS[each], methods) for each in chosen)
    return Probed(subject.name, n, subject.promise, promised, outcomes, max_findings)


def _successive(mask: object, per_layer: bool) -> tuple[object, ...]:
    return tuple(mask) if per_layer and isinstance(mask, list | tuple) else (mask,)


def _promise(
    causal: bool,
    masks: "Sequence[tuple[object, Mapping[str, object]]]",
    layers: int | None,
    per_layer: bool,
) -> "Promise | None":
    """The relation that was asked for, or None for that of the configuration."""
    from attnproof.numeric.probe.promised import CAUSAL, LayerKind, Promise, Reads

    if layers is not None and layers < 1:
        raise ParameterError(f"layers is {layers}; give 1 or more", layers=layers)
    if causal and masks:
        raise InputError("causal and a mask both say what the model may read; leave one out")
    if not causal and not masks:
        if layers is not None or per_layer:
            raise InputError("layers belong to --causal or --mask; give one of them")
        return None

    def kind(source: object, params: "Mapping[str, object]") -> LayerKind:
        return LayerKind(Reads.GIVEN, given=lambda n: _mask(source, n, params))

    kinds = [CAUSAL] if causal else [kind(*each) for each in masks]
    count = layers if layers is not None else len(kinds) if per_layer else None
    stacked = tuple(kinds[place % len(kinds)] for place in range(count or len(kinds)))
    name = "causal" if causal else "mask"
    return Promise(stacked, any_depth=count is None, name=name)


def _mask(source: object, n: int, params: "Mapping[str, object]") -> Mask:
    reading = read(source, n=n, params=params)
    if len(reading.masks) != 1:
        raise InputError(f"{name_of(source)} has {len(reading.masks)} distinct masks; give one")
    mask = reading.masks[0][1]
    if (mask.queries, mask.keys, mask.offset) != (n, n, 0):
        raise InputError(
            f"{reading.name} is {mask.queries}×{mask.keys}, the model has "
            f"{counted(n, 'position')}; give a mask of as many, or another --n"
        )
    return mask


def _promised(promise: "Promise", n: int) -> tuple[Mask, ...]:
    from attnproof.numeric.probe.bounds import schedule
    from attnproof.numeric.probe.scenarios import decoded

    return schedule(promise, n, decoded(n))
