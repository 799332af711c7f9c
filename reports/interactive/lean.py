"""An SVG of matplotlib's without what nobody reads: half of its weight.

Only tags are touched, never the text between them, which may say anything.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_REFERENCE = re.compile(r'(?:url\(#|href="#)([^)"]+)')
_ID = re.compile(r' id="([^"]*)"')
_STYLE = re.compile(r' style="([^"]*)"')
_MARKER = re.compile(r'<path id="([^"]*)"[^>]* style="([^"]*)"/>')
_PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|transform|points)="[^"]*"')
_FRACTION = re.compile(r"\d+\.\d{2,}")
_UPRIGHT = re.compile(r' transform="rotate\(-0 [^"]*"')
_FONT = "; font-family: 'DejaVu Sans'"  # the page's style sheet says so once
# What the page looks for: panels and their scales, heat maps, series and legends.
KEPT = re.compile(r"axes_|matplotlib\.axis_|QuadMesh|series:|legend:")


def lean(svg: str) -> str:
    """The same drawing."""
    svg = _COMMENT.sub("", svg)
    referred = {*_REFERENCE.findall(svg)}
    markers = dict(_MARKER.findall(svg))
    svg = _TAG.sub(lambda tag: _shortened(tag[0], referred, markers), svg)
    return re.sub(r">\s+<", "><", svg)


def _shortened(tag: str, referred: set[str], markers: dict[str, str]) -> str:
    tag = _PLACES.sub(_tenths, _UPRIGHT.sub("", tag)).replace(_FONT, "")
    tag = _ID.sub(lambda found: found[0] if _is_used(found[1], referred) else "", tag)
    if tag.startswith("<use"):
        (target,) = _REFERENCE.findall(tag)[:1] or ("",)
        # a marker's own path has the style already
        tag = _STYLE.sub(lambda s: "" if s[1] == markers.get(target) else s[0], tag)
    return tag


def _is_used(name: str, referred: set[str]) -> bool:
    return name in referred or KEPT.match(name) is not None


def _tenths(attribute: re.Match[str]) -> str:
    """Of a point, a thirtieth of a millimetre, instead of its sixth digit."""
    short = _FRACTION.sub(lambda found: f"{float(found[0]):.1f}", attribute[0])
    return re.sub(r"\s+", " ", short)
