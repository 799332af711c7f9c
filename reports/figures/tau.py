"""Every arm of the τ study, compared with a fixed τ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from reports.style import WIDTH_INCHES
from reports.svg import plot_series

RATIO = "training error, learned τ / fixed τ"


@dataclass(frozen=True)
class Effect:
    """A ratio of errors with its interval and the seeds' own ratios."""

    series: str
    look: str
    place: float | str  # the learning rate, or the name of the arm
    ratio: float
    low: float
    high: float
    decided: bool


def _ratio_axis(set_scale: object, axes: Axes, bounds: Sequence[float]) -> None:
    """A logarithmic axis that is symmetric about one and labelled in plain factors."""
    assert callable(set_scale)
    set_scale("log")
    finite = [abs(np.log(bound)) for bound in bounds if np.isfinite(bound) and bound > 0]
    reach = float(np.exp(min(1.1 * max(finite, default=1.0), np.log(1000.0))))
    reach = max(reach, 1.5)
    factors = [1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 300, 1000]
    ticks = sorted({tick for f in factors if f <= reach for tick in (f, 1 / f)})
    if len(ticks) > 9:
        ticks = [tick for tick in ticks if round(max(tick, 1 / tick), 2) not in (1.2, 1.5, 3, 30)]
    axis = axes.yaxis if set_scale == axes.set_yscale else axes.xaxis
    (axes.set_ylim if axis is axes.yaxis else axes.set_xlim)(1 / reach, reach)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_ticklabels([f"{tick:.2g}" for tick in ticks])


ARM = "training error over that of the best fixed τ"


def arms_beside_fixed(effects: Sequence[Effect], what: str = ARM) -> Figure:
    """A forest in groups: a ratio of errors with its interval in every row."""
    settings = list(dict.fromkeys(effect.series for effect in effects))
    rows = [(series, e) for series in settings for e in effects if e.series == series]
    gaps = {series: index for index, series in enumerate(settings)}
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 0.8 + 0.19 * (len(rows) + 1.4 * len(gaps))))
    axes.axvline(1.0, color="black", linewidth=1)
    ticks, names = [], []
    for index, (series, effect) in enumerate(rows):
        height = index + 1.4 * (gaps[series] + 1)
        ticks.append(height)
        names.append(str(effect.place))
        if effect.series != (rows[index - 1][0] if index else None):
            axes.text(0.01, height - 0.85, series, transform=axes.get_yaxis_transform(),
                      fontsize=8, fontweight="bold", va="center")  # fmt: skip
        style = {"linestyle": "", "fillstyle": "full" if effect.decided else "none"}
        axes.plot([effect.low, effect.high], [height] * 2, color="#666666", linewidth=1)
        plot_series(axes, [effect.ratio], [height], f"{series}: {effect.place}", effect.look,
                    **style)  # fmt: skip
    axes.set_yticks(ticks, names, fontsize=8)
    axes.set_ylim(max(ticks, default=1) + 1, 0)
    axes.grid(False, axis="y")
    _ratio_axis(axes.set_xscale, axes, [bound for e in effects for bound in (e.low, e.high)])
    axes.set_xlabel(f"{what} (left of 1 is better)")
    return figure
