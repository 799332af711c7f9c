"""Growth of gradients in random nets over weight scales and seeds, measured and by mean field.

One cell is a line of the atlas: the weights of a seed are drawn once and multiplied by each scale.
"""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError, nearest
from bench.cells import Result
from bench.core.settings import inherited, required, setting
from bench.methods.configurations import NET, NetInAtlas, part_of
from bench.methods.random_nets import growth_by_scale


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
    dtype: str = setting("float64", help="Precision: float64, or float32 for wide nets.")
    problem: str = inherited(NetInAtlas, "problem")
    samples: int = inherited(NetInAtlas, "samples", default=32)
    seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds of the weights and of the points.")

    def __post_init__(self) -> None:
        known = ["float64", "float32"]
        if self.dtype not in known:
            raise UserError(f"no {self.dtype!r} here; {nearest(self.dtype, known)}")


ALONE = False
TIMED = ()
competitor = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    """Memory of three copies of the weights (drawn, in the net, scaled) and of the states."""
    hidden, width = config.hidden, config.width
    return 400 * 2**20 + 8 * hidden * width * (3 * width + 10 * config.samples)


def run(config: Config) -> Result:
    """Values are tables: a row per scale, an entry per seed.

    `log10_growth_before` uses only the distribution of the starting weights; null where theory has
    no closed form for it: skips and biases.
    """
    nets = [part_of(config, NetInAtlas, seed=seed, data_seed=seed) for seed in config.seeds]
    by_seed = [growth_by_scale(net, config.activation, config.dtype, config.scales) for net in nets]
    names = by_seed[0][0].keys()
    return Result(
        {
            name: [[line[k][name] for line in by_seed] for k in range(len(config.scales))]
            for name in names
        }
    )
