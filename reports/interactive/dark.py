"""Figures at night: the colours that are too dark on a dark page, made lighter by style rules.

Heat maps keep theirs, which a colour bar explains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

PAPER = (0x16, 0x18, 0x1B)  # of `page.css` at night
READABLE = 4.5  # contrast of text, as WCAG asks
FAINT = ("#dddddd", "#eeeeee", "#cccccc")  # of grids, which are meant to be hard to see
_COLOR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")


def dark_rules(classes: Mapping[str, str]) -> str:
    """One rule per colour and use, for the classes whose styles have it."""
    users: dict[tuple[str, str], list[str]] = {}
    for name, style in classes.items():
        for use, color in _COLOR.findall(style):
            users.setdefault((use, color), []).append(f".{name}")
    return "\n".join(
        f"{', '.join(names)} {{ {use}: {light} !important; }}"
        for (use, color), names in sorted(users.items())
        if (light := lighter(color)) != color
    )


def lighter(color: str) -> str:
    """White becomes the paper; what would be hard to see on it goes towards white until it is
    not."""
    if color == "#ffffff":
        return "var(--paper)"
    if color in FAINT:
        return "var(--line)"
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    if red == green == blue:  # greys of axes and grids change places
        red = green = blue = 255 - red + round(red * 0.25)
    for step in range(21):
        mixed = tuple(round(c + (255 - c) * step / 20) for c in (red, green, blue))
        if contrast(mixed, PAPER) >= READABLE:
            return "#" + "".join(f"{c:02x}" for c in mixed)
    return "#ffffff"


def contrast(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """(L + 0.05) / (l + 0.05) of the lighter and the darker relative luminance."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: tuple[int, ...]) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
