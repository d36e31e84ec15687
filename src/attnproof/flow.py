"""Flow, as users meet it: the value of the order room with its picture for notebooks."""

from attnproof.symbolic.order.flow import Flow as OrderFlow


class Flow(OrderFlow):
    """What a mask lets through when layers are stacked: classes, covers, depth, Hasse diagram.

    >>> import attnproof as ap
    >>> sorted(ap.verify("causal", n=3).flow.hasse().edges)
    [(0, 1), (1, 2)]

    Edges of every graph are (source, reader): information flows along them.
    """

    def _repr_html_(self) -> str:
        from attnproof.render.html import flow_html

        return flow_html(self)
