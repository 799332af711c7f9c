"""A net trained on residuals that are linear in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from base.registry import name_of

if TYPE_CHECKING:
    from nets.residuals.terms import Residuals
    from nets.training.loop import Training


def trained_resnet(
    terms: list[Residuals],
    *,
    hidden: int,
    width: int,
    outputs: int,
    seed: int,
    optimizer: str,
    limits: Mapping[str, Any],
    tau: str = "learned",
    tau0: str | float = 1.0,
    **watched: Any,
) -> Training:
    """A ResNet of tanh that minimises the residuals; `watched` are probes and how often."""
    from nets.architectures import resnet
    from nets.module import build
    from nets.residuals.objective import ResidualObjective
    from nets.training.budget import Equation, Limits
    from nets.training.loop import minimise

    net = build(
        net=name_of(resnet), tau=tau, tau0=tau0, hidden=hidden, width=width,
        inputs=terms[0].x.shape[1], outputs=outputs, activation="tanh", seed=seed,
    )  # fmt: skip
    return minimise(
        net, Equation(ResidualObjective(net, terms)), limits=Limits(**limits), seed=seed,
        optimizer=optimizer, **watched,
    )  # fmt: skip
