"""A method fitted to noisy samples of the field and of the equation's data."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError
from bench.cells import MACHINE, Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    method: str = setting(help="A baseline, 'paper net', 'strong net', or N1.")
    problem: str = setting("maxwell", help="The field to learn.")
    features: str = setting("x", help="Inputs of the method.")
    samples: int = setting(1000, min=5, help="Training points.")
    noise: float = setting(0.0, min=0, help="Relative size of the noise in u, f and phi.")
    evaluations: int = setting(500, min=1, help="Evaluations of J and its gradient, for nets.")
    net: str = setting("resnet", help="Architecture of the nets.")
    optimizers: tuple[str, ...] = setting(("steepest", "ssbfgs"), help="Those of the nets.")
    seed: int = setting(0, min=0, help="Seed of the weights.")
    data_seed: int = setting(0, min=0, help="Seed of points and noise.")

    def __post_init__(self) -> None:
        if not self.noise <= 1:
            raise UserError(f"noise is a fraction of the data, at most 1, got {self.noise}")


ALONE = False
TIMED = MACHINE
competitor = None  # with noise, methods are compared in the study's own section


def needs_bytes(config: Config) -> int:
    dense = 8 * config.samples**2 if config.method == "kernel_ridge" else 0
    return 500 * 2**20 + 2 * dense + config.samples * 2**13


def run(config: Config) -> Result:
    import time

    from bench import problems
    from bench.methods.open_questions import noise

    problem, features = problems.get(config.problem), tuple(config.features.split(","))
    samples = noise.Samples.drawn(problem, features, config.samples, config.noise, config.data_seed)
    begun = time.perf_counter()
    model = noise.fitted(
        config.method, problem, features, samples, evaluations=config.evaluations, seed=config.seed
    )
    seconds = time.perf_counter() - begun
    return Result({**noise.errors(problem, model), "unknowns": model.unknowns, "seconds": seconds})
