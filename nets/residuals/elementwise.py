"""The elementwise half of a layer on jets: a = σ(z) with derivatives, and its adjoint, fused.

With z₀ the value channel, z_j = ∂_j z and the activation at z₀:

    a₀ = σ        a_j = σ′ z_j        a_Δ = σ″ Σ z_j² + σ′ z_Δ        a_jk = σ″ z_j z_k + σ′ z_jk

and, for the adjoint φ of s·a, with the same letters

    g_Δ = s φ_Δ σ′        g_jk = s φ_jk σ′
    g_j = s (φ_j σ′ + 2 φ_Δ σ″ z_j)        and + s σ″ Σ_k φ_jk z_k (twice for k = j)
    g₀  = s (φ₀ σ′ + σ″ Σ φ_j z_j + φ_Δ (σ‴ Σ z_j² + σ″ z_Δ) + Σ φ_jk (σ‴ z_j z_k + σ″ z_jk)).

Arrays are (features, channels · points), channels first. The transcendental functions come from
torch (vectorised), everything else is one pass in numba.
"""

from __future__ import annotations

import numba
import numpy as np
import torch
from torch import Tensor

from nets.activations import ACTIVATIONS, Activation, tanh
from nets.fast.fused import REORDERED_SUMS, Array
from nets.residuals.jets import CHANNELS, DERIVATIVES

# What the kernels call the orders; numba compiles one loop nest for each.
CODES = {"value": 0, "first": 1, "laplacian": 2, "second": 3}


class JetElementwise:
    """The passes of `nets.fast.elementwise.Elementwise` on jets of `points` points.

    σ and its derivatives are kept from a layer's forward pass for its backward passes (tanh is a
    third of a pass). `inner` holds, after `backward`, ⟨φ, a⟩ point by point: what a Jacobian needs.
    """

    def __init__(self, sigma: Activation, order: str, points: int, widest: int) -> None:
        self.sigma, self.code, self.points = sigma, CODES[order], points
        self.channels, self.needed = CHANNELS[order], DERIVATIVES[order]
        self.tanh = ACTIVATIONS.get(sigma.name) is tanh
        self.inner = np.zeros(points)
        self._kept: dict[int, Array] = {}  # by layer: σ, σ′, σ″, σ‴, each (features, points)
        self._argument = torch.zeros(widest, points, dtype=torch.float64)
        self._a = torch.zeros(widest, self.channels * points, dtype=torch.float64)

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None:
        """y = c·base + s a; where base has fewer features than y, zeros follow."""
        carried = min(len(base), len(y)) if c else 0
        self._values(z, b, s, y)
        if carried:
            torch.from_numpy(y[:carried]).add_(torch.from_numpy(base[:carried]), alpha=float(c))

    def add(self, z: Array, b: Array, s: float, y: Array) -> None:
        """y += s a."""
        a = self._a[: len(y)]
        self._values(z, b, s, a.numpy())
        torch.from_numpy(y).add_(a)

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        """Write g, add Σ g₀ to db, return ⟨φ, a⟩ and ‖φ‖²; leave ⟨φ, a⟩ by point in `inner`."""
        d = self._kept[id(z)]
        self.inner.fill(0.0)
        gradient = self._channels(g)
        _pull(self.code, self._channels(z), d[0], d[1], d[2], d[3], s, self._channels(phi),
              gradient, self.inner)  # fmt: skip
        db += gradient[:, 0].sum(1)
        flat = phi.reshape(-1)
        return float(self.inner.sum()), float(flat @ flat)

    def _values(self, z: Array, b: Array, s: float, out: Array) -> None:
        d = self._derivatives(z, b)
        _push(self.code, self._channels(z), d[0], d[1], d[2], s, self._channels(out))

    def _channels(self, array: Array) -> Array:
        return array.reshape(len(array), self.channels, self.points)

    def _derivatives(self, z: Array, b: Array) -> Array:
        """σ and its derivatives at the value channel + b, (4, features, points).

        One derivative more than the jet has, for its adjoint. A layer's z is always the same array.
        """
        if id(z) not in self._kept:
            self._kept[id(z)] = np.zeros((4, len(z), self.points))
        d, argument = self._kept[id(z)], self._argument[: len(z)]
        torch.add(torch.from_numpy(z[:, : self.points]), torch.from_numpy(b)[:, None], out=argument)
        if self.tanh:
            torch.tanh(argument, out=torch.from_numpy(d[0]))
            _tanh_derivatives(d, self.needed + 1)
        else:
            _fill(self.sigma, argument, d, self.needed + 1)
        return d


def _fill(sigma: Activation, argument: Tensor, d: Array, highest: int) -> None:
    functions = (sigma.value, sigma.slope, sigma.curvature, sigma.third)
    for k, function in enumerate(functions[: highest + 1]):
        assert function is not None, "jets.check_served lets no such activation through"
        d[k] = function(argument).numpy()


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _tanh_derivatives(d, highest):  # type: ignore[no-untyped-def]
    """d[1..3] from d[0] = tanh."""
    for i in range(d.shape[1]):
        t, d1, d2, d3 = d[0, i], d[1, i], d[2, i], d[3, i]
        for n in range(d.shape[2]):
            slope = 1.0 - t[n] * t[n]
            d1[n] = slope
            if highest >= 2:
                d2[n] = -2.0 * t[n] * slope
            if highest >= 3:
                d3[n] = (4.0 - 6.0 * slope) * slope


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _push(code, z, d0, d1, d2, s, a):  # type: ignore[no-untyped-def]
    """a ← s σ(z) with the derivatives of the order."""
    for i in range(len(z)):
        s0, s1, a0 = d0[i], d1[i], a[i, 0]
        for n in range(z.shape[2]):
            a0[n] = s * s0[n]
        if code == 0:
            continue
        z1, z2, z3 = z[i, 1], z[i, 2], z[i, 3]
        a1, a2, a3 = a[i, 1], a[i, 2], a[i, 3]
        for n in range(z.shape[2]):
            slope = s * s1[n]
            a1[n] = slope * z1[n]
            a2[n] = slope * z2[n]
            a3[n] = slope * z3[n]
        if code == 2:
            s2, z4, a4 = d2[i], z[i, 4], a[i, 4]
            for n in range(z.shape[2]):
                square = z1[n] * z1[n] + z2[n] * z2[n] + z3[n] * z3[n]
                a4[n] = s * (s2[n] * square + s1[n] * z4[n])
        elif code == 3:
            _push_pair(z1, z1, z[i, 4], s1, d2[i], s, a[i, 4])
            _push_pair(z1, z2, z[i, 5], s1, d2[i], s, a[i, 5])
            _push_pair(z1, z3, z[i, 6], s1, d2[i], s, a[i, 6])
            _push_pair(z2, z2, z[i, 7], s1, d2[i], s, a[i, 7])
            _push_pair(z2, z3, z[i, 8], s1, d2[i], s, a[i, 8])
            _push_pair(z3, z3, z[i, 9], s1, d2[i], s, a[i, 9])


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _push_pair(zj, zk, zjk, s1, s2, s, out):  # type: ignore[no-untyped-def]
    for n in range(len(out)):
        out[n] = s * (s2[n] * zj[n] * zk[n] + s1[n] * zjk[n])


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _pull(code, z, d0, d1, d2, d3, s, phi, g, inner):  # type: ignore[no-untyped-def]
    """g from φ, and ⟨φ, a⟩ added to `inner` point by point."""
    for i in range(len(z)):
        s0, s1, p0, g0 = d0[i], d1[i], phi[i, 0], g[i, 0]
        if code == 0:
            for n in range(z.shape[2]):
                inner[n] += p0[n] * s0[n]
                g0[n] = s * p0[n] * s1[n]
            continue
        _pull_first(z[i], s0, s1, d2[i], s, phi[i], g[i], inner)
        if code == 2:
            _pull_laplacian(z[i], s1, d2[i], d3[i], s, phi[i], g[i], inner)
        elif code == 3:
            c = 4
            for j in range(3):
                for k in range(j, 3):
                    _pull_pair(z[i, 1 + j], z[i, 1 + k], z[i, c], s1, d2[i], d3[i], s, phi[i, c],
                               g[i, 0], g[i, 1 + j], g[i, 1 + k], g[i, c], inner)  # fmt: skip
                    c += 1


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _pull_first(z, s0, s1, s2, s, phi, g, inner):  # type: ignore[no-untyped-def]
    z1, z2, z3 = z[1], z[2], z[3]
    p0, p1, p2, p3 = phi[0], phi[1], phi[2], phi[3]
    g0, g1, g2, g3 = g[0], g[1], g[2], g[3]
    for n in range(len(inner)):
        mixed = p1[n] * z1[n] + p2[n] * z2[n] + p3[n] * z3[n]
        slope = s * s1[n]
        inner[n] += p0[n] * s0[n] + s1[n] * mixed
        g0[n] = slope * p0[n] + s * s2[n] * mixed
        g1[n] = slope * p1[n]
        g2[n] = slope * p2[n]
        g3[n] = slope * p3[n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _pull_laplacian(z, s1, s2, s3, s, phi, g, inner):  # type: ignore[no-untyped-def]
    z1, z2, z3, z4, p4 = z[1], z[2], z[3], z[4], phi[4]
    g0, g1, g2, g3, g4 = g[0], g[1], g[2], g[3], g[4]
    for n in range(len(inner)):
        square = z1[n] * z1[n] + z2[n] * z2[n] + z3[n] * z3[n]
        inner[n] += p4[n] * (s2[n] * square + s1[n] * z4[n])
        weight = s * p4[n]
        bend = 2.0 * weight * s2[n]
        g0[n] += weight * (s3[n] * square + s2[n] * z4[n])
        g1[n] += bend * z1[n]
        g2[n] += bend * z2[n]
        g3[n] += bend * z3[n]
        g4[n] = weight * s1[n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _pull_pair(zj, zk, zjk, s1, s2, s3, s, p, g0, gj, gk, gjk, inner):  # type: ignore[no-untyped-def]
    for n in range(len(inner)):
        product = zj[n] * zk[n]
        weight = s * p[n]
        inner[n] += p[n] * (s2[n] * product + s1[n] * zjk[n])
        g0[n] += weight * (s3[n] * product + s2[n] * zjk[n])
        along_j, along_k = weight * s2[n] * zk[n], weight * s2[n] * zj[n]
        gj[n] += along_j
        gk[n] += along_k
        gjk[n] = weight * s1[n]
