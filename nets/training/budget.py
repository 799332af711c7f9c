"""The budget of a training: limits, a clock that can be paused, an objective that counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from base.errors import UserError
from nets.fast.kernel import FastObjective
from nets.loss import Loss
from nets.optimizers import Stop, Vector
from nets.residuals.by_autograd import AutogradResiduals
from nets.residuals.objective import ResidualObjective
from nets.residuals.terms import Residuals
from nets.training.coordinates import Coordinates
from nets.user_modules import AutogradObjective, LossObjective, OwnNet, Trainable


@dataclass(frozen=True)
class Limits:
    """When to stop; None means unlimited.

    `target` is for the first probe, or for J without one; `patience` is the number of evaluations
    within which J must fall by a hundredth.
    """

    steps: int | None = None
    evaluations: float | None = None
    seconds: float | None = None
    target: float | None = None
    gradient_norm: float | None = None
    patience: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value >= 0:
                raise UserError(f"{name} must be a number >= 0, got {value}")

    def fraction(self, steps: int, evaluations: float, seconds: float) -> float:
        done = [(steps, self.steps), (evaluations, self.evaluations), (seconds, self.seconds)]
        return max((value / limit for value, limit in done if limit), default=0.0)


class Clock:
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


def objective_of(
    net: Trainable, x: Any, y: Any, loss: Loss | None = None, precision: str | None = None
) -> FastObjective | AutogradObjective:
    """J and its gradient: by the fast kernel, or for a torch module by differentiating it."""
    if isinstance(net, OwnNet):
        return AutogradObjective(net, x, y, loss, dtype=precision)
    return FastObjective(net, x, y, loss, dtype=precision)


class Data(Protocol):
    """The data of a training: J as a whole, on some of its rows, and as a sum of squares."""

    whole: Any  # θ ↦ (J, gradient), perhaps with `exceeds(theta, bound)`
    rows: int

    def part(self, rows: NDArray[np.int64]) -> Any:
        """J on these rows only."""

    def squares(self) -> Any:
        """J as ½ Σ r² with its residuals (`nets.optimizers`); UserError where it is none."""


class Equation:
    """Residuals of an equation: a `ResidualObjective`, without rows to draw from."""

    rows = 0

    def __init__(self, objective: ResidualObjective | AutogradResiduals) -> None:
        self.whole = objective

    def part(self, rows: NDArray[np.int64]) -> Any:
        raise UserError("an equation has no rows to draw mini batches from: use batch = 0")

    def squares(self) -> ResidualObjective | AutogradResiduals:
        return self.whole


class OwnLoss:
    """A loss of the user's on a pair (x, y), or on data that only the loss understands."""

    def __init__(self, net: Trainable, loss: Callable[..., Any], x: Any, y: Any) -> None:
        self.net, self.loss, self.x, self.y = net, loss, x, y
        if y is not None:
            self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)
        self.whole = LossObjective(net, loss, self.x, self.y)
        self.rows = 0 if y is None else len(self.x)

    def part(self, rows: NDArray[np.int64]) -> LossObjective:
        return LossObjective(self.net, self.loss, self.x[rows], self.y[rows])

    def squares(self) -> Any:
        raise UserError("a loss of your own has no residuals for lm; use nets.optimizers.LM")


class Rows:
    """J on all rows, and on a mini batch (buffers of its own, filled again for each batch)."""

    def __init__(self, net: Trainable, x: Any, y: Any, loss: Loss | None, precision: str) -> None:
        self.net, self.loss, self.precision = net, loss or Loss(), precision
        self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)
        self.rows = len(self.x)
        self.whole = objective_of(net, self.x, self.y, self.loss, precision)
        self.batch: FastObjective | AutogradObjective | None = None

    def squares(self) -> ResidualObjective:
        """1/(2N) Σ‖y[L] − S‖² as ½ Σ r², where that is all of J."""
        if isinstance(self.net, OwnNet):
            raise UserError("this optimiser needs a net of `build`; use ssbfgs or adam")
        if self.loss != Loss():
            raise UserError(
                "this optimiser fits sums of squares; leave out lambda1, lambda2 and beta"
            )
        N, outputs = tuple(self.y.shape)
        scale = N**-0.5
        A = np.broadcast_to(scale * np.eye(outputs)[:, None, :, None], (outputs, 1, outputs, N))
        b = scale * self.y.double().numpy().T
        x = self.x.double().numpy()
        term = Residuals(x=x, order="value", A=A, b=b, labels=("fit",) * outputs)
        return ResidualObjective(self.net, [term])

    def part(self, rows: NDArray[np.int64]) -> FastObjective | AutogradObjective:
        x, y = self.x[rows], self.y[rows]
        if self.batch is None:
            self.batch = objective_of(self.net, x, y, self.loss, self.precision)
        else:
            self.batch.set_data(x, y)
        return self.batch


class CountedObjective:
    """J in the optimiser's coordinates, counted, ended by `Stop` when the budget is spent."""

    def __init__(self, data: Data, coordinates: Coordinates, limits: Limits, clock: Clock) -> None:
        self.data, self.coordinates, self.limits, self.clock = data, coordinates, limits, clock
        self.rows = data.rows
        self.evaluations = 0.0
        self._squares: Any = None

    def __call__(self, inner: Vector) -> tuple[float, Vector]:
        return self._value(self.data.whole, inner, 1.0)

    def exceeds(self, inner: Vector, bound: float) -> bool:
        """Return whether J is above the bound; counts as an evaluation if it is."""
        self._check_budget()
        theta = self.coordinates.outward(inner)
        above = self.coordinates.allows(theta) and self.data.whole.exceeds(theta, bound)
        self.evaluations += above
        return above

    # As a sum of squares; an optimiser that asks is handed θ itself, not log τ.

    @property
    def count(self) -> int:
        return int(self.squares.count)

    @property
    def squares(self) -> Any:
        if self._squares is None:
            self._squares = self.data.squares()
        return self._squares

    @property
    def linear(self) -> slice:
        return slice(*self.squares.linear.indices(int(self.squares.parameters)))

    def residuals(self, theta: Vector) -> Vector | None:
        return self._counted(self.squares.residuals, theta)

    def jacobian(self, theta: Vector) -> tuple[Vector, NDArray[np.float64]] | None:
        return self._counted(self.squares.jacobian, theta)

    def normal_equations(self, theta: Vector) -> tuple[Vector, NDArray[np.float64], Vector] | None:
        return self._counted(self.squares.normal_equations, theta)

    def _counted(self, ask: Callable[[Vector], Any], theta: Vector) -> Any:
        """Count one evaluation; the cost of a Jacobian shows in the seconds."""
        self._check_budget()
        self.evaluations += 1
        return ask(theta) if self.coordinates.allows(theta) else None

    def on_rows(self, inner: Vector, rows: NDArray[np.int64]) -> tuple[float, Vector]:
        return self._value(self.data.part(rows), inner, len(rows) / self.rows)

    def _value(self, fast: Any, inner: Vector, share: float) -> tuple[float, Vector]:
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
