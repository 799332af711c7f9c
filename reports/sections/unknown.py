"""Problems whose solution is not known: sizes and estimates of the element solutions."""

from __future__ import annotations

from functools import partial

from bench.core.plugins import display
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table
from reports.names import element_short
from reports.sections.convergence import error_against_h

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
COLUMNS = [
    Column("problem"),
    Column("element"),
    Column("n", "count"),
    Column("unknowns", "count"),
    Column("‖u_h‖", "error"),
    Column("estimate", "error"),
    Column("relative estimate", "error"),
    Column("relative L² bound", "error"),
    Column("certified"),
    Column("time", "seconds"),
]
NONE = Results([])
VALUES = ("dofs", "l2_norm", "estimated_error", "relative_estimate", "relative_l2_bound")


def contents(run: Run) -> list[Block]:
    every = run.results.select("fem", solve=True)
    found = Results([r for r in every if r.values.get("relative_estimate")])
    if not len(found):
        return []
    rows = [
        (
            display(r.config["problem"]),
            element_short(r),
            r.config["n"],
            *(r.values.get(name) for name in VALUES),
            "yes" if r.values.get("certified") else "no",
            r.values["seconds"],
        )
        for r in found
    ]
    source = run.made_by(found)
    fields = {display(p): (found.select("fem", problem=p), NONE) for p in found.distinct("problem")}
    draw = partial(error_against_h, fields, "relative_estimate", "estimate / ‖u_h‖", columns=1)
    return [
        Paragraph(TEXT),
        Picture("estimates-by-h", CAPTION, draw, source),
        Table("estimates", TABLE, COLUMNS, rows, source),
    ]
