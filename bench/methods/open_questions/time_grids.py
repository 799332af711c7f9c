"""Is a learned τ an adaptive time grid? Local errors of the ODE behind a net, and grids moved to
another depth.

An adaptive integrator takes small steps where the solution bends. For a step ℓ of a net, with W[ℓ]
and b[ℓ] frozen, the *local error* is the difference between one step of length h and many steps of
length h/m from the same past. It is measured with one common h on every layer, the mean of |τ|, so
that it describes the layer and not its step. A learned τ that acted as an adaptive grid would be
small where this error is large: a negative rank correlation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from torch import Tensor

    from nets.module import Network

Array = NDArray[np.float64]
PARTS = 16  # the reference: so many steps in place of one
GRIDS = ("uniform", "transferred", "reversed")


def local_errors(net: Network, x: Tensor, length: float | None = None) -> Array:
    """The local error of steps 1..H−1 at inputs x, root mean square over the rows.

    `length` is the common step; None stands for the mean of |τ|.
    """
    import torch

    from nets.module import propagate

    with torch.no_grad():
        tau = net.tau.double()
        states = propagate(net, x, list(net.W), list(net.b), net.tau)[0][1:-1]
        h = float(tau.abs().mean()) if length is None else length
        found = []
        for l in range(1, net.config.hidden):
            once, often = (
                _continued(net, tau[:l], states[:l], l, h, parts) for parts in (1, PARTS)
            )
            found.append(float((once - often).square().sum(1).mean().sqrt()))
    return np.array(found)


def _continued(
    net: Network, past: Tensor, states: list[Tensor], l: int, h: float, parts: int
) -> Tensor:
    """The state after `parts` steps of length h/parts with the weights of layer l."""
    import torch

    steps = torch.cat([past, torch.full((parts,), h / parts, dtype=past.dtype)])
    C, s = net.architecture.coefficients(steps, net.config.gamma)
    y = list(states)  # y[1..l]; the input does not enter later layers
    for k in range(l, l + parts):
        state = s[k] * net.sigma.value(torch.addmm(net.b[l], y[-1], net.W[l].T))
        y.append(state + sum(C[k + 1, j + 1] * y[j] for j in range(k)))
    return y[-1]


def rank_correlation(a: Array, b: Array) -> float | None:
    """Spearman's correlation; None where one of the two is constant."""
    from scipy.stats import spearmanr

    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(spearmanr(a, b).statistic)


def moved(tau: Array, hidden: int, grid: str) -> Array:
    """The steps of a net with `hidden` layers whose time runs as in a net with the steps τ.

    τ[0], which makes the first state, is kept. The times t[ℓ] = τ[1] + … + τ[ℓ] are interpolated
    between the layers (transferred), traversed backwards (reversed), or spread evenly (uniform).
    """
    inner = tau[:0:-1] if grid == "reversed" else tau[1:]
    times = np.concatenate([[0.0], np.cumsum(inner)])
    if grid == "uniform":
        times = np.linspace(0.0, times[-1], len(times))
    at = np.linspace(0, len(times) - 1, hidden)
    return np.concatenate([tau[:1], np.diff(np.interp(at, np.arange(len(times)), times))])


@dataclass(frozen=True)
class Ending:
    """A finished training: the net, its training error (infinite if it diverged), a test error."""

    net: Network
    train_mse: float
    rel_test_error: float


def ending(start: NetOnData, rate: float, evaluations: int, optimizer: str) -> Ending:
    """Train a net from its starting values on its points."""
    from bench.methods.gradient_atlas import inputs_and_targets, net_of
    from nets.fast.kernel import predict
    from nets.training.loop import train

    x, y = inputs_and_targets(start)
    net = net_of(start)
    found = train(
        net, x, y, optimizer=optimizer, rate=rate, evaluations=evaluations, every=evaluations,
        progress=False,
    )  # fmt: skip
    if found.diverged:
        return Ending(net, np.inf, np.inf)
    test_x, test_y = inputs_and_targets(start, test=True)
    error = float((predict(net, test_x) - test_y).norm() / test_y.norm())
    return Ending(net, found.J, error)


def with_grid(start: NetOnData, learned: Network, hidden: int, grid: str) -> NetOnData:
    """A net of another depth whose fixed τ comes from a learned one."""
    steps = moved(learned.tau.detach().double().numpy(), hidden, grid)
    text = ",".join(repr(float(step)) for step in steps)
    return replace(start, tau="fixed", tau0=text, hidden=hidden)


def examined(net: Network, x: Tensor) -> dict[str, Any]:
    """Local errors with a common step, the learned steps and their rank correlation."""
    errors = local_errors(net, x)
    steps = np.abs(net.tau.detach().double().numpy()[1:])
    return {
        "correlation": rank_correlation(steps, errors),
        "local_errors": errors.tolist(),
        "tau": net.tau.detach().tolist(),
    }
