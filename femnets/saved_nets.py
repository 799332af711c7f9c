"""Nets saved by `femnets train --save`: with their settings, and as fields of x."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError
from bench.methods.untrained.configuration import NAME

if TYPE_CHECKING:
    from bench.cells.net import Config
    from bench.cells.solved_net import Config as SolveConfig
    from bench.methods.untrained.configuration import UntrainedConfig
    from bench.problems import Problem
    from nets.module import Network

DATA_SETTINGS = ("problem", "features", "samples", "radius", "data_seed")
EQUATION_SETTINGS = (
    "problem", "form", "boundary", "points", "boundary_points", "boundary_weight", "draw",
    "data_seed",
)  # fmt: skip


def saved_as(path: Path) -> str:
    """Return what a saved net was given: samples (fit) or the equation (solve); or the method."""
    from nets.untrained.storage import load_with_about

    about = load_with_about(path)[1]
    return str(about.get("method") or about.get("track", "fit"))


def load_untrained(path: Path, **given: Any) -> tuple[Any, UntrainedConfig]:
    """Return random features and their settings; those `given` replace the stored."""
    from bench.core.settings import configured
    from bench.methods.untrained.configuration import UntrainedConfig
    from nets.untrained.storage import load_with_about

    net, about = load_with_about(path)
    settings = {name: value for name, value in about.items() if name not in ("track", "method")}
    settings |= {name: value for name, value in given.items() if value is not None}
    return net, configured(UntrainedConfig, settings, where="a saved net")


def load_solved(path: Path, **given: Any) -> tuple[Network, SolveConfig]:
    """Return a net given an equation, and its settings; those `given` replace the stored."""
    from bench.cells.solved_net import Config as SolveConfig
    from bench.core.settings import configured
    from nets.storage import load_with_about

    net, about = load_with_about(path)
    settings = {name: about[name] for name in EQUATION_SETTINGS if name in about}
    settings |= {name: value for name, value in given.items() if value is not None}
    return net, configured(SolveConfig, settings, where="a saved net")


def load_net(path: Path, **given: Any) -> tuple[Network, Config]:
    """Return a saved net and its data settings; those `given` (not None) replace the stored."""
    from bench.cells.net import Config, needs_bytes
    from bench.core.guards.sizes import check_memory
    from bench.core.settings import configured
    from nets.storage import load_with_about

    net, about = load_with_about(path)
    if about.get("track") == "solve":
        raise UserError(f"{path} was trained without samples; use a net trained with --track fit")
    settings = {name: about[name] for name in DATA_SETTINGS if name in about}
    settings |= {name: value for name, value in given.items() if value is not None}
    config = configured(Config, settings, where="a saved net")
    check_memory(needs_bytes(config), "the data of this net", "it asks for too many samples")
    return net, config


def saved_field(path: Path, problem: str | None = None) -> tuple[Any, Problem]:
    """Return the field of a saved net and the problem it was trained on, or the one given."""
    from bench import problems

    saved = saved_as(path)
    if saved == NAME:
        from bench.methods.untrained.solving import as_field

        untrained, config = load_untrained(path, problem=problem)
        return as_field(untrained), problems.get(config.problem)
    if saved == "solve":
        from bench.methods.solving import collocation_of

        net, solving = load_solved(path, problem=problem)
        collocation = collocation_of(solving, net.pack().size, net)
        return collocation.field(net), collocation.problem
    from bench.measure.net_fields import net_field

    net, fitting = load_net(path, problem=problem)
    chosen = problems.get(fitting.problem)
    return net_field(net, chosen, fitting.features.split(",")), chosen
