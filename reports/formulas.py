"""A formula as SVG for the page, set by the compiler that also sets the PDF."""

from __future__ import annotations

import re
from functools import cache
from zlib import crc32

import typst

from bench.core.guards.output import temporary_folder

_FRACTION = re.compile(r"\d+\.\d{3,}")
_LETTER = re.compile(r'<symbol id="(g[0-9A-F]+)"')


@cache
def formula_svg(formula: str) -> str:
    """A displayed formula in typst's notation as one <svg> element."""
    source = (
        "#set page(width: auto, height: auto, margin: 2pt, fill: none)\n"
        f'#set text(font: "Libertinus Serif", size: 12pt)\n$ {formula} $'
    )
    with temporary_folder() as folder:
        path = folder / "formula.typ"
        path.write_text(source, encoding="utf-8")
        svg = typst.compile(str(path), format="svg")
    text = svg.decode() if isinstance(svg, bytes) else str(svg)
    return _lean(text[text.index("<svg") :])


def _lean(svg: str) -> str:
    """Two digits of a point, black said once, and letters under short names of their outlines."""
    svg = _FRACTION.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = svg.replace(' x="0" y="0" fill="#000000" fill-rule="nonzero"', "")
    for name in set(_LETTER.findall(svg)):
        svg = svg.replace(name, f"letter-{crc32(name.encode()):x}")
    return svg
