"""Learned steps against the local errors of the layers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from bench.store.results import Results
from reports.names import net_title
from reports.style import WIDTH_INCHES
from reports.svg import plot_series


def steps_and_errors(found: Results) -> Figure:
    """A panel per net, a point per layer and seed."""
    count = max(1, len(found))
    figure, panels = plt.subplots(1, count, figsize=(WIDTH_INCHES, 2.6), squeeze=False)
    for axes, record in zip(panels[0], found, strict=False):
        errors, steps = [], []
        for one in record.values["runs"]:
            local, tau = np.asarray(one["local_errors"]), np.abs(one["tau"][1:])
            if local.mean() > 0 and tau.mean() > 0:
                errors.append(local / local.mean())
                steps.append(tau / tau.mean())
        title = f"{net_title(record.config['net'])}, {record.config['hidden']} layers"
        plot_series(
            axes, np.concatenate([*errors, []]), np.concatenate([*steps, []]), title,
            f"net/{record.config['net']}", linestyle="none", markersize=3, keys=[[record.key]],
        )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(title, fontsize=8.5)
        axes.set_xlabel("local error / mean")
    panels[0][0].set_ylabel("|τ| / mean")
    return figure
