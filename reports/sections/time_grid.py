"""Is the learned τ an adaptive time grid?"""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.curves import Curve, Figure, Panel, draw_panels
from reports.names import net_title
from reports.tables import Measure, study_table

TITLE = "Is the learned τ an adaptive time grid?"
ORDER = 72
STUDY = "time_grid"
TEXT = (
    "An adaptive integrator takes small steps where the solution bends. Here the local error of a "
    "layer is the difference between one step of the net's ODE and sixteen shorter ones, with the "
    "layer's weights frozen and the same length for every layer. If the learned τ acted as an "
    "adaptive grid, it would be small where this error is large: a correlation near −1. And a "
    "grid that fits the ODE should serve a deeper net: τ is interpolated to more layers and "
    "frozen, and compared with even steps over the same time and with the grid in reverse."
)
CAPTION = (
    "Learned steps against local errors, both divided by their mean over the layers of a net, a "
    "point per layer and judging seed. An adaptive grid would fall from left to right."
)
TABLE = (
    "Rank correlation of |τ| with the local error, and training errors (J, on the training "
    "points) of deeper nets with a fixed τ: medians over seeds."
)


def contents(run: Run) -> list[Block]:
    found = run.results_of(STUDY).select("time_grid")
    measures: list[Measure] = [
        ("seeds", "count", lambda group: sum(len(r.values["runs"]) for r in group)),
        ("correlation", "number", "correlation"),
        ("even steps", "error", "uniform"),
        ("learned grid", "error", "transferred"),
        ("in reverse", "error", "reversed"),
    ]
    by = {"net": "net", "layers": "hidden", "layers of the deeper net": "deeper"}
    return [
        Paragraph(TEXT),
        Picture("time-grid", CAPTION, partial(steps_and_errors, found), run.source(STUDY, found)),
        study_table(run, STUDY, found, "time-grids", TABLE, by, measures),
    ]


def steps_and_errors(found: Results) -> Figure:
    """A panel per net, a point per layer and seed."""
    panels = [_panel(record) for record in found]
    return draw_panels(panels, "|τ| / mean", columns=len(panels), share="")


def _panel(record: StoredResult) -> Panel:
    net, errors, steps = str(record.config["net"]), [], []
    for one in record.values["runs"]:
        local, tau = np.asarray(one["local_errors"]), np.abs(one["tau"][1:])
        if local.mean() > 0 and tau.mean() > 0:
            errors += (local / local.mean()).tolist()
            steps += (tau / tau.mean()).tolist()
    title = f"{net_title(net)}, {record.config['hidden']} layers"
    style = {"linestyle": "none", "markersize": 3}
    points = Curve(f"_{title}", f"net/{net}", errors, steps, [[record.key]], style)
    return Panel(title, "local error / mean", [points])
