"""½ Σ r² over residuals of a net, its gradient, and the Jacobian of all r in all parameters.

`ResidualObjective(net, terms)` is a function of one flat vector, like `nets.fast.kernel`'s
`FastObjective`, and also offers what Levenberg–Marquardt needs: `residuals`, `jacobian` and
`normal_equations`, which never forms the whole Jacobian.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from base.errors import UserError
from nets.fast.kernel import NetObjective
from nets.fast.sweep import PointSweep
from nets.fast.tiles import Net
from nets.module import Network
from nets.residuals.jets import DERIVATIVES, check_served
from nets.residuals.terms import Residuals

Array = NDArray[np.float64]


class ResidualObjective(NetObjective):
    """θ ↦ (½ Σ r², its gradient); θ is `net.pack()`. float64 throughout.

    (inf, zeros) where a number is not finite or τ ≤ 0 in a net that divides by τ. `parts()` and
    `norms()` describe the last call.
    """

    def __init__(self, net: Network, terms: Sequence[Residuals]) -> None:
        if not terms:
            raise UserError("an equation needs at least one set of residuals")
        if net.dtype != torch.float64:
            raise UserError(f"residuals need a float64 net, got {net.config.dtype}")
        super().__init__(net)
        self.terms = tuple(terms)
        for term in self.terms:
            check_served(net.sigma, term.order)
            if term.A.shape[2] != net.widths[-1] or term.x.shape[1] != net.widths[0]:
                raise UserError(
                    f"the residuals have {term.x.shape[1]} inputs and {term.A.shape[2]} outputs, "
                    f"the net has {net.widths[0]} and {net.widths[-1]}"
                )
        self._sweeps = [
            PointSweep(net, self.shape, term.x, term.A, term.b, DERIVATIVES[term.order])
            for term in self.terms
        ]
        self._r = [np.zeros(term.b.shape) for term in self.terms]
        self.count = sum(term.count for term in self.terms)
        first = sum(p.numel() for p in net.free_parameters()[: 2 * net.config.hidden])
        self.linear = slice(first, first + net.W[-1].numel())  # the output weights in θ

    # ------------------------------------------------------------ loss and gradient

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """½ Σ r² and its gradient in the free parameters (a fresh array)."""
        at = self._at(theta)
        if at is None:
            return inf, np.zeros(self.parameters)
        tau, C, s, net = at
        self._clear()
        loss = sum(self._add_term(k, net) for k in range(len(self.terms)))
        self._add_tau(tau, C, s)
        gradient = self._sums.theta.copy()
        if not (isfinite(loss) and np.isfinite(gradient).all()):
            return inf, np.zeros(self.parameters)
        return loss, gradient

    def _add_term(self, k: int, net: Net) -> float:
        """Return ½ Σ r² of one term and add its gradient.

        Products with test functions need r at all points first, then the points once more.
        """
        term, sweep = self.terms[k], self._sweeps[k]
        if term.test is None:
            r = self._r[k] = sweep.gradient(net, self._sums)
            return float(np.vdot(r, r)) / 2
        self._r[k] = sweep.residuals(net).copy()
        tested = term.test @ self._r[k].reshape(-1)
        weights = (term.test.T @ tested).reshape(term.b.shape)
        sweep.gradient(net, self._sums, weights)
        return float(tested @ tested) / 2

    # ------------------------------------------------------------ residuals and Jacobian

    def residuals(self, theta: Array) -> Array | None:
        """All r, (count,); None where they are not finite or τ is not allowed."""
        at = self._at(theta)
        return None if at is None else self._all_residuals(at[3])

    def jacobian(self, theta: Array) -> tuple[Array, Array] | None:
        """r and dr/dθ as its transpose (parameters, count); None where r is not finite."""
        transposed, start = np.zeros((self.parameters, self.count)), 0
        at = self._at(theta)
        r = None if at is None else self._all_residuals(at[3])
        if at is None or r is None:
            return None
        for k, term in enumerate(self.terms):
            part = transposed[:, start : start + term.count]
            for columns, block in self._blocks(k, at):
                if term.test is None:
                    part[:, columns] = block
                else:
                    part += (term.test[:, columns] @ block.T).T
            start += term.count
        return r, transposed

    def normal_equations(self, theta: Array) -> tuple[Array, Array, Array] | None:
        """r, JᵀJ and Jᵀr, summed up block by block: J itself is never formed.

        Tested residuals are the exception: their part of J is formed, (parameters, count).
        """
        at = self._at(theta)
        r = None if at is None else self._all_residuals(at[3])
        if at is None or r is None:
            return None
        P = self.parameters
        square, right = np.zeros((P, P)), np.zeros(P)
        for k, term in enumerate(self.terms):
            whole = np.zeros((P, term.count if term.test is not None else 0))
            for columns, block in self._blocks(k, at):
                if term.test is None:
                    _add_normal(block, self._r[k].reshape(-1)[columns], square, right)
                else:
                    whole += (term.test[:, columns] @ block.T).T
            if term.test is not None:
                _add_normal(whole, term.test @ self._r[k].reshape(-1), square, right)
        return r, square, right

    def _blocks(self, k: int, at: tuple) -> Iterator[tuple[slice, Array]]:
        """(columns of r, Jᵀ there) of one term, block by block; call `_all_residuals` first."""
        tau, _, _, net = at
        dC, ds, free = _tau_slopes(self.net, tau.detach())
        points = len(self.terms[k].x)
        for m, here, rows in self._sweeps[k].jacobian(net):
            if self.net.learns_tau:
                slopes = np.einsum("lkn,lkt->tn", rows.C, dC) + ds.T @ rows.s
                rows.theta[-len(free) :] = free @ slopes
            yield slice(m * points + here.start, m * points + here.stop), rows.theta

    def _all_residuals(self, net: Net) -> Array | None:
        """All r, (count,), kept by term; None where they are not finite."""
        self._r = [sweep.residuals(net).copy() for sweep in self._sweeps]
        r = np.concatenate([
            r.reshape(-1) if term.test is None else term.test @ r.reshape(-1)
            for term, r in zip(self.terms, self._r, strict=True)
        ])  # fmt: skip
        return r if np.isfinite(r).all() else None

    def parts(self) -> dict[str, float]:
        """½ Σ r² by label, of the last call; they add up to the loss."""
        totals: dict[str, float] = {}
        for term, r in zip(self.terms, self._r, strict=True):
            rows = r if term.test is None else (term.test @ r.reshape(-1))[None]
            for label, row in zip(term.labels, rows, strict=True):
                totals[label] = totals.get(label, 0.0) + float(row @ row) / 2
        return totals


def _add_normal(block: Array, r: Array, square: Array, right: Array) -> None:
    square += block @ block.T  # NumPy sees the symmetry: half the products
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
