"""The training of a net near re-entrant edges, and its measurements.

Recorded along the training: the loss at the training points, the same loss by a fine rule graded
to the edges, and the error. A user without u can compute the distance from a coarse solve
(`bench.methods.coarse_solves`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bench.measure.norms import tabulated_domain
from bench.methods.collocation.training import trained_resnet
from bench.methods.edge_forms import EdgeLoss

if TYPE_CHECKING:
    from nets.module import Network
    from nets.training.loop import Training

CHECKPOINTS = 12  # rows of the curve


def trained(
    edge_loss: EdgeLoss,
    *,
    hidden: int,
    width: int,
    optimizer: str,
    evaluations: float,
    seed: int,
    probes: Mapping[str, Callable[[Any], float]] | None = None,
) -> Training:
    """A ResNet trained on this loss, with the error, the fine loss and more `probes` on the way."""
    table = tabulated_domain(edge_loss.problem, ("x",))
    return trained_resnet(
        edge_loss.terms(),
        hidden=hidden,
        width=width,
        outputs=edge_loss.outputs,
        seed=seed,
        optimizer=optimizer,
        limits={"evaluations": evaluations},
        probes={
            "l2_error": lambda net: table.l2_error(edge_loss.field(net)(table.inputs.T).T),
            "fine_loss": edge_loss.fine_loss,
            **(probes or {}),
        },
        every=max(1, round(evaluations / CHECKPOINTS)),
    )


def measured(edge_loss: EdgeLoss, net: Network) -> dict[str, float | None]:
    """The true error, the accurate loss, and what a user can compute without u."""
    from bench.methods.coarse_solves import coarse_distance, norm

    problem = edge_loss.problem
    table: Any = tabulated_domain(problem, ("x",))
    field = edge_loss.field(net)
    size, error = norm(table, table.u.T), table.l2_error(field(table.inputs.T).T)
    return {
        "l2_error": error,
        "l2_relative": error / size,
        "fine_loss": edge_loss.fine_loss(net),
        **coarse_distance(problem.name, field),
        "norm": size,
        "reference_error": problem.reference_error,  # of a u that was computed
    }


def late_fall(training: Training) -> float:
    """The fine loss at the end over the one after three quarters of the evaluations: near 1 where
    the training has come to rest."""
    import numpy as np

    work, fine = (np.asarray(training.curve[name]) for name in ("evaluations", "fine_loss"))
    before = fine[work <= 0.75 * work[-1]]
    return float(fine[-1] / before[-1]) if len(before) else 1.0
