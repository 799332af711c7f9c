"""A net trained on rows of a user's file, measured on rows that were held out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.core.plain_values import finite
from bench.domains.parts.sampling import generator
from bench.measure import norms
from bench.methods.configurations import DataConfig
from bench.methods.rows.reading import rows_of
from bench.methods.training import (
    FIGURES,
    MeasuredNet,
    histories,
    how_it_went,
    predict,
    shape_and_start,
)

if TYPE_CHECKING:
    from nets.training.loop import Progress

HELD_OUT = 0.2  # of the rows, for the test error


def train_on_rows(
    config: DataConfig,
    *,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MeasuredNet:
    """Train a net on four fifths of the rows and measure it on the others."""
    from nets.module import build
    from nets.training.loop import train

    x, y = rows_of(config.data)
    order = generator(config.data_seed).permutation(len(x))
    test, kept = np.split(order, [max(1, round(HELD_OUT * len(x)))])
    net = build(**shape_and_start(config), inputs=x.shape[1], outputs=y.shape[1])

    def error(net: Any) -> float:
        return norms.relative_test_error(predict(net, x[test]), y[test])

    training = train(
        net,
        x[kept],
        y[kept],
        optimizer=config.optimizer,
        steps=config.steps,
        evaluations=config.evaluations,
        seconds=seconds,
        probes={"rel_test_error": error},
        every=config.every,
        seed=config.seed,
        progress=progress or False,
        **config.options(),
    )
    residual = predict(net, x[kept]) - y[kept]
    values = {
        **dict.fromkeys(FIGURES),
        "train_mse": finite(float(np.sum(residual**2)) / (2 * len(kept))),
        "rel_test_error": finite(error(net)),
        "tau": [finite(step) for step in net.tau.tolist()],
        "J": finite(training.J),
        **how_it_went(training),
        "parameters": net.pack().size,
        "rows": len(kept),
        "test_rows": len(test),
    }
    return MeasuredNet(net, training, values, histories(training))
