"""Cost: warm medians of timing cells that ran alone."""

from __future__ import annotations

from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph, Value
from reports.names import element_title, net_title
from reports.tables import Measure, medians_by

TITLE = "Cost"
ORDER = 80
STUDIES = ("cost",)
GAP = "nothing was timed in this run."


def contents(run: Run) -> list[Block]:
    fem, nets = run.results.select("fem_timing"), run.results.select("net_timing")
    if not len(fem) and not len(nets):
        return []
    text = (
        "Seconds while the method alone is at work: medians of repeats after a first call; every "
        "cell ran alone. Compare ratios within a table, not seconds across machines. `pytest "
        "--benchmark` measures more."
    )
    blocks: list[Block] = [Paragraph(text)]
    if len(fem):
        elements = {
            (element_title(r), r.config["n"]): Results([r]) for r in _by(fem, "element", "n")
        }
        caption, heads = "One best approximation, n cells per edge.", ("element", "n")
        blocks.append(medians_by("fem-cost", caption, heads, elements, ELEMENT, run.made_by(fem)))
    if len(nets):
        sizes = {(_size(r),): Results([r]) for r in _by(nets, "net", "hidden")}
        caption = "One evaluation of the loss and its gradient, and of the field at one point."
        blocks.append(medians_by("net-cost", caption, ("net",), sizes, NET, run.made_by(nets)))
    return blocks


def _threads(group: Results) -> Value:
    return int(group.records[0].config["threads"])


def _per_second(group: Results) -> Value:
    values = group.records[0].values
    return float(values["dofs"] / values["seconds"])


ELEMENT: list[Measure] = [
    ("threads", "count", _threads),
    ("unknowns", "count", "dofs"),
    ("L² error", "error", "l2_error"),
    ("seconds", "seconds", "seconds"),
    ("unknowns per second", "number", _per_second),
]
NET: list[Measure] = [
    ("threads", "count", _threads),
    ("parameters", "count", "parameters"),
    ("loss and gradient", "seconds", "seconds"),
    ("prediction per point", "seconds", "seconds_per_point"),
]


def _by(cells: Results, *names: str) -> list[StoredResult]:
    return sorted(cells, key=lambda record: tuple(record.config[name] for name in names))


def _size(record: StoredResult) -> str:
    config = record.config
    return f"{net_title(config['net'])} {config['hidden']}-{config['width']}"
