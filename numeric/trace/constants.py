"""Integers that the code of a rule looks for: values of parameters at which it may do otherwise."""

from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from itertools import islice
from types import CodeType, FunctionType
from typing import Any

#: How many of them are kept, and the largest.
_MOST = 12
_LARGEST = 1 << 20
#: What a rule may compare with though it says so nowhere: sizes of layers, and ends of integers.
_USUAL = (64, 100, 128, 250, 512, 1024, 4096)


def watched(rule: Callable[..., Any]) -> list[int]:
    """Values for a parameter: integers in the code and in what it holds, and usual ones.

    >>> watched(lambda w: lambda b, h, q, k: w not in (77, 99))[:2]
    [77, 99]
    """
    own = dict.fromkeys(x for x in _integers(rule) if 8 < x < _LARGEST)
    return list(dict.fromkeys((*islice(own, _MOST), *_USUAL)))


def _integers(rule: object) -> Iterator[int]:
    waiting, seen = [rule], set[int]()
    while waiting:
        value: Any = waiting.pop(0)
        if id(value) in seen or len(seen) > 1000:
            continue
        seen.add(id(value))
        if type(value) is int:
            yield value
        elif isinstance(value, partial):
            waiting += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, Mapping | tuple | list | Set):
            waiting += list(islice(value, 100))
        elif isinstance(value, CodeType):
            waiting += [*value.co_consts]
        elif isinstance(value, FunctionType):
            waiting.append(value.__code__)
            names = value.__code__.co_names
            waiting += [value.__globals__[x] for x in names if x in value.__globals__]
            waiting += [x.cell_contents for x in value.__closure__ or () if _filled(x)]


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
