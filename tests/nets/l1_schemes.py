"""The L1 schemes as derivatives and solvers, for the tests of their weights."""

import math

import mpmath
import torch

from base.errors import UserError
from nets.fractional.mittag_leffler import LARGEST_EXPONENT, mittag_leffler
from nets.fractional.ode import solve_fractional_ode
from nets.fractional.weights import memory_weights, right_memory_weights


def left_caputo(y, tau, gamma):
    """∂_t^γ y at t[1], …, t[n] from y at t[0], …, t[n] (first axis): the left L1 scheme."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    jumps = _jumps(y, tau)
    derivative = jumps + torch.tensordot(memory_weights(tau, gamma), jumps, dims=1)
    return _per_step(tau**-gamma, derivative) / math.gamma(2.0 - gamma)


def right_caputo(y, tau, gamma):
    """∂_{T-t}^γ y at t[0], …, t[n-1] from y at t[0], …, t[n] (first axis): the right L1 scheme."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    jumps = _jumps(y, tau)
    derivative = jumps + torch.tensordot(right_memory_weights(tau, gamma).T, jumps, dims=1)
    return -_per_step(tau**-gamma, derivative) / math.gamma(2.0 - gamma)


def _jumps(y, tau):
    y = torch.as_tensor(y, dtype=torch.float64)
    if y.ndim == 0 or len(y) != len(tau) + 1:
        raise UserError(
            f"y must hold one value per grid point: {len(tau)} steps need {len(tau) + 1} values, "
            f"got shape {tuple(y.shape)}"
        )
    return y.diff(dim=0)


def _per_step(factor, values):
    return factor.reshape(-1, *[1] * (values.ndim - 1)) * values


def solve_terminal_value(f, y_end, tau, gamma):
    """The mirror image: ∂_{T-t}^γ y = f(t, y), y(T) = y_end, with the right scheme's weights B."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    end = float(tau.sum())
    return solve_fractional_ode(lambda s, y: f(end - s, y), y_end, tau.flip(0), gamma).flip(0)


def graded_steps(steps, end, grading=1.0):
    """Steps of the grid t[k] = T (k/n)^r."""
    if steps < 1 or not end > 0.0 or not grading >= 1.0:
        raise UserError(
            f"need steps >= 1, end > 0 and grading >= 1, got {steps}, {end:g}, {grading:g}"
        )
    grid = end * (torch.arange(steps + 1, dtype=torch.float64) / steps) ** grading
    return grid.diff()


def log_mittag_leffler(z, gamma):
    """log E_γ(z), also where E_γ(z) itself overflows: z^{1/γ} - log γ + O(exp(-z^{1/γ}))."""
    if z > 0.0 and z ** (1 / gamma) > LARGEST_EXPONENT - 10.0:
        return z ** (1 / gamma) - math.log(gamma)
    return math.log(mittag_leffler(z, gamma))


def exact_weight(tau, gamma, l, j):
    """A[l,j] as printed, with 60 digits."""
    with mpmath.workdps(60):
        p = 1 - mpmath.mpf(gamma)
        tau = [mpmath.mpf(t) for t in tau]
        spans = mpmath.fsum(tau[j : l + 1]) ** p - mpmath.fsum(tau[j + 1 : l + 1]) ** p
        return tau[l] ** mpmath.mpf(gamma) / tau[j] * spans
