"""One trained net: its errors, its history, samples of its field for the figures.

A cell stops by steps or evaluations, never by seconds, so that its result repeats; the error at a
given time is read off the recorded curve. `femnets train` takes its options from `Config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.cells import MACHINE, Result
from bench.cells._nets import net_result, require_repeats
from bench.methods.competitor import Competitor, samples_title
from bench.methods.configurations import TrainingConfig
from bench.methods.net_names import as_net, family_of
from nets import optimizers

Config = TrainingConfig
ALONE = False
TIMED = MACHINE

PAPER_MESHES = range(1, 11)


def needs_bytes(config: Config) -> int:
    """Memory of torch itself, the states of a chunk and the optimiser's state."""
    parameters = config.width**2 * config.hidden
    options = {} if config.memory is None else {"memory": config.memory}
    kept = optimizers.state_bytes(config.optimizer, parameters, options)
    rows = 200 * (config.samples + 12_000)  # inputs, targets and points of both samples
    return 700 * 2**20 + kept + 2**20 * config.hidden + 16 * parameters + rows


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    ordering = " + B.O." if config.bias_ordering else ""
    size = f"{config.hidden}-{config.width}"
    return as_net(
        config,
        values,
        title=f"{family_of(config, values)}{ordering} {size}{_differences(config)}",
        tuned="before this run, if at all: settings are the study's; not counted",
        search="elsewhere",
        precision=config.precision,
    )


def _differences(config: Config) -> str:
    """The settings that differ from the paper's, as a title adds them."""
    parts = [
        "" if config.optimizer == "steepest" else f", {config.optimizer}",
        f", {config.evaluations:g} evaluations" if config.evaluations else "",
        samples_title(config.samples),
        "" if config.scale == 1 else f", weights × {config.scale:g}",
        "" if config.eta == 1e-4 else f", η = {config.eta:g}",
        "" if config.tau0 == "1" else f", τ₀ = {config.tau0}",
        f", λ₂ = {config.lambda2:g}" if config.lambda2 else "",
        "" if config.features == "x,f,phi" else f" ({config.features})",
    ]
    return "".join(parts)


def run(config: Config) -> Result:
    from bench.methods.field_samples import field_samples
    from bench.methods.training import train_net

    require_repeats("net", config)
    trained = train_net(config)
    meshes = filter(trained.data.problem.domain.offers, PAPER_MESHES)
    return net_result(trained, *field_samples(trained, meshes))
