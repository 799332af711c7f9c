"""One net near re-entrant edges, given the equation and the boundary values, never u (solve).

Its loss and its true error are recorded along the training (`bench.methods.edge_forms.training`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.cells import MACHINE, Result, edge_solve
from bench.core.settings import setting
from bench.methods.competitor import Competitor
from bench.methods.configurations import part_of


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("reentrant", help="The field: reentrant, reentrant3d or fichera.")
    form: str = setting(
        "div-curl", help="Form of the loss: div-curl (where curl u = 0), first-order or weak."
    )
    boundary: str = setting(
        "penalty", help="Boundary values at the re-entrant edge: penalty, or exact (built in)."
    )
    inside: str = setting("uniform", help="Points inside: uniform, or graded to the edge.")
    rim: str = setting("uniform", help="Points on the edge's two faces: uniform or graded.")
    hidden: int = setting(2, min=1, help="Hidden layers.")
    width: int = setting(20, min=1, help="Width of the hidden layers.")
    points: int = setting(648, min=8, help="Approximate number of points inside.")
    boundary_points: int = setting(300, min=8, help="Approximate points on the boundary.")
    boundary_weight: float = setting(10.0, above=0, help="Weight of the boundary values.")
    optimizer: str = setting("ssbfgs", help="The optimiser.")
    evaluations: float = setting(800, above=0, help="Evaluations of loss and gradient.")
    seed: int = setting(0, min=0, help="Seed of the starting values.")
    data_seed: int = setting(0, min=0, help="Seed of the points.")


ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Memory of torch, the buffers of the fine rule and a coarse mesh solve."""
    return 900 * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    boundary = "built in" if config.boundary == "exact" else "penalty"
    extra = "" if config.form == "div-curl" else f", {config.form} form"
    rules = f"{config.inside} inside, {config.rim} at the edge"
    return Competitor(
        title=f"net {config.hidden}-{config.width}, {boundary}, {rules}{extra}",
        series=f"net, {boundary}{extra}",
        family="net",
        look=f"resnet/{boundary}",
        information="equation",
        inputs="x",
        unknowns=int(values["parameters"]),
    )


def run(config: Config) -> Result:
    import numpy as np

    from bench import problems
    from bench.core.plain_values import finite
    from bench.methods.certificates.certify import stored
    from bench.methods.edge_forms import EdgeLoss
    from bench.methods.edge_forms.training import late_fall, measured, trained

    problem = problems.get(config.problem)
    edge_loss = part_of(config, EdgeLoss, problem=problem)
    names = ("hidden", "width", "optimizer", "evaluations", "seed")
    seen: list[Any] = []

    def largest(net: Any) -> float:
        """The largest value on the slice at the edge, whose fields are kept along the training."""
        seen.append(edge_solve.slices(edge_loss.field(net), problem)["slice"])
        return float(np.nanmax(abs(seen[-1])))

    settings = {name: getattr(config, name) for name in names}
    training = trained(edge_loss, **settings, probes={"largest": largest})
    net = training.net
    values = {
        **{name: finite(value) for name, value in measured(edge_loss, net).items()},
        **stored(edge_loss.field(net), problem),
        "training_loss": finite(2 * training.J),
        "late_fall": finite(late_fall(training)),
        "seconds": training.seconds,
        "evaluations": training.evaluations,
        "steps": training.steps,
        "diverged": training.diverged,
        "parameters": net.pack().size,
    }
    arrays = {f"curve_{name}": array for name, array in training.curve.items()}
    arrays |= edge_solve.slices(edge_loss.field(net), problem)
    # a last point at the step of the one before it replaces that on the curve
    places = [*range(len(arrays["curve_evaluations"]) - 1), -1]
    arrays["frames"] = np.array([seen[k] for k in places], dtype=np.float32)
    return Result(values, arrays, diverged=training.diverged)
