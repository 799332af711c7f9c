"""Helpers of the commands that train, evaluate and prune nets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from bench.cells.net import Config
    from bench.cells.solved_net import Config as SolveConfig
    from bench.methods.untrained.configuration import UntrainedConfig
    from nets.module import Network

DATA_SETTINGS = ("problem", "features", "samples", "radius", "data_seed")
EQUATION_SETTINGS = (
    "problem", "form", "boundary", "points", "boundary_points", "boundary_weight", "draw",
    "data_seed",
)  # fmt: skip


def use_threads(threads: int) -> None:
    """Set the number of threads of matrix products, in NumPy and torch."""
    from bench.core.threads import limit_threads

    limit_threads(threads)
    import torch

    torch.set_num_threads(threads)


def save_net(net: Network, config: Config | SolveConfig, path: Path) -> None:
    """Save the net with its description and the problem, samples and seed it was trained on."""
    from bench.cells import solved_net
    from bench.core.guards.output import write_whole
    from nets.storage import to_bytes

    if isinstance(config, solved_net.Config):
        about = {"track": "solve"} | {name: getattr(config, name) for name in EQUATION_SETTINGS}
    else:
        about = {name: getattr(config, name) for name in DATA_SETTINGS if hasattr(config, name)}
    write_whole(path, to_bytes(net, about))  # unlike nets.save, a signal leaves no partial file


def save_untrained(net: Any, config: UntrainedConfig, path: Path) -> None:
    """Save random features with all their settings."""
    from bench.cells import plain
    from bench.core.guards.output import write_whole
    from nets.untrained.storage import to_bytes

    write_whole(path, to_bytes(net, {"track": "solve", "method": config.net} | plain(config)))


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


def save_arrays(arrays: Mapping[str, np.ndarray], path: Path) -> None:
    """Write arrays to an .npz file, completely or not at all."""
    import numpy

    from bench.core.guards.output import written_whole

    with written_whole(path) as part:
        numpy.savez_compressed(part, **arrays)  # type: ignore[arg-type]


def table(values: Mapping[str, Any]) -> str:
    """Return names and values in two columns."""
    width = max(map(len, values))
    return "\n".join(f"{name:<{width}}  {_show(value)}" for name, value in values.items())


def _show(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(map(_show, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_show(part)}" for name, part in value.items())
    return str(value)
