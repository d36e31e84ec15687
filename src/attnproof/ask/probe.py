"""probe: does a model depend on what its mask lets it depend on, and on nothing else?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attnproof.ask.probe_report import Probed
from attnproof.keywords import keywords
from attnproof.source import name_of, read
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
    ``pkg.mod:name`` or ``path/file.py:name`` of a module or of a function that makes one. A model
    of transformers promises what its configuration says; any model can be held to ``causal``, or to
    a ``mask`` in any form that :func:`attnproof.verify` reads, at any depth or through ``layers``
    layers. With ``per_layer`` the mask is a list, one for each layer. ``packed`` adds the promise
    that position ids that start again keep documents apart. A module of your own is
    called with token ids ``(b, n)``, or with vectors ``(b, n, width)``, and returns
    ``(b, n, ...)``.

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
    for name in chosen:
        if name not in SCENARIOS:
            known = ", ".join(SCENARIOS)
            raise ParameterError(f"there is no scenario {name!r}; there are {known}", name=name)
    promise = _promise(causal, mask, params, layers, per_layer)
    module = _model(model, seed)
    subject = subject_of(module, promise, n=n, width=width, seed=seed, name=_name(model))
    if packed:
        subject = replace(subject, promise=replace(subject.promise, packed=True))
    methods = Methods(method != "structural", method != "numeric", bound)
    promised = _promised(subject.promise, n)
    outcomes = tuple(run_scenario(subject, each, SCENARIOS[each], methods) for each in chosen)
    return Probed(subject.name, n, subject.promise, promised, outcomes, max_findings)


def _name(model: object) -> str:
    return model if isinstance(model, str) else type(model).__name__


def _model(model: object, seed: int) -> Any:
    """The module that is named or given; a function of no arguments makes one."""
    from torch import nn

    from attnproof.numeric.probe.models import make
    from attnproof.numeric.read.objects import names_object, resolve
    from attnproof.numeric.read.user_code import user_code

    found, name = model, _name(model)
    if isinstance(model, str):
        if not names_object(model):
            return make(model, seed)
        found = resolve(model)
    if not isinstance(found, nn.Module) and callable(found):
        with user_code(name):
            found = found()
    if not isinstance(found, nn.Module):
        raise InputError(
            f"{name} is no torch module (its type is {type(found).__name__}); give a module, or a "
            "function without arguments that makes one"
        )
    return found


def _promise(
    causal: bool,
    mask: object,
    params: "Mapping[str, object] | None",
    layers: int | None,
    per_layer: bool,
) -> "Promise | None":
    """The relation that was asked for, or None for that of the configuration."""
    from attnproof.numeric.probe.promised import CAUSAL, LayerKind, Promise, Reads

    if layers is not None and layers < 1:
        raise ParameterError(f"layers is {layers}; give 1 or more", layers=layers)
    if causal and mask is not None:
        raise InputError("causal and a mask both say what the model may read; leave one out")
    if not causal and mask is None:
        if layers is not None or per_layer:
            raise InputError("layers belong to --causal or --mask; give one of them")
        return None
    sources = list(mask) if per_layer and isinstance(mask, list | tuple) else [mask]

    def kind(source: object) -> LayerKind:
        return LayerKind(Reads.GIVEN, given=lambda n: _mask(source, n, params or {}))

    kinds = [CAUSAL] if causal else [kind(source) for source in sources]
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
