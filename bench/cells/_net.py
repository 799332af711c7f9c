"""What every kind of cell with a net says of it: the net, where it starts, what data it sees.

A kind inherits these fields and gives other defaults with `inherited`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.settings import inherited, required, setting
from nets import architectures
from nets.tau import GRAMMAR

NET = "The net"
DATA = "The data and the loss"
END = "The optimiser and when it stops"


@dataclass(frozen=True, kw_only=True)
class NetOnData:
    """A net at its starting values and the points it is shown; the defaults are the paper's."""

    net: str = setting(
        "resnet", panel=NET, help=f"Architecture: {', '.join(architectures.names())}."
    )
    tau: str = setting(
        "learned",
        panel=NET,
        help="Time steps: fixed, learned (one per layer), global (one for all), rezero.",
    )
    tau0: str = setting(
        "1",
        panel=NET,
        help=f"Their start: {GRAMMAR}.",
    )
    hidden: int = setting(6, panel=NET, min=1, help="Hidden layers.")
    width: int = setting(50, panel=NET, min=1, help="Their width.")
    gamma: float = setting(0.5, panel=NET, help="Order of the fractional net, in (0, 1).")
    eta: float = setting(
        1e-4,
        panel=NET,
        help="Half-width of smoothReLU's parabola; a large one makes the net quadratic.",
    )
    init: str = setting(
        "torch", panel=NET, help="Starting weights: torch, he, xavier, normal or orthogonal."
    )
    scale: float = setting(1.0, panel=NET, help="Factor on the starting weights.")
    first_scale: float = setting(
        1.0, panel=NET, min=0, help="Factor on those of the first layer: frequencies, with sine."
    )
    seed: int = setting(0, panel=NET, min=0, help="Seed of the starting values only.")
    problem: str = setting("maxwell", panel=DATA, help="The field to learn; see `femnets list`.")
    samples: int = setting(12_000, panel=DATA, min=1, help="Points in the cylinder.")
    data_seed: int = setting(0, panel=DATA, min=0, help="Seed of the points only.")


@dataclass(frozen=True, kw_only=True)
class NetInAtlas(NetOnData):
    """A net of the atlas: narrower than the paper's, with He's weights, τ as it starts."""

    net: str = required(NetOnData, "net")
    tau: str = inherited(NetOnData, "tau", default="fixed")
    hidden: int = required(NetOnData, "hidden")
    width: int = inherited(NetOnData, "width", default=20)
    init: str = inherited(NetOnData, "init", default="he")
    samples: int = inherited(NetOnData, "samples", default=1000)


def portrait_bytes(config: NetOnData, few: int) -> int:
    """States, slopes, activations and adjoints of all layers, and Jacobians of a few samples."""
    hidden, width, samples = config.hidden, config.width, config.samples
    return 300 * 2**20 + 8 * hidden * width * (8 * samples + 6 * few * width) + 8 * hidden**2
