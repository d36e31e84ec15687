"""RunFlow, as users meet it: the flow of a very long mask with its facts for notebooks."""

from typing import Self

from attnproof.symbolic.order import run_flow as order


class RunFlow(order.RunFlow):
    """What a mask of very many positions lets through; its answers are those of ``Flow``."""

    @classmethod
    def of(cls, flow: order.RunFlow) -> Self:
        """The same flow, with all that was computed of it."""
        found = cls(flow.setting)
        found.__dict__.update(flow.__dict__)
        return found

    def _repr_html_(self) -> str:
        from attnproof.render.html import flow_html

        return flow_html(self)
