"""Colours by the role a thing plays, for light and dark surroundings.

A role is a word such as ``read`` or ``leak``; outputs look colours up, shapes never name them.
"""

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d2330",
    "quiet": "#667085",
    "hair": "#dfe3ea",
    "empty": "#f6f8fb",
    "read": "#34528c",
    "partly": "#8ea4cf",
    "added": "#c6d3ec",
    "level0": "#eeb75f",
    "level1": "#f4cf8d",
    "level2": "#f8dfb2",
    "level3": "#fae7c6",
    "level4": "#fcf0dc",
    "leak": "#d0312d",
    "node": "#f3f6fb",
    "edge": "#8b95a8",
    "rim": "#34528c",
    "good": "#1f7a4d",
    "unsure": "#946200",
}

DARK = {
    "paper": "#11151d",
    "ink": "#e8ebf1",
    "quiet": "#98a2b5",
    "hair": "#2b3240",
    "empty": "#171c26",
    "read": "#86a8f2",
    "partly": "#50689f",
    "added": "#34446a",
    "level0": "#b98636",
    "level1": "#8f6a31",
    "level2": "#6b522c",
    "level3": "#4c3e29",
    "level4": "#3a3226",
    "leak": "#ff6a5c",
    "node": "#1b2230",
    "edge": "#69758c",
    "rim": "#86a8f2",
    "good": "#5fc992",
    "unsure": "#e0b050",
}
