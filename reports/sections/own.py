"""The user's own problems, nets, optimisers and data: what they are, on the first page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table
from reports.figures.fields import Slice, field_slices

TITLE, ORDER = "What this report is about", 5
TEXT = (
    "This run is about the following, brought from outside femnets. A problem is to find u with "
    "curl(φ curl u) = f and div u = ρ in its domain, u × n = g on the boundary."
)
BROUGHT = "What was brought."
KINDS = {"problem": "problem", "net": "net", "optimizer": "optimiser", "data": "data"}
FORMULAS = "The formulas of the problem, and what they use."
CAPTION = (
    "The field on the middle slice of its domain, u where it is known, else f: its size (dark: "
    "large) and the direction of its first two components."
)


def contents(run: Run) -> list[Block]:
    found = outside(run)
    rows = [
        (kind, entry["title"], entry.get("file", ""), entry.get("domain", ""))
        for part, kind in KINDS.items()
        for entry in found[part].values()
    ]
    if not rows:
        return []
    columns = [Column("kind"), Column("title"), Column("file"), Column("domain")]
    about = [Paragraph(e["text"]) for e in found["problem"].values() if e.get("text")]
    blocks: list[Block] = [Paragraph(TEXT), *about, Table("own", BROUGHT, columns, rows)]
    problems = [entry for entry in found["problem"].values() if entry.get("formulas")]
    formulas = [
        (entry["title"], name, text)
        for entry in problems
        for name, text in entry["formulas"].items()
    ]
    if formulas:
        heads = [Column("problem"), Column("name"), Column("as in the file")]
        blocks.append(Table("own-formulas", FORMULAS, heads, formulas))
    slices = [_slice(entry) for entry in found["problem"].values() if entry.get("slice")]
    if slices:
        draw = partial(field_slices, slices)
        blocks.append(Picture("own-fields", CAPTION, draw, floats=False))
    return blocks


def outside(run: Run) -> dict[str, dict[str, Any]]:
    """Titles and descriptions from the plans of the run, by kind and name."""
    found: dict[str, dict[str, Any]] = {part: {} for part in KINDS}
    for plan in run.plans.values():
        stored = plan.get("outside") or {}
        for part in KINDS:
            found[part] |= stored.get(part) or {}
    return found


def titles(run: Run) -> list[str]:
    """The titles of the problems and data of the run, if all of them are the user's own."""
    found = outside(run)
    own = {**found["problem"], **found["data"]}
    configs = [standing.cell.config for standing in run.standings]
    named = {str(c[part]) for c in configs for part in ("problem", "data") if part in c}
    return [entry["title"] for entry in own.values()] if named and named <= set(own) else []


def _slice(entry: Mapping[str, Any]) -> Slice:
    line = np.array(entry["slice"]["line"], dtype=float)
    values = np.array(entry["slice"]["values"], dtype=float)
    return Slice(entry["title"][:40], line, values.reshape(3, line.size, line.size))
