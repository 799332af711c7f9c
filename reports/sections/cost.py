"""Cost: warm medians of timing cells that ran alone."""

from __future__ import annotations

from reports.context import Run
from reports.document import Block, Paragraph
from reports.tables import Measure, study_table

TITLE, ORDER = "Cost", 80
STUDY = "cost"
TEXT = (
    "Seconds while the method alone is at work: medians of repeats after a first call; every cell "
    "ran alone. Compare ratios within a table, not seconds across machines. `pytest --benchmark` "
    "measures more."
)
FEM = "One best approximation, n cells per edge."
NET = "One evaluation of the loss and its gradient, and of the field at one point."
OF_FEM: list[Measure] = [
    ("unknowns", "count", "dofs"),
    ("L² error, whole domain", "error", "l2_error"),
    ("seconds", "seconds", "seconds"),
]
OF_NETS: list[Measure] = [
    ("parameters", "count", "parameters"),
    ("loss and gradient", "seconds", "seconds"),
    ("prediction per point", "seconds", "seconds_per_point"),
]


def contents(run: Run) -> list[Block]:
    fem, nets = run.results.select("fem_timing"), run.results.select("net_timing")
    blocks: list[Block] = []
    if len(fem):
        by = {"element": "element", "n": "n", "threads": "threads"}
        blocks.append(study_table(run, STUDY, fem, "fem-cost", FEM, by, OF_FEM))
    if len(nets):
        by = {"net": "net", "hidden layers": "hidden", "width": "width", "threads": "threads"}
        blocks.append(study_table(run, STUDY, nets, "net-cost", NET, by, OF_NETS))
    return [Paragraph(TEXT), *blocks] if blocks else []
