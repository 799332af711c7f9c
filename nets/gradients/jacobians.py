"""End-to-end Jacobians dy[l]/dy[k] of hidden layers: singular values, sample by sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from base.errors import UserError
from nets.gradients.extended import Scaled
from nets.gradients.passes import Trajectory, adjoint, tangent, trajectory
from nets.module import Network

Array = NDArray[np.float64]

WIDE = 128  # from this width on Jacobians are applied and not formed
LANCZOS_STEPS = 40
LANCZOS_TOLERANCE = 1e-10


def end_to_end_jacobians(net: Network, x: Any, l: int | None = None) -> list[Scaled]:
    """dy[l]/dy[k] for k = 0..l, each (N, n_l, n_k); l defaults to the last hidden layer.

    One adjoint pass that starts from the n_l unit vectors of every sample. At k = 0 it is the
    derivative with respect to the input.
    """
    at, l = _checked(net, x, l)
    samples, width = at.samples, net.widths[l]
    rows = torch.eye(width, dtype=torch.float64).repeat(samples, 1)
    return [
        Scaled(R.mantissa.reshape(samples, width, -1), R.exponent)
        for R in adjoint(at, Scaled(rows), l, repeat=width)[0]
    ]


def log10_singular_values(net: Network, x: Any, l: int | None = None) -> list[Array]:
    """log₁₀ of the singular values of dy[l]/dy[k], descending, (N, min(n_l, n_k)), for k = 0..l.

    Accurate to rounding of the largest: values 15 decades below it are noise.
    """
    return [_log10_spectrum(J) for J in end_to_end_jacobians(net, x, l)]


def log10_block_spectra(net: Network, x: Any) -> list[Array]:
    """log₁₀ of the singular values of the steps dy[k+1]/dy[k], descending, for k = 1..H-1.

    dy[k+1]/dy[k] = s[k] diag(σ'(z[k])) W[k] + C[k+1,k] P: one layer without longer skips.
    """
    at = trajectory(net, x)
    found = []
    for k in range(1, at.last):
        own = at.s[k] * at.slope[k][:, :, None] * at.W[k]
        skip = torch.eye(*own.shape[1:], dtype=own.dtype)
        found.append(_log10(torch.linalg.svdvals(own + at.C[k + 1, k] * skip)))
    return found


def log10_spectral_norms(net: Network, x: Any, l: int | None = None, k: int = 1) -> Array:
    """log₁₀ ‖dy[l]/dy[k]‖₂ for every sample, (N,).

    Exact (singular values of the formed matrix) up to a width of 128; above it by Lanczos
    iteration on JᵀJ with products J v and Jᵀ u only, to a relative accuracy of 1e-10.
    """
    at, l = _checked(net, x, l)
    if not 0 <= k <= l:
        raise UserError(f"need 0 <= k <= l = {l}, got k = {k}")
    if max(net.widths[k : l + 1]) <= WIDE:
        return log10_singular_values(net, x, l)[k][:, 0]
    return lanczos_log10_norms(at, l, k)


def lanczos_log10_norms(at: Trajectory, l: int, k: int, seed: int = 0) -> Array:
    """log₁₀ ‖dy[l]/dy[k]‖₂ by Lanczos on JᵀJ, fully reorthogonalised, all samples at once."""
    generator = np.random.Generator(np.random.Philox(seed))
    width = at.net.widths[k]
    v = torch.from_numpy(generator.standard_normal((at.samples, width)))
    V = [v / v.norm(dim=1, keepdim=True)]
    T = torch.zeros(at.samples, LANCZOS_STEPS, LANCZOS_STEPS, dtype=torch.float64)
    exponent: int | None = None
    top = torch.zeros(at.samples, dtype=torch.float64)
    for m in range(min(LANCZOS_STEPS, width)):
        product = _gram_product(at, V[m], l, k)
        exponent = product.exponent if exponent is None else exponent
        w = product.mantissa * 2.0 ** (product.exponent - exponent)
        T[:, m, m] = (w * V[m]).sum(1)
        for _ in range(2):  # "twice is enough" (Kahan, Parlett)
            basis = torch.stack(V, dim=1)
            w = w - torch.einsum("sm,smn->sn", torch.einsum("smn,sn->sm", basis, w), basis)
        previous, top = top, torch.linalg.eigvalsh(T[:, : m + 1, : m + 1])[:, -1]
        beta = w.norm(dim=1)
        if m + 1 == LANCZOS_STEPS or bool((top - previous <= LANCZOS_TOLERANCE * top).all()):
            break
        T[:, m, m + 1] = T[:, m + 1, m] = beta
        V.append(w / beta.clamp(min=torch.finfo(w.dtype).tiny)[:, None])
    return _log10(top.clamp(min=0.0).sqrt()) + (exponent or 0) * np.log10(2.0) / 2


def _gram_product(at: Trajectory, v: Tensor, l: int, k: int) -> Scaled:
    """JᵀJ v for J = dy[l]/dy[k]."""
    return adjoint(at, tangent(at, Scaled(v), k, l), l)[0][k]


def _log10_spectrum(J: Scaled) -> Array:
    peak = J.mantissa.abs().amax((1, 2), keepdim=True).clamp(min=torch.finfo(torch.float64).tiny)
    values = torch.linalg.svdvals(J.mantissa / peak)
    return _log10(values) + _log10(peak[:, :, 0]) + J.exponent * np.log10(2.0)


def _log10(values: Tensor) -> Array:
    with np.errstate(divide="ignore"):
        return np.log10(values.numpy())


def _checked(net: Network, x: Any, l: int | None) -> tuple[Trajectory, int]:
    at = trajectory(net, x)
    l = at.last if l is None else l
    if not 1 <= l <= at.last:
        raise UserError(f"l must be a hidden layer 1..{at.last}, got {l}")
    return at, l
