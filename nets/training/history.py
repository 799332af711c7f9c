"""What a training leaves behind: a row every few steps, and a sparse curve of the errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from nets.loss import Loss
from nets.module import Network
from nets.optimizers import Vector
from nets.own import OwnNet

Arrays = dict[str, NDArray[np.float64]]
Probe = Callable[[Network], float]

#: Points of the curve lie at least this factor apart in evaluations: some 50 over 10 000 of them.
CURVE_RATIO = 1.2


def history_of(net: Network, loss: Loss) -> History:
    return OwnHistory(net, loss) if isinstance(net, OwnNet) else History(net, loss)


class History:
    """Rows of J, MSE, penalty, per-layer gradient norms and τ; a few microseconds each.

    As arrays: `step`, `evaluations`, `seconds`, `J`, `mse`, `penalty` of shape (n,) and `grad_W`
    (n, L), `grad_b` (n, L−1), `grad_tau` and `tau` (n, free τ's). Gradients are those in the net's
    own parameters (dJ/dτ, not dJ/d log τ).
    """

    def __init__(self, net: Network, loss: Loss) -> None:
        self.layers = len(net.W)
        self.free_tau = net.free_tau.numel() if net.learns_tau else 0
        sizes = [parameter.numel() for parameter in net.free_parameters()]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.bias_parts = [
            slice(start, start + size)
            for start, size in zip(self.starts[1::2], sizes[1::2], strict=False)
        ][: self.layers - 1]
        self.net, self.loss = net, loss
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
        if loss.lambda2:
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
        groups = 2 * self.layers - 1 + (self.free_tau > 0)
        norms = np.array(self.norms, dtype=np.float64).reshape(-1, groups)
        pairs = norms[:, : 2 * self.layers - 1]
        return {
            **dict(zip(names, columns, strict=True)),
            "grad_W": pairs[:, 0::2],
            "grad_b": pairs[:, 1::2],
            "grad_tau": norms[:, 2 * self.layers - 1 :],
            "tau": np.array(self.tau, dtype=np.float64).reshape(len(self.tau), self.free_tau),
        }


class OwnHistory(History):
    """Of a torch module: `grad_W` has one column per parameter tensor; there is no b and no τ."""

    def __init__(self, net: Network, loss: Loss) -> None:
        sizes = [parameter.numel() for parameter in net.free_parameters()]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.free_tau, self.bias_parts = 0, []
        self.net, self.loss = net, loss
        self.scalars, self.norms, self.tau = [], [], []

    def arrays(self) -> Arrays:
        names = ("step", "evaluations", "seconds", "J", "mse", "penalty")
        columns = np.array(self.scalars, dtype=np.float64).reshape(-1, len(names)).T
        norms = np.array(self.norms, dtype=np.float64).reshape(-1, len(self.starts))
        none = np.zeros((len(norms), 0))
        found = dict(zip(names, columns, strict=True))
        return {**found, "grad_W": norms, "grad_b": none, "grad_tau": none, "tau": none}


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

    def add(self, net: Network, step: int, evaluations: float, seconds: float, J: float) -> None:
        shown = getattr(net, "original", net)
        values = {name: float(probe(shown)) for name, probe in self.probes.items()}
        row = {"step": step, "evaluations": evaluations, "seconds": seconds, "J": J, **values}
        if self.rows and self.rows[-1]["step"] == step:
            self.rows.pop()
        self.rows.append(row)
        self.next_at = max(evaluations + 1, evaluations * self.ratio)

    def arrays(self) -> Arrays:
        names = ("step", "evaluations", "seconds", "J", *self.probes)
        return {name: np.array([row[name] for row in self.rows]) for name in names}
