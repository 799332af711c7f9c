"""What methods are called in text and legends, and the keys of their looks, in one place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bench.methods import titles
from bench.methods.titles import net_title
from bench.store.results import StoredResult
from reports.document import Block, Document, Missing, Paragraph, Picture, Section, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECONDS = (
    "Seconds are wall-clock time while the method alone is at work (runs below 5 s: after a first "
    "call that loads code); drawing samples and measuring errors are not included."
)


def net_family(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O."""
    name = net_title(config["net"])
    if config["tau"] != "fixed":
        name += " + τ" if config["tau"] == "learned" else f" + τ ({config['tau']})"
    return name + (" + B.O." if config.get("bias_ordering") else "")


def net_name(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O. 2-50"""
    return f"{net_family(config)} {config['hidden']}-{config['width']}"


def net_method(config: Mapping[str, Any]) -> str:
    """The key of the net's look: architecture, and whether its τ is fixed."""
    return f"net/{config['net']}" + ("/fixed" if config["tau"] == "fixed" else "")


def element_title(record: StoredResult) -> str:
    """N₀ tetrahedra: what the element calls itself, carried by its results; else its name."""
    return str(record.values.get("element_title", record.config["element"]))


def element_short(record: StoredResult) -> str:
    """The short name next to a curve: N₀ tets."""
    return str(record.values.get("element_short", record.config["element"]))


def element_look(name: str) -> str:
    """The key of an element's look on uniform meshes."""
    return f"finite element/{name}"


def in_place(family: str, names: Iterable[str]) -> list[str]:
    """Names of a family in the order that plugins declare, unknown ones last."""
    known, found = titles.members(family), set(names)
    return [*(name for name in known if name in found), *sorted(found - set(known))]


# ------------------------------------------------------------ files from outside
# A reader knows `mine`, not mine@1a2b3c4d. Results carry the hash, because another version of a
# file is another thing; a report is about one version and says which once, in its facts. Where it
# has two of one name, both keep their hash.

NAMED = re.compile(r"\b([A-Za-z_]\w*)@([0-9a-f]{8})\b")
Shown = Callable[[str], str]


def versions(values: Iterable[object]) -> dict[str, str]:
    """By name, the hash of every file that configs name."""
    found = {match for value in values for match in NAMED.findall(str(value))}
    return {f"{name}@{digest}": name for name, digest in sorted(found)}


def shortened(document: Document, named: dict[str, str]) -> Document:
    """The document with `mine` for mine@1a2b3c4d wherever that is one thing only."""
    alone = {full: name for full, name in named.items() if [*named.values()].count(name) == 1}
    if not alone:
        return document

    def shown(text: str) -> str:
        return NAMED.sub(lambda match: alone.get(match[0], match[0]), text)

    return replace(
        document,
        sections=[_section(section, shown) for section in document.sections],
        explored=document.explored and document.explored.renamed(shown),
    )


def _section(section: Section, shown: Shown) -> Section:
    return Section(
        shown(section.title),
        [_block(block, shown) for block in section.blocks],
        [_section(part, shown) for part in section.subsections],
    )


def _block(block: Block, shown: Shown) -> Block:
    match block:
        case Paragraph(text):
            return Paragraph(shown(text))
        case Missing(what, command):
            return Missing(shown(what), command)
        case Table():
            columns = [replace(column, title=shown(column.title)) for column in block.columns]
            rows = [[_value(value, shown) for value in row] for row in block.rows]
            return replace(block, caption=shown(block.caption), columns=columns, rows=rows)
        case Picture():
            draw = _drawn(block.draw, shown)
            return replace(block, caption=shown(block.caption), alt=shown(block.alt), draw=draw)
    return block


def _value(value: Value, shown: Shown) -> Value:
    return shown(value) if isinstance(value, str) else value


def _drawn(draw: Callable[[], Figure], shown: Shown) -> Callable[[], Figure]:
    """The figure with its texts rewritten."""

    def redrawn() -> Figure:
        figure = draw()
        for part in figure.findobj(lambda artist: hasattr(artist, "set_text")):
            if "@" in part.get_text():  # type: ignore[attr-defined]
                part.set_text(shown(part.get_text()))  # type: ignore[attr-defined]
        return figure

    return redrawn
