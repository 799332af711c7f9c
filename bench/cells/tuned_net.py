"""A net whose settings are all chosen by validation on its own samples, then trained.

The whole method is one cell, so that its cost counts the search, and it is given `samples` samples
and no more (`bench.methods.tuning`). First every size with every activation, then, for the best of
these, every optimiser; then the length of the training, because a net that is trained too long
follows its samples. The winner is trained on all samples from a fresh seed; only it is scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from base.errors import UserError
from bench.cells import MACHINE, Result
from bench.cells._nets import net_result
from bench.core.settings import inherited, setting
from bench.methods.competitor import Competitor, samples_title
from bench.methods.configurations import TrainingConfig as Training
from bench.methods.net_names import as_net, family_of


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = inherited(Training, "problem")
    features: str = inherited(Training, "features")
    net: str = inherited(Training, "net")
    tau: str = inherited(Training, "tau")
    sizes: tuple[str, ...] = setting(("2-10", "2-20"), help="Candidate sizes, hidden-width.")
    activations: tuple[str, ...] = setting(("smoothrelu",), help="Candidates.")
    etas: tuple[float, ...] = setting(
        (1e-4, 4.0, 16.0), above=0, help="Candidates for eta of smoothrelu."
    )
    first_scales: tuple[float, ...] = setting(
        (1.0,), above=0, help="Candidates for first_scale of every other activation."
    )
    optimizers: tuple[str, ...] = setting(
        ("ssbfgs",), help="Optimisers: the first for the search, all for the best candidate."
    )
    samples: int = setting(1000, min=10, help="Points; some are held out while tuning.")
    radius: float = setting(0.9, above=0, max=1, help="Hold out r > radius while tuning.")
    tuning_evaluations: int = setting(1000, min=1, help="Evaluations per candidate.")
    evaluations: int = setting(8000, min=1, help="Evaluations of the final training.")
    seed: int = inherited(Training, "seed")
    data_seed: int = inherited(Training, "data_seed")

    def __post_init__(self) -> None:
        for size in self.sizes:
            if not re.fullmatch(r"[1-9][0-9]*-[1-9][0-9]*", size):
                raise UserError(f"invalid size {size!r}; write hidden-width, such as 2-20")
        for name in ("sizes", "activations", "optimizers"):
            if not getattr(self, name):
                raise UserError(f"{name} is empty; give at least one candidate")


ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    return 900 * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    """Title without the chosen settings: validation may choose others for each seed."""
    return as_net(
        config,
        values,
        title=f"tuned {family_of(config, values)} ({config.features})"
        f"{samples_title(config.samples)}",
        tuned="size, activation, η, frequencies, optimiser, length of training, by validation on "
        "its samples; counted",
        search="counted",
    )


def run(config: Config) -> Result:
    from bench.methods.field_samples import field_samples
    from bench.methods.training import train_net
    from bench.methods.tuning import Validation, best, candidates

    shared = ("problem", "features", "net", "tau", "samples", "seed", "data_seed")
    start = Training(**{name: getattr(config, name) for name in shared})
    search, brief = Validation(start, config.radius), config.tuning_evaluations
    first, *others = config.optimizers
    grid = candidates(config.sizes, config.activations, config.etas, config.first_scales, first)
    tried = [search.validated(candidate, brief) for candidate in grid]
    leader = best(tried)
    tried += [search.validated({**leader, "optimizer": name}, brief) for name in others]
    chosen = best(tried)
    longest = search.validated(chosen, config.evaluations)
    length = {"evaluations": longest["best_at"]}
    trained = train_net(replace(search.settings(chosen, config.evaluations), **length))
    values, arrays = field_samples(trained, ())
    tuning = sum(each["seconds"] for each in (*tried, longest))
    more = {
        **values,
        "chosen": {**chosen, **length},
        "tried": tried,
        "longest": longest,
        "seconds_training": trained.values["seconds"],
        "seconds_tuning": tuning,
        "seconds": trained.values["seconds"] + tuning,
        "evaluations_tuning": sum(each["evaluations"] for each in (*tried, longest)),
    }
    return net_result(trained, more, arrays)
