"""The equations of a gradient flow for people: as LaTeX and as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attnproof.ask.gradient_flow import GradientFlow
    from attnproof.symbolic.gradient.orbit import State


def latex(flow: "GradientFlow") -> str:
    """The equations in attention s and error e, what these, the odds y, the loss L and the first
    integral I are, and the growth laws with their conditions, as one LaTeX block."""
    from attnproof.symbolic.gradient.symbols import written

    found = flow.derivation
    rates = zip(found.coordinates, found.rates, strict=True)
    lines = [
        *(rf"\dot{{{written(one)}}} &= {written(rate)}" for one, rate in rates),
        *(f"{written(one)} &= {written(value)}" for one, value in found.masses),
        r"y &= \frac{s}{1 - s}",
        r"L &= - \log{\left(1 - e \right)}",
        rf"I &= {written(flow.first_integral)} \quad \text{{is conserved}}",
        *flow.asymptotics.rows(),
    ]
    lines[2] = r"\text{where}\quad " + lines[2]
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
    conditions = () if flow.numbers else flow.asymptotics.conditions
    lines = [
        f"{flow.parametrisation.value}: {', '.join(sizes)}",
        f"  alpha' = {first}",
        f"  beta'  = {second}",
        f"  where  {', '.join(f'{name} = {value}' for name, value in found.masses)}",
        f"  conserved: {flow.first_integral}",
        "  for large t:",
        *(f"    {law}" for law in flow.asymptotics.told()),
        *(f"  if     {condition}" for condition in conditions),
    ]
    return "\n".join([*lines, *([f"  {state!r}"] if state is not None else [])])
