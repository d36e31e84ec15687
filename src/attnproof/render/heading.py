"""What every Hasse diagram says above its nodes, and which of them the leak path meets."""

from attnproof.render.diagram import Diagram
from attnproof.render.labels import caption, tokens_of
from attnproof.render.picture import Picture


def heading(picture: Picture, drawn: Diagram) -> str:
    """What stands above a diagram: its title, the convention, the finding, what is left out."""
    words = [picture.title, "flow goes upward; in the mask, row = query"]
    words += [caption(picture.finding)] if picture.finding else []
    words += [drawn.note] if drawn.note else []
    return "\n".join(words)


def hot_nodes(picture: Picture, drawn: Diagram) -> set[int]:
    """The nodes that hold a class which the path of the finding meets."""
    finding = picture.finding
    tokens = set(tokens_of(finding.path)) if finding and finding.path else set()
    hot = {c for c, own in enumerate(picture.classes) if not tokens.isdisjoint(own)}
    return {i for i, holds in enumerate(drawn.holds) if not hot.isdisjoint(holds)}
