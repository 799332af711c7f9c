"""The pages of `make docs`: Sphinx with MyST and furo; the reference is written from the code."""

import importlib.metadata
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402

project = "femnets"
author = "the femnets developers"
release = version = importlib.metadata.version("femnets")
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"femnets {release}"
html_show_sourcelink = False
exclude_patterns = ["paper/*", "pictures/*"]
myst_heading_anchors = 3
highlight_language = "none"

reference_pages.write(HERE / "reference", HERE / "first_hour.ipynb")
