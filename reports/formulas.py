"""A formula as SVG for the page, set by the compiler that also sets the PDF."""

from __future__ import annotations

from functools import cache

import typst

from bench.guards.output import temporary_folder


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
    return text[text.index("<svg") :]
