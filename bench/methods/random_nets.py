"""Growth of gradients in a random net over weight scales, measured and by mean field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bench.methods.configurations import NetInAtlas

if TYPE_CHECKING:
    from torch import Tensor

    from nets.gradients.passes import Trajectory
    from nets.module import Network

Measured = dict[str, float | str | None]


def growth_by_scale(
    config: NetInAtlas, activation: str, dtype: str, scales: Iterable[float]
) -> list[Measured]:
    """One net at every scale: its weights are drawn once and multiplied by each."""
    import torch

    from bench.methods.gradient_atlas import inputs_and_targets
    from nets.module import build

    names = ("net", "tau", "tau0", "gamma", "hidden", "width", "init", "eta", "seed")
    chosen = {name: getattr(config, name) for name in names}
    net = build(**chosen, activation=activation, dtype=dtype)
    x, y = inputs_and_targets(config)
    drawn = [tensor.detach().clone() for tensor in (*net.W, *net.b)]
    rows = []
    for scale in scales:
        with torch.no_grad():
            for tensor, start in zip((*net.W, *net.b), drawn, strict=True):
                torch.mul(start, scale, out=tensor)
        rows.append(_measured(net, x, y))
    return rows


def _measured(net: Network, x: Tensor, y: Tensor) -> Measured:
    from nets.gradients.passes import state_adjoints, trajectory
    from nets.gradients.verdict import judge
    from nets.theory.predicted import alignment, gains, mean_field_growth

    at = trajectory(net, x, dtype=net.dtype)
    hidden = [phi.log10_norm() for phi in state_adjoints(at, y)[1:]]
    chi = gains(at)
    return {
        "label": judge(hidden).label,
        "log10_growth": hidden[0] - hidden[-1],
        "log10_growth_predicted": float(mean_field_growth(at, alignment(at, y))[0]),
        "log10_growth_before": _before(at),
        "chi": float(chi[1:].mean()) if len(chi) > 1 else float(chi[0]),
    }


def _before(at: Trajectory) -> float | None:
    """Mean field before any weight is drawn, where it is closed: feedforward without biases."""
    from nets.theory import mean_field

    config = at.net.config
    if config.net != "feedforward" or config.init == "torch":
        return None
    w = float(at.W[1].double().square().mean()) * at.W[1].shape[1]
    first = float(at.W[0].double().square().mean() * at.y[0].plain().square().sum(1).mean())
    return mean_field.log10_growth(at.net.sigma, w, 0.0, first, config.hidden)
