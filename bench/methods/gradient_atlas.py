"""The gradient atlas: what the cells, the command line and the figures share.

A cell names its starting τ by a text (`nets.tau`), so that a policy keeps its name at every depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from torch import Tensor

    from nets.module import Network

Array = NDArray[np.float64]

# The theorems are evaluated in plain float64, where products of smaller norms underflow.
SMALLEST = 1e-250


def net_of(config: NetOnData) -> Network:
    """The net that a cell's config describes."""
    from nets.module import build

    names = ("net", "tau", "tau0", "gamma", "hidden", "width", "init", "scale", "eta", "seed")
    chosen = {name: getattr(config, name) for name in names}
    if hasattr(config, "activation"):
        chosen["activation"] = config.activation
    return build(**chosen)


def inputs_and_targets(config: NetOnData, *, test: bool = False) -> tuple[Tensor, Tensor]:
    """Inputs (N, 7) and targets (N, 3) of a cell's problem."""
    return points(config.problem, config.samples, config.data_seed, test=test)


def points(problem: str, samples: int, seed: int, *, test: bool = False) -> tuple[Tensor, Tensor]:
    """Inputs (N, 7) and targets (N, 3) of a problem."""
    import torch

    from bench import problems

    field = problems.get(problem)
    drawn = field.domain.sample_training(samples, seed, test=test)
    return torch.from_numpy(field.inputs(drawn)), torch.from_numpy(field.targets(drawn))


@dataclass(frozen=True)
class GradientProfile:
    """One net at one point of its parameter space, layer by layer, in log₁₀."""

    log10_norms: dict[str, Array]  # W, b, tau, y as `nets.gradients.norms`
    theory_error: float | None  # largest relative difference from the theorems; None: not finite
    log10_theory: dict[str, Array]  # W, b, tau, y[1..H] by the theorems
    predicted: Array  # log10 growth of ‖φ[k]‖ over ‖φ[H]‖, k = 1..H, by mean field
    log10_spectra: list[Array]  # singular values of dy[H]/dy[k], k = 1..H, samples first


def gradient_profile(
    net: Network, x: Tensor, y: Tensor, *, theory: int, spectra: int
) -> GradientProfile:
    """Norms on all rows, theorems on the first `theory` rows, singular values on `spectra` rows."""
    from nets.gradients.jacobians import log10_singular_values
    from nets.gradients.norms import grad_norms, log10_norms
    from nets.gradients.passes import trajectory
    from nets.theory.predicted import alignment, mean_field_growth, norms_by_theory

    few_x, few_y = x[:theory], y[:theory]
    at = trajectory(net, few_x)
    by_theory = norms_by_theory(net, few_x, few_y)
    measured = grad_norms(net, few_x, few_y)
    measured["y"] = measured["y"][1:-1]
    return GradientProfile(
        log10_norms=log10_norms(net, x, y),
        theory_error=_largest_difference(measured, by_theory),
        log10_theory={kind: log10(norms) for kind, norms in by_theory.items()},
        predicted=mean_field_growth(at, alignment(at, few_y)),
        log10_spectra=log10_singular_values(net, x[:spectra])[1:] if spectra else [],
    )


def _largest_difference(measured: Mapping[str, Array], theory: Mapping[str, Array]) -> float | None:
    """The largest difference relative to the norm, over all layers where float64 holds both."""
    worst = []
    for kind, norms in measured.items():
        held = np.isfinite(norms) & np.isfinite(theory[kind]) & ((norms > SMALLEST) | (norms == 0))
        if not held.any():
            continue
        a, b = norms[held], theory[kind][held]
        # a derivative in τ is a sum of terms that may cancel: its floor is rounding of the largest
        floor = 1e-6 * a.max() if kind == "tau" else 0.0
        scale = np.maximum(a, floor)
        worst.append(float((np.abs(a - b) / np.where(scale > 0, scale, 1.0)).max()))
    return max(worst) if worst else None


def log10(values: Array) -> Array:
    """The logarithm, −∞ for zero."""
    with np.errstate(divide="ignore"):
        return np.log10(values)
