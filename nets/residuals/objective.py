"""½ Σ r² over residuals of a net, its gradient, and the Jacobian of all r in all parameters.

`ResidualObjective(net, terms)` is a function of one flat vector, like `nets.fast.kernel`'s
`FastObjective`, and also offers what Levenberg–Marquardt needs: `residuals`, `jacobian` and
`normal_equations`. Points go through in chunks; no array is larger than a chunk's buffers but the
Jacobian itself, and `normal_equations` does without that too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from base.errors import UserError
from nets.fast.kernel import FlatParameters, Norms, numbers_of
from nets.fast.shape import Shape
from nets.fast.sweep import Numbers, Sums, pool_entries
from nets.module import Network
from nets.residuals.jets import channels, check_served, input_jets
from nets.residuals.sweep import JetSweep, Rows
from nets.residuals.terms import Residuals

Array = NDArray[np.float64]

# A pass over a chunk has some fifty calls of fixed price, about 0.2 ms, so chunks are as large as
# memory likes. Milliseconds per loss and gradient with 64, 128, 256, 512, 1024 points a chunk:
# 4.0, 2.7, 2.2, 2.0, 1.8 (2-20, 600 + 360 points); 8.7, 7.3, 6.2, 5.3, 4.9 (2-30, 1000 + 600).
CHUNK_BYTES, MIN_POINTS, MAX_POINTS = 16 * 2**20, 64, 1500


@dataclass(frozen=True)
class Chunk:
    """Some points of one term: input jets, coefficients, and where their r stand."""

    x: Tensor  # (inputs, channels · points)
    A: Array  # (M, outputs · channels, points)
    b: Array  # (M, points)
    columns: slice  # of the term's points


class ResidualObjective:
    """θ ↦ (½ Σ r², its gradient); θ is `net.pack()`. float64 throughout.

    (inf, zeros) where a number is not finite or τ ≤ 0 in a net that divides by τ. `parts()` and
    `norms()` describe the last call.
    """

    def __init__(
        self, net: Network, terms: Sequence[Residuals], *, chunk: int | None = None
    ) -> None:
        if not terms:
            raise UserError("an equation needs at least one set of residuals")
        if net.dtype != torch.float64:
            raise UserError(f"residuals need a float64 net, got {net.config.dtype}")
        self.net, self.terms, self.shape = net, tuple(terms), Shape(net)
        for term in self.terms:
            check_served(net.sigma, term.order)
            if term.A.shape[2] != net.widths[-1] or term.x.shape[1] != net.widths[0]:
                raise UserError(
                    f"the residuals have {term.x.shape[1]} inputs and {term.A.shape[2]} outputs, "
                    f"the net has {net.widths[0]} and {net.widths[-1]}"
                )
        self._chunks = [_chunks(term, self.shape, chunk) for term in self.terms]
        self._sweeps = self._make_sweeps()
        self._theta, self._gradient = FlatParameters(net), FlatParameters(net)
        layers = self.shape.hidden + 1
        self._sums = Sums.onto(self._gradient, layers)
        self.tau_gradient = np.zeros(layers - 1)
        self._r = [np.zeros(term.b.shape) for term in self.terms]
        self.count = sum(term.count for term in self.terms)
        self.parameters = len(self._theta.flat)
        first = sum(p.numel() for p in net.free_parameters()[: 2 * net.config.hidden])
        self.linear = slice(first, first + net.W[-1].numel())  # the output weights in θ

    def _make_sweeps(self) -> dict[tuple[str, int], JetSweep]:
        """One per order and size of chunk, all on the same buffers."""
        sizes = {
            (term.order, chunk.b.shape[1])
            for term, chunks in zip(self.terms, self._chunks, strict=True)
            for chunk in chunks
        }
        entries = max(
            sum(pool_entries(self.shape, channels(order) * points)) for order, points in sizes
        )
        pool = torch.zeros(entries, dtype=torch.float64)
        sigma = self.net.sigma
        return {(o, n): JetSweep(self.shape, o, n, pool, sigma) for o, n in sizes}

    # ------------------------------------------------------------ loss and gradient

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """½ Σ r² and its gradient in the free parameters (a fresh array)."""
        at = self._at(theta)
        if at is None:
            return inf, np.zeros(self.parameters)
        tau, C, s, numbers = at
        self._sums.clear()
        self._gradient.flat.zero_()
        loss = 0.0
        with torch.no_grad():
            for k, term in enumerate(self.terms):
                if term.test is None:
                    loss += self._plain(k, numbers)
                else:
                    loss += self._tested(k, term, numbers)
        by_tau = self._sums.tau_gradient(tau, C, s)
        self.tau_gradient = by_tau.numpy()
        self._gradient.set_tau(by_tau)
        gradient = self._gradient.flat.numpy().copy()
        if not (isfinite(loss) and np.isfinite(gradient).all()):
            return inf, np.zeros(self.parameters)
        return loss, gradient

    def _plain(self, k: int, numbers: Numbers) -> float:
        """Residuals point by point: forward and backward chunk by chunk."""
        total = 0.0
        for chunk in self._chunks[k]:
            sweep = self._sweep(k, chunk)
            r = np.empty(chunk.b.shape)
            sweep.residuals(chunk.x, numbers, chunk.A, chunk.b, r)
            self._r[k][:, chunk.columns] = r
            total += float(np.vdot(r, r))
            sweep.gradient(chunk.x, numbers, chunk.A, r, self._sums)
        return total / 2

    def _tested(self, k: int, term: Residuals, numbers: Numbers) -> float:
        """Products with test functions need all points first, then each chunk once more."""
        assert term.test is not None
        self._forward(k, numbers)
        tested = term.test @ self._r[k].reshape(-1)
        weights = (term.test.T @ tested).reshape(term.b.shape)
        for chunk in self._chunks[k]:
            sweep = self._sweep(k, chunk)
            sweep.forward(chunk.x, numbers)
            part = np.ascontiguousarray(weights[:, chunk.columns])
            sweep.gradient(chunk.x, numbers, chunk.A, part, self._sums)
        return float(tested @ tested) / 2

    def _forward(self, k: int, numbers: Numbers) -> None:
        for chunk in self._chunks[k]:
            r = np.empty(chunk.b.shape)
            self._sweep(k, chunk).residuals(chunk.x, numbers, chunk.A, chunk.b, r)
            self._r[k][:, chunk.columns] = r

    # ------------------------------------------------------------ residuals and Jacobian

    def residuals(self, theta: Array) -> Array | None:
        """All r, (count,); None where they are not finite or τ is not allowed."""
        at = self._at(theta)
        if at is None:
            return None
        with torch.no_grad():
            for k in range(len(self.terms)):
                self._forward(k, at[3])
        r = self._collected()
        return r if np.isfinite(r).all() else None

    def jacobian(self, theta: Array) -> tuple[Array, Array] | None:
        """r and dr/dθ as its transpose (parameters, count); None where r is not finite."""
        transposed, start = np.empty((self.parameters, self.count)), 0
        at = self._at(theta)
        if at is None:
            return None
        for k, term in enumerate(self.terms):
            part = transposed[:, start : start + term.count]
            if term.test is not None:
                part[:] = 0.0
            for columns, block in self._blocks(k, at):
                if term.test is None:
                    part[:, columns] = block
                else:
                    part += (term.test[:, columns] @ block.T).T
            start += term.count
        r = self._collected()
        return (r, transposed) if np.isfinite(r).all() else None

    def normal_equations(self, theta: Array) -> tuple[Array, Array, Array] | None:
        """r, JᵀJ and Jᵀr, summed up chunk by chunk: J itself is never formed.

        Tested residuals are the exception: their part of J is formed, (parameters, count).
        """
        at = self._at(theta)
        if at is None:
            return None
        P = self.parameters
        square, right = torch.zeros(P, P, dtype=torch.float64), np.zeros(P)
        for k, term in enumerate(self.terms):
            whole = np.zeros((P, term.count if term.test is not None else 0))
            for columns, block in self._blocks(k, at):
                if term.test is None:
                    _add_normal(block, self._r[k].reshape(-1)[columns], square, right)
                else:
                    whole += (term.test[:, columns] @ block.T).T
            if term.test is not None:
                tested = term.test @ self._r[k].reshape(-1)
                _add_normal(whole, tested, square, right)
        r = self._collected()
        return (r, square.numpy(), right) if np.isfinite(r).all() else None

    def _blocks(self, k: int, at: tuple):  # type: ignore[no-untyped-def]
        """(columns of r, Jᵀ there) for the rows of A and the chunks of one term, one at a time."""
        tau, _, _, numbers = at
        dC, ds, free = _tau_slopes(self.net, tau.detach())
        points = len(self.terms[k].x)
        for chunk in self._chunks[k]:
            sweep, size = self._sweep(k, chunk), chunk.b.shape[1]
            r = np.empty(chunk.b.shape)
            with torch.no_grad():
                sweep.residuals(chunk.x, numbers, chunk.A, chunk.b, r)
            self._r[k][:, chunk.columns] = r
            rows = Rows(self.shape, size, np.empty((self.parameters, size)))
            for m in range(len(chunk.A)):
                with torch.no_grad():
                    sweep.jacobian(chunk.x, numbers, chunk.A[m], rows)
                rows.fill_tau(dC, ds, free)
                first = m * points + chunk.columns.start
                yield slice(first, first + size), rows.flat

    def _collected(self) -> Array:
        parts = [
            r.reshape(-1) if term.test is None else term.test @ r.reshape(-1)
            for term, r in zip(self.terms, self._r, strict=True)
        ]
        return np.concatenate(parts)

    def parts(self) -> dict[str, float]:
        """½ Σ r² by label, of the last call; they add up to the loss."""
        totals: dict[str, float] = {}
        for term, r in zip(self.terms, self._r, strict=True):
            rows = r if term.test is None else (term.test @ r.reshape(-1))[None]
            for label, row in zip(term.labels, rows, strict=True):
                totals[label] = totals.get(label, 0.0) + float(row @ row) / 2
        return totals

    def norms(self) -> Norms:
        """Per layer, of the last gradient."""
        return self._gradient.norms(self.tau_gradient, self._sums.phi_squared)

    # ------------------------------------------------------------ the net at θ

    def _sweep(self, k: int, chunk: Chunk) -> JetSweep:
        return self._sweeps[self.terms[k].order, chunk.b.shape[1]]

    def _at(self, theta: Array) -> tuple[Tensor, Tensor, Tensor, Numbers] | None:
        """τ, C, s with their graph, and the numbers of the sweep; None where τ is not allowed."""
        tau = self._theta.load(theta)
        if tau is None or not bool(torch.isfinite(self._theta.flat).all()):
            return None
        with torch.enable_grad():
            C, s = self.net.architecture.coefficients(tau, self.net.config.gamma)
        numbers = numbers_of(self._theta.W, self._theta.b, C.detach(), s.detach(), torch.float64)
        return tau, C, s, numbers


def _add_normal(block: Array, r: Array, square: Tensor, right: Array) -> None:
    square += torch.from_numpy(block @ block.T)  # NumPy sees the symmetry: half the products
    right += block @ r


def _tau_slopes(net: Network, tau: Tensor) -> tuple[Array, Array, Array]:
    """dC/dτ (H+1, H+1, H), ds/dτ (H, H), and the map from dJ/dτ to the free part of τ."""
    gamma = net.config.gamma
    dC, ds = torch.autograd.functional.jacobian(
        lambda steps: net.architecture.coefficients(steps, gamma), tau
    )
    unit = torch.eye(len(tau), dtype=torch.float64)
    free = np.stack([net.free_tau_gradient(e).numpy() for e in unit], axis=1)
    return dC.numpy(), ds.numpy(), free


def chunk_points(shape: Shape, order: str, points: int, chunk: int | None = None) -> int:
    """Points per chunk: as many as the cache holds the buffers of, all chunks about equal."""
    if chunk is not None and chunk < 1:
        raise UserError(f"chunk must be >= 1, got {chunk}; leave it out for the default")
    each = sum(pool_entries(shape, channels(order))) * 8
    size = chunk or max(MIN_POINTS, min(MAX_POINTS, CHUNK_BYTES // each))
    pieces = -(-points // size)
    return -(-points // pieces)


def _chunks(term: Residuals, shape: Shape, chunk: int | None) -> list[Chunk]:
    size, N = chunk_points(shape, term.order, len(term.x), chunk), len(term.x)
    M, count, outputs, _ = term.A.shape
    A = np.swapaxes(term.A, 1, 2).reshape(M, outputs * count, N)  # as the net's output lies
    parts = []
    for first in range(0, N, size):
        columns = slice(first, min(first + size, N))
        jets = torch.from_numpy(input_jets(term.x[columns], term.order))
        parts.append(
            Chunk(
                jets,
                np.ascontiguousarray(A[:, :, columns]),
                np.ascontiguousarray(term.b[:, columns]),
                columns,
            )
        )
    return parts
