"""An SVG of matplotlib's without what nobody reads: a third of its weight.

Only tags are touched, never the text between them, which may say anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_REFERENCE = re.compile(r'(?:url\(#|href="#)([^)"]+)')
_ID = re.compile(r' id="([^"]*)"')
_STYLE = re.compile(r' style="([^"]*)"')
_MARKER = re.compile(r'<path id="([^"]*)"[^>]* style="([^"]*)"/>')
_PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|width|height|transform|points)="[^"]*"')
_DRAWN = re.compile(r' d="([^"]*)"')
_PART = re.compile(r"[A-Za-z]|-?[\d.]+(?:e[-+]?\d+)?")
_FRACTION = re.compile(r"\d+\.\d{2,}")
_STROKE = re.compile(r'<path id="([^"]*)" d="M0 0l([^"zM]*)" style="([^"]*)"/>')
_TICKS = re.compile(
    r'<use xlink:href="#([^"]+)" x="[^"]*" y="[^"]*"/>'
    r'(?:<use xlink:href="#\1" x="[^"]*" y="[^"]*"/>)*'
)
_TICK = re.compile(r' x="([^"]*)" y="([^"]*)"')
_MESH = re.compile(r'(<g id="QuadMesh[^"]*")>(.*?)</g>', re.DOTALL)
_CLIP = re.compile(r' clip-path="[^"]*"')
_FILL = re.compile(r' style="fill: (#[0-9a-f]{6})"')
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
    strokes = {name: rest for name, *rest in _STROKE.findall(svg)}
    svg = re.sub(r">\s+<", "><", without_bare_groups(svg))
    svg = _TICKS.sub(lambda ticks: _one_path(ticks, strokes), svg)
    return _MESH.sub(_light_mesh, svg)


def _shortened(tag: str, referred: set[str], markers: dict[str, str]) -> str:
    tag = _DRAWN.sub(lambda drawn: f' d="{steps(drawn[1])}"', tag)
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


def without_bare_groups(svg: str) -> str:
    """Groups that say nothing of their parts are gone, the parts stay."""
    kept: list[bool] = []

    def ungrouped(tag: re.Match[str]) -> str:
        text = tag[0]
        if text == "</g>":
            return text if kept.pop() else ""
        if text == "<g/>":
            return ""
        if text == "<g>" or (text.startswith("<g ") and not text.endswith("/>")):
            kept.append(text != "<g>")
            return text if kept[-1] else ""
        return text

    return _TAG.sub(ungrouped, svg)


def steps(path: str) -> str:
    """A path of straight lines, from point to point instead of by places: rounded once, to tenths,
    so that nothing adds up. Curves stay as they are."""
    parts = _PART.findall(path)
    if not {part for part in parts if part.isalpha()} <= {"M", "L", "z"}:
        return path
    made: list[str] = []
    here = (0, 0)
    moved = False  # a dot is a step of no length, and stays
    k = 0
    while k < len(parts):
        letter = parts[k]
        if letter == "z":
            made.append("z")
            k += 1
            continue
        there = (round(10 * float(parts[k + 1])), round(10 * float(parts[k + 2])))
        k += 3
        if letter == "M":
            made.append("M" + joined(there))
            moved = False
        elif there != here or not moved:
            step = joined((there[0] - here[0], there[1] - here[1]))
            made.append(step if moved and step.startswith("-") else (" " if moved else "l") + step)
            moved = True
        here = there
    return "".join(made)


def _one_path(ticks: re.Match[str], strokes: Mapping[str, Sequence[str]]) -> str:
    """Marks of an axis, each a stroke shown again, as one path of many strokes."""
    if ticks[1] not in strokes:
        return ticks[0]
    stroke, style = strokes[ticks[1]]
    found = _TICK.findall(ticks[0])
    places = (joined((round(10 * float(x)), round(10 * float(y)))) for x, y in found)
    return f'<path d="{"".join(f"M{place}l{stroke}" for place in places)}" style="{style}"/>'


def _light_mesh(mesh: re.Match[str]) -> str:
    """A heat map whose group says once where it is cut, and whose parts say their colour only."""
    parts = _FILL.sub(r' fill="\1"', mesh[2])
    clips = {*_CLIP.findall(parts)}
    if len(clips) != 1 or parts.count(" clip-path=") != parts.count("<path"):
        return f"{mesh[1]}>{parts}</g>"
    return f"{mesh[1]}{clips.pop()}>{_CLIP.sub('', parts)}</g>"


def joined(tenths: Iterable[int]) -> str:
    """`1.5-.3`: a sign needs no space before it, a fraction no nought."""
    text = ""
    for value in tenths:
        whole, rest = divmod(abs(value), 10)
        short = f"{whole or ''}.{rest}" if rest else str(whole)
        short = f"-{short}" if value < 0 else short
        text += short if not text or short.startswith("-") else f" {short}"
    return text
