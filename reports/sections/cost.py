"""What an answer costs: warm medians of timing cells that ran alone."""

from __future__ import annotations

from bench.titles import net_title
from reports.context import Run
from reports.document import Block, Column, Missing, Paragraph, Section, Table, Value
from reports.names import ELEMENTS

ORDER = 80
STUDY = "cost"


def section(run: Run) -> Section | None:
    fem, nets = run.results.select("fem_timing"), run.results.select("net_timing")
    if not len(fem) and not len(nets):
        if STUDY not in run.plans:
            return None
        return Section("Cost", [Missing("nothing was timed in this run.", run.command(STUDY))])
    blocks: list[Block] = [
        Paragraph(
            "Medians of warm repeats; every cell ran alone and says its threads. Compare ratios "
            "within this table, not seconds across machines. More in `pytest --benchmark`."
        )
    ]
    if len(fem):
        rows: list[tuple[Value, ...]] = [
            (
                ELEMENTS.get(r.config["element"], r.config["element"]),
                r.config["n"],
                r.config["threads"],
                r.values.get("dofs"),
                r.values.get("l2_error"),
                r.values["seconds"],
                r.values["dofs"] / r.values["seconds"],
            )
            for r in sorted(fem, key=lambda r: (r.config["element"], r.config["n"]))
        ]
        columns = [
            Column("element"),
            Column("n", "count"),
            Column("threads", "count"),
            Column("unknowns", "count"),
            Column("L² error", "error"),
            Column("seconds", "seconds"),
            Column("unknowns per second", "number"),
        ]
        blocks.append(
            Table("fem-cost", "A best approximation.", columns, rows, run.source(STUDY, fem))
        )
    if len(nets):
        rows = [
            (
                f"{net_title(r.config['net'])} {r.config['hidden']}-{r.config['width']}",
                r.config["threads"],
                r.values["parameters"],
                r.values["seconds"],
                r.values["seconds_per_point"],
            )
            for r in sorted(nets, key=lambda r: (r.config["net"], r.config["hidden"]))
        ]
        columns = [
            Column("net"),
            Column("threads", "count"),
            Column("parameters", "count"),
            Column("loss and gradient", "seconds"),
            Column("prediction per point", "seconds"),
        ]
        caption = "One evaluation of the loss and its gradient, and of the field at one point."
        blocks.append(Table("net-cost", caption, columns, rows, run.source(STUDY, nets)))
    return Section("Cost", blocks)
