"""Nets saved by `femnets train --save`: with their settings, and as fields of x."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.core.settings import configured, types_of
from bench.methods.configurations import SolvingConfig, TrainingConfig
from bench.methods.untrained.configuration import NAME, UntrainedConfig

if TYPE_CHECKING:
    from bench.problems import Problem

KINDS: dict[str, type] = {"fit": TrainingConfig, "solve": SolvingConfig, NAME: UntrainedConfig}
# What a net was given, by which it is measured again; the rest is in its weights.
GIVEN = (
    "problem", "features", "samples", "radius", "form", "boundary", "points", "boundary_points",
    "boundary_weight", "draw", "data_seed",
)  # fmt: skip


def save(net: Any, config: Any, path: Path) -> None:
    """Save a net with the problem and the points it was given."""
    from bench.core.guards.output import write_whole
    from nets.untrained.storage import to_bytes

    track = next((name for name, kind in KINDS.items() if isinstance(config, kind)), "fit")
    about = {"track": track} | {n: getattr(config, n) for n in GIVEN if hasattr(config, n)}
    write_whole(path, to_bytes(net, about))  # unlike nets.save, a signal leaves no partial file


def load(path: Path, problem: str | None = None) -> tuple[Any, Any]:
    """Return a saved net and its settings, on the problem given or on that of its training."""
    from bench.cells.net import needs_bytes
    from bench.core.guards.sizes import check_memory
    from nets.untrained.storage import load_with_about

    net, about = load_with_about(path)
    kind = KINDS.get(str(about.get("method") or about.get("track")), TrainingConfig)
    settings = {name: about[name] for name in GIVEN if name in about and name in types_of(kind)}
    settings |= {} if problem is None else {"problem": problem}
    config: Any = configured(kind, settings, where="a saved net")
    if isinstance(config, TrainingConfig):
        check_memory(needs_bytes(config), "the data of this net", "it asks for too many samples")
    return net, config


def saved_field(path: Path, problem: str | None = None) -> tuple[Any, Problem]:
    """Return the field of a saved net and the problem it was trained on, or the one given."""
    from bench import problems

    net, config = load(path, problem)
    chosen = problems.get(config.problem)
    if isinstance(config, UntrainedConfig):
        from bench.methods.untrained.solving import as_field

        return as_field(net), chosen
    if isinstance(config, SolvingConfig):
        from bench.methods.solving import collocation_of

        return collocation_of(config, net.pack().size, net).field(net), chosen
    from bench.measure.net_fields import net_field

    return net_field(net, chosen, config.features.split(",")), chosen
