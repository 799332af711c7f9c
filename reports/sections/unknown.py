"""Problems whose solution is not known: sizes and estimates of the element solutions."""

from __future__ import annotations

from functools import partial

from bench.core.plugins import display
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.names import element_short
from reports.sections.convergence import error_against_h
from reports.tables import Entry, table_of

TITLE, ORDER = "The solution without a closed form", 51
TEXT = (
    "No closed form of u is known here, so errors are not exact. Every element solution u_h has a "
    "residual estimate of its error in H(curl), which is reliable up to a constant that does not "
    "depend on the mesh. It is shown as a share of ‖u_h‖, and should fall with the mesh size h. "
    "On the cube and the prism, whose constants are known, the L² error is bounded too, from f, φ "
    "and the boundary values alone; the bound is certified if the problem declares bounds of φ."
)
CAPTION = "Estimated H(curl) error of u_h as a share of its H(curl) norm against the mesh size h."
TABLE = "Element solutions: norm of u_h, estimated H(curl) error, bound of the relative L² error."
ENTRIES: list[Entry] = [
    ("problem", "text", lambda r: display(r.config["problem"])),
    ("element", "text", element_short),
    ("n", "count", lambda r: r.config["n"]),
    ("unknowns", "count", lambda r: r.values["dofs"]),
    ("‖u_h‖", "error", lambda r: r.values.get("l2_norm")),
    ("estimate", "error", lambda r: r.values.get("estimated_error")),
    ("relative estimate", "error", lambda r: r.values["relative_estimate"]),
    ("relative L² bound", "error", lambda r: r.values.get("relative_l2_bound")),
    ("certified", "text", lambda r: bool(r.values.get("certified"))),
    ("time", "seconds", lambda r: r.values["seconds"]),
]
NONE = Results([])


def contents(run: Run) -> list[Block]:
    every = run.results.select("fem", solve=True)
    found = Results([r for r in every if r.values.get("relative_estimate")])
    source = run.made_by(found)
    fields = {display(p): (found.select("fem", problem=p), NONE) for p in found.distinct("problem")}
    draw = partial(error_against_h, fields, "relative_estimate", "estimate / ‖u_h‖", columns=1)
    return [
        Paragraph(TEXT),
        Picture("estimates-by-h", CAPTION, draw, source),
        table_of("estimates", TABLE, found, ENTRIES, source),
    ]
