"""Gradient norms predicted: by the theorems exactly, and by averages before any pass is run.

`norms_by_theory` evaluates Section 6 at given points: the Jacobians dy[L-1]/dy[k] as products and
recursions of matrices, and from them every per-layer norm; it must equal what the adjoint measures.

`mean_field_growth` knows only second moments. For φ[k] = u + s[k] D[k]ᵀφ[k+1], u = Σ_l C[l,k] φ[l],
with weights of mean zero, independent of the later adjoints,

    E‖Dᵀφ‖² = χ ‖φ‖²,   χ = n E[W²] E[σ'²]   (1 for He's weights and a rectifier; half of that where
                                              states have shrunk below η, since there σ' = ½).

Were E[D] = 0 that would be all: gains τ²χ for the feedforward net, 1 + τ²χ for the ResNet. But D
follows the state: with r = W y = z - b, row i of W is r_i ŷ/‖y‖ and a random rest, so that
Dᵀφ = ŷ ⟨φ, σ'(z) r⟩/‖y‖ plus noise, and with skips σ'(z) r adds up in the states themselves. The
forward pass alone gives c = ⟨ŷ[k+1], σ'(z) r⟩/‖y[k]‖ and the turns g[k,l] = ŷ[k]·ŷ[l]. Hence two
averages for each pair of layers, q[k,m] = E⟨φ[k], φ[m]⟩ and p[k,m] = E(ŷ[k]·φ[k])(ŷ[m]·φ[m]),
started from q = 1, p = 1/n:

    q[k,m] = Σ_l C[l,k] q[l,m] + s c g[k,m] p[k+1,m]                                     (m > k)
    p[k,m] = Σ_l C[l,k] g[k,l] p[l,m] + s c p[k+1,m]
    q[k,k] = q(u,u) + 2 s c p(g u,k+1) + s² ( c² p[k+1,k+1] + χ q[k+1,k+1] )
    p[k,k] = p(g u,g u) + 2 s c p(g u,k+1) + s² ( c² p[k+1,k+1] + (d - c²)/n q[k+1,k+1] )

with d = ‖σ'(z) r‖² / ‖y‖². At width 300 and H = 50 this is within 0.03 decades of random nets of
all four architectures, where averages along the direction of equal entries were up to 0.9 off.

For a rectifier without biases Euler's identity makes ⟨φ[k], y[k]⟩ the same in all layers of a
ResNet: the share along the state grows as states shrink towards the first layer, and g + s c is
that growth, ‖y[k+1]‖ / ‖y[k]‖.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nets.gradients.extended import Scaled, times_power
from nets.gradients.norms import power_of_ten
from nets.gradients.passes import Trajectory, last_adjoint, output_adjoint
from nets.module import Network, project
from nets.theory.derivatives import Linearised, linearise

Array = NDArray[np.float64]
RESCALE_ABOVE = 1e100
MATRIX_BYTES = 200 * 2**20  # for the propagators of one chunk of samples


def propagators(at: Linearised) -> dict[int, Tensor]:
    """M[k] = dy[L-1]/dy[k] for k = 1..L-1, (N, n_{L-1}, n_k): the theorems read from the end.

    M[k] = Σ_{i>k} M[i] ∂y[i]/∂y[k], where the direct dependence ∂y[i]/∂y[k] is skips[i,k] P, and
    scales[k] D[k] besides for i = k+1.
    """
    last, scales, skips = at.net.config.hidden, at.recursion.scales, at.recursion.skips.tolist()
    width = at.net.widths[last]
    identity = torch.eye(width, dtype=at.y[0].dtype).expand(len(at.y[0]), width, width)
    M = {last: identity}
    for k in range(last - 1, 0, -1):
        M[k] = scales[k] * M[k + 1] @ at.D(k)
        for i in range(k + 1, last + 1):
            if skips[i][k] != 0:
                M[k] = M[k] + skips[i][k] * _columns(M[i], at.net.widths[k])
    return M


def _columns(M: Tensor, width: int) -> Tensor:
    """M P: columns cut, or padded with zeros, to `width`."""
    if M.shape[2] >= width:
        return M[:, :, :width]
    return torch.nn.functional.pad(M, (0, width - M.shape[2]))


def norms_by_theory(net: Network, x: Any, target: Any) -> dict[str, Array]:
    """The norms of `grad_norms` from the theorems' matrices; "y" has k = 1..L-1 only.

    In chunks of samples, because all propagators of a chunk are held at once; numbers beyond
    float64 come out as inf or NaN.
    """
    x, target = torch.as_tensor(x), torch.as_tensor(target).double()
    per_sample = 8 * net.config.hidden * max(net.widths[1:-1]) ** 2
    rows = max(1, MATRIX_BYTES // per_sample)
    sums: list[Tensor] = []
    norms = np.zeros(net.config.hidden)
    for part_x, part_y in zip(x.split(rows), target.split(rows), strict=True):
        at = linearise(net, part_x)
        phi_L = (at.y[-1] - part_y) / len(x)
        phi_last = phi_L @ net.W[-1].detach()
        phi = {k: torch.einsum("sa,sab->sb", phi_last, M) for k, M in propagators(at).items()}
        sums = _added(sums, [*_own_gradients(at, phi), phi_L.T @ at.y[-2]])
        norms = np.hypot(norms, _norms([phi[k] for k in sorted(phi)]))
    tau, *pairs, last = sums
    W, b = _norms([*pairs[0::2], last]), _norms(pairs[1::2])
    return {"W": W, "b": b, "tau": tau.abs().numpy(), "y": norms}


def _norms(gradients: list[Tensor]) -> Array:
    """Frobenius norms, also where their squares exceed float64."""
    return power_of_ten(np.array([Scaled(gradient).log10_norm() for gradient in gradients]))


def _added(sums: list[Tensor], parts: list[Tensor]) -> list[Tensor]:
    return [a + b for a, b in zip(sums, parts, strict=True)] if sums else parts


def _own_gradients(at: Linearised, phi: dict[int, Tensor]) -> list[Tensor]:
    """∂J/∂τ, then ∂J/∂W[j] and ∂J/∂b[j] for every j, by the derivatives of its own step."""
    dscales = torch.zeros(at.net.config.hidden, dtype=torch.float64)
    gradients = []
    for j, scale in enumerate(at.recursion.scales):
        inner = phi[j + 1] * scale * at.slope[j]
        gradients += [inner.T @ at.y[j], inner.sum(0)]
        dscales[j] = (at.a[j] * phi[j + 1]).sum()
    return [at.recursion.pullback(_skip_gradient(at, phi), dscales), *gradients]


def _skip_gradient(at: Linearised, phi: dict[int, Tensor]) -> Tensor:
    """∂J/∂skips[i,k] = ⟨P y[k], φ[i]⟩ for k < i; left at zero where the skips do not move."""
    inner, past = torch.zeros_like(at.recursion.skips), at.past
    if at.recursion.moving:
        for i in phi:
            for k, state in enumerate(past[:i]):
                inner[i, k] = (project(state, to=at.net.widths[i]) * phi[i]).sum()
    return inner


def mean_field_growth(at: Trajectory, aligned: float | None = None) -> Array:
    """log₁₀ √(E‖φ[k]‖² / ‖φ[H]‖²) for k = 1..H, from second moments of weights, slopes and states.

    `aligned` is the share of ‖φ[H]‖² along y[H], where something is known of it (`alignment`).
    """
    net, C, s = at.net, at.C.numpy(), at.s.numpy()
    hidden = net.config.hidden
    chi, (c, whole), turns = gains(at), drifts(at), cosines(at)
    q, p = np.zeros((2, hidden + 1, hidden + 1))
    q[hidden, hidden] = 1.0
    p[hidden, hidden] = 1.0 / net.widths[hidden] if aligned is None else aligned
    log_growth, shift = np.zeros(hidden + 1), 0.0
    for k in range(hidden - 1, 0, -1):
        noise = s[k] ** 2 * max(whole[k] - c[k] ** 2, 0.0) / net.widths[k]
        step = (float(s[k] * c[k]), s[k] ** 2 * chi[k], noise)
        _add_layer(q, p, C[k + 1 :, k], turns[k, k + 1 :], *step)
        log_growth[k] = 0.5 * (math.log10(q[k, k]) + shift) if q[k, k] > 0 else -math.inf
        forgotten = [l for l in range(k + 1, hidden + 1) if not C[l, 1:k].any()]
        for average in (q, p):  # no earlier layer uses these: they must not set the scale
            average[forgotten] = average[:, forgotten] = 0.0
        largest = q.max()
        if largest > RESCALE_ABOVE or 0 < largest < 1 / RESCALE_ABOVE:
            q /= largest
            p /= largest
            shift += math.log10(largest)
    return log_growth[1:]


def _add_layer(
    q: Array, p: Array, weights: Array, turns: Array, drift: float, gain: float, noise: float
) -> None:
    """Row and column k of q and p from those of the later layers; drift = s c, gain = s² χ.

    weights = C[k+1:, k] and turns = ŷ[k]·ŷ[k+1:], so that k follows from their length.
    """
    k = len(q) - len(weights) - 1
    later, next_layer, seen = slice(k + 1, len(q)), k + 1, weights * turns
    cross = drift * (seen @ p[later, next_layer])
    q[k, later] = q[later, k] = weights @ q[later, later] + drift * turns * p[next_layer, later]
    p[k, later] = p[later, k] = seen @ p[later, later] + drift * p[next_layer, later]
    q_next, p_next = q[next_layer, next_layer], p[next_layer, next_layer]
    q[k, k] = weights @ q[later, later] @ weights + 2.0 * cross + gain * q_next
    q[k, k] += drift**2 * p_next
    p[k, k] = seen @ p[later, later] @ seen + 2.0 * cross + drift**2 * p_next + noise * q_next


def cosines(at: Trajectory) -> Array:
    """ŷ[k]·ŷ[l] of the states y[0..H], averaged over samples; widths padded to the widest."""
    widest = max(at.net.widths[:-1])
    unit = [_directions(y) for y in at.y[:-1]]
    states = torch.stack([torch.nn.functional.pad(y, (0, widest - y.shape[1])) for y in unit])
    flat = states.flatten(1)
    return (flat @ flat.T / at.samples).double().numpy()


def _directions(y: Scaled) -> Tensor:
    return y.mantissa / _lengths(y)


def _lengths(y: Scaled) -> Tensor:
    lengths = y.mantissa.norm(dim=1, keepdim=True)
    return lengths.clamp(min=torch.finfo(lengths.dtype).tiny)


def drifts(at: Trajectory) -> tuple[Array, Array]:
    """c and d above for every hidden step."""
    along, whole = [], []
    for k, slope in enumerate(at.slope):
        bias = times_power(at.net.b[k].detach().to(slope.dtype), -at.z[k].exponent)
        step = slope * (at.z[k].mantissa - bias) / _lengths(at.y[k])  # one exponent: z = W y + b
        along.append(float((_directions(at.y[k + 1]) * step).sum(1).mean()))
        whole.append(float(step.square().sum(1).mean()))
    return np.array(along), np.array(whole)


def alignment(at: Trajectory, target: Any) -> float:
    """E(ŷ[H]·φ[H])² / E‖φ[H]‖²: how much of the last hidden adjoint lies along its state."""
    y = at.y[at.last]
    phi = last_adjoint(at, output_adjoint(at, target)).mantissa
    along = (phi * _directions(y)).sum(1)
    total = float(phi.square().sum())
    return float(along.square().sum()) / total if total > 0 else 1.0 / phi.shape[1]


def gains(at: Trajectory) -> Array:
    """χ[k] = n_k E[W[k]²] E[σ'(z[k])²] for every hidden step."""
    return np.array(
        [
            W.shape[1] * float(W.square().mean() * slope.square().mean())
            for W, slope in zip(at.W, at.slope, strict=False)
        ]
    )
