"""Styles of drawings as one style sheet: matplotlib writes them out at every part."""

from __future__ import annotations

import re

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
# A heat map has a colour per part, and keeps it at night.
_MESH_OR_STYLED = re.compile(
    r'<g id="[^"]*QuadMesh[^"]*">.*?</g>|<[^>]* style="([^"]*)"[^>]*>', re.DOTALL
)


def styled_by_class(page: str) -> tuple[str, dict[str, str]]:
    """The page with classes for styles in its drawings, and the style of every class."""
    classes: dict[str, str] = {}

    def part(found: re.Match[str]) -> str:
        tag, style = found[0], found[1]
        if style is None or ' class="' in tag:
            return tag
        name = classes.setdefault(style, f"f{len(classes)}")
        return tag.replace(f' style="{style}"', f' class="{name}"', 1)

    page = _DRAWING.sub(lambda drawing: _MESH_OR_STYLED.sub(part, drawing[0]), page)
    return page, {name: style for style, name in classes.items()}


def as_css(classes: dict[str, str]) -> str:
    return "\n".join(f".{name} {{ {style} }}" for name, style in classes.items())
