"""The history of a training: a row every few steps, and a sparse curve of the errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from nets.loss import Loss
from nets.module import Network
from nets.optimizers import Vector
from nets.user_modules import OwnNet, Trainable

Arrays = dict[str, NDArray[np.float64]]
Probe = Callable[[Any], float]  # of a net, or of the module that `train` was given

#: Points of the curve lie at least this factor apart in evaluations: some 50 over 10 000 of them.
CURVE_RATIO = 1.2


class History:
    """Rows of J, MSE, penalty, per-layer gradient norms and τ; a few microseconds each.

    As arrays: `step`, `evaluations`, `seconds`, `J`, `mse`, `penalty` of shape (n,) and `grad_W`
    (n, L), `grad_b` (n, L−1), `grad_tau` and `tau` (n, free τ's). Gradients are those in the net's
    own parameters (dJ/dτ, not dJ/d log τ). For a user's torch module `grad_W` has one
    column per parameter tensor; b and τ are empty.
    """

    def __init__(self, net: Trainable, loss: Loss) -> None:
        self.net, self.loss = net, loss
        sizes = [parameter.numel() for parameter in net.free_parameters()]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.free_tau = sizes[-1] if net.learns_tau else 0
        pairs = 2 * net.config.hidden + 1  # W[0], b[0], …, W[L−1], and then τ
        self.columns = {"W": slice(0, pairs, 2), "b": slice(1, pairs, 2), "tau": slice(pairs, None)}
        if isinstance(net, OwnNet):
            self.columns = {"W": slice(None), "b": slice(0, 0), "tau": slice(0, 0)}
        b = self.columns["b"]
        self.bias_parts = [
            slice(start, start + size) for start, size in zip(self.starts[b], sizes[b], strict=True)
        ]
        self.scalars: list[tuple[float, ...]] = []
        self.norms: list[Vector] = []
        self.tau: list[Vector] = []

    def record(
        self, step: int, evaluations: float, seconds: float, theta: Vector, J: float, grad: Vector
    ) -> None:
        penalty = self.penalty(theta)
        self.scalars.append((step, evaluations, seconds, J, J - penalty, penalty))
        self.norms.append(np.sqrt(np.add.reduceat(grad * grad, self.starts)))
        self.tau.append(theta[theta.size - self.free_tau :].copy())

    def penalty(self, theta: Vector) -> float:
        """J without its mean square: the terms of `Loss` on the flat vector."""
        loss, total = self.loss, 0.0
        weights, tau = theta[: theta.size - self.free_tau], theta[theta.size - self.free_tau :]
        if loss.lambda1:
            total += loss.lambda1 / 2 * float(weights @ weights + np.abs(weights).sum())
        if loss.lambda2 and isinstance(self.net, Network):
            free = torch.from_numpy(tau) if self.free_tau else self.net.free_tau.detach()
            whole = self.net.whole_tau(free)
            total += loss.lambda2 / 2 * float(whole @ whole + whole.abs().sum())
        if loss.beta:
            for part in self.bias_parts:
                b = theta[part]
                excess = np.maximum(0.0, b[:-1] - b[1:])
                total += loss.beta / 2 * float(excess @ excess)
        return total

    def arrays(self) -> Arrays:
        names = ("step", "evaluations", "seconds", "J", "mse", "penalty")
        columns = np.array(self.scalars, dtype=np.float64).reshape(-1, len(names)).T
        norms = np.array(self.norms, dtype=np.float64).reshape(-1, len(self.starts))
        return {
            **dict(zip(names, columns, strict=True)),
            **{f"grad_{kind}": norms[:, part] for kind, part in self.columns.items()},
            "tau": np.array(self.tau, dtype=np.float64).reshape(len(self.tau), self.free_tau),
        }


@dataclass
class Curve:
    """Errors against evaluations and seconds: one point whenever the evaluations grew by a fifth.

    The places depend on evaluations only, so that they repeat; the seconds do not count the
    probes.
    """

    probes: Mapping[str, Probe]
    ratio: float = CURVE_RATIO
    rows: list[dict[str, float]] = field(default_factory=list)
    next_at: float = 0.0

    def is_due(self, evaluations: float) -> bool:
        return evaluations >= self.next_at

    def add(self, net: Trainable, step: int, evaluations: float, seconds: float, J: float) -> None:
        values = {name: float(probe(net.original)) for name, probe in self.probes.items()}
        row = {"step": step, "evaluations": evaluations, "seconds": seconds, "J": J, **values}
        if self.rows and self.rows[-1]["step"] == step:
            self.rows.pop()
        self.rows.append(row)
        self.next_at = max(evaluations + 1, evaluations * self.ratio)

    def arrays(self) -> Arrays:
        names = ("step", "evaluations", "seconds", "J", *self.probes)
        return {name: np.array([row[name] for row in self.rows]) for name in names}
