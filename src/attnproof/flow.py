"""Flow, as users meet it: the value of the order room with its picture for notebooks."""

from typing import TYPE_CHECKING

from attnproof.symbolic.order import flow as order

if TYPE_CHECKING:
    from attnproof.run_flow import RunFlow
    from attnproof.symbolic.setting import Setting


class Flow(order.Flow):
    """What a mask lets through when layers are stacked: classes, covers, depth, Hasse diagram.

    >>> import attnproof as ap
    >>> sorted(ap.verify("causal", n=3).flow.hasse().edges)
    [(0, 1), (1, 2)]

    Edges of every graph are (source, reader): information flows along them. Masks of very many
    positions have the same answers in runs.
    """

    def _repr_html_(self) -> str:
        from attnproof.render.html import flow_html

        return flow_html(self)


def flow_of(setting: "Setting") -> "Flow | RunFlow":
    """The flow of some layers, in bit sets or, where these would not fit, in runs."""
    found = order.flow_of(setting)
    if isinstance(found, order.Flow):
        return Flow(setting)
    from attnproof.run_flow import RunFlow

    return RunFlow.of(found)
