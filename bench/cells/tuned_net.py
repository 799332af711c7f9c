"""A net with everything chosen for it by validation on its own samples, then trained.

The whole method is one cell, so that its cost counts the search, and it is told `samples` samples
and no more. Candidates are trained briefly on a part of them: without the ring r > `radius` of the
cylinder and without every fifth of the rest. Those judge, by the relative error: a net must fill
gaps and continue a little. First every size with every activation, then, for the best of these,
every optimiser; then the length of the training, because a net that is trained too long follows its
samples. The winner is trained on all samples from a fresh seed; only that net is scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from base.errors import UserError
from bench.cells import MACHINE, Result
from bench.core.plain_values import finite
from bench.core.settings import inherited, setting
from bench.methods.competitor import Competitor, samples_title
from bench.methods.configurations import TrainingConfig as Training
from bench.methods.net_names import as_net, family_of
from nets import optimizers


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = inherited(Training, "problem")
    features: str = inherited(Training, "features")
    net: str = inherited(Training, "net")
    tau: str = inherited(Training, "tau")
    sizes: tuple[str, ...] = setting(("2-10", "2-20"), help="Candidates, hidden-width.")
    activations: tuple[str, ...] = setting(("smoothrelu",), help="Candidates.")
    etas: tuple[float, ...] = setting(
        (1e-4, 4.0, 16.0), above=0, help="Candidates for eta of smoothrelu."
    )
    first_scales: tuple[float, ...] = setting(
        (1.0,), above=0, help="Candidates for first_scale of every other activation."
    )
    optimizers: tuple[str, ...] = setting(
        ("ssbfgs",), help="The first with every candidate, the others with the best."
    )
    samples: int = setting(1000, min=10, help="Points, some of which are held out while tuning.")
    radius: float = setting(0.9, above=0, max=1, help="Hold out r > radius while tuning.")
    tuning_evaluations: int = setting(1000, min=1, help="Evaluations per candidate.")
    evaluations: int = setting(8000, min=1, help="Evaluations of the one that is scored.")
    seed: int = inherited(Training, "seed")
    data_seed: int = inherited(Training, "data_seed")

    def __post_init__(self) -> None:
        for size in self.sizes:
            if not re.fullmatch(r"[1-9][0-9]*-[1-9][0-9]*", size):
                raise UserError(f"a size is hidden-width, such as 2-20, got {size!r}")
        for name in ("sizes", "activations", "optimizers"):
            if not getattr(self, name):
                raise UserError(f"a search needs candidates: {name} is empty")


ALONE = False
TIMED = MACHINE

TUNING_SEEDS_FROM = 1_000_000  # starts of the search never meet those that are scored
HELD_OUT = 5  # one sample in so many
# A step with the Jacobian of all residuals costs about as much as a twentieth as many evaluations
# of the gradient as there are parameters: 31 of 2 ms for a 2-20 net on 1000 samples.
PARAMETERS_PER_EVALUATION = 20
CHOICES = ("hidden", "width", "activation", "eta", "first_scale", "optimizer")
HISTORY_ROWS = 200


def needs_bytes(config: Config) -> int:
    return 900 * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    """What was chosen is not in the title: the validation chooses anew for each seed."""
    return as_net(
        config,
        values,
        title=f"tuned {family_of(config)} ({config.features}){samples_title(config.samples)}",
        tuned="size, activation, η, frequencies, optimiser, length of training, by validation on "
        "its samples; counted",
        search="counted",
    )


def run(config: Config) -> Result:
    from bench.methods.field_samples import portrait
    from bench.methods.training import train_net
    from nets.storage import to_bytes

    brief = config.tuning_evaluations
    tried = [_validated(config, candidate, brief) for candidate in candidates(config)]
    leader = {name: best(tried)[name] for name in CHOICES}
    others = [{**leader, "optimizer": name} for name in config.optimizers[1:]]
    tried += [_validated(config, candidate, brief) for candidate in others]
    chosen = {name: best(tried)[name] for name in CHOICES}
    longest = _validated(config, chosen, config.evaluations)
    length = {"evaluations": longest["best_at"]}
    trained = train_net(replace(_settings(config, chosen, config.evaluations), **length))
    values, arrays = portrait(trained, ())
    search = [*tried, longest]
    tuning = sum(each["seconds"] for each in search)
    return Result(
        {
            **trained.values,
            **values,
            "chosen": {**chosen, **length},
            "tried": tried,
            "longest": longest,
            "seconds_training": trained.values["seconds"],
            "seconds_tuning": tuning,
            "seconds": trained.values["seconds"] + tuning,
            "evaluations_tuning": sum(each["evaluations"] for each in search),
        },
        {**trained.arrays, **arrays},
        {"net": to_bytes(trained.net)},
        diverged=trained.values["diverged"],
    )


def candidates(config: Config) -> list[dict[str, Any]]:
    """Every size with every activation: smoothReLU at every η, the others at every first scale."""
    sizes = [tuple(map(int, size.split("-"))) for size in config.sizes]
    shapes = [
        {"activation": name, "eta": eta, "first_scale": scale}
        for name in config.activations
        for eta in (config.etas if name == "smoothrelu" else (Training.eta,))
        for scale in ((1.0,) if name == "smoothrelu" else config.first_scales)
    ]
    return [
        {"hidden": hidden, "width": width, **shape, "optimizer": config.optimizers[0]}
        for hidden, width in sizes
        for shape in shapes
    ]


def best(tried: list[dict[str, Any]]) -> dict[str, Any]:
    """The smallest validation error; one that diverged has none. The first of equals wins."""
    return min(tried, key=lambda c: float("inf") if c["validation"] is None else c["validation"])


def _validated(config: Config, candidate: dict[str, Any], evaluations: int) -> dict[str, Any]:
    """The candidate with its cost, its smallest validation error and where on the way that was.

    Judging on the way is not in its seconds: it costs a fraction of one evaluation each time.
    """
    from bench.measure.norms import relative_test_error
    from bench.methods.training import predict, starting_net, training_data
    from nets.training.loop import train

    settings = _settings(config, candidate, evaluations)
    data, held = training_data(settings), held_out(config)
    net = starting_net(replace(settings, seed=TUNING_SEEDS_FROM + config.seed))
    training = train(
        net,
        data.x[~held],
        data.y[~held],
        optimizer=settings.optimizer,
        evaluations=settings.evaluations,
        every=evaluations,
        seed=TUNING_SEEDS_FROM + config.seed,
        probes={
            "validation": lambda net: relative_test_error(predict(net, data.x[held]), data.y[held])
        },
    )
    smallest, best_at = least(training.curve["validation"], training.curve["evaluations"])
    return {
        **candidate,
        "validation": finite(smallest),
        "best_at": best_at,
        "evaluations": training.evaluations,
        "seconds": training.seconds,
    }


def least(errors: Iterable[float], evaluations: Iterable[float]) -> tuple[float, float]:
    """The smallest error along a curve and when it was reached, the first of equals.

    The last point of a curve is the state of smallest J: it counts for the end. A curve without any
    number keeps the whole length.
    """
    found = [(error, at) for error, at in zip(errors, evaluations, strict=True) if not isnan(error)]
    if not found:
        return float("nan"), max([1.0, *evaluations])
    error, at = min(found)
    return float(error), max(1.0, float(at))


def held_out(config: Config) -> Any:
    """Which of the samples judge: those beyond the radius, and every fifth of the rest."""
    import numpy as np

    from bench import problems

    domain = problems.get(config.problem).domain
    points = domain.sample_training(config.samples, config.data_seed)
    held = domain.beyond(points, config.radius)
    inside = np.flatnonzero(~held)
    held[inside[HELD_OUT - 1 :: HELD_OUT]] = True
    return held


def _settings(config: Config, candidate: Mapping[str, Any], evaluations: int) -> Training:
    """Optimisers that ask for Jacobians get as many fewer evaluations as these cost more."""
    inputs = sum(1 if name == "phi" else 3 for name in config.features.split(","))
    hidden, width = candidate["hidden"], candidate["width"]
    parameters = width * (inputs + 1 + (hidden - 1) * (width + 1) + 3) + hidden
    price = parameters / PARAMETERS_PER_EVALUATION if _wants_jacobians(candidate) else 1.0
    affordable = max(1.0, evaluations // max(1.0, price))
    shared = ("problem", "features", "net", "tau", "samples", "seed", "data_seed")
    return Training(
        **{name: getattr(config, name) for name in shared},
        **{name: candidate[name] for name in CHOICES},
        evaluations=affordable,
        every=max(1, int(affordable) // HISTORY_ROWS),
    )


def _wants_jacobians(candidate: Mapping[str, Any]) -> bool:
    return getattr(optimizers.get(candidate["optimizer"]), "NEEDS", "") == "residuals"
