"""A net fitted to samples in the cylinder, with known properties of the field in its loss."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError, nearest
from bench.cells import MACHINE, Result
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetOnData

KNOWN = ("none", "divergence", "third", "equation", "potential")


@dataclass(frozen=True, kw_only=True)
class Config:
    known: str = setting("none", help=f"What the loss knows of the field: {', '.join(KNOWN)}.")
    problem: str = inherited(NetOnData, "problem")
    net: str = inherited(NetOnData, "net")
    hidden: int = inherited(NetOnData, "hidden", default=2)
    width: int = inherited(NetOnData, "width", default=20)
    samples: int = setting(400, min=5, help="Training points in the cylinder.")
    noise: float = setting(0.0, min=0, help="Relative size of the noise in u.")
    points: int = setting(400, min=1, help="Points of the cube where the properties are imposed.")
    weight: float = setting(1.0, above=0, help="Weight of the properties in the loss.")
    steps: int = setting(300, min=1, help="Steps of self-scaled BFGS.")
    optimizer: str = setting("ssbfgs", help="The optimiser; only ssbfgs.")
    seed: int = setting(0, min=0, help="Seed of the weights.")
    data_seed: int = setting(0, min=0, help="Seed of points and noise.")

    def __post_init__(self) -> None:
        if self.known not in KNOWN:
            raise UserError(f"unknown property {self.known!r}; {nearest(self.known, KNOWN)}")


ALONE = False
TIMED = MACHINE
competitor = None  # it compares losses


def needs_bytes(config: Config) -> int:
    return 600 * 2**20


def run(config: Config) -> Result:
    import time

    from bench import problems
    from bench.measure.norms import field_errors
    from bench.methods.open_questions import knowledge, noise
    from nets.module import build

    problem = problems.get(config.problem)
    samples = noise.Samples.drawn(
        problem, ("x",), config.samples, config.noise, config.data_seed, noisy=("u",)
    )
    net = build(
        net=config.net, tau="learned", hidden=config.hidden, width=config.width, inputs=3,
        activation="tanh", seed=config.seed,
    )  # fmt: skip
    known = knowledge.Knowledge(problem, config.known, config.points, config.data_seed)
    begun = time.perf_counter()
    field = knowledge.trained(
        net, samples.points, samples.targets.T, known, config.known,
        weight=config.weight, steps=config.steps,
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    errors = field_errors(field, problem)
    kept = {name: value for name, value in errors.items() if name.startswith("l2_error")}
    return Result({**kept, "seconds": seconds})
