"""Known properties of the field in the loss of a net that is fitted to samples.

none         the samples alone
divergence   div u = 0 at points of the whole cube
third        u₃ = 0 there
equation     curl(φ curl u) = f and div u = 0 there
potential    u = curl A with a net A: the divergence vanishes by construction

The loss is 1/(2N) Σ |u(xᵢ) − uᵢ|² plus the weight times the mean square of what should vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import jvp

from nets.module import propagate

if TYPE_CHECKING:
    from bench.problems import Problem
    from nets.module import Network

Array = NDArray[np.float64]
Map = Callable[[Tensor], Tensor]
KNOWN = ("none", "divergence", "third", "equation", "potential")


def derivative(u: Map, j: int) -> Map:
    """x ↦ ∂_j u(x), rows of x."""

    def along(x: Tensor) -> Tensor:
        direction = torch.zeros_like(x)
        direction[:, j] = 1.0
        slope: Tensor = jvp(u, (x,), (direction,))[1]
        return slope

    return along


def curl(u: Map) -> Map:
    """x ↦ curl u(x)."""

    def rotated(x: Tensor) -> Tensor:
        D = [derivative(u, j)(x) for j in range(3)]
        return torch.stack(
            [D[1][:, 2] - D[2][:, 1], D[2][:, 0] - D[0][:, 2], D[0][:, 1] - D[1][:, 0]], dim=1
        )

    return rotated


def divergence(u: Map) -> Map:
    """x ↦ div u(x)."""
    return lambda x: sum(derivative(u, j)(x)[:, j] for j in range(3))  # type: ignore[return-value]


def field_of(net: Network, known: str) -> Map:
    """The field of a net, or the curl of it where the net is a potential."""

    def values(x: Tensor) -> Tensor:
        return propagate(net, x - 0.5, list(net.W), list(net.b), net.tau)[0][-1]

    return curl(values) if known == "potential" else values


class Knowledge:
    """What should vanish at fixed points of the domain, for one problem."""

    def __init__(self, problem: Problem, known: str, count: int, seed: int) -> None:
        self._known = known
        random = np.random.Generator(np.random.Philox([seed, 78]))
        at = random.random((3, count))
        self._x = torch.as_tensor(np.ascontiguousarray(at.T))
        self._phi = torch.as_tensor(problem.phi(at))[:, None]
        self._slope = torch.as_tensor(np.ascontiguousarray(problem.grad_phi(at).T))
        self._f = torch.as_tensor(np.ascontiguousarray(problem.f(at).T))

    def loss(self, u: Map) -> Tensor:
        """The mean square of what should vanish."""
        if self._known == "divergence":
            return divergence(u)(self._x).square().mean()
        if self._known == "third":
            return u(self._x)[:, 2].square().mean()
        if self._known == "equation":
            left = self.curl_phi_curl(u)
            return (left - self._f).square().sum(1).mean() + divergence(u)(self._x).square().mean()
        return torch.zeros((), dtype=self._x.dtype)

    def curl_phi_curl(self, u: Map) -> Tensor:
        """curl(φ curl u) = ∇φ × curl u + φ curl curl u."""
        once = curl(u)
        return torch.linalg.cross(self._slope, once(self._x)) + self._phi * curl(once)(self._x)


def trained(
    net: Network, x: Array, y: Array, knowledge: Knowledge, known: str, *, weight: float, steps: int
) -> Callable[[Any], Array]:
    """Fit the net to samples x (3, N) and u (3, N) by self-scaled BFGS; return its field."""
    from nets.optimizers import SSBFGS

    u = field_of(net, known)
    points, values = (torch.as_tensor(np.ascontiguousarray(a.T)) for a in (x, y))
    free = [parameter for parameter in net.parameters() if parameter.requires_grad]
    optimizer = SSBFGS(free, max_iter=steps)

    def closure() -> Tensor:
        optimizer.zero_grad()
        data = (u(points) - values).square().sum() / (2 * len(points))
        loss = data + weight * knowledge.loss(u)
        loss.backward()
        return loss

    optimizer.step(closure)

    def field(at: Any) -> Array:
        with torch.no_grad():
            rows = torch.as_tensor(np.ascontiguousarray(np.reshape(at, (3, -1)).T))
            return u(rows).numpy().T.reshape(np.shape(at))

    return field
