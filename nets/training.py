"""Training: any optimiser, with its stops, its history, its best state, and no NaN at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from nets import optimizers
from nets.config import DTYPES
from nets.coordinates import Coordinates
from nets.errors import InputError, nearest
from nets.history import Arrays, Curve, History, Probe
from nets.kernel import FastObjective
from nets.loss import Loss
from nets.module import Network
from nets.optimizers import Diverged, Stop, Vector

#: Up to so many parameters the dense self-scaled BFGS is the default: a step passes once over its
#: 4P² bytes (3 ms at P = 3102), less than the net itself costs.
DENSE_LIMIT = 5000
DEFAULT_STEPS = 1000


@dataclass(frozen=True)
class Progress:
    """Where a training stands."""

    steps: int
    evaluations: float
    seconds: float
    J: float
    fraction: float  # of whichever limit is nearest, 0 if there is none
    probes: Mapping[str, float]


@dataclass(frozen=True)
class Limits:
    """When to stop; None is no limit. `target` is for the first probe, or for J without one."""

    steps: int | None = None
    evaluations: float | None = None
    seconds: float | None = None
    target: float | None = None
    gradient_norm: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value >= 0:
                raise InputError(f"{name} must be a number >= 0, got {value}")

    def fraction(self, steps: int, evaluations: float, seconds: float) -> float:
        done = [(steps, self.steps), (evaluations, self.evaluations), (seconds, self.seconds)]
        return max((value / limit for value, limit in done if limit), default=0.0)


@dataclass
class Training:
    """A finished training. `net` holds the best state: the lowest J that was reported."""

    net: Network
    J: float
    reason: str
    diverged: bool
    interrupted: bool
    steps: int
    evaluations: float
    seconds: float
    history: Arrays = field(repr=False)
    curve: Arrays = field(repr=False)


def train(
    net: Network,
    x: Any,
    y: Any,
    *,
    loss: Loss | None = None,
    optimizer: str = "auto",
    steps: int | None = None,
    evaluations: float | None = None,
    seconds: float | None = None,
    target: float | None = None,
    gradient_norm: float | None = None,
    probes: Mapping[str, Probe] | None = None,
    every: int | None = None,
    seed: int = 0,
    precision: str = "float64",
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Training:
    """Minimises J of `net` on rows x, y in place, and returns what happened.

    Stops at the first of: `steps`, `evaluations` of J and its gradient (mini batches count by
    their share of the rows), `seconds` (probes do not count), `target` reached by the first probe
    (by J without probes; looked at on the curve), `gradient_norm` reached. With none of them,
    1000 steps. Ctrl-C ends the training like any other stop, with the best state so far.

    `optimizer` is a file of `nets.optimizers`, "auto" the strongest for the size of the net;
    `options` are its own. `probes` map a net to a number and make the columns of `Training.curve`.
    `every` is the stride of `Training.history`: by default 1, and an epoch with mini batches, which
    `seed` draws. `precision` is that of the net's evaluation; the optimiser's state, J and τ are
    float64 always.
    """
    limits = Limits(steps, evaluations, seconds, target, gradient_norm)
    if all(limit is None for limit in vars(limits).values()):
        limits = Limits(steps=DEFAULT_STEPS)
    if every is None:  # with mini batches a row needs the whole J: once an epoch
        every = max(1, len(x) // options["batch"]) if options.get("batch") else 1
    if every < 1:
        raise InputError(f"every must be a whole number >= 1, got {every}")
    if precision not in DTYPES:
        raise InputError(f"unknown precision {precision!r}; {nearest(precision, DTYPES)}")
    module = optimizers.get(choose(optimizer, net))
    optimizers.check_options(module, options)
    if "seed" in module.minimize.__kwdefaults__:
        options["seed"] = seed
    coordinates = Coordinates.of(net, module.POSITIVE)
    start = net.pack()
    if module.POSITIVE == "bounds":
        options["lower"] = coordinates.lower_bounds(start.size)
    run = _Run(
        net=net,
        data=_Data(net, x, y, loss or Loss(), precision),
        coordinates=coordinates,
        limits=limits,
        history=History(net, loss or Loss()),
        curve=Curve(probes or {}),
        every=every,
        show=progress,
    )
    diverged = interrupted = False
    try:
        reason = module.minimize(run.objective, coordinates.inward(start), run.report, **options)
    except Stop as stop:
        reason = str(stop)
    except Diverged as failure:
        reason, diverged = str(failure), True
    except KeyboardInterrupt:
        reason, interrupted = "interrupted", True
    return run.finish(reason, diverged=diverged, interrupted=interrupted)


def choose(optimizer: str, net: Network) -> str:
    """The optimiser meant by "auto": dense self-scaled BFGS, or the one with limited memory."""
    if optimizer != "auto":
        return optimizer
    return "ssbfgs" if net.pack().size <= DENSE_LIMIT else "lssbfgs"


class _Clock:
    """Seconds since the first evaluation was done, without the pauses."""

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self.start

    @contextmanager
    def paused(self) -> Iterator[None]:
        before = time.perf_counter()
        try:
            yield
        finally:
            self.start += time.perf_counter() - before


class _Data:
    """J on all rows, and on a mini batch (buffers of its own, filled anew for each batch)."""

    def __init__(self, net: Network, x: Any, y: Any, loss: Loss, precision: str) -> None:
        self.net, self.loss, self.precision = net, loss, precision
        self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)
        self.whole = FastObjective(net, self.x, self.y, loss, dtype=precision)
        self.batch: FastObjective | None = None

    def part(self, rows: NDArray[np.int64]) -> FastObjective:
        x, y = self.x[rows], self.y[rows]
        if self.batch is None:
            self.batch = FastObjective(self.net, x, y, self.loss, dtype=self.precision)
        else:
            self.batch.set_data(x, y)
        return self.batch


class _CountedObjective:
    """J in the optimiser's coordinates, counted, ended by `Stop` when the budget is spent."""

    def __init__(
        self, data: _Data, coordinates: Coordinates, limits: Limits, clock: _Clock
    ) -> None:
        self.data, self.coordinates, self.limits, self.clock = data, coordinates, limits, clock
        self.rows = len(data.x)
        self.evaluations = 0.0

    def __call__(self, inner: Vector) -> tuple[float, Vector]:
        return self._value(self.data.whole, inner, 1.0)

    def on_rows(self, inner: Vector, rows: NDArray[np.int64]) -> tuple[float, Vector]:
        return self._value(self.data.part(rows), inner, len(rows) / self.rows)

    def _value(self, fast: FastObjective, inner: Vector, share: float) -> tuple[float, Vector]:
        self._check_budget()
        theta = self.coordinates.outward(inner)
        self.evaluations += share
        if not self.coordinates.allows(theta):
            return np.inf, np.zeros_like(theta)
        J, gradient = fast(theta)
        return J, self.coordinates.gradient_inward(gradient, theta)

    def _check_budget(self) -> None:
        if self.limits.evaluations is not None and self.evaluations >= self.limits.evaluations:
            raise Stop("evaluations")
        if self.limits.seconds is not None and self.clock.seconds() >= self.limits.seconds:
            raise Stop("seconds")


class _Run:
    """The state of one training: what `report` has seen."""

    def __init__(
        self,
        *,
        net: Network,
        data: _Data,
        coordinates: Coordinates,
        limits: Limits,
        history: History,
        curve: Curve,
        every: int,
        show: Callable[[Progress], None] | None,
    ) -> None:
        self.net, self.coordinates, self.limits, self.every = net, coordinates, limits, every
        self.history, self.curve, self.show, self.shown_at = history, curve, show, 0.0
        self.whole = data.whole
        self.whole(net.pack())  # compiles and warms up: time is counted from here
        self.clock = _Clock()
        self.objective = _CountedObjective(data, coordinates, limits, self.clock)
        self.best_J, self.best = np.inf, net.pack()
        self.last: tuple[Vector, float | None] = (net.pack(), None)
        self.steps = -1  # the report of the start is not a step

    def report(self, inner: Vector, J: float | None, gradient: Vector | None) -> None:
        """After every accepted step (and at the start): keep the best, record, maybe stop."""
        self.steps += 1
        theta = self.coordinates.outward(inner)
        seconds = self.clock.seconds()
        if J is None and (self.steps % self.every == 0 or self._curve_is_due()):
            with self.clock.paused():
                J, gradient = self.whole(theta)
        self.last = (theta, J)
        if J is not None and gradient is not None:
            self._keep_and_record(theta, J, gradient, seconds)
        limits = self.limits
        if limits.steps is not None and self.steps >= limits.steps:
            raise Stop("steps")
        if limits.seconds is not None and seconds >= limits.seconds:
            raise Stop("seconds")

    def _keep_and_record(self, theta: Vector, J: float, gradient: Vector, seconds: float) -> None:
        if self.best_J > J:
            self.best_J, self.best = J, theta.copy()
        if self.steps % self.every == 0:
            outward = self.coordinates.gradient_outward(gradient, theta)
            self.history.record(self.steps, self.objective.evaluations, seconds, theta, J, outward)
        if self._curve_is_due():
            self._add_to_curve(theta, J, seconds)
            self._check_target()
        if self.show is not None and seconds - self.shown_at > 0.2:
            self.shown_at = seconds
            self.show(self._progress(J, seconds))
        norm = self.limits.gradient_norm
        if norm is not None and float(np.linalg.norm(gradient)) <= norm:
            raise Stop("gradient norm")

    def _curve_is_due(self) -> bool:
        return self.curve.is_due(self.objective.evaluations)

    def _add_to_curve(self, theta: Vector, J: float, seconds: float) -> None:
        with self.clock.paused():
            self.net.unpack(theta)
            self.curve.add(self.net, self.steps, self.objective.evaluations, seconds, J)

    def _check_target(self) -> None:
        if self.limits.target is None:
            return
        first = next(iter(self.curve.probes), "J")
        if self.curve.rows[-1][first] <= self.limits.target:
            raise Stop("target")

    def _progress(self, J: float, seconds: float) -> Progress:
        evaluations = self.objective.evaluations
        last = self.curve.rows[-1] if self.curve.rows else {}
        return Progress(
            self.steps,
            evaluations,
            seconds,
            J,
            self.limits.fraction(self.steps, evaluations, seconds),
            {name: last[name] for name in self.curve.probes if name in last},
        )

    def finish(self, reason: str, *, diverged: bool, interrupted: bool) -> Training:
        """The best state goes into the net, and the end of the run onto the curve."""
        seconds = self.clock.seconds()
        theta, J = self.last
        if J is None and not diverged:
            J, _ = self.whole(theta)
            if self.best_J > J:
                self.best_J, self.best = J, theta
        if self.steps >= 0 and np.isfinite(self.best_J):
            self._add_to_curve(self.best, self.best_J, seconds)
        self.net.unpack(self.best)
        return Training(
            net=self.net,
            J=float(self.best_J),
            reason=reason,
            diverged=diverged or not np.isfinite(self.best_J),
            interrupted=interrupted,
            steps=max(self.steps, 0),
            evaluations=self.objective.evaluations,
            seconds=seconds,
            history=self.history.arrays(),
            curve=self.curve.arrays(),
        )
