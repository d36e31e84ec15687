"""What is installed: the version, and which extras are there."""

import importlib.metadata
import re

_REQUIRED = re.compile(r"^([\w.-]+).*extra == ['\"]([\w-]+)['\"]")


def extras() -> dict[str, dict[str, str | None]]:
    """For each extra the version of each distribution that it names; None for a missing one."""
    found: dict[str, dict[str, str | None]] = {}
    for line in importlib.metadata.requires("attnproof") or ():
        if matched := _REQUIRED.match(line):
            name, extra = matched.groups()
            found.setdefault(extra, {})[name] = _version(name)
    return found


def told() -> str:
    """The version, then a line an extra.

    >>> told().splitlines()[0].split()[0]
    'attnproof'
    """
    from attnproof import __version__

    lines = [f"attnproof {__version__}"]
    for extra, names in extras().items():
        have = ", ".join(f"{name} {version}" for name, version in names.items() if version)
        lacks = [name for name, version in names.items() if not version]
        hint = f"missing {', '.join(lacks)}: pip install 'attnproof[{extra}]'" if lacks else ""
        lines.append(f"  {extra + ':':9} {'; '.join(part for part in (have, hint) if part)}")
    return "\n".join(lines)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
