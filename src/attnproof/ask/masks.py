"""masks: the named masks, described for a list."""

from collections.abc import Mapping

from attnproof.symbolic.named.named import REQUIRED, NamedMask, Parameter
from attnproof.symbolic.named.registry import get, names


def described(name: str | None = None) -> list[dict[str, object]]:
    """Name, sentence, formula, source and parameters of one named mask, or of all.

    >>> described("causal")[0]["formula"]
    'k <= q'
    """
    return [_described(get(one)) for one in ([name] if name else names())]


def _described(mask: NamedMask) -> dict[str, object]:
    return {
        "name": mask.name,
        "doc": mask.doc,
        "formula": str(mask.formula(**_but_n(mask.example))),
        "positions": mask.positions_doc,
        "source": mask.source,
        "parameters": [_parameter(parameter) for parameter in mask.parameters],
    }


def _but_n(example: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in example.items() if key != "n"}


def _parameter(parameter: Parameter) -> dict[str, object]:
    required = parameter.default is REQUIRED
    return {
        "name": parameter.name,
        "doc": parameter.doc,
        "required": required,
        "default": None if required else parameter.default,
    }


def told(found: list[dict[str, object]]) -> str:
    """The same for people: a line a mask, or everything of one."""
    if len(found) == 1:
        return _page(found[0])
    width = max(len(str(one["name"])) for one in found)
    lines = []
    for one in found:
        keywords = ", ".join(_keyword(parameter) for parameter in _parameters(one))
        lines.append(f"{one['name']:<{width}}  {one['doc']}")
        if keywords:
            lines.append(f"{'':<{width}}  {keywords}")
    return "\n".join(lines)


def _page(one: dict[str, object]) -> str:
    lines = [
        f"{one['name']}: {one['doc']}",
        f"  query q reads key k where  {one['formula']}",
        f"  positions: {one['positions']}",
        f"  source: {one['source']}",
    ]
    lines += [
        f"  --param {_keyword(parameter)}  {parameter['doc']}" for parameter in _parameters(one)
    ]
    return "\n".join(lines)


def _parameters(one: dict[str, object]) -> list[dict[str, object]]:
    found = one["parameters"]
    return found if isinstance(found, list) else []


def _keyword(parameter: dict[str, object]) -> str:
    if parameter["required"]:
        return f"{parameter['name']}=..."
    default = parameter["default"]
    shown = str(default).lower() if isinstance(default, bool) else default
    return f"[{parameter['name']}={'...' if shown is None else shown}]"
