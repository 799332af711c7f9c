"""One net beside re-entrant edges: told the equation and the boundary values, never u (solve).

What its loss says and what is true are kept side by side along the training: the loss at the points
it is trained on, the same loss by a fine rule graded to the edges, and the error. Beside them what
a user without u can compute: the loss at points held out, and `bench.methods.indicators`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import MACHINE, Result, edge_solve
from bench.core.information import INFORMATION
from bench.core.settings import setting
from bench.methods.competitor import Competitor

if TYPE_CHECKING:
    from bench.methods.edge_forms import Setting
    from nets.module import Network
    from nets.training.loop import Training

CHECKPOINTS = 12  # rows of the curve


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("reentrant", help="The field: reentrant, reentrant3d or fichera.")
    form: str = setting(
        "div-curl", help="Of the loss: div-curl (where curl u = 0), first-order or weak."
    )
    boundary: str = setting(
        "penalty", help="Boundary values at the re-entrant edge: penalty, or exact (built in)."
    )
    inside: str = setting("uniform", help="Points inside: uniform, or graded to the edge.")
    rim: str = setting("uniform", help="Points on the edge's two faces: uniform or graded.")
    div_exponent: float = setting(0.0, min=0, help="Exponent a of the weight r^a on div u.")
    singular: bool = setting(False, help="Add the singular function: the net is told more.")
    hidden: int = setting(2, min=1, help="Hidden layers.")
    width: int = setting(20, min=1, help="Their width.")
    points: int = setting(648, min=8, help="Points inside, about.")
    boundary_points: int = setting(300, min=8, help="Points on the boundary, about.")
    boundary_weight: float = setting(10.0, above=0, help="Weight of the boundary values.")
    optimizer: str = setting("ssbfgs", help="The optimiser.")
    evaluations: float = setting(800, above=0, help="Evaluations of loss and gradient.")
    seed: int = setting(0, min=0, help="Seed of the starting values.")
    data_seed: int = setting(0, min=0, help="Seed of the points.")

    def told(self) -> Setting:
        """What decides the loss."""
        from dataclasses import fields

        from bench.methods.edge_forms import Setting

        return Setting(**{entry.name: getattr(self, entry.name) for entry in fields(Setting)})


ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Torch, the buffers of the fine rule, a coarse mesh solve."""
    return 900 * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    boundary = "built in" if config.boundary == "exact" else "penalty"
    extra = "" if config.form == "div-curl" else f", {config.form} form"
    extra += f", r^{config.div_exponent:g} div" if config.div_exponent else ""
    extra += ", singular function added" if config.singular else ""
    rules = f"{config.inside} inside, {config.rim} at the edge"
    return Competitor(
        title=f"net {config.hidden}-{config.width}, {boundary}, {rules}{extra}",
        series=f"net, {boundary}{extra}",
        family="net",
        look=f"resnet/{boundary}",
        information="equation",
        given="the singular function too" if config.singular else INFORMATION["equation"].given,
        inputs="x",
        unknowns=int(values["parameters"]),
    )


def run(config: Config) -> Result:
    from bench import problems
    from bench.core.plain_values import finite
    from bench.measure.norms import tabulated_domain

    told = config.told()
    net, training = _trained(config, told)
    table = tabulated_domain(problems.get(config.problem), ("x",))
    found = measured(told, net, table)
    values = {name: None if value is None else finite(value) for name, value in found.items()}
    values |= {
        "training_loss": finite(2 * training.J),
        "late_fall": finite(_late_fall(training)),
        "seconds": training.seconds,
        "evaluations": training.evaluations,
        "steps": training.steps,
        "diverged": training.diverged,
        "parameters": net.pack().size,
    }
    arrays = {f"curve_{name}": array for name, array in training.curve.items()}
    arrays |= edge_solve.slices(told.field(net), problems.get(config.problem))
    return Result(values, arrays, diverged=training.diverged)


def measured(told: Setting, net: Network, table: Any) -> dict[str, float | None]:
    """The truth, and what a user can compute."""
    from bench.methods.edge_forms import HELD_OUT, loss
    from bench.methods.indicators import coarse_solve, norm, without_u

    field = told.field(net)
    size, error = norm(table, table.u.T), table.l2_error(field(table.inputs.T).T)
    return {
        "l2_error": error,
        "l2_relative": error / size,
        "fine_loss": told.fine_loss(net),
        "held_out_loss": loss(net, told.terms(HELD_OUT)),
        **without_u(told.problem, field),
        "coarse_error": table.l2_error(coarse_solve(told.problem)[0].T),
        "norm": size,
        "reference_error": told.told.reference_error,  # of a u that was computed
    }


def _late_fall(training: Training) -> float:
    """The fine loss at the end over the one after three quarters of the evaluations: near 1 where
    the training has come to rest."""
    import numpy as np

    work, fine = (np.asarray(training.curve[name]) for name in ("evaluations", "fine_loss"))
    before = fine[work <= 0.75 * work[-1]]
    return float(fine[-1] / before[-1]) if len(before) else 1.0


def _trained(config: Config, told: Setting) -> tuple[Network, Training]:
    from bench import problems
    from bench.measure.norms import tabulated_domain
    from nets.module import build
    from nets.residuals.objective import ResidualObjective
    from nets.training.budget import Equation, Limits
    from nets.training.loop import minimise

    net = build(
        net="resnet", tau="learned", hidden=config.hidden, width=config.width, inputs=3,
        outputs=told.outputs, activation="tanh", seed=config.seed,
    )  # fmt: skip
    table = tabulated_domain(problems.get(config.problem), ("x",))
    training = minimise(
        net,
        Equation(ResidualObjective(net, told.terms())),
        limits=Limits(evaluations=config.evaluations),
        optimizer=config.optimizer,
        probes={
            "l2_error": lambda net: table.l2_error(told.field(net)(table.inputs.T).T),
            "fine_loss": told.fine_loss,
        },
        every=max(1, round(config.evaluations / CHECKPOINTS)),
        seed=config.seed,
    )
    return training.net, training
