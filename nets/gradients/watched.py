"""Training with a record of every layer's gradient norms, τ and J, step by step.

The optimisers are those of `nets.optimizers`, the objective is the fast one; its norms come with
the gradient at no extra pass. `nets.train` has stopping rules and keeps the best state.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nets.fast.kernel import FastObjective
from nets.module import Network
from nets.optimizers import Diverged, Stop, Vector
from nets.training.coordinates import Coordinates, prepared

Array = NDArray[np.float64]
KINDS = ("W", "b", "tau", "y")


def train_with_norms(
    net: Network,
    x: Any,
    y: Any,
    *,
    optimizer: str = "adam",
    evaluations: int = 500,
    every: int = 1,
    options: dict[str, Any] | None = None,
) -> dict[str, Array]:
    """Minimise the mean square error in place with `evaluations` of it, line searches included.

    Returns arrays with one row per `every` steps, the start and the end always among them:
    `step`, `evaluations`, `J`, `tau` (n, H) and log₁₀ norms `log10_W` (n, L), `log10_b`,
    `log10_tau`, `log10_y` (n, H; y[1..H]). A run that overflows ends with a row of J = inf.
    """
    minimize, coordinates = prepared(net, optimizer, options or {})
    watch = _Watch(net, FastObjective(net, x, y), coordinates, evaluations, every)
    with suppress(Stop, Diverged):
        minimize(watch, coordinates.inward(net.pack()), watch.report)
    return watch.finish()


class _Watch:
    """The objective in the optimiser's coordinates, with a row of the history every few steps."""

    def __init__(
        self,
        net: Network,
        fast: FastObjective,
        coordinates: Coordinates,
        budget: int,
        every: int,
    ) -> None:
        self.net, self.fast, self.coordinates = net, fast, coordinates
        self.budget, self.every = budget, every
        self.spent, self.step = 0, -1
        self.rows: list[dict[str, Any]] = []
        self.last: tuple[Vector, float] = (net.pack(), np.inf)

    def __call__(self, inner: Vector) -> tuple[float, Vector]:
        self._check_budget()
        self.spent += 1
        theta = self.coordinates.outward(inner)
        J, gradient = self.fast(theta)
        return J, self.coordinates.gradient_inward(gradient, theta)

    def exceeds(self, inner: Vector, bound: float) -> bool:
        self._check_budget()
        above = self.fast.exceeds(self.coordinates.outward(inner), bound)
        self.spent += above
        return above

    def _check_budget(self) -> None:
        if self.spent >= self.budget:
            raise Stop("evaluations")

    def report(self, inner: Vector, J: float | None, gradient: Vector | None) -> None:
        """Record an accepted step, which was also the last evaluation."""
        assert J is not None
        self.step += 1
        self.last = (self.coordinates.outward(inner).copy(), J)
        if self.step % self.every == 0:
            self._record()

    def _record(self) -> None:
        theta, J = self.last
        if not self.fast.last.finite or self.fast.last.J != J:
            self.fast(theta)  # the last evaluation was a rejected trial
        norms = self.fast.norms()
        self.net.unpack(theta)
        with np.errstate(divide="ignore"):
            logs = {f"log10_{kind}": np.log10(np.abs(getattr(norms, kind))) for kind in KINDS}
        tau = self.net.tau.detach().double().numpy().copy()
        row = {"step": self.step, "evaluations": self.spent, "J": J, "tau": tau, **logs}
        self.rows.append(row)

    def finish(self) -> dict[str, Array]:
        if not self.rows or self.rows[-1]["step"] != self.step:
            self._record()
        self.net.unpack(self.last[0])
        if not np.isfinite(self.fast.last.J):
            self.rows.append({**self.rows[-1], "step": self.step + 1, "J": np.inf})
        return {name: np.array([row[name] for row in self.rows], float) for name in self.rows[0]}
