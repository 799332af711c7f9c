"""The slips of the paper (maths 8), measured: errors of the printed and the corrected formulas.

Each function returns the relative error of the printed formula and of the corrected one against
automatic differentiation or a closed form, on a small random net or equation. The printed formulas
live here and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy.integrate import quad
from torch import Tensor

from base.registry import name_of
from nets.architectures import fractional
from nets.fractional.mittag_leffler import mittag_leffler
from nets.fractional.weights import memory_weights
from nets.gradients.adjoint import adjoint_states, states
from nets.gradients.methods import loss_and_grad
from nets.gradients.otd import adjoint_drift, missing_terms, one_step_gaps
from nets.module import Network, build, propagate
from nets.theory.derivatives import Linearised, iterate, linearise, state_derivatives
from nets.theory.recursions import Recursion, Steps, fractional_steps, gathered
from nets.theory.stability import linear_growth

HIDDEN, WIDTH, SAMPLES = 6, 5, 3


@dataclass(frozen=True)
class Slip:
    """One statement of the paper: its error as printed, and corrected."""

    printed: float
    corrected: float | None  # None where no correction is tested


def example_net(seed: int, *, equal_steps: bool = False, outputs: int = 3) -> Network:
    """A Fractional-DNN of 6-5 at γ = 0.4 with a smooth activation and unequal steps."""
    random = np.random.Generator(np.random.Philox(seed))
    tau0 = 0.5 if equal_steps else tuple(random.uniform(0.2, 1.5, HIDDEN).tolist())
    return build(
        net=name_of(fractional), tau="learned", hidden=HIDDEN, width=WIDTH, inputs=4,
        outputs=outputs, gamma=0.4, tau0=tau0, activation="tanh", init="normal", seed=seed,
    )  # fmt: skip


def example_points(seed: int, columns: int = 4, rows: int = SAMPLES) -> Tensor:
    random = np.random.Generator(np.random.Philox([seed, 7]))
    return torch.from_numpy(random.standard_normal((rows, columns)))


def fractional_index(seed: int) -> Slip:
    """Theorem on the Fractional-DNN, dy[l]/dW[0]: a_{i,k} printed, a_{i-1,k} right."""
    at = linearise(example_net(seed), example_points(seed))
    l = at.net.config.hidden - 1  # as printed the last layer needs a step that does not exist
    exact = _automatic(at.net, at.y[0], l, "W", 0)
    printed = state_derivatives(at, l, 0, _as_printed(at.net))["W"]
    corrected = state_derivatives(at, l, 0)["W"]
    return Slip(_error(printed, exact), _error(corrected, exact))


def fractional_own_notation(seed: int) -> Slip:
    """The same recursion for the net that the Theorem itself prints, with a_{l,k} in its state
    equation as well: there dy[l]/dW[0] is right as it stands."""
    net, x = example_net(seed), example_points(seed)
    steps = _as_printed(net)
    l = net.config.hidden - 1
    y, z = _states_by(net, x, net.W[0].detach(), steps)
    a, slope = [net.sigma.value(v) for v in z], [net.sigma.slope(v) for v in z]
    at = Linearised(net, steps, y, a, slope)
    exact = torch.autograd.functional.jacobian(
        lambda W: _states_by(net, x, W, steps)[0][l], net.W[0].detach()
    )
    return Slip(_error(state_derivatives(at, l, 0, steps)["W"], exact), None)


def _states_by(
    net: Network, x: Tensor, first: Tensor, steps: Recursion
) -> tuple[list[Tensor], list[Tensor]]:
    """States and pre-activations by the given skips, with `first` for W[0]; nothing of the input
    is carried."""
    weights = [first, *(W.detach() for W in list(net.W)[1:])]
    y, z = [x], []
    for i in range(1, len(weights)):
        z.append(y[-1] @ weights[i - 1].T + net.b[i - 1].detach())
        past = [steps.skips[i, k] * y[k] for k in range(1, i)]
        y.append(torch.stack([steps.scales[i - 1] * net.sigma.value(z[-1]), *past]).sum(0))
    return y, z


def _as_printed(net: Network) -> Recursion:
    """The Theorem's recursion with a_{i,k} for a_{i-1,k}, as the paper prints it, for i < H."""

    def steps(tau: Tensor) -> Steps:
        A = memory_weights(tau, net.config.gamma)
        later = torch.nn.functional.pad(A[1:], (0, 0, 0, 1)).tril(-1)
        return gathered(later), fractional_steps(tau, net.config.gamma)[1]

    return Recursion(steps, net.tau)


def fractional_tau_column(seed: int) -> Slip:
    """dy[l]/dτ[1] without and with the derivatives of the memory weights; index already right."""
    at = linearise(example_net(seed), example_points(seed))
    l, j = at.net.config.hidden, 1
    exact = _automatic(at.net, at.y[0], l, "tau", j)
    own = at.recursion.column(j)[1][j] * at.a[j][:, :, None]
    printed = iterate(at, {j + 1: own}, l)[:, :, 0]
    corrected = state_derivatives(at, l, j)["tau"]
    return Slip(_error(printed, exact), _error(corrected, exact))


def weight_gradient_transposed(seed: int) -> Slip:
    """∂J/∂W[1] printed as y (φ ⊙ sσ')ᵀ, right as (φ ⊙ sσ') yᵀ (a square W, or shapes differ)."""
    inner, y, exact = _layer_gradient(seed, layer=1)
    error = _error(inner.T @ y, exact["W.1"])
    return Slip(_error(y.T @ inner, exact["W.1"]), error)


def bias_gradient_summed(seed: int) -> Slip:
    """∂J/∂b[1] printed as the inner product φᵀ(sσ'), one number; right is φ ⊙ sσ'."""
    inner, _, exact = _layer_gradient(seed, layer=1)
    printed = inner.sum().expand(WIDTH)
    right = _error(inner.sum(0), exact["b.1"])
    return Slip(_error(printed, exact["b.1"]), right)


def terminal_adjoint(seed: int) -> Slip:
    """φ[L] = y - S for one sample, as printed; summed over N samples J has the factor 1/N."""
    net, x = example_net(seed), example_points(seed)
    out = net(x).detach().requires_grad_()
    target = example_points(seed + 1, columns=3)
    (of_one,) = torch.autograd.grad(0.5 * (out[:1] - target[:1]).square().sum(), out)
    (of_all,) = torch.autograd.grad(0.5 / len(x) * (out - target).square().sum(), out)
    printed = (out - target).detach()
    right = _error(printed / len(x), of_all)
    return Slip(_error(printed[:1], of_one[:1]), right)


def random_order(seed: int) -> float:
    """γ in (0.1, 0.4) or (0.6, 0.9): not at ½, where the two kernels agree."""
    random = np.random.Generator(np.random.Philox([seed, 5]))
    return float(random.uniform(0.1, 0.4) + 0.5 * random.integers(2))


def volterra_kernel(seed: int, gamma: float | None = None) -> Slip:
    """y = E_γ(t^γ) solves ∂^γ y = y: y(1) - 1 against its Volterra integral with either kernel.

    γ is drawn by the seed unless it is given.
    """
    gamma = random_order(seed) if gamma is None else gamma

    def integral(power: float, constant: float) -> float:
        """∫_0^1 (1-s)^-power y(s) ds / constant, with the weak singularity at s = 1 as a weight."""
        value, _ = quad(
            lambda s: mittag_leffler(s**gamma, gamma), 0.0, 1.0, weight="alg", wvar=(0.0, -power)
        )
        return value / constant

    exact = mittag_leffler(1.0, gamma) - 1.0
    printed = integral(gamma, math.gamma(1.0 - gamma))
    corrected = integral(1.0 - gamma, math.gamma(gamma))
    wrong, right = (abs(value / exact - 1.0) for value in (printed, corrected))
    return Slip(wrong, right)


def gronwall(seed: int, gamma: float | None = None, size: float | None = None) -> Slip:
    """Excess of the true growth over the bound on (0, 1), f = Λy: printed, and E_γ(Λ).

    γ in (0.3, 0.7) and Λ in (2, 4) are drawn by the seed unless they are given; at γ = ½, Λ = 3
    the printed bound is 29.5 and E_½(3) = 16 206.
    """
    random = np.random.Generator(np.random.Philox([seed, 6]))
    drawn = random.uniform(0.3, 0.7), random.uniform(2.0, 4.0)
    gamma, size = drawn[0] if gamma is None else gamma, drawn[1] if size is None else size
    growth = linear_growth(size, 1.0, gamma, hidden=200)
    wrong, right = (
        max(float(growth.measured[-1] / bound[-1]) - 1.0, 0.0)
        for bound in (growth.printed, growth.mittag_leffler)
    )
    return Slip(wrong, right)


def otd_one_step(seed: int) -> Slip:
    """Equal steps: DtO minus one OtD step, taken as 0 (they agree) or as -α_{L-1-l} φ[L-1]."""
    gap, rest = _largest_gaps(*_terminal(seed, equal_steps=True))
    return Slip(gap, rest)


def otd_unequal_steps(seed: int) -> Slip:
    """Unequal steps: the boundary term alone does not close the one-step gap."""
    _, rest = _largest_gaps(*_terminal(seed, equal_steps=False))
    return Slip(rest, None)


def otd_drift(seed: int) -> Slip:
    """Whole recursions, equal steps: the largest relative distance of φ_OtD[l] from φ_DtO[l]."""
    net, x, phi_L = _terminal(seed, equal_steps=True)
    drift = float(adjoint_drift(net, x, phi_L).max())
    return Slip(drift, None)


SLIPS: tuple[Callable[[int], Slip], ...] = (
    fractional_index,
    fractional_own_notation,
    fractional_tau_column,
    weight_gradient_transposed,
    bias_gradient_summed,
    terminal_adjoint,
    volterra_kernel,
    gronwall,
    otd_one_step,
    otd_unequal_steps,
    otd_drift,
)


def _automatic(net: Network, x: Tensor, l: int, kind: str, j: int) -> Tensor:
    """dy[l]/dW[j] or dy[l]/dτ[j] by automatic differentiation, (N, n_l, …)."""
    W, b, tau = list(net.W), list(net.b), net.tau.detach()

    def state(value: Tensor) -> Tensor:
        if kind == "tau":
            return propagate(net, x, W, b, torch.cat([tau[:j], value, tau[j + 1 :]]))[0][l]
        return propagate(net, x, [*W[:j], value, *W[j + 1 :]], b, tau)[0][l]

    point = tau[j : j + 1] if kind == "tau" else W[j].detach()
    jacobian = torch.autograd.functional.jacobian(state, point)
    return jacobian[..., 0] if kind == "tau" else jacobian


def _layer_gradient(seed: int, layer: int) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """φ[l+1] ⊙ s σ'(z[l]) and y[l], with the gradient by autograd."""
    net, x = example_net(seed), example_points(seed)
    target = example_points(seed + 1, columns=3)
    y, z = states(net, x)
    phi = adjoint_states(net, z, (y[-1] - target) / len(x))
    at = linearise(net, x)
    inner = at.recursion.scales[layer] * phi[layer + 1] * at.slope[layer]
    return inner, y[layer], loss_and_grad(net, x, target, method="autograd")[1]


def _terminal(seed: int, *, equal_steps: bool) -> tuple[Network, Tensor, Tensor]:
    net, x = example_net(seed, equal_steps=equal_steps), example_points(seed)
    return net, x, example_points(seed + 1, columns=3) / len(x)


def _largest_gaps(net: Network, x: Tensor, phi_L: Tensor) -> tuple[float, float]:
    """Return the largest relative one-step gap of OtD, and what is left without its known term."""
    phi = adjoint_states(net, states(net, x)[1], phi_L)
    gaps, terms = one_step_gaps(net, x, phi_L), missing_terms(net, phi[-2])
    whole = max(float(gap.norm() / phi[l].norm()) for l, gap in gaps.items())
    return whole, max(float((gaps[l] - terms[l]).norm() / phi[l].norm()) for l in gaps)


def _error(value: Tensor, exact: Tensor) -> float:
    return float((value - exact).norm() / exact.norm())
