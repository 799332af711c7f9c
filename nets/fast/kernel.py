"""The fast path: J and its gradient as functions of one flat vector, and fast prediction.

The same numbers as the module with DtO gradients, a few points at a time in compiled code
(`nets.fast.tiles`), on one thread. Bitwise the same from run to run.
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np
import torch
from torch import Tensor

from base.errors import UserError
from nets.fast.shape import Shape
from nets.fast.sweep import PointSweep, jets_at
from nets.fast.tiles import Net, Sums, contiguous, net_of
from nets.flat_module import finite
from nets.gradients.adjoint import coefficient_vjp
from nets.loss import Loss
from nets.module import Network

ROUNDING = 1e-12  # of J, summed in another order


@dataclass(frozen=True)
class Evaluation:
    """J and its parts. If it overflows or τ is not allowed, J is inf and `finite` is false."""

    J: float
    mse: float
    penalty: float
    finite: bool


REJECTED = Evaluation(inf, inf, inf, finite=False)


@dataclass(frozen=True)
class Norms:
    """Per layer: ‖∂J/∂W[ℓ]‖ (L), ‖∂J/∂b[ℓ]‖ (H), ∂J/∂τ[ℓ] (H), ‖∂J/∂y[ℓ]‖ for ℓ = 1..H (H)."""

    W: np.ndarray
    b: np.ndarray
    tau: np.ndarray
    y: np.ndarray


class FlatParameters:
    """One float64 vector in the order of `net.free_parameters()`, and its parts as views."""

    def __init__(self, net: Network) -> None:
        self.net = net
        parameters = net.free_parameters()
        sizes = [p.numel() for p in parameters]
        self.flat = torch.zeros(sum(sizes), dtype=torch.float64)
        views = [v.view(p.shape) for v, p in zip(self.flat.split(sizes), parameters, strict=True)]
        last = 2 * net.config.hidden
        self.W, self.b = [*views[0:last:2], views[last]], views[1:last:2]
        self.free_tau = views[last + 1] if net.learns_tau else None

    def load(self, theta: np.ndarray) -> Tensor | None:
        """Copy θ and return its τ as a new leaf, or None if the net does not allow this τ."""
        self.flat.copy_(torch.from_numpy(np.asarray(theta, dtype=np.float64)))
        free = self.net.free_tau.detach().double() if self.free_tau is None else self.free_tau
        tau = self.net.whole_tau(free).clone().requires_grad_()
        allowed = not self.net.architecture.POSITIVE_TAU or bool((tau > 0).all())
        return tau if allowed and bool(torch.isfinite(tau).all()) else None


class NetObjective:
    """A function of one flat vector θ: what J of samples and of residuals share.

    `tau_gradient` is dJ/dτ[ℓ] of the last call, for every τ policy.
    """

    def __init__(self, net: Network, dtype: Any = np.float64) -> None:
        self.net, self.shape = net, Shape(net)
        self._theta, self._gradient = FlatParameters(net), FlatParameters(net)
        self.parameters, layers = len(self._theta.flat), net.config.hidden + 1
        self._net = net_of(net, self._theta.flat.numpy().astype(dtype), self.shape)
        self._sums = Sums(
            theta=self._gradient.flat.numpy(),
            C=np.zeros((layers, layers)),
            s=np.zeros(layers - 1),
            phi_squared=np.zeros(layers),
        )
        self.tau_gradient = np.zeros(layers - 1)

    def _at(self, theta: np.ndarray) -> tuple[Tensor, Tensor, Tensor, Net] | None:
        """τ, C, s with their graph, and the net of the sweep; None where τ is not allowed."""
        tau = self._theta.load(theta)
        if tau is None or not np.isfinite(theta).all():
            return None
        with torch.enable_grad():
            C, s = self.net.architecture.coefficients(tau, self.net.config.gamma)
        self._net.theta[:] = theta
        dtype = self._net.theta.dtype
        net = self._net._replace(C=contiguous(C, dtype), s=contiguous(s, dtype))
        return tau, C, s, net

    def _clear(self) -> None:
        for total in self._sums:
            total.fill(0.0)

    def _add_tau(self, tau: Tensor, C: Tensor, s: Tensor, penalty: Tensor | float = 0.0) -> None:
        """Set the part in τ of the gradient, from those in C and s."""
        cotangents = torch.from_numpy(self._sums.C), torch.from_numpy(self._sums.s)
        gradient = coefficient_vjp(tau, (C, s), cotangents) + penalty
        self.tau_gradient = gradient.numpy()
        if self._gradient.free_tau is not None:
            self._gradient.free_tau.copy_(self.net.free_tau_gradient(gradient))

    def norms(self) -> Norms:
        """Return the norms of the last gradient, penalties included."""
        parts = (self._gradient.W, self._gradient.b)
        W, b = (np.array([float(part.norm()) for part in of]) for of in parts)
        return Norms(W, b, self.tau_gradient.copy(), np.sqrt(self._sums.phi_squared[1:]))


class FastObjective(NetObjective):
    """θ ↦ (J, ∇J) on fixed data; θ is `net.pack()`: float64, W.0, b.0, …, W.{L−1}, free part of τ.

    dtype: precision of the sweeps; "float32" evaluates the net in single precision while θ, the
    coefficients of τ and all sums over tiles stay in double. Of the net only the shape and
    a fixed τ are used; `net.unpack(theta)` writes a result into it. `last`, `norms()` and
    `tau_gradient` describe the last call.
    """

    def __init__(
        self, net: Network, x: Any, y: Any, loss: Loss | None = None, *, dtype: str | None = None
    ) -> None:
        self.dtype = _precision(net, dtype)
        super().__init__(net, self.dtype)
        self.loss, self.rows, self.last = loss or Loss(), len(x), REJECTED
        if self.rows < 1:
            raise UserError("x has no rows; give at least one")
        x, b = self._scaled(x, y)
        unit = self.rows**-0.5 * np.eye(len(b), dtype=self.dtype)[:, None, :, None]
        A = np.broadcast_to(unit, (len(b), 1, len(b), self.rows))
        self._sweep = PointSweep(net, self.shape, x, A, b)

    def set_data(self, x: Any, y: Any) -> None:
        """Replace the data by as many other rows (mini-batches)."""
        self._sweep.set_data(*self._scaled(x, y))

    def _scaled(self, x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """The inputs, and targets (outputs, rows) over √rows: J is half a sum of squares."""
        x = self.net.as_batch(x, "x", self.shape.widths[0])
        y = self.net.as_batch(y, "y", self.shape.widths[-1])
        if len(x) != self.rows or len(y) != self.rows:
            raise UserError(
                f"x and y need {self.rows} rows, got {len(x)} and {len(y)}; "
                "make another FastObjective for another number of rows"
            )
        b = self.rows**-0.5 * y.T.double().numpy()
        return x.numpy().astype(self.dtype), b.astype(self.dtype)

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J and its gradient in the free parameters (a fresh array).

        (inf, zeros) and `last.finite` false where J or the gradient is not finite, or τ ≤ 0 in
        a net that divides by τ: a line search rejects such a θ.
        """
        at, self.last = self._at(theta), REJECTED
        if at is None:
            return inf, np.zeros(self.parameters)
        tau, C, s, net = at
        self._clear()
        mse = _half_square(self._sweep.gradient(net, self._sums))
        with torch.no_grad():
            self._add_tau(tau, C, s, self.loss.tau_gradient(tau))
            self._add_penalty()
            penalty = float(self.loss.penalty(self._theta.W, self._theta.b, tau))
        gradient = self._sums.theta.copy()
        if not (isfinite(mse + penalty) and np.isfinite(gradient).all()):
            return inf, np.zeros(self.parameters)
        self.last = Evaluation(mse + penalty, mse, penalty, finite=True)
        return self.last.J, gradient

    def exceeds(self, theta: np.ndarray, bound: float) -> bool:
        """Whether J(θ) is surely above the bound, or not finite: a third of the price of J and
        its gradient."""
        at = self._at(theta)
        if at is None:
            return True
        with torch.no_grad():
            penalty = float(self.loss.penalty(self._theta.W, self._theta.b, at[0]))
        J = penalty + _half_square(self._sweep.residuals(at[3]))
        return not bound + ROUNDING * abs(bound) >= J

    def _add_penalty(self) -> None:
        if self.loss.lambda1:
            for gradient, W in zip(self._gradient.W, self._theta.W, strict=True):
                gradient += self.loss.weight_gradient(W)
        if self.loss.lambda1 or self.loss.beta:
            for gradient, b in zip(self._gradient.b, self._theta.b, strict=True):
                gradient += self.loss.bias_gradient(b)


def _half_square(r: np.ndarray) -> float:
    """½ Σ r² in double precision."""
    r = r.astype(np.float64, copy=False)
    return float(np.vdot(r, r)) / 2


def predict(net: Network, x: Any, *, dtype: str | None = None) -> Tensor:
    """net(x) without autograd, by the fast path, in the net's precision or in `dtype`, "float32" or
    "float64"."""
    from nets.user_modules import OwnNet
    from nets.user_modules import predict as by_module

    if isinstance(net, OwnNet):
        return by_module(net, x)
    rows = net.as_batch(x, "x", net.widths[0]).numpy()
    values = jets_at(net, rows, dtype=_precision(net, dtype))[0]
    return finite(torch.from_numpy(np.ascontiguousarray(values.T)))


def _precision(net: Network, dtype: str | None) -> np.dtype:
    if dtype not in (None, "float32", "float64"):
        raise UserError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    return np.dtype(dtype or net.config.dtype)
