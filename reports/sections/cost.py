"""What an answer costs: warm medians of timing cells that ran alone."""

from __future__ import annotations

from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table, Value
from reports.names import SECONDS, element_title, net_title

TITLE = "Cost"
ORDER = 80
STUDIES = ("cost",)
GAP = "nothing was timed in this run."


def contents(run: Run) -> list[Block]:
    fem, nets = run.results.select("fem_timing"), run.results.select("net_timing")
    if not len(fem) and not len(nets):
        return []
    blocks: list[Block] = [
        Paragraph(
            f"{SECONDS} Medians of repeats; every cell ran alone and says its threads. Compare "
            "ratios within this table, not seconds across machines. More in `pytest --benchmark`."
        )
    ]
    if len(fem):
        source = run.made_by(fem)
        rows = [_element(record) for record in _ordered(fem, "element", "n")]
        blocks.append(Table("fem-cost", "A best approximation.", ELEMENT_COLUMNS, rows, source))
    if len(nets):
        source = run.made_by(nets)
        rows = [_net(record) for record in _ordered(nets, "net", "hidden")]
        caption = "One evaluation of the loss and its gradient, and of the field at one point."
        blocks.append(Table("net-cost", caption, NET_COLUMNS, rows, source))
    return blocks


ELEMENT_COLUMNS = [
    Column("element"),
    Column("n", "count"),
    Column("threads", "count"),
    Column("unknowns", "count"),
    Column("L² error", "error"),
    Column("seconds", "seconds"),
    Column("unknowns per second", "number"),
]
NET_COLUMNS = [
    Column("net"),
    Column("threads", "count"),
    Column("parameters", "count"),
    Column("loss and gradient", "seconds"),
    Column("prediction per point", "seconds"),
]


def _ordered(cells: Results, *by: str) -> list[StoredResult]:
    return sorted(cells, key=lambda record: tuple(record.config[name] for name in by))


def _element(record: StoredResult) -> tuple[Value, ...]:
    config, values = record.config, record.values
    return (
        element_title(record),
        config["n"],
        config["threads"],
        values.get("dofs"),
        values.get("l2_error"),
        values["seconds"],
        values["dofs"] / values["seconds"],
    )


def _net(record: StoredResult) -> tuple[Value, ...]:
    config, values = record.config, record.values
    return (
        f"{net_title(config['net'])} {config['hidden']}-{config['width']}",
        config["threads"],
        *(values[name] for name in ("parameters", "seconds", "seconds_per_point")),
    )
