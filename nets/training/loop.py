"""Training with any optimiser: stopping rules, history, best state, and a result without NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np
import torch

from base.errors import UserError, nearest
from nets import optimizers
from nets.config_checks import DTYPES
from nets.loss import Loss
from nets.module import Network
from nets.optimizers import Diverged, Stop, Vector
from nets.training.budget import Clock, CountedObjective, Data, Limits, OwnLoss, Rows
from nets.training.coordinates import Coordinates, prepared
from nets.training.history import Arrays, Curve, History, Probe
from nets.user_modules import Trainable, trainable

DEFAULT_STEPS = 1000


@dataclass(frozen=True)
class Progress:
    """The state of a training while it runs."""

    steps: int
    evaluations: float
    seconds: float
    J: float
    fraction: float  # of whichever limit is nearest, 0 if there is none
    probes: Mapping[str, float]


@dataclass
class Training:
    """A finished training. `net`, the one that was given, holds the state of the lowest J."""

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
    net: Network | torch.nn.Module,
    x: Any,
    y: Any = None,
    *,
    loss: Loss | Callable[..., Any] | None = None,
    optimizer: str | Callable[..., Any] = "auto",
    steps: int | None = None,
    evaluations: float | None = None,
    seconds: float | None = None,
    target: float | None = None,
    gradient_norm: float | None = None,
    patience: float | None = None,
    probes: Mapping[str, Probe] | None = None,
    every: int | None = None,
    seed: int = 0,
    precision: str = "float64",
    progress: Callable[[Progress], None] | bool | None = None,
    **options: Any,
) -> Training:
    """Minimise J of `net` on rows x, y (or one pair of them) in place, and return its record.

    J is that of a `Loss`, or a function: loss(prediction, y) on a pair, else loss(module, data).

    Stops at the first of: `steps`, `evaluations` of J and its gradient (mini batches count by
    their share of the rows), `seconds` (probes do not count), `target` reached by the first probe
    (by J without probes; looked at on the curve), `gradient_norm` reached, J not 1 % lower after
    `patience` evaluations. With none of them, 1000 steps. Ctrl-C ends the training like any other
    stop, with the best state so far.

    `net` is one of `build`, or any torch module that maps rows to rows. `optimizer` is a file of
    `nets.optimizers`, "auto" the strongest for the size of the net; or a function (objective,
    theta, report), or a class as in torch.optim; `options` are its own. `probes` map a net to a
    number and make the columns of `Training.curve`. `every` is the stride of `Training.history`: by
    default 1, with mini batches one epoch; `seed` draws them. `precision` is that of the net's
    evaluation; the optimiser's state, J and τ are float64 always. `progress` is called with
    the state of the training; by default a line shows it in terminals and notebooks (False: none).
    """
    if y is None and isinstance(x, tuple | list) and len(x) == 2:
        x, y = x
    if y is None and not callable(loss):
        raise UserError("train needs rows x and y, or loss=function for data of another form")
    every = _stride(every, 0 if y is None else len(x), options)
    if precision not in DTYPES:
        raise UserError(f"unknown precision {precision!r}; {nearest(precision, DTYPES)}")
    own = trainable(net, x, y, own_loss=callable(loss))
    data: Data = OwnLoss(own, loss, x, y) if callable(loss) else Rows(own, x, y, loss, precision)
    limits = Limits(steps, evaluations, seconds, target, gradient_norm, patience)
    return minimise(
        own,
        data,
        loss=None if callable(loss) else loss,
        optimizer=optimizer,
        limits=limits,
        probes=probes,
        every=every,
        seed=seed,
        progress=progress,
        **options,
    )


def minimise(
    net: Trainable,
    data: Data,
    *,
    limits: Limits,
    loss: Loss | None = None,
    optimizer: Any = "auto",
    probes: Mapping[str, Probe] | None = None,
    every: int = 1,
    seed: int = 0,
    progress: Callable[[Progress], None] | bool | None = None,
    **options: Any,
) -> Training:
    """`train` on any data: J of samples (`Rows`) or of the residuals of an equation (`Equation`).

    Without any limit it takes 1000 steps.
    """
    if all(limit is None for limit in vars(limits).values()):
        limits = Limits(steps=DEFAULT_STEPS)
    if every < 1:
        raise UserError(f"every must be a whole number >= 1, got {every}")
    chosen = optimizers.choose(optimizer, net.pack().size)
    minimize, coordinates = prepared(net, chosen, options, seed)
    if optimizers.needs_residuals(chosen):
        data.squares()  # raises, before any computation, if J is not a sum of squares
    show, line = _shown(progress)
    getattr(optimizers.get(chosen), "warm_up", lambda: None)()
    run = _Run(
        net=net,
        data=data,
        coordinates=coordinates,
        limits=limits,
        history=History(net, loss or Loss()),
        curve=Curve(probes or {}),
        every=every,
        show=show,
    )
    with line:
        return _finished(run, partial(minimize, run.objective, coordinates.inward(net.pack())))


def _stride(every: int | None, rows: int, options: Mapping[str, Any]) -> int:
    """Return the stride of the history: with mini batches an epoch, since a row needs all of J."""
    if every is None:
        every = max(1, rows // options["batch"]) if options.get("batch") else 1
    if every < 1:
        raise UserError(f"every must be a whole number >= 1, got {every}")
    return every


def _shown(
    progress: Callable[[Progress], None] | bool | None,
) -> tuple[Callable[[Progress], None] | None, AbstractContextManager[Any]]:
    """Return the function called with the progress, and the one that closes the display."""
    from nets.training.progress import TrainingProgress, is_watched

    if callable(progress):
        return progress, nullcontext()
    if progress is False or (progress is None and not is_watched()):
        return None, nullcontext()
    line = TrainingProgress()
    return line, line


def _finished(run: _Run, minimize: Callable[..., str]) -> Training:
    """Run the training to its end, and return it."""
    diverged = interrupted = False
    try:
        reason = minimize(run.report)
    except Stop as stop:
        reason = str(stop)
    except Diverged as failure:
        reason, diverged = str(failure), True
    except KeyboardInterrupt:
        reason, interrupted = "interrupted", True
    return run.finish(reason, diverged=diverged, interrupted=interrupted)


class _Run:
    """The state of one training: what `report` has seen."""

    def __init__(
        self,
        *,
        net: Trainable,
        data: Data,
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
        self.clock = Clock()
        self.objective = CountedObjective(data, coordinates, limits, self.clock)
        self.best_J, self.best = np.inf, net.pack()
        self.lower_J, self.lower_at = np.inf, 0.0  # when J last fell by a hundredth
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
        self._check_progress(J, gradient)

    def _check_progress(self, J: float, gradient: Vector) -> None:
        norm, patience = self.limits.gradient_norm, self.limits.patience
        if norm is not None and float(np.linalg.norm(gradient)) <= norm:
            raise Stop("gradient norm")
        if self.lower_J * 0.99 > J:
            self.lower_J, self.lower_at = J, self.objective.evaluations
        elif patience is not None and self.objective.evaluations - self.lower_at >= patience:
            raise Stop("patience")

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
            net=cast(Network, self.net.original),
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
