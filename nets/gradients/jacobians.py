"""End-to-end Jacobians dy[l]/dy[k] of hidden layers: singular values, sample by sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from base.errors import UserError
from nets.gradients.extended import Scaled
from nets.gradients.passes import Trajectory, adjoint, trajectory
from nets.module import Network

Array = NDArray[np.float64]


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
