"""The fast path: J and its gradient as functions of one flat vector, and fast prediction.

The same numbers as the module with DtO gradients, in chunks of rows through preallocated buffers
(`nets.fast.sweep`): matrix products in torch, the elementwise rest fused
(`nets.fast.elementwise`). Bitwise the same from run to run at a fixed thread count and chunk size.
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np
import torch
from torch import Tensor

from base.errors import UserError
from nets.fast.elementwise import elementwise
from nets.fast.shape import Shape
from nets.fast.sweep import Numbers, Sums, Sweep, pool_entries
from nets.flat_module import finite
from nets.loss import Loss
from nets.module import Network

# Rows per chunk: at most MAX_CHUNK, fewer where a deep net's buffers would exceed CHUNK_BYTES.
MIN_CHUNK, MAX_CHUNK, CHUNK_BYTES = 128, 2000, 24 * 2**20
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

    def set_tau(self, gradient: Tensor) -> None:
        """Set the free part of τ in a gradient from dJ/dτ."""
        if self.free_tau is not None:
            self.free_tau.copy_(self.net.free_tau_gradient(gradient))

    def norms(self, tau: np.ndarray, phi_squared: np.ndarray) -> Norms:
        """Return the norms of a gradient, from its part in τ and the sums of φ²."""
        W, b = (np.array([float(part.norm()) for part in parts]) for parts in (self.W, self.b))
        return Norms(W, b, tau.copy(), np.sqrt(phi_squared[1:]))


class FastObjective:
    """θ ↦ (J, ∇J) on fixed data; θ is `net.pack()`: float64, W.0, b.0, …, W.{L−1}, free part of τ.

    dtype: precision of the sweeps; "float32" evaluates the net in single precision while θ, the
    coefficients of τ and all sums over chunks stay in double. Of the net only the shape and
    a fixed τ are used; `net.unpack(theta)` writes a result into it. `last`, `norms()` and
    `tau_gradient` describe the last call.
    """

    def __init__(
        self,
        net: Network,
        x: Any,
        y: Any,
        loss: Loss | None = None,
        *,
        chunk: int | None = None,
        dtype: str | None = None,
    ) -> None:
        self.net, self.loss, self.shape = net, loss or Loss(), Shape(net)
        self.dtype = _precision(net, dtype)
        self.rows = len(x)
        self.chunk = _chunk_rows(self.shape, self.rows, chunk, self.dtype)
        self.set_data(x, y)
        self._sweeps = _sweeps(net, self.shape, {a.shape[1] for a, _ in self._chunks}, self.dtype)
        self._theta, self._gradient = FlatParameters(net), FlatParameters(net)
        layers = self.shape.hidden + 1
        self._sums = Sums.onto(self._gradient, layers)
        self.tau_gradient = np.zeros(layers - 1)  # dJ/dτ[ℓ], for every τ policy
        self.last = REJECTED

    def set_data(self, x: Any, y: Any) -> None:
        """Replace the data by as many other rows (mini-batches)."""
        x = self.net.as_batch(x, "x", self.shape.widths[0]).to(self.dtype)
        y = self.net.as_batch(y, "y", self.shape.widths[-1]).to(self.dtype)
        if len(x) != self.rows or len(y) != self.rows:
            raise UserError(
                f"x and y need {self.rows} rows, got {len(x)} and {len(y)}; "
                "make another FastObjective for another number of rows"
            )
        pairs = zip(x.split(self.chunk), y.split(self.chunk), strict=True)
        self._chunks = [(a.T.contiguous(), b.T.contiguous()) for a, b in pairs]

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J and its gradient in the free parameters (a fresh array).

        (inf, zeros) and `last.finite` false where J or the gradient is not finite, or τ ≤ 0 in
        a net that divides by τ: a line search rejects such a θ.
        """
        self._sums.clear()
        self._gradient.flat.zero_()
        tau = self._theta.load(theta)
        if tau is None:
            return self._rejected()
        with torch.enable_grad():
            C, s = self.net.architecture.coefficients(tau, self.net.config.gamma)
        with torch.no_grad():
            numbers = self.numbers_of(C, s)
            for x, target in self._chunks:
                sweep = self._sweeps[x.shape[1]]
                sweep.forward(x, numbers)
                sweep.backward(x, target, numbers, 1 / self.rows, self._sums)
            self._add_tau(tau, C, s)
            self._add_penalty(tau)
            return self._result(tau)

    def exceeds(self, theta: np.ndarray, bound: float) -> bool:
        """Whether J(θ) is surely above the bound, or not finite: forward only, as far as needed."""
        tau = self._theta.load(theta)
        if tau is None:
            return True
        with torch.no_grad():
            penalty = float(self.loss.penalty(self._theta.W, self._theta.b, tau))
            C, s = self.net.architecture.coefficients(tau, self.net.config.gamma)
            numbers = self.numbers_of(C, s)
            left = 2 * self.rows * (bound - penalty + ROUNDING * abs(bound))
            for x, target in self._chunks:
                sweep = self._sweeps[x.shape[1]]
                sweep.forward(x, numbers)
                left -= sweep.residual_squared(target)
                if not left >= 0:
                    return True
        return False

    def numbers_of(self, C: Tensor, s: Tensor) -> Numbers:
        return numbers_of(self._theta.W, self._theta.b, C.detach(), s.detach(), self.dtype)

    def _add_tau(self, tau: Tensor, C: Tensor, s: Tensor) -> None:
        gradient = self._sums.tau_gradient(tau, C, s)
        gradient += self.loss.tau_gradient(tau.detach())
        self.tau_gradient = gradient.numpy()
        self._gradient.set_tau(gradient)

    def _add_penalty(self, tau: Tensor) -> None:
        if self.loss.lambda1:
            for gradient, W in zip(self._gradient.W, self._theta.W, strict=True):
                gradient += self.loss.weight_gradient(W)
        if self.loss.lambda1 or self.loss.beta:
            for gradient, b in zip(self._gradient.b, self._theta.b, strict=True):
                gradient += self.loss.bias_gradient(b)

    def _result(self, tau: Tensor) -> tuple[float, np.ndarray]:
        mse = self._sums.residual_squared / (2 * self.rows)
        penalty = float(self.loss.penalty(self._theta.W, self._theta.b, tau))
        gradient = self._gradient.flat.numpy().copy()
        if not (isfinite(mse + penalty) and np.isfinite(gradient).all()):
            return self._rejected()
        self.last = Evaluation(mse + penalty, mse, penalty, finite=True)
        return self.last.J, gradient

    def _rejected(self) -> tuple[float, np.ndarray]:
        self.last = REJECTED
        return inf, np.zeros(len(self._theta.flat))

    def norms(self) -> Norms:
        """Return the norms of the last gradient, penalties included."""
        return self._gradient.norms(self.tau_gradient, self._sums.phi_squared)


def predict(net: Network, x: Any, *, chunk: int | None = None, dtype: str | None = None) -> Tensor:
    """net(x) without autograd, through the buffers of the fast path, in the net's precision or in
    `dtype`, "float32" or "float64"."""
    from nets.user_modules import OwnNet
    from nets.user_modules import predict as by_module

    if isinstance(net, OwnNet):
        return by_module(net, x)
    precision = _precision(net, dtype)
    x = net.as_batch(x, "x", net.widths[0]).to(precision)
    shape = Shape(net)
    parts = x.split(_chunk_rows(shape, max(1, len(x)), chunk, precision))
    sweeps = _sweeps(net, shape, {len(part) for part in parts}, precision)
    out = torch.empty(len(x), net.widths[-1], dtype=precision)
    with torch.no_grad():
        C, s = net.architecture.coefficients(net.tau.double(), net.config.gamma)
        numbers = numbers_of(list(net.W), list(net.b), C, s, precision)
        for part, rows in zip(parts, out.split(len(parts[0]) or 1), strict=True):
            rows.copy_(sweeps[len(part)].forward(part.T.contiguous(), numbers).T)
    return finite(out)


def predicted_bytes(
    net: Network, rows: int, *, chunk: int | None = None, dtype: str | None = None
) -> int:
    """Return the bytes that a `FastObjective` on `rows` rows holds: data, buffers, gradients."""
    precision = _precision(net, dtype)
    shape = Shape(net)
    buffers = sum(pool_entries(shape, _chunk_rows(shape, rows, chunk, precision)))
    data = rows * (shape.widths[0] + shape.widths[-1])
    parameters = sum(p.numel() for p in net.free_parameters())
    coefficients = (shape.hidden + 1) ** 2
    return precision.itemsize * (buffers + data) + 8 * (3 * parameters + coefficients)


def _precision(net: Network, dtype: str | None) -> torch.dtype:
    if dtype not in (None, "float32", "float64"):
        raise UserError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    return getattr(torch, dtype) if dtype else net.dtype


def _chunk_rows(shape: Shape, rows: int, chunk: int | None, dtype: torch.dtype) -> int:
    if chunk is not None and chunk < 1:
        raise UserError(f"chunk must be >= 1, got {chunk}; leave it out for the default")
    if rows < 1:
        raise UserError("x has no rows; give at least one")
    bytes_per_row = sum(pool_entries(shape, 1)) * dtype.itemsize
    default = max(MIN_CHUNK, min(MAX_CHUNK, CHUNK_BYTES // bytes_per_row))
    return min(rows, chunk or default)


def _sweeps(net: Network, shape: Shape, sizes: set[int], dtype: torch.dtype) -> dict[int, Sweep]:
    """One sweep per size of chunk (all but the last are equal), on the same buffers."""
    pool = torch.zeros(sum(pool_entries(shape, max(sizes))), dtype=dtype)
    sigma = elementwise(net.config.activation, net.sigma, net.config.eta)
    return {rows: Sweep(shape, rows, pool, sigma) for rows in sizes}


def numbers_of(
    W: list[Tensor], b: list[Tensor], C: Tensor, s: Tensor, dtype: torch.dtype
) -> Numbers:
    cast = [weight.detach().to(dtype) for weight in W]
    return Numbers(
        W=cast,
        WT=[weight.T for weight in cast],
        b=[bias.detach().to(dtype).numpy() for bias in b],
        C=C.to(dtype).numpy(),
        s=s.tolist(),
    )
