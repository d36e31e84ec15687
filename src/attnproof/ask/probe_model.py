"""The model of a probe: the one that is named or given, and the parameters that are its own.

A parameter belongs to what makes the model, or to the masks that it is held to, by its name.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attnproof.source import name_of
from attnproof.symbolic.errors import InputError, ParameterError
from attnproof.symbolic.words import suggestion

#: The keywords that something names, and whether it takes any other.
_Taken = tuple[tuple[str, ...], bool]


def found(model: object) -> Any:
    """The object of a name, run once; a module, what makes one, or the name of a known model."""
    from attnproof.numeric.read.objects import names_object, resolve

    return resolve(model) if isinstance(model, str) and names_object(model) else model


def named(model: object) -> str:
    """What messages call a model."""
    if isinstance(model, str):
        return model
    return getattr(model, "__name__", type(model).__name__)


def shared(
    params: Mapping[str, object], maker: object, name: str, masks: Sequence[object]
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The parameters of what makes the model, and those of each mask, by the names they take.

    Raises :class:`ParameterError` for a name that nobody takes, and for one that both take.
    """
    if not params:
        return {}, [{} for _ in masks]
    model = _taken_by_model(maker, name)
    each = [_taken_by_mask(mask) for mask in masks]
    own: dict[str, object] = {}
    theirs: list[dict[str, object]] = [{} for _ in masks]
    for key, value in params.items():
        takers = [place for place, (names, _) in enumerate(each) if key in names]
        if key in model[0] and takers:
            raise ParameterError(
                f"{key} is a parameter of {name} and of the mask {name_of(masks[takers[0]])}; name "
                f"a function that makes the model and does not take {key}",
                parameter=key,
            )
        if key not in model[0] and not takers:
            takers = [] if model[1] else [place for place, taken in enumerate(each) if taken[1]]
            if not takers and not model[1]:
                raise _untaken(key, maker, name, model, masks, each)
        for place in takers:
            theirs[place][key] = value
        if not takers:
            own[key] = value
    return own, theirs


def module_of(maker: Any, name: str, seed: int, params: Mapping[str, object]) -> Any:
    """The torch module, made where it is not given.

    Raises :class:`InputError` for what is no module and makes none.
    """
    from torch import nn

    from attnproof.numeric.probe.models import make
    from attnproof.numeric.read.signature import call_factory

    if isinstance(maker, str):
        return make(maker, seed)
    if not isinstance(maker, nn.Module) and callable(maker):
        maker = call_factory(maker, params, name)
    if not isinstance(maker, nn.Module):
        raise InputError(
            f"{name} is no torch module (its type is {type(maker).__name__}); give a module, or a "
            "function that makes one"
        )
    return maker


def _taken_by_model(maker: Any, name: str) -> _Taken:
    from torch import nn

    from attnproof.numeric.read.signature import taken

    makes = callable(maker) and not isinstance(maker, nn.Module)
    return taken(maker, name) if makes else ((), False)


def _taken_by_mask(mask: object) -> _Taken:
    from attnproof.numeric.read.objects import names_object, resolve
    from attnproof.numeric.read.signature import taken
    from attnproof.symbolic.named.registry import get, names

    source = mask
    if isinstance(source, str):
        if source in names():
            return tuple(each.name for each in get(source).parameters), False
        if names_object(source):
            source = resolve(source)
    return taken(source, name_of(mask)) if callable(source) else ((), False)


def _untaken(
    key: str,
    maker: object,
    name: str,
    model: _Taken,
    masks: Sequence[object],
    each: Sequence[_Taken],
) -> ParameterError:
    """That nobody takes a parameter: the name that was meant, or what to give instead."""
    legal = tuple(dict.fromkeys([*model[0], *(x for names, _ in each for x in names)]))
    nor = f", nor does the mask {' or '.join(map(name_of, masks))}" if masks else ""
    if legal:
        way = suggestion(key, legal)
    elif isinstance(maker, str):
        way = "a model by name has none: name what makes yours, as in path/file.py:make_model"
    elif callable(maker) and hasattr(maker, "forward") and not isinstance(maker, type):
        way = "it is made already: give the class or the function that makes it"
    else:
        way = f"leave out {key}, or let it take one"
    return ParameterError(
        f"{name} takes no parameter {key!r}{nor}; {way}", parameter=key, legal=legal
    )
