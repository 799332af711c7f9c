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
    mesh = {"element": "element", "n": "n", "threads": "threads"}
    net = {"net": "net", "hidden layers": "hidden", "width": "width", "threads": "threads"}
    return [
        Paragraph(TEXT),
        study_table(run, STUDY, fem, "fem-cost", FEM, mesh, OF_FEM),
        study_table(run, STUDY, nets, "net-cost", NET, net, OF_NETS),
    ]
