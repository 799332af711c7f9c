"""Growth of gradients in random nets of one kind over weight scales and seeds, beside mean field.

One cell is a line of the atlas: the weights of a seed are drawn once and multiplied by each scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from base.errors import UserError, nearest
from bench.cells import Result
from bench.core.settings import inherited, required, setting
from bench.methods.configurations import NET, NetInAtlas

if TYPE_CHECKING:
    from torch import Tensor

    from nets.gradients.passes import Trajectory
    from nets.module import Network

NORMALISATIONS = ("none", "start", "layer")


@dataclass(frozen=True, kw_only=True)
class Config:
    net: str = required(NetInAtlas, "net")
    tau: str = inherited(NetInAtlas, "tau")
    tau0: str = inherited(NetInAtlas, "tau0")
    hidden: int = required(NetInAtlas, "hidden")
    width: int = inherited(NetInAtlas, "width")
    gamma: float = inherited(NetInAtlas, "gamma")
    eta: float = inherited(NetInAtlas, "eta")
    activation: str = setting("smoothrelu", panel=NET, help="Activation.")
    init: str = inherited(NetInAtlas, "init")
    scales: tuple[float, ...] = setting((1.0,), above=0, help="Factors on the starting weights.")
    normalisation: str = setting(
        "none",
        panel=NET,
        help="start: weights scaled until pre-activations have variance one; layer: LayerNorm.",
    )
    dtype: str = setting("float64", help="Of the passes: float64, or float32 for wide nets.")
    problem: str = inherited(NetInAtlas, "problem")
    samples: int = inherited(NetInAtlas, "samples", default=32)
    seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds of the weights and of the points.")

    def __post_init__(self) -> None:
        for value, known in (
            (self.normalisation, NORMALISATIONS),
            (self.dtype, ("float64", "float32")),
        ):
            if value not in known:
                raise UserError(f"no {value!r} here; {nearest(value, list(known))}")


ALONE = False
TIMED = ()
competitor = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    """Weights as drawn, as the net holds them and scaled, and the states."""
    hidden, width = config.hidden, config.width
    return 400 * 2**20 + 8 * hidden * width * (3 * width + 10 * config.samples)


def run(config: Config) -> Result:
    """Values are tables: a row per scale, an entry per seed.

    `log10_growth_before` is told the starting law of the weights alone; null where theory has no
    closed form for it: skips, biases, a start that looks at the data.
    """
    by_seed = [_line(config, seed) for seed in config.seeds]
    names = by_seed[0][0].keys()
    return Result(
        {
            name: [[line[k][name] for line in by_seed] for k in range(len(config.scales))]
            for name in names
        }
    )


def _line(config: Config, seed: int) -> list[dict[str, float | str | None]]:
    """One net at every scale."""
    import torch

    from bench.methods.gradient_atlas import normalise, points
    from nets.module import build

    names = ("net", "tau", "tau0", "gamma", "hidden", "width", "init", "eta", "activation", "dtype")
    net = build(**{name: getattr(config, name) for name in names}, seed=seed)
    x, y = points(config.problem, config.samples, seed)
    drawn = [tensor.detach().clone() for tensor in (*net.W, *net.b)]
    found = []
    for scale in config.scales:
        with torch.no_grad():
            for tensor, start in zip((*net.W, *net.b), drawn, strict=True):
                torch.mul(start, scale, out=tensor)
        if config.normalisation == "start":
            normalise(net, x)
        found.append(_measured(config, net, x, y))
    return found


def _measured(config: Config, net: Network, x: Tensor, y: Tensor) -> dict[str, float | str | None]:
    import torch

    from nets.gradients.passes import state_adjoints, trajectory
    from nets.gradients.verdict import judge
    from nets.theory.predicted import alignment, gains, mean_field_growth

    layer_norm = config.normalisation == "layer"
    at = trajectory(net, x, layer_norm=layer_norm, dtype=getattr(torch, config.dtype))
    hidden = [phi.norm().log10 for phi in state_adjoints(at, y)[1:]]
    chi = gains(at)
    return {
        "label": judge(hidden).label,
        "log10_growth": hidden[0] - hidden[-1],
        "log10_growth_predicted": float(mean_field_growth(at, alignment(at, y))[0]),
        "log10_growth_before": _before(config, at),
        "chi": float(chi[1:].mean()) if len(chi) > 1 else float(chi[0]),
    }


def _before(config: Config, at: Trajectory) -> float | None:
    """Mean field before any weight is drawn, where it is closed: feedforward without biases."""
    import math

    from nets.theory import mean_field

    plain = config.net == "feedforward" and config.init != "torch"
    if not plain or config.normalisation == "start":
        return None
    if config.normalisation == "layer":
        steps = config.hidden - 1
        return 0.5 * steps * math.log10(mean_field.layer_norm_gain(at.net.sigma))
    w = float(at.W[1].double().square().mean()) * config.width
    first = float(at.W[0].double().square().mean() * at.y[0].plain().square().sum(1).mean())
    return mean_field.log10_growth(at.net.sigma, w, 0.0, first, config.hidden)
