"""What drawings of one page say together: styles in one sheet, and short names for their parts.

Matplotlib writes styles out at every part, and names parts by hashes.
"""

from __future__ import annotations

import re

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
# A heat map has a colour per part, and keeps it at night.
_MESH_OR_STYLED = re.compile(
    r'<g id="[^"]*QuadMesh[^"]*"[^>]*>.*?</g>|<[^>]* style="([^"]*)"[^>]*>', re.DOTALL
)

# Of parts that only their own drawing refers to; see `reports.svg`.
_HASHED = re.compile(r'(?:(?<= id=")|(?<=\(#)|(?<=href="#))part-[0-9a-f]+-\d+(?=["\)])')


def short_ids(page: str) -> str:
    """With numbers for the names of parts; no heading or figure has a name like `_12`."""
    names: dict[str, str] = {}
    return _HASHED.sub(lambda found: names.setdefault(found[0], f"_{len(names)}"), page)


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
