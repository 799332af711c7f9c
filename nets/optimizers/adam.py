"""Adam (Kingma and Ba 2015), torch's own, on the full batch or on mini batches.

The rate follows a schedule of `nets/training/schedules.py`.

POSITIVE = "bounds": Adam has no line search that could reject a step, so after each step the
bounded entries are put back to their lower bound. (In log τ its steps of fixed size ±rate would
make τ move by a factor, far faster than the weights when τ is large, and far slower when small.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from typing import Annotated, Any

import numpy as np

from base.errors import UserError
from nets.optimizers import Diverged, Objective, Report, Vector
from nets.optimizers._line_search import is_finite
from nets.training.schedules import factor

POSITIVE = "bounds"
LINE_SEARCH = False
# Relative test errors of a 2-50 ResNet after 6 s on one core, seed 100: 1000 rows at 3e-3, 1e-2:
# 1.1e-2, 7.5e-3; 200 rows: 8.7e-3. A row of history costs a whole J.
TUNED: dict[str, Any] = {"batch": 1000, "rate": 1e-2, "every": 60}
FAR = 1e6  # J this many times above its start counts as divergence


def minimize(
    objective: Objective,
    theta: Vector,
    report: Report,
    *,
    rate: Annotated[float, "Size of a step in each parameter."] = 1e-2,
    beta1: Annotated[float, "Share of the past in the running mean of the gradient."] = 0.9,
    beta2: Annotated[float, "Share of the past in the running mean of its square."] = 0.999,
    batch: Annotated[int, "Rows per mini batch; 0 uses all rows in every step."] = 0,
    schedule: Annotated[str, "How the rate falls: constant, cosine or exponential."] = "constant",
    horizon: Annotated[int, "Steps over which the schedule brings the rate down."] = 0,
    lower: Vector | None = None,
    seed: int = 0,
) -> str:
    """θ ← θ − rate m̂/(√v̂ + 1e-8), m and v the running means of the gradient and its square.

    `batch` = 0 uses all data in every step. With `batch` > 0 the objective must offer
    `rows`, their number, and `on_rows(theta, rows) -> (J, gradient)`; the rows are drawn without
    replacement, epoch after epoch, from `seed`. The schedule brings the rate down over `horizon`
    steps and keeps it there.
    """
    import torch

    rate_factor = factor(schedule, horizon)
    theta = theta.copy()
    parameter = torch.from_numpy(theta).requires_grad_()  # shares its numbers with theta
    adam = torch.optim.Adam([parameter], lr=rate, betas=(beta1, beta2))
    parts = _batches(objective, batch, seed) if batch > 0 else repeat(objective)
    highest = np.inf
    for step, part in enumerate(parts):
        J, gradient = part(theta)
        if not (is_finite(J, gradient) and highest >= J):
            raise Diverged(f"J diverged after {step} steps; use a smaller rate than {rate:g}")
        if step == 0:
            highest = FAR * max(J, 1.0)
        if batch > 0:
            report(theta.copy(), None, None)
        else:
            report(theta.copy(), J, gradient)
        parameter.grad = torch.from_numpy(gradient)
        adam.param_groups[0]["lr"] = rate * rate_factor(step)
        adam.step()
        if lower is not None:
            np.maximum(theta, lower, out=theta)
    raise AssertionError("the batches never end")


def state_bytes(parameters: int, **options: Any) -> int:
    """Return the bytes of θ, the gradient, and the running means of it and of its square."""
    return 32 * parameters


def _batches(objective: Objective, size: int, seed: int) -> Iterator[Objective]:
    """One objective per mini batch, for ever: each epoch is a fresh permutation of the rows."""
    on_rows, total = getattr(objective, "on_rows", None), getattr(objective, "rows", 0)
    if on_rows is None:
        raise UserError("this objective has no rows to draw mini batches from: use batch = 0")
    if size > total:
        raise UserError(f"batch = {size} exceeds the {total} rows; use a smaller one")
    generator = np.random.Generator(np.random.Philox(seed))
    while True:
        order = generator.permutation(total)
        for first in range(0, total - size + 1, size):
            rows = order[first : first + size]
            yield partial(on_rows, rows=rows)
