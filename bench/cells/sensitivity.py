"""Small versions of the paper's eight nets under one choice that it leaves open, for one seed.

ResNet and Fractional-DNN, τ fixed and learned, two depths: everything that the comparisons of its
Section 7 need, from one start and one data set. With `carry_input` the input is padded with zeros
to the width and P(0→ℓ) is the identity, the other reading of its projections.
"""

from __future__ import annotations

from dataclasses import dataclass

from base.registry import name_of
from bench.cells import Result
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetOnData, part_of
from bench.methods.paper_nets import PaperNet, trained
from nets.architectures import fractional, resnet

NETS, TAUS = (name_of(resnet), name_of(fractional)), ("fixed", "learned")


@dataclass(frozen=True, kw_only=True)
class Config:
    gamma: float = inherited(NetOnData, "gamma")
    lambda2: float = setting(0.0, min=0, help="Weight of the penalty on tau.")
    tau0: str = inherited(NetOnData, "tau0")
    init: str = inherited(NetOnData, "init")
    scale: float = inherited(NetOnData, "scale")
    optimizer: str = setting("steepest", help="An optimiser of `femnets list`.")
    carry_input: bool = setting(False, help="Pad the input with zeros to the width; else P = 0.")
    problem: str = inherited(NetOnData, "problem")
    samples: int = inherited(NetOnData, "samples", default=500)
    depths: tuple[int, ...] = setting((2, 6), min=1, help="Hidden layers of the two nets.")
    width: int = inherited(NetOnData, "width")
    steps: int = setting(500, min=1, help="Steps of the optimiser.")
    seed: int = inherited(NetOnData, "seed")
    data_seed: int = inherited(NetOnData, "data_seed")


ALONE = False
TIMED = ()
competitor = None  # small nets on few samples: for sensitivity, not for a ranking


def needs_bytes(config: Config) -> int:
    return 700 * 2**20


def run(config: Config) -> Result:
    """Errors by `net-τ-depth` in training, on the cube, outside the cylinder; τ; rises of J."""
    return Result(
        {
            f"{net}-{tau}-{depth}": trained(
                part_of(config, PaperNet, net=net, tau=tau, hidden=depth)
            )
            for net in NETS
            for tau in TAUS
            for depth in config.depths
        }
    )
