"""A net with everything chosen for it: size and η by validation inside the cylinder, then trained.

The whole method is one cell, so that its cost counts the search. Candidates are trained briefly
on the part r ≤ `radius` of the cylinder, with weights and data of a seed of their own; the one
with the smallest relative error on held-out points of the whole cylinder (its ring r > `radius`
was not seen) is trained from a fresh seed on fresh data, and only that net is scored.
"""

from __future__ import annotations

from typing import Any

from bench.cells import Result

DEFAULTS = {
    "problem": "maxwell",
    "features": "x,f,phi",
    "net": "resnet",
    "tau": "learned",
    "sizes": ["2-10", "2-20"],  # hidden-width
    "etas": [1e-4, 4.0, 16.0],
    "samples": 1000,  # for training; validation has its own
    "radius": 0.8,  # while tuning
    "tuning_evaluations": 1000,
    "evaluations": 8000,
    "seed": 0,
    "data_seed": 0,
}
DEPENDS = (
    "nets", "bench.training", "bench.portrait", "bench.problems", "bench.measure.ruler",
    "bench.measure.queries", "fem",
)  # fmt: skip
TIMING = False

TUNING_SEEDS_FROM = 1_000_000  # seeds of the search never meet those that are scored
HISTORY_ROWS = 200


def needs_bytes(config: dict[str, Any]) -> int:
    return 900 * 2**20


def run(config: dict[str, Any]) -> Result:
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


def candidates(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Every size with every η."""
    sizes = [tuple(map(int, size.split("-"))) for size in config["sizes"]]
    return [
        {"hidden": hidden, "width": width, "eta": eta}
        for hidden, width in sizes
        for eta in config["etas"]
    ]


def best(tried: list[dict[str, Any]]) -> dict[str, Any]:
    """The smallest validation error; one that diverged has none. The first of equals wins."""
    return min(tried, key=lambda c: float("inf") if c["validation"] is None else c["validation"])


def _validated(config: dict[str, Any], candidate: dict[str, Any]) -> dict[str, Any]:
    """The candidate with its validation error and cost."""
    from bench.training import TrainConfig, finite, rel_test_error
    from nets import train

    settings = TrainConfig.from_dict(
        {
            **_settings(config, **candidate),
            "seed": TUNING_SEEDS_FROM + config["seed"],
            "data_seed": TUNING_SEEDS_FROM + config["data_seed"],
            "radius": config["radius"],
        }
    )
    net, data = settings.build(), settings.data()
    training = train(
        net,
        data.x,
        data.y,
        optimizer=settings.optimizer,
        evaluations=config["tuning_evaluations"],
        every=config["tuning_evaluations"],
        seed=settings.seed,
    )
    return {
        **candidate,
        "validation": finite(rel_test_error(net, data)),
        "evaluations": training.evaluations,
        "seconds": training.seconds,
    }


def _settings(config: dict[str, Any], hidden: int, width: int, eta: float) -> dict[str, Any]:
    evaluations = config["evaluations"]
    return {
        **{name: config[name] for name in ("problem", "features", "net", "tau", "samples")},
        **{name: config[name] for name in ("seed", "data_seed")},
        "hidden": hidden,
        "width": width,
        "eta": eta,
        "optimizer": "ssbfgs",
        "evaluations": float(evaluations),
        "every": max(1, evaluations // HISTORY_ROWS),
    }
