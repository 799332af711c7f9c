"""The pages of `make docs`: Sphinx with MyST and furo; the reference is written from the code."""

import importlib.metadata
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import gallery  # noqa: E402
import reference_pages  # noqa: E402

project = "femnets"
author = "the femnets developers"
release = version = importlib.metadata.version("femnets")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"femnets {release}"
html_show_sourcelink = False
exclude_patterns = ["paper/*", "pictures/*"]
myst_heading_anchors = 3
highlight_language = "none"
autodoc_typehints = "signature"
aliases = ("Array", "ArrayLike", "Axes", "Edge", "Field", "Loss", "Scalar", "Trace")
autodoc_type_aliases = {name: name for name in aliases}  # not written out
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
# Types are written as the code has them; pages of torch and NumPy are not linked.
nitpicky = False

reference_pages.write(HERE / "reference", HERE / "first_hour.ipynb")
gallery.write(HERE / "reference", HERE.parent / "examples")


def setup(app: Sphinx) -> None:
    """Read docstrings as the plain text that they are."""
    app.connect(
        "autodoc-process-docstring",
        lambda app, what, name, obj, options, lines: reference_pages.make_rst(lines),
    )
