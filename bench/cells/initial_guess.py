"""A trained net as the start of conjugate gradients, on a ladder of meshes."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError
from bench.cells import MACHINE, Result
from bench.core.settings import inherited, setting
from bench.methods.configurations import TrainingConfig, part_of


@dataclass(frozen=True, kw_only=True)
class Config:
    element: str = setting("N0", help="N0 or N1.")
    boundary_value: bool = setting(False, help="Solve the boundary-value problem (N0 only).")
    n: tuple[int, ...] = setting((4, 8), min=1, help="Cells per side, each twice the last.")
    problem: str = inherited(TrainingConfig, "problem")
    net: str = inherited(TrainingConfig, "net")
    tau: str = inherited(TrainingConfig, "tau")
    hidden: int = inherited(TrainingConfig, "hidden", default=2)
    width: int = inherited(TrainingConfig, "width", default=20)
    activation: str = inherited(TrainingConfig, "activation", default="tanh")
    features: str = inherited(TrainingConfig, "features", default="x")
    samples: int = inherited(TrainingConfig, "samples", default=1000)
    optimizer: str = inherited(TrainingConfig, "optimizer", default="ssbfgs")
    steps: int = setting(200, min=1, help="Steps of the training.")
    seed: int = inherited(TrainingConfig, "seed")
    data_seed: int = inherited(TrainingConfig, "data_seed")

    def __post_init__(self) -> None:
        if self.element not in ORDERS:
            raise UserError(f"element must be {' or '.join(ORDERS)}, got {self.element!r}")


ORDERS = {"N0": 1, "N1": 2}  # of convergence in H(curl)
ALONE = True
TIMED = (*MACHINE, "rows", "repaid*")
competitor = None  # it accelerates an element


def needs_bytes(config: Config) -> int:
    return 500 * 2**20 + 600 * max(config.n) ** 3


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.net_fields import net_field
    from bench.methods.open_questions import initial_guess
    from bench.methods.training import train_net

    trained = train_net(part_of(config, TrainingConfig))
    problem = problems.get(config.problem)
    field = net_field(trained.net, problem, trained.data.features)
    ladder = initial_guess.Ladder(problem, config.element, config.boundary_value)
    rows = initial_guess.rows(ladder, config.n, field)
    error, training = trained.values["hcurl_error"], trained.values["seconds"]
    return Result(
        {
            "net_l2_error": trained.values["l2_error"],
            "net_hcurl_error": error,
            "training_seconds": training,
            "rows": rows,
            **{
                f"{start}_iterations": [row[f"{start}_iterations"] for row in rows]
                for start in initial_guess.STARTS
            },
            "predicted_n": initial_guess.predicted_n(rows, error, ORDERS[config.element]),
            "measured_n": initial_guess.measured_n(rows),
            "repaid_against_zero": initial_guess.repaid_after(rows, training, "zero"),
            "repaid_against_coarse": initial_guess.repaid_after(rows, training, "coarse"),
        }
    )
