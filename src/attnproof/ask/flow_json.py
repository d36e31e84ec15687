"""A gradient flow, and a training beside it, as JSON objects."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnproof.ask.gradient_flow import GradientFlow
    from attnproof.numeric.circuit_training import TrainReport
    from attnproof.symbolic.gradient.orbit import State

SCHEMA = "attnproof/gradient-flow/v1"


def flow_json(flow: "GradientFlow", state: "State | None" = None) -> dict[str, object]:
    """Everything that is known of a flow, with the numbers of ``state``; expressions are SymPy text
    and infinite numbers null."""
    from attnproof.symbolic.gradient.orbit import State

    data, rates = flow.circuits.data, flow.velocity
    names = [each.name for each in fields(State)]
    return {
        "schema": SCHEMA,
        "parametrisation": flow.parametrisation.value,
        "classes": _plain(data.classes),
        "distinct": _plain(data.distinct),
        "common": _plain(data.common),
        "queries": _plain(data.queries),
        "scale": _plain(flow.circuits.scale),
        "ratio": _plain(flow.circuits.rho),
        "alpha0": flow.orbit.alpha0 if flow.numbers else _number(flow.alpha0),
        "beta0": flow.orbit.beta0 if flow.numbers else _number(flow.beta0),
        **{name: None if state is None else _finite(getattr(state, name)) for name in names},
        "ode": {"alpha": str(rates[0]), "beta": str(rates[1])},
        "first_integral": str(flow.first_integral),
        "slope": str(flow.circuits.slope),
        "asymptotics": {name: None if law is None else str(law) for name, law in flow.laws.items()},
        "conditions": list(flow.asymptotics.conditions),
        "unmet": list(flow.asymptotics.unmet),
    }


def trained_json(report: "TrainReport") -> dict[str, object]:
    """What a training says of the flow; ``alpha`` and ``beta`` are extrapolated to no step, and
    ``order`` is None where nothing moves."""
    alpha, beta = report.extrapolated
    return {
        "agrees": report.agrees if report.settled else None,
        "alpha": alpha,
        "beta": beta,
        "difference": [alpha - report.orbit.alpha, beta - report.orbit.beta],
        "order": _finite(report.order),
        "estimate": report.estimate,
        "residual": max(run.last.residual for run in report.runs),
        "runs": [
            {
                "step": run.how.step,
                "steps": run.last.steps,
                "alpha": run.last.alpha,
                "beta": run.last.beta,
                "error": error,
            }
            for run, error in zip(report.runs, report.errors, strict=True)
        ],
    }


def _plain(value: Any) -> int | float | str:
    """An integer, a float that is exact, or text."""
    if value.is_Integer:
        return int(value)
    if value.is_Rational and float(value) == value:
        return float(value)
    return str(value)


def _number(start: Any) -> float | str | None:
    """A start beside symbols: None where it was not given, text where it is an expression."""
    if start is None:
        return None
    return str(start) if getattr(start, "free_symbols", ()) else float(start)


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
