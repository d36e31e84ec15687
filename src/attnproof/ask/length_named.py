"""A named mask for every length: its formula, and its rows at concrete values.

Where the formula reads a tensor that a parameter determines, the parameter is found from it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from attnproof.ask.length_sources import Held, Reading, Subject
from attnproof.symbolic.errors import ParameterError, ShapeError
from attnproof.symbolic.formula import Term, n, substitute, variable, variables
from attnproof.symbolic.lengths.named import named_problem
from attnproof.symbolic.named.registry import get


@dataclass(frozen=True, slots=True)
class _Made:
    """A tensor that is made of a parameter: which, how it is found again, what is always true."""

    tensor: str
    parameter: str
    inverse: Callable[[Sequence[Any]], Sequence[Any]]
    facts: tuple[str, ...] = ()


def _places(rank: Sequence[int]) -> list[int]:
    """The positions in the order of their ranks.

    >>> _places([1, 2, 0])
    [2, 0, 1]
    """
    return sorted(range(len(rank)), key=rank.__getitem__)


def _ends(sequence: Sequence[int]) -> list[int]:
    """Where runs of equal labels end, after 0.

    >>> _ends([0, 0, 1, 1, 1])
    [0, 2, 5]
    """
    count = len(sequence)
    return [0, *(i for i in range(1, count) if sequence[i] != sequence[i - 1]), count]


def _marked(flags: Sequence[bool]) -> list[int]:
    """The positions of what is true.

    >>> _marked([True, False, True])
    [0, 2]
    """
    return [place for place, flag in enumerate(flags) if flag]


_MADE = {
    "perm": _Made("rank", "order", _places, ("permutation",)),
    "padded": _Made("real", "attention_mask", list),
    "masked_autoencoder": _Made("visible", "visible", _marked),
    "cu_seqlens": _Made("sequence", "cu_seqlens", _ends, ("nondecreasing",)),
}
#: For which parameters a mask is there at all, where more is needed than each alone.
_NEEDED: dict[str, tuple[Term, ...]] = {
    "neighborhood": (2 * variable("radius") + 1 <= n,),
    "encoder_decoder": (variable("encoder") <= n,),
    "fixed": (variable("summary") <= variable("stride"),),
}


def named_subject(name: str, reading: Reading) -> Subject:
    """A named mask; parameters that ``reading`` gives no value have their defaults.

    >>> named_subject("window", Reading({}, {"keys": 4}, {})).term
    k <= q and q - k < 4

    Raises :class:`ParameterError` for a symbolic parameter that is no integer of the formula.
    """
    mask, made = get(name), _MADE.get(name)
    for key, term in reading.symbolic.items():
        if repr(term) != key:
            raise ParameterError(
                f"{key} of a named mask stands for itself; name it alone, --symbolic {key}",
                parameter=key,
            )
    numbers = {x.name for x in mask.parameters if x.kind.axes is None}
    params: dict[str, Any] = dict(reading.params)
    try:
        problem = named_problem(name, symbolic=tuple(reading.symbolic), **params)
    except ShapeError:
        raise _of_one_length(name, "reads a table") from None
    known = {x.name: params.get(x.name, x.default) for x in mask.parameters}
    fixed = {
        x: value
        for x, value in known.items()
        if isinstance(value, int) and x not in reading.symbolic
    }
    needed = (substitute(each, fixed) for each in _NEEDED.get(name, ()))
    shapes = {tensor.name: tensor.shape for tensor in problem.tensors}
    held = {
        x: reading.params[x]
        for x in shapes
        if reading.params.get(x) is not None and (made is None or x != made.tensor)
    }
    facts = {made.tensor: made.facts} if made is not None and made.facts else {}
    laws = _laws({**facts, **reading.assume}, problem.tensors, held)

    @contextmanager
    def at(values: Mapping[str, int], tensors: Mapping[str, Any]) -> Iterator[Held]:
        given = {x: value for x, value in reading.params.items() if x in numbers}
        given |= {x: value for x, value in values.items() if x in numbers}
        for x in shapes:
            if made is not None and x == made.tensor:
                given[made.parameter] = made.inverse(tensors[x])
            elif any(x == parameter.name for parameter in mask.parameters):
                given[x] = tensors[x]
            else:
                raise ParameterError(f"no parameters of {name} are known that make {x} so")
        yield Held(mask.mask(values["n"], **given), given, {})

    free = variables(problem.layers[0]) - {"n", "q", "k", *reading.symbolic}
    if free:
        raise _of_one_length(name, f"has {', '.join(sorted(free))} in its formula")
    return Subject(
        name,
        problem.layers[0],
        at,
        size=problem.size,
        requires=(*problem.requires, *needed),
        shapes=shapes,
        held=held,
        laws=laws,
    )


def _of_one_length(name: str, what: str) -> ParameterError:
    return ParameterError(
        f"{name} {what}, determined by its parameters for one length; give a length, "
        f"attnproof.verify({name!r}, n=...) or attnproof verify {name} --n N",
        name=name,
    )


def _laws(given: Mapping[str, Any], tensors: Sequence[Any], held: Mapping[str, Any]) -> Any:
    """The facts as laws, checked where the user gave the tensor."""
    import numpy as np

    from attnproof.numeric.trace import Captured
    from attnproof.numeric.trace.assumptions import read_assumptions

    captured = {}
    sizes: dict[str, int] = {}
    for tensor in tensors:
        empty = np.zeros((0,) * len(tensor.shape), dtype=bool if tensor.boolean else np.int64)
        values = np.asarray(held.get(tensor.name, empty))
        captured[tensor.name] = Captured(tensor.name, values, tensor.shape, True)
        if tensor.name in held and tensor.shape == (n,):
            sizes["n"] = len(values)
    return read_assumptions(given, captured, sizes)
