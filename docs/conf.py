"""Sphinx configuration; ``make docs`` builds with warnings as errors."""

import sys
from pathlib import Path

from attnproof import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "attnproof"
author = "the attnproof developers"
project_copyright = "the attnproof developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "gallery", "named_masks"]
exclude_patterns = ["_build"]
nitpicky = False

html_theme = "furo"
html_title = f"attnproof {version}"
html_copy_source = False
html_show_sphinx = False

myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseException,Enum,object",
    "member-order": "bysource",
    "show-inheritance": True,
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
