"""The equations of a gradient flow for people: as LaTeX and as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnproof.ask.gradient_flow import GradientFlow
    from attnproof.symbolic.gradient.orbit import State

#: How the growing quantities are written.
_NAMES = {"alpha": r"\alpha", "beta": r"\beta", "odds": "y", "loss": "L"}


def latex(flow: "GradientFlow") -> str:
    """The equations, the first integral and the growth laws as one LaTeX block."""
    from sympy import latex as written

    laws = flow.laws
    lines = [
        *(written(each).replace("=", "&=", 1) for each in flow.ode),
        f"I &= {written(flow.first_integral)}",
        *(rf"{_NAMES[name]} &\sim {written(law)}" for name, law in laws.items()),
    ]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def text(flow: "GradientFlow", state: "State | None" = None) -> str:
    """The equations in attention s and error e, what is conserved, the laws, and ``state``."""
    found, given = flow.derivation, flow.circuits
    data = repr(given.data).removeprefix("Data(").removesuffix(")")
    sizes = [
        data,
        f"ratio {given.rho}",
        *([f"scale {given.scale}"] if given.scale != 1 else []),
    ]
    first, second = found.rates
    lines = [
        f"{flow.parametrisation.value}: {', '.join(sizes)}",
        f"  alpha' = {first}",
        f"  beta'  = {second}",
        f"  where  {', '.join(f'{name} = {value}' for name, value in found.masses)}",
        f"  conserved: {flow.first_integral}",
        "  for large t:",
        *(f"    {name} ~ {law}" for name, law in flow.laws.items()),
        *(f"  if     {condition}" for condition in flow.asymptotics.conditions),
    ]
    return "\n".join([*lines, *([f"  {state!r}"] if state is not None else [])])
