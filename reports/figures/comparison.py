"""Work and precision: who reaches which error, for how many seconds and unknowns."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from reports.contenders import Contender
from reports.names import NETS, SHORT_ELEMENTS
from reports.style import WIDTH_INCHES, look
from reports.svg import legend_below, name_series, plot_series

Array = NDArray[np.float64]


def work_precision(field: Sequence[Contender]) -> Figure:
    """L² error on the cube against seconds and against unknowns; lower and further left is better.

    Lines join the meshes of one element; each net and baseline is one point, the median over its
    seeds.
    """
    figure, (seconds, unknowns) = plt.subplots(
        1, 2, figsize=(WIDTH_INCHES, 4.2), sharey=True, width_ratios=(1, 1)
    )
    for axes, work in ((seconds, "seconds"), (unknowns, "unknowns")):
        _elements(axes, field, work)
        _points(axes, field, work)
        axes.loglog()
        axes.set_xlabel(work + (" to compute" if work == "seconds" else ""))
    seconds.set_ylabel("L² error on the cube")
    legend_below(figure, seconds)
    return figure


def _work(contender: Contender, work: str) -> float | None:
    return contender.seconds if work == "seconds" else float(contender.unknowns)


def _elements(axes: Axes, field: Sequence[Contender], work: str) -> None:
    for element, short in SHORT_ELEMENTS.items():
        rows = [c for c in field if c.look == element and c.track == "paper" and c.error]
        rows.sort(key=lambda c: c.unknowns)
        if rows:
            x, error = _curve(rows, work)
            label = f"{short} (oracle)"
            plot_series(axes, x, error, label, element)
            steep = error[0] / error[-1] > (rows[-1].unknowns / rows[0].unknowns) ** 2
            place = {"xytext": (7, 4)} if steep else {"xytext": (0, -8), "ha": "right"}
            name_series(axes, (x[-1], error[-1]), short, label, element, **place)
    solved = [c for c in field if c.track == "solve" and c.error]
    for element in sorted({c.look for c in solved}):
        rows = sorted((c for c in solved if c.look == element), key=lambda c: c.unknowns)
        plot_series(
            axes,
            *_curve(rows, work),
            f"{SHORT_ELEMENTS.get(element, element)} (solved)",
            element,
            linestyle=":",
        )


def _curve(rows: Sequence[Contender], work: str) -> tuple[Array, Array]:
    points = np.array([(_work(c, work), c.error) for c in rows], dtype=float)
    return points[:, 0], points[:, 1]


def _points(axes: Axes, field: Sequence[Contender], work: str) -> None:
    """One marker a contender; nets share their architecture's colour, baselines one."""
    shown: set[str] = set()
    for contender in field:
        if contender.track != "fit" or not contender.error:
            continue
        label = _label(contender)
        x = _work(contender, work)
        if x is None:
            continue
        style = look(contender.look)
        plot_series(
            axes,
            [x],
            [contender.error],
            label if label not in shown else "_" + contender.name,
            contender.look,
            linestyle="",
            marker=style.marker,
            markersize=6,
        )
        axes.lines[-1].set_gid("series:" + label)
        shown.add(label)


def _label(contender: Contender) -> str:
    if contender.look == "least squares":
        return "least squares, RBF"
    architecture, _, learned = contender.look.partition("+")
    return f"{NETS.get(architecture, architecture)}{' + τ' if learned else ''}"
