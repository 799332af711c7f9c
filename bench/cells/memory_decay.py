"""Decay of a Fractional-DNN's memory alone: ∂y[H]/∂y[1] with all weights zero.

y[l] = y[l-1] - Σ A[l-1,j] (y[j+1] - y[j]) then is a scalar recursion in every component, whatever τ
is as long as the steps are equal, and it forgets: the derivative decays like H^{-(1-γ)}.
"""

from __future__ import annotations

from dataclasses import dataclass

from base.registry import name_of
from bench.cells import Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    gamma: float = setting(0.5, help="Order of the fractional net, in (0, 1).")
    hidden: int = setting(help="Hidden layers.", min=1)


ALONE = False
TIMED = ()
competitor = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    return 300 * 2**20 + 64 * config.hidden**2


def run(config: Config) -> Result:
    import torch

    from nets.architectures import fractional
    from nets.gradients.jacobians import log10_spectral_norms
    from nets.module import build

    net = build(
        net=name_of(fractional), tau="fixed", tau0="1/H", gamma=config.gamma, hidden=config.hidden,
        width=1, inputs=1, outputs=1, scale=0.0,
    )  # fmt: skip
    norms = log10_spectral_norms(net, torch.zeros(1, 1, dtype=torch.float64))
    return Result({"log10_decay": float(norms[0])})
