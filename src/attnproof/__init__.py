"""Formal verification and symbolic mathematics of transformer attention.

The public surface, loaded when it is first used; ``__init__.pyi`` lists it for type checkers.
"""

from importlib import import_module

__version__ = "0.1.0"

_WHERE = {
    "AttnproofError": "attnproof.errors",
    "Certificate": "attnproof.certificate",
    "Closure": "attnproof.ask.closure",
    "Finding": "attnproof.symbolic.verdict",
    "Flow": "attnproof.flow",
    "GradientFlow": "attnproof.ask.gradient_flow",
    "InputError": "attnproof.errors",
    "Label": "attnproof.symbolic.tasks.task",
    "LengthReport": "attnproof.ask.length_report",
    "Mask": "attnproof.mask",
    "Net": "attnproof.ask.net",
    "Position": "attnproof.symbolic.tasks.task",
    "Report": "attnproof.values",
    "Task": "attnproof.symbolic.tasks.task",
    "Verdict": "attnproof.symbolic.verdict",
    "assert_no_leak": "attnproof.testing",
    "check": "attnproof.ask.check",
    "closure": "attnproof.ask.closure",
    "compare": "attnproof.ask.compare",
    "consistent": "attnproof.ask.consistent",
    "counts": "attnproof.symbolic.families.counts",
    "equivalent": "attnproof.ask.equivalent",
    "gradient_flow": "attnproof.ask.gradient_flow",
    "interpolate": "attnproof.ask.interpolate",
    "merge": "attnproof.ask.merge",
    "scans": "attnproof.ask.scans",
    "sparsify": "attnproof.ask.sparsify",
    "probe": "attnproof.ask.probe",
    "verify": "attnproof.ask.verify",
}

#: Modules of the surface, beside the names.
_MODULES = ("errors", "testing")

__all__ = sorted(_WHERE)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"attnproof.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'attnproof' has no attribute {name!r}")
    value: object = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*_WHERE, *_MODULES, "__version__"))
