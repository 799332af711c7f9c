"""A net with everything chosen for it: size and η by validation inside the cylinder, then trained.

The whole method is one cell, so that its cost counts the search. Candidates are trained briefly
on the part r ≤ `radius` of the cylinder, with weights and data of a seed of their own; the one
with the smallest relative error on held-out points of the whole cylinder (its ring r > `radius`
was not seen) is trained from a fresh seed on fresh data, and only that net is scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.cells import MACHINE, Result, finite
from bench.cells._appearance import Appearance, samples_title
from bench.cells._names import as_net, family_of
from bench.cells.net import Config as Training
from bench.errors import UserError
from bench.settings import inherited, setting


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = inherited(Training, "problem")
    features: str = inherited(Training, "features")
    net: str = inherited(Training, "net")
    tau: str = inherited(Training, "tau")
    sizes: tuple[str, ...] = setting(("2-10", "2-20"), help="Candidates, hidden-width.")
    etas: tuple[float, ...] = setting((1e-4, 4.0, 16.0), above=0, help="Candidates for eta.")
    samples: int = setting(1000, min=1, help="Points for training; validation has its own.")
    radius: float = setting(0.8, above=0, max=1, help="Train on r <= radius while tuning.")
    tuning_evaluations: int = setting(1000, min=1, help="Evaluations per candidate.")
    evaluations: int = setting(8000, min=1, help="Evaluations of the one that is scored.")
    seed: int = inherited(Training, "seed")
    data_seed: int = inherited(Training, "data_seed")

    def __post_init__(self) -> None:
        for size in self.sizes:
            if not re.fullmatch(r"[1-9][0-9]*-[1-9][0-9]*", size):
                raise UserError(f"a size is hidden-width, such as 2-20, got {size!r}")


DEPENDS = (
    "nets", "bench.training", "bench.portrait", "bench.problems", "bench.domains",
    "bench.measure", "bench.medians", "bench.cells.net", "fem",
)  # fmt: skip
ALONE = False
TIMED = MACHINE

TUNING_SEEDS_FROM = 1_000_000  # seeds of the search never meet those that are scored
HISTORY_ROWS = 200


def needs_bytes(config: Config) -> int:
    return 900 * 2**20


def appearance(config: Config, values: Mapping[str, Any]) -> Appearance:
    """Size and η are not in the title: the validation chooses them anew for each seed."""
    return as_net(
        config,
        values,
        title=f"tuned {family_of(config)} ({config.features}){samples_title(config.samples)}",
        tuned="size and η, by validation inside the cylinder; counted",
        search="counted",
    )


def run(config: Config) -> Result:
    from bench.portrait import portrait
    from bench.training import train_net
    from nets.storage import to_bytes

    tried = [_validated(config, candidate) for candidate in candidates(config)]
    chosen = best(tried)
    trained = train_net(_settings(config, chosen["hidden"], chosen["width"], chosen["eta"]))
    values, arrays = portrait(trained, ())
    tuning = sum(candidate["seconds"] for candidate in tried)
    return Result(
        {
            **trained.values,
            **values,
            "chosen": {name: chosen[name] for name in ("hidden", "width", "eta")},
            "tried": tried,
            "seconds_training": trained.values["seconds"],
            "seconds_tuning": tuning,
            "seconds": trained.values["seconds"] + tuning,
            "evaluations_tuning": sum(candidate["evaluations"] for candidate in tried),
        },
        {**trained.arrays, **arrays},
        {"net": to_bytes(trained.net)},
        diverged=trained.values["diverged"],
    )


def candidates(config: Config) -> list[dict[str, Any]]:
    """Every size with every η."""
    sizes = [tuple(map(int, size.split("-"))) for size in config.sizes]
    return [
        {"hidden": hidden, "width": width, "eta": eta}
        for hidden, width in sizes
        for eta in config.etas
    ]


def best(tried: list[dict[str, Any]]) -> dict[str, Any]:
    """The smallest validation error; one that diverged has none. The first of equals wins."""
    return min(tried, key=lambda c: float("inf") if c["validation"] is None else c["validation"])


def _validated(config: Config, candidate: dict[str, Any]) -> dict[str, Any]:
    """The candidate with its validation error and cost."""
    from bench.training import rel_test_error
    from nets import train

    settings = replace(
        _settings(config, **candidate),
        seed=TUNING_SEEDS_FROM + config.seed,
        data_seed=TUNING_SEEDS_FROM + config.data_seed,
        radius=config.radius,
    )
    trained, data = settings.build(), settings.data()
    training = train(
        trained,
        data.x,
        data.y,
        optimizer=settings.optimizer,
        evaluations=config.tuning_evaluations,
        every=config.tuning_evaluations,
        seed=settings.seed,
    )
    return {
        **candidate,
        "validation": finite(rel_test_error(trained, data)),
        "evaluations": training.evaluations,
        "seconds": training.seconds,
    }


def _settings(config: Config, hidden: int, width: int, eta: float) -> Training:
    shared = ("problem", "features", "net", "tau", "samples", "seed", "data_seed")
    return Training(
        **{name: getattr(config, name) for name in shared},
        hidden=hidden,
        width=width,
        eta=eta,
        optimizer="ssbfgs",
        evaluations=float(config.evaluations),
        every=max(1, config.evaluations // HISTORY_ROWS),
    )
