"""Sphinx configuration; ``make docs`` builds with warnings as errors."""

from attnproof import __version__

project = "attnproof"
author = "the attnproof developers"
project_copyright = "the attnproof developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
nitpicky = False

html_theme = "furo"
html_title = f"attnproof {version}"
html_copy_source = False
html_show_sphinx = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException,Enum,object",
    "member-order": "bysource",
    "show-inheritance": True,
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
