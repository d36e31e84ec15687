"""``python -I -S checker CERT [--json]``: exit 0 valid, 1 invalid, 2 unreadable, 3 undecided."""

import sys
from importlib import import_module, util
from pathlib import Path
from types import ModuleType


def _package() -> ModuleType:
    """The package around this file; run as a folder, Python does not know it as one."""
    if __package__:
        return import_module(__package__)
    folder = Path(__file__).resolve().parent
    spec = util.spec_from_file_location(
        "attnproof_checker", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise SystemExit("the checker's own folder cannot be read")
    package = util.module_from_spec(spec)
    sys.modules[spec.name] = package
    spec.loader.exec_module(package)
    return package


def main() -> int:
    """Run the command line."""
    package = _package()
    return int(import_module(f"{package.__name__}.command").main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
